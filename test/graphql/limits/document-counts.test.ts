// The counts of a document are limited before validation, including expanded fragments; without credentials, the limits are lower.
import fc from 'fast-check';
import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { requireDocumentCounts } from '../../../src/graphql/limits/document-counts.ts';
import * as factories from '../../support/factories.ts';
import { anonymous, sharedGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';

const gateway = await sharedGateway();
const caller = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const nodes = (count: number) => times(count, (i) => `a${i}: __typename`);

/** What is counted, a document with so many of it, and how many are allowed with and without credentials. */
const COUNTED: readonly [string, (count: number) => string, number, number][] = [
  ['operations', (count) => times(count, (i) => `query Q${i} { __typename }`), 50, 10],
  ['root fields in an operation', (count) => `query Q0 { ${'__typename '.repeat(count)} }`, 100, 20],
  [
    'root fields in an operation',
    (count) => `query Q0 { ...F ... { ...F } } fragment F on Query { ${'__typename '.repeat(count / 2)} }`,
    100,
    20,
  ],
  ['aliases in an operation', (count) => `query Q0 { __schema { ${nodes(count)} } }`, 500, 50],
  [
    'aliases in an operation',
    (count) =>
      `query Q0 { __schema { ...F queryType { ...G } } } fragment F on __Schema { mutationType { ...G } }
       fragment G on __Type { ${nodes(count / 2)} }`,
    500,
    50,
  ],
  [
    'directives',
    (count) => `query Q0 { __schema { ${'__typename @skip(if: false) '.repeat(count)} } }`,
    200,
    20,
  ],
  [
    'directives in an operation',
    (count) =>
      `query Q0 { __schema { a: queryType { ...G } b: queryType { ...G } } } fragment G on __Type { ${'name @skip(if: false) '.repeat(count / 2)} }`,
    200,
    20,
  ],
  ['directives in one place', (count) => `query Q0 { __typename ${times(count, (i) => `@d${i}`)} }`, 10, 10],
  [
    'fragments',
    (count) =>
      `query Q0 { __schema { ${times(count, (i) => `...F${i}`)} } } ${times(count, (i) => `fragment F${i} on __Schema { __typename }`)}`,
    200,
    20,
  ],
];

describe.each(COUNTED)('%s', (what, documentOf, most, mostAnonymous) => {
  test.each([
    ['with credentials', () => caller, most],
    ['without credentials', () => anonymous, mostAnonymous],
  ] as const)('%s', async (_, who, limit) => {
    const send = (count: number) =>
      post(gateway, { query: documentOf(count), operationName: 'Q0' }, { caller: who() });
    const allowed = await send(limit);
    // Validation may report errors.
    for (const { message } of allowed.errors ?? []) expect(message).not.toContain('at most');
    // A fragment that is spread twice gives only even numbers.
    const step = documentOf(2).includes('...G') || documentOf(2).includes('... {') ? 2 : 1;
    const { response, errors } = await send(limit + step);
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([
      {
        message: `The document has ${limit + step} ${what}. It can have at most ${limit}.`,
        extensions: { code: 'INVALID' },
      },
    ]);
  });
});

test('an operation may spread fragments ten times as often as the number of fragments allowed', async () => {
  const nested = `{ __schema { ...A } } ${times(12, (i) => `fragment ${'ABCDEFGHIJKLM'[i]} on __Schema { ...${'ABCDEFGHIJKLM'[i + 1]} ...${'ABCDEFGHIJKLM'[i + 1]} }`)} fragment M on __Schema { __typename }`;
  const { errors } = await post(gateway, { query: nested }, { caller });
  expect(errors?.[0]?.message).toBe(
    'The document has 8191 fragment spreads in an operation. It can have at most 2000.',
  );
});

test('each operation is counted by itself, and an unused fragment does not count', async () => {
  const query = `query A { __schema { ${nodes(300)} } } query B { __schema { ${nodes(300)} } } fragment C on __Schema { ${nodes(300)} }`;
  const { errors } = await post(gateway, { query, operationName: 'A' }, { caller });
  expect(errors?.[0]?.message).toMatch(/^Fragment "C" is never used/);
});

test.each([
  ['in the operation', '{ viewer { nope } }', 60],
  ['in a fragment', '{ ...F } fragment F on Query { viewer { nope } }', 60],
])(
  'without credentials a document of too many aliases that asks for data %s is 401',
  async (_, query, count) => {
    const { response, errors } = await post(gateway, {
      query: query.replace(
        'nope',
        times(count, (i) => `a${i}: nope`),
      ),
    });
    expect(response.status).toBe(401);
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  },
);

test('the whole introspection query needs no credentials', async () => {
  const options = { descriptions: true, schemaDescription: true, inputValueDeprecation: true, oneOf: true };
  const { response } = await post(gateway, { query: getIntrospectionQuery(options) });
  expect(response.status).toBe(200);
});

// graphql's own rules recurse without end, or very deep, into these.
describe.each([
  [
    'cycles of fragments through fields',
    (count: number) =>
      `{ __schema { queryType { ...F0 } } } ${times(count, (i) => `fragment F${i} on __Type { ofType { ...F${(i + 1) % count} ...F${(i + 2) % count} } }`)}`,
    /^Cannot spread fragment "F0" within itself/,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'levels through fragments',
    (count: number) =>
      `{ __schema { queryType { ...F0 } } } ${times(count, (i) => `fragment F${i} on __Type { ${'ofType { '.repeat(5)} ...F${i + 1} ${'}'.repeat(5)} }`)} fragment F${count} on __Type { name }`,
    /^The document has \d+ levels of selections\. It can have at most 200\.$/,
    'INVALID',
  ],
])('%s', (_name, documentOf, message, code) => {
  test.each([100, 60, 40])('refuses %i of them', async (count) => {
    const { response, errors } = await post(gateway, { query: documentOf(count) }, { caller });
    expect(response.status).toBe(400);
    expect(errors?.[0]).toMatchObject({ message: expect.stringMatching(message), extensions: { code } });
  });
});

test('a field that is repeated too often for validation is refused with a message that says so', async () => {
  const { response, errors } = await post(
    gateway,
    { query: `{ viewer { ${'name '.repeat(1_500)} } }` },
    { caller },
  );
  expect(response.status).toBe(400);
  expect(errors?.[0]?.message).toMatch(/^The document selects the same fields or fragments too often\./);
});

test('the count is that of the document with all fragments expanded', () => {
  // Fragments only spread those behind them, so that there is no cycle.
  const fragments = fc.array(
    fc.record({ aliases: fc.nat(3), spreads: fc.array(fc.nat(5), { maxLength: 3 }) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(fragments, (list) => {
      const next = (from: number, step: number) => Math.min(from + 1 + step, list.length);
      const body = (i: number) =>
        `${nodes(list[i]?.aliases ?? 0)} ${list[i]?.spreads.map((step) => `...F${next(i, step)}`).join(' ')} id`;
      const all = list.map((_, i) => `fragment F${i} on X { ${body(i)} }`).join(' ');
      const text = `{ a { ...F0 } } ${all} fragment F${list.length} on X { id }`;
      const written = (i: number): number =>
        (list[i]?.aliases ?? 0) +
        (list[i]?.spreads ?? []).reduce((sum, step) => sum + written(next(i, step)), 0);
      const limits = { ...gateway.app.config.limits, maxQueryFragments: 10_000, maxQueryAliases: 0 };
      const count = written(0);
      const check = () => requireDocumentCounts(parse(text), limits);
      if (count === 0) expect(check()).toEqual({ hasCycle: false });
      else expect(check).toThrow(`The document has ${count} aliases in an operation. It can have at most 0.`);
    }),
  );
});
