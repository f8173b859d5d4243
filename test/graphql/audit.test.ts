// The GraphQL-over-HTTP audit of the package graphql-http: all of it, without a key.
import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';

const gateway = await sharedGateway();

const audits = serverAudits({
  url: 'http://localhost:4000/graphql',
  fetchFn: (url: string, init: RequestInit = {}) => {
    const { pathname, search } = new URL(url);
    const { method = 'GET', body } = init;
    return gateway.send(pathname + search, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === 'string' && { body }),
    });
  },
});

test('there are 61 audits', () => {
  expect(audits).toHaveLength(61);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
  '%s %s',
  async (_id, _name, audit) => {
    const result = await audit.fn();
    expect(result).toMatchObject({ status: 'ok' });
  },
);

test.each([
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'Application/X-WWW-Form-Urlencoded',
  'text/plain',
  'text/plain; a=application/json',
  'application/graphql',
  'application/graphql+json',
  'application/json, text/plain',
  'application/jsonx',
  '',
])(
  'an operation that is sent as "%s" is 415: a page of another origin could send it unasked',
  async (contentType) => {
    for (const body of ['query=%7B__typename%7D', '{ __typename }', '{"query":"{ __typename }"}']) {
      const response = await gateway.send('/graphql', {
        method: 'POST',
        headers: { 'Content-Type': contentType },
        body,
      });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({
        errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }],
      });
    }
  },
);

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json ; charset=UTF-8',
])('an operation that is sent as "%s" is executed', async (contentType) => {
  const response = await gateway.send('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': contentType },
    body: '{"query":"{ __typename }"}',
  });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
});

test('a batch of operations is refused: each is a request', async () => {
  const response = await gateway.send('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '[{"query":"{ __typename }"},{"query":"{ __typename }"}]',
  });
  expect(response.status).toBe(400);
});
