// Errors as GraphQL clients get them.
import { describe, expect, test } from 'vitest';
import { INTERNAL_MESSAGE } from '../../src/errors.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { intercept } from '../support/graphql-statements.ts';

const gateway = await ownGateway();
const caller = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });

/** Makes every statement fail, but for the look-ups of host and caller. */
async function whileStatementsFail<T>(error: Error, work: () => Promise<T>): Promise<T> {
  const stop = intercept(gateway, (name, send) =>
    /^(hosts|api_keys)\./.test(name) ? send() : Promise.reject(error),
  );
  try {
    return await work();
  } finally {
    stop();
  }
}

test('an internal error is hidden from clients and logged with the same request id', async () => {
  const secret = new TypeError('column "s3cret" of relation');
  const { response, data, errors } = await whileStatementsFail(secret, () =>
    post(gateway, { query: `{ viewer { name } node(id: "${btoa('Team:1')}") { id } }` }, { caller }),
  );
  const requestId = response.headers.get('X-Request-Id');
  expect(response.status).toBe(200);
  expect(data).toMatchObject({ viewer: { name: expect.any(String) }, node: null });
  expect(errors).toEqual([
    {
      message: INTERNAL_MESSAGE,
      locations: [{ line: 1, column: 19 }],
      path: ['node'],
      extensions: { code: 'INTERNAL', requestId },
    },
  ]);
  const logged = gateway.logLines.find((line) => line.includes('s3cret'));
  expect(JSON.parse(logged ?? '{}')).toMatchObject({ level: 'error', requestId, path: 'node' });
});

test('an unreachable database is 503 with Retry-After', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const { response, errors } = await whileStatementsFail(away, () =>
    post(gateway, { query: '{ viewer { teams { totalCount } } }' }, { caller }),
  );
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
});

describe('graphql’s own errors keep their message and have a code:', () => {
  const cases: [string, { query: string; variables?: unknown }, string][] = [
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ viewer { nope } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a bad literal', { query: '{ team(by: { databaseId: 1.5 }) { name } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a bad variable',
      { query: 'query ($id: BigInt!) { team(by: { databaseId: $id }) { name } }', variables: { id: 'x' } },
      'BAD_REQUEST',
    ],
    [
      'an unknown operation',
      { query: 'query A { __typename } query B { __typename }' },
      'OPERATION_RESOLUTION_FAILURE',
    ],
  ];
  test.each(cases)('%s', async (_name, operation, code) => {
    const { response, data, errors } = await post(gateway, operation, { caller });
    expect([response.status, data]).toEqual([400, undefined]);
    expect(errors?.[0]?.extensions).toMatchObject({ code, requestId: response.headers.get('X-Request-Id') });
    expect(errors?.[0]?.message).not.toMatch(/wrong inside/);
  });
});

describe('requests without a valid operation', () => {
  const send = async (method: string, headers: Record<string, string>, body?: string, search = '') => {
    const response = await gateway.send(`/graphql${search}`, {
      caller,
      method,
      headers: { Accept: 'application/graphql-response+json', ...headers },
      ...(body !== undefined && { body }),
    });
    const { errors } = (await response.json()) as {
      errors: { extensions: { code: string; requestId: string } }[];
    };
    expect(errors[0]?.extensions.requestId).toBe(response.headers.get('X-Request-Id'));
    return [response.status, errors[0]?.extensions.code];
  };
  const json = { 'Content-Type': 'application/json' };

  test('get an error that explains what is wrong', async () => {
    expect(await send('POST', json, '{')).toEqual([400, 'BAD_REQUEST']);
    expect(await send('POST', json, '[]')).toEqual([400, 'BAD_REQUEST']);
    expect(await send('POST', json, '{"query":"{__typename}","nope":1}')).toEqual([400, 'BAD_REQUEST']);
    expect(await send('POST', { 'Content-Type': 'text/csv' }, 'a,b')).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
    expect(await send('POST', { ...json, Accept: 'image/png' }, '{"query":"{__typename}"}')).toEqual([
      406,
      'BAD_REQUEST',
    ]);
    expect(await send('PUT', json, '{"query":"{__typename}"}')).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });

  test('never cause a 500', async () => {
    const query = 'query=%7B__typename%7D';
    for (const search of [
      `?${query}&variables=%7B`,
      `?${query}&extensions=x`,
      '?query=',
      '',
      '?variables=%7B',
    ]) {
      expect(await send('GET', {}, undefined, search)).toEqual([400, 'BAD_REQUEST']);
    }
    const bodies = [
      'null',
      '1',
      '"x"',
      '{}',
      '{"query":1}',
      '{"query":""}',
      '{"query":"\\u0000"}',
      '{"query":[]}',
    ];
    for (const body of bodies)
      expect([body, await send('POST', json, body)]).toEqual([body, [400, expect.any(String)]]);
    const deep = `{"query":"{__typename}","variables":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    const answer = await gateway.send('/graphql', { caller, method: 'POST', headers: json, body: deep });
    expect(answer.status).toBeLessThan(500);
    const lists = `{ nodes(ids: ${'['.repeat(1_900)}${']'.repeat(1_900)}) { id } }`;
    expect((await post(gateway, { query: lists }, { caller })).response.status).toBe(400);
    const deepSelection = `{ ${'a { '.repeat(1_900)} b ${'}'.repeat(1_900)} }`;
    expect((await post(gateway, { query: deepSelection }, { caller })).response.status).toBe(400);
  });

  test('mutations by GET get 405', async () => {
    const mutation =
      'mutation{removeConditionalSplit(input:{conditionalSplitId:"b"}){removedConditionalSplitId}}';
    const search = `?query=${encodeURIComponent(mutation)}`;
    expect(await send('GET', {}, undefined, search)).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });
});

test('errors of one request do not appear in another, although documents are cached', async () => {
  const query = '{ viewer { nope } }';
  const first = await post(gateway, { query }, { headers: { 'X-Request-Id': 'one' } });
  const second = await post(gateway, { query }, { headers: { 'X-Request-Id': 'two' } });
  expect(first.errors?.[0]?.extensions.requestId).toBe('one');
  expect(second.errors?.[0]?.extensions.requestId).toBe('two');
});
