// The GraphQL-over-HTTP audit of the package graphql-http: all of it, without a key.
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

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
