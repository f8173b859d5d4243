// An operation that would take too much is refused before it runs (DESIGN §10), however it is written.
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await createGateway({ env: { MAX_QUERY_DEPTH: '10', MAX_QUERY_COST: '1000' } });
  caller = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });
});
afterAll(() => gateway.close());

const WORKSPACE = 'workspace(subdomain: "none")';

async function refusalOf(query: string, variables?: unknown): Promise<string | undefined> {
  const { response, data, errors } = await post(gateway, { query, variables }, { caller });
  if (response.status === 200) return undefined;
  expect([response.status, data]).toEqual([400, undefined]);
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID' } }]);
  return errors?.[0]?.message;
}

const nested = (levels: number) =>
  `{ ${WORKSPACE} { ${'team { workspaces { nodes { '.repeat(levels)} id ${'} } } '.repeat(levels)} } }`;
const tooDeep = /^The operation is nested \d+ levels deep; at most 10 are allowed\.$/;
const tooCostly = /^The operation may touch \d+ rows by its page sizes; at most 1000 are allowed\./;

describe('depth', () => {
  test('is the number of fields inside fields', async () => {
    expect(await refusalOf(nested(1))).toBeUndefined();
    expect(await refusalOf(nested(3))).toMatch(/^The operation is nested 11 levels deep/);
  });

  test('counts through fragments of any kind', async () => {
    const inline = nested(3)
      .replaceAll('team {', '... on Workspace { team {')
      .replace(/id (.*)$/, 'id } } } $1');
    expect(await refusalOf(inline)).toMatch(tooDeep);
    const spread = `{ ${WORKSPACE} { ...A } } fragment A on Workspace { team { workspaces { nodes { ...B } } } }
      fragment B on Workspace { team { workspaces { nodes { ...C } } } }
      fragment C on Workspace { team { workspaces { nodes { id } } } }`;
    expect(await refusalOf(spread)).toMatch(tooDeep);
  });
});

describe('cost', () => {
  const contacts = (args: string) => `{ ${WORKSPACE} { contacts${args} { nodes { id } } } }`;
  const inFunnels = (args: string, selection: string) =>
    `{ ${WORKSPACE} { funnels${args} { nodes { conditionalSplitSteps(first: 20) { ${selection} } } } } }`;

  test('follows the page sizes', async () => {
    expect(await refusalOf(contacts('(first: 100)'))).toBeUndefined();
    expect(await refusalOf(inFunnels('(first: 40)', 'nodes { id }'))).toBeUndefined();
    expect(await refusalOf(inFunnels('(first: 100)', 'nodes { id }'))).toMatch(tooCostly);
    expect(await refusalOf(inFunnels('(last: 100)', 'edges { node { id } }'))).toMatch(tooCostly);
    expect(await refusalOf(inFunnels('', 'nodes { id }'))).toBeUndefined();
  });

  test('takes page sizes from variables and their defaults', async () => {
    const query = (head: string) => `query (${head}) ${inFunnels('(first: $n)', 'nodes { id }')}`;
    expect(await refusalOf(query('$n: Int'), { n: 10 })).toBeUndefined();
    expect(await refusalOf(query('$n: Int'), { n: 100 })).toMatch(tooCostly);
    expect(await refusalOf(query('$n: Int'), { n: 2_000_000_000 })).toMatch(
      /^The operation may touch 2141 rows/,
    );
    expect(await refusalOf(query('$n: Int = 100'))).toMatch(tooCostly);
    expect(await refusalOf(query('$n: Int = 100'), { n: 5 })).toBeUndefined();
    expect(await refusalOf(query('$n: Int'))).toBeUndefined();
  });

  test('counts every alias', async () => {
    const aliases = (count: number) =>
      Array.from({ length: count }, (_, i) => `a${i}: contacts(first: 100) { nodes { id } }`).join(' ');
    expect(await refusalOf(`{ ${WORKSPACE} { ${aliases(9)} } }`)).toBeUndefined();
    expect(await refusalOf(`{ ${WORKSPACE} { ${aliases(10)} } }`)).toMatch(tooCostly);
  });

  test('counts every value, so that a row cannot be asked for a thousand times', async () => {
    const values = Array.from({ length: 600 }, (_, i) => `a${i}: uuid`).join(' ');
    expect(await refusalOf(`{ ${WORKSPACE} { contacts(first: 100) { nodes { ${values} } } } }`)).toMatch(
      tooCostly,
    );
  });

  test('counts a fragment as often as it is spread, at the page size it is spread in', async () => {
    const fragment = 'fragment P on ContactConnection { nodes { id } }';
    const spread = (size: number) =>
      `{ ${WORKSPACE} { ${Array.from({ length: 20 }, (_, i) => `a${i}: contacts(first: ${size}) { ...P }`).join(' ')} } } ${fragment}`;
    expect(await refusalOf(spread(10))).toBeUndefined();
    expect(await refusalOf(spread(100))).toMatch(tooCostly);
  });

  test('of fragments that double each other is found at once', async () => {
    const fragments = Array.from(
      { length: 40 },
      (_, i) =>
        `fragment F${i} on Workspace { a${i}: team { name } ...F${i + 1} ... on Workspace { ...F${i + 1} } }`,
    );
    const started = performance.now();
    await refusalOf(`{ ${WORKSPACE} { ...F0 } } ${fragments.join(' ')} fragment F40 on Workspace { id }`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('counts the ids of nodes', async () => {
    const query = 'query ($ids: [ID!]!) { a: nodes(ids: $ids) { id } b: nodes(ids: $ids) { id } }';
    expect(await refusalOf(query, { ids: Array.from({ length: 100 }, () => 'x') })).toBeUndefined();
    const many = Array.from({ length: 11 }, (_, i) => `a${i}: nodes(ids: $ids) { id }`).join(' ');
    const ids = Array.from({ length: 100 }, () => 'x');
    expect(await refusalOf(`query ($ids: [ID!]!) { ${many} }`, { ids })).toMatch(tooCostly);
  });

  test('counts a caller’s teams as the one that they are', async () => {
    expect(
      await refusalOf('{ teams(first: 100) { nodes { workspaces(first: 100) { nodes { id } } } } }'),
    ).toBeUndefined();
  });
});

describe('the schema', () => {
  test('can be read in full, whatever the limits on data', async () => {
    expect(await refusalOf(getIntrospectionQuery())).toBeUndefined();
    expect(
      await refusalOf(
        getIntrospectionQuery({ descriptions: true, schemaDescription: true, inputValueDeprecation: true }),
      ),
    ).toBeUndefined();
  });

  test('cannot be read many times at once', async () => {
    const all = Array.from(
      { length: 40 },
      (_, i) => `a${i}: __schema { types { fields { args { name description } } } }`,
    );
    expect(await refusalOf(`{ ${all.join(' ')} }`)).toBe(
      'The operation asks for more of the schema than is allowed at once.',
    );
  });

  test('is no way round the limits on data', async () => {
    expect(await refusalOf(`{ __schema { queryType { name } } ${nested(3).slice(1)}`)).toMatch(tooDeep);
  });
});

describe('documents that never end', () => {
  test.each([
    ['selections', `{ ${'a { '.repeat(1_900)}`],
    ['lists', `{ nodes(ids: ${'['.repeat(1_900)}${']'.repeat(1_900)}) { id } }`],
    ['objects', `{ node(id: ${'{a:'.repeat(1_300)}1${'}'.repeat(1_300)}) { id } }`],
    ['types', `query ($a: ${'['.repeat(1_900)}Int${']'.repeat(1_900)}) { __typename }`],
  ])('very many %s inside each other are not even parsed', async (_name, query) => {
    expect(await refusalOf(query)).toBe('The document has more than 200 brackets inside each other.');
  });

  test('brackets in texts and comments do not count', async () => {
    const open = '{'.repeat(300);
    const block = `"""a "quoted" \\""" ${open}"""`;
    const query = `{ # ${open}\n a: node(id: "\\"${open}") { id } b: node(id: ${block}) { id } }`;
    const { data } = await post(gateway, { query }, { caller });
    expect(data).toEqual({ a: null, b: null });
  });

  test('fragments that contain themselves are refused by validation', async () => {
    const query = '{ node(id: "x") { ...A } } fragment A on Node { ...B } fragment B on Node { ...A }';
    const { response, errors } = await post(gateway, { query }, { caller });
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  test('a document of very many tokens is not even validated', async () => {
    const started = performance.now();
    const { response, errors } = await post(
      gateway,
      { query: `{ ${'viewer { name } '.repeat(10_000)} }` },
      { caller },
    );
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test('the longest document that is read takes no long time', async () => {
    const started = performance.now();
    await post(gateway, { query: `{ viewer { ${'name '.repeat(3_900)} } }` }, { caller });
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
