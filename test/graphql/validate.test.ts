// Refusals of requests whose operation cannot be told from their parameters, by Yoga and behind the fast path
// (src/graphql/validate.ts), and of variables.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';

const BOTH = 'query A { viewer { kind } } query B { viewer { kind } }';
const HASH = {
  persistedQuery: {
    version: 1,
    sha256Hash: 'ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38',
  },
};

const gateway = await sharedGateway();
const { teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

const send = (body: object, accept: string) =>
  gateway.send('/graphql', {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify(body),
  });

async function errorsOf(response: Response): Promise<Record<string, unknown>[]> {
  const { errors, data } = (await response.json()) as { errors: Record<string, unknown>[]; data?: unknown };
  expect(data).toBeUndefined();
  for (const { extensions } of errors)
    expect(extensions).toMatchObject({ requestId: response.headers.get('X-Request-Id') });
  return errors;
}

describe.each(['application/json', 'application/graphql-response+json'])('for %s', (accept) => {
  test.each([
    [{ query: BOTH }, 'The document has several operations: name one of them in operationName: A, B.'],
    [{ query: BOTH, operationName: 'C' }, 'The document has no operation named "C". It has: A, B.'],
    [{ query: BOTH, operationName: '' }, 'The document has no operation named "". It has: A, B.'],
    [
      { query: 'query A { viewer { kind } }', operationName: 'B' },
      'The document has no operation named "B". It has: A.',
    ],
    [
      { query: '{ viewer { kind } }', operationName: 'B' },
      'The document has no operation named "B". It has: one without a name.',
    ],
    [{ query: 'fragment F on Team { id }' }, 'The document has no operation, only definitions for one.'],
    [{ query: BOTH, operationName: 1 }, 'operationName must be a string.'],
    [{ query: BOTH, operationName: ['A'] }, 'operationName must be a string.'],
    [{ query: BOTH, operationName: { name: 'A' } }, 'operationName must be a string.'],
  ])('%j is told what is wrong with its operationName', async (body, message) => {
    // The fast path has compiled the valid documents.
    for (const operationName of ['A', 'B']) await send({ query: BOTH, operationName }, accept);
    const response = await send(body, accept);
    expect(response.status).toBe(400);
    const [error, ...others] = await errorsOf(response);
    expect(others).toEqual([]);
    expect(error).toMatchObject({
      message,
      extensions: { code: 'OPERATION_RESOLUTION_FAILURE', field: 'operationName' },
    });
  });

  test('the quoted names in a refusal have a bounded length', async () => {
    const query = Array.from(
      { length: 200 },
      (_, n) => `query ${'Q'.repeat(100)}${n} { viewer { kind } }`,
    ).join(' ');
    const [error] = await errorsOf(await send({ query, operationName: '"'.repeat(50_000) }, accept));
    expect(String(error?.['message']).length).toBeLessThan(600);
  });

  test('the hash of a query without the query gets the answer that persisted-query clients expect', async () => {
    const response = await send({ operationName: 'A', variables: {}, extensions: HASH }, accept);
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([
      200,
      'private, no-cache, must-revalidate',
    ]);
    const errors = await errorsOf(response);
    expect(errors).toMatchObject([
      { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
    ]);
    const again = await send({ query: '{ viewer { kind } }', extensions: HASH }, accept);
    expect(await again.json()).toEqual({ data: { viewer: { kind: 'API_KEY' } } });
  });

  test('each missing or wrong variable is reported, before and after the fast path has the operation', async () => {
    const query =
      'query ($id: BigInt!, $size: Int!) { workspace(by: { databaseId: $id }) { contacts(first: $size) { nodes { id } } } }';
    for (const known of [false, true]) {
      const missing = await errorsOf(await send({ query, variables: {} }, accept));
      expect(missing.map(({ extensions }) => (extensions as { field: string }).field)).toEqual([
        'id',
        'size',
      ]);
      expect(missing.map(({ message }) => message)).toEqual([
        expect.stringContaining('"$id"'),
        expect.stringContaining('"$size"'),
      ]);
      const wrong = await errorsOf(await send({ query, variables: { id: 1, size: 'many' } }, accept));
      expect(wrong).toMatchObject([{ extensions: { field: 'size' } }]);
      if (!known) await send({ query, variables: { id: 1, size: 1 } }, accept);
    }
  });
});

test('a persisted query over GET, as Apollo sends it, gets the same answer', async () => {
  const query = new URLSearchParams({
    operationName: 'A',
    variables: '{}',
    extensions: JSON.stringify(HASH),
  });
  const response = await gateway.send(`/graphql?${query}`, { caller });
  expect(response.status).toBe(200);
  expect(await errorsOf(response)).toMatchObject([{ message: 'PersistedQueryNotSupported' }]);
});

test('all wrong arguments of a connection are reported, and both ids of a mutation', async () => {
  const argumentsOf = async (query: string) => {
    const { errors } = (await (await send({ query }, 'application/json')).json()) as {
      errors: {
        message: string;
        extensions: { field: string; errors: { field: string; message: string }[] };
      }[];
    };
    const [error] = errors;
    expect(error?.extensions.field).toBe(error?.extensions.errors[0]?.field);
    expect(error?.message).toBe(error?.extensions.errors.map(({ message }) => message).join(' '));
    return error?.extensions.errors.map(({ field }) => field);
  };
  expect(
    await argumentsOf('{ viewer { teams(first: -1, last: -1, after: "x", before: "y") { nodes { id } } } }'),
  ).toEqual([...['first', 'last', 'last', 'after', 'before']]);
  const input = '{ taggableIds: ["x"], tagIds: ["y"] }';
  const mutation = `mutation { removeTags(input: ${input}) { taggables { id } } }`;
  expect(await argumentsOf(mutation)).toEqual(['tagIds', 'taggableIds']);
});

test.each([
  ['BigInt', 'contact(by: { databaseId: "x" }) { id }', '"x"'],
  ['BigInt', 'contact(by: { databaseId: 9223372036854775808 }) { id }', '9223372036854775808'],
  ['BigInt', 'contact(by: { databaseId: 1.5 }) { id }', '1.5'],
  ['BigInt', 'contact(by: { databaseId: [true] }) { id }', '[true]'],
  [
    'DateTime',
    'workspace(by: { databaseId: 1 }) { contacts(filter: { createdAt: { from: 5 } }) { nodes { id } } }',
    '5',
  ],
])('a literal that is no %s is refused at its place: %s', async (scalar, field, value) => {
  const query = `{\n  ${field}\n}`;
  const errors = await errorsOf(await send({ query }, 'application/graphql-response+json'));
  const column = query.indexOf(value) - query.indexOf('\n');
  expect(errors).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(new RegExp(`^${scalar} must be `)),
      locations: [{ line: 2, column }],
    }),
  ]);
});

const MEMBERS = Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, 1]));

test.each([
  ['itself', MEMBERS],
  ['in a member', { workspaceId: 'x', customAttributes: MEMBERS }],
  ['in a list', { workspaceId: 'x', customAttributes: [{ name: 'a' }, MEMBERS] }],
])(
  'a variable with very many members %s is refused as a whole: each unknown one costs a copy of all',
  async (_, input) => {
    const query = 'mutation ($input: CreateContactInput!) { createContact(input: $input) { __typename } }';
    const errors = await errorsOf(await send({ query, variables: { input } }, 'application/json'));
    expect(errors).toMatchObject([
      {
        message: 'An object in the variable input has more than 100 members.',
        extensions: { code: 'INVALID', field: 'input' },
      },
    ]);
  },
);
