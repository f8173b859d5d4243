// Documents and operations beyond the limits are refused before they are executed.
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { fieldOptions } from '../../../src/graphql/field-options.ts';
import { parseWithinLimits } from '../../../src/graphql/limits/document-limits.ts';
import { schema } from '../../../src/graphql/schema.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';

const gateway = await ownGateway({ env: { MAX_QUERY_DEPTH: '10', MAX_QUERY_COST: '1000' } });
const caller = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });

const WORKSPACE = 'workspace(by: { subdomain: "none" })';

async function refusalOf(query: string, variables?: unknown): Promise<string | undefined> {
  const { response, data, errors } = await post(gateway, { query, variables }, { caller });
  if (response.status === 200) return undefined;
  expect([response.status, data]).toEqual([400, undefined]);
  const message = errors?.[0]?.message ?? '';
  const code = TOO_LARGE.some((text) => text.test(message)) ? 'QUERY_TOO_LARGE' : 'INVALID';
  expect(errors).toMatchObject([{ extensions: { code } }]);
  return message;
}

const nested = (levels: number) =>
  `{ ${WORKSPACE} { ${'team { workspaces { nodes { '.repeat(levels)} id ${'} } } '.repeat(levels)} } }`;
const tooDeep = /^The operation is nested \d+ levels deep; at most 10 are allowed\.$/;
const tooCostly =
  /^The operation may read \d+ rows, most of them for `[\w.]+`; at most 1000 are allowed\. Ask for smaller pages on this path/;
const asksTooMuch =
  /^The operation asks for too much of the schema at once\. Ask for less, or read \/schema\.graphql\.$/;
const tooManyValues = /^The answer may have \d+ values, most of them in `[\w.]+`; at most 5000 are allowed\./;
const TOO_LARGE = [tooCostly, tooManyValues, asksTooMuch];

describe('depth', () => {
  test('is the number of levels of nested fields', async () => {
    expect(await refusalOf(nested(1))).toBeUndefined();
    expect(await refusalOf(nested(3))).toMatch(/^The operation is nested 11 levels deep/);
  });

  test('counts levels in fragments of any kind', async () => {
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
    `{ ${WORKSPACE} { funnels${args} { nodes { conditionalSplits(first: 20) { ${selection} } } } } }`;

  test('follows the page sizes', async () => {
    expect(await refusalOf(contacts('(first: 100)'))).toBeUndefined();
    expect(await refusalOf(inFunnels('(first: 40)', 'nodes { id }'))).toBeUndefined();
    expect(await refusalOf(inFunnels('(first: 100)', 'nodes { id }'))).toMatch(tooCostly);
    expect(await refusalOf(inFunnels('(last: 100)', 'edges { node { id } }'))).toMatch(tooCostly);
    expect(await refusalOf(inFunnels('', 'nodes { id }'))).toBeUndefined();
  });

  test('reads page sizes from variables and their defaults', async () => {
    const query = (head: string) => `query (${head}) ${inFunnels('(first: $n)', 'nodes { id }')}`;
    expect(await refusalOf(query('$n: Int'), { n: 10 })).toBeUndefined();
    expect(await refusalOf(query('$n: Int'), { n: 100 })).toMatch(tooCostly);
    expect(await refusalOf(query('$n: Int'), { n: 2_000_000_000 })).toMatch(
      /^The operation may read 2101 rows, most of them for `workspace.funnels.nodes.conditionalSplits`;/,
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

  test('counts the workflow that the statistics of each funnel read', async () => {
    const statistics = (count: number) =>
      Array.from(
        { length: count },
        (_, i) => `a${i}: funnel(by: { databaseId: ${i + 1} }) { stats { views } }`,
      );
    expect(await refusalOf(`{ ${statistics(4).join(' ')} }`)).toBeUndefined();
    expect(await refusalOf(`{ ${statistics(5).join(' ')} }`)).toMatch(tooCostly);
  });

  test('counts every value, so that nobody can select a row a thousand times', async () => {
    const values = Array.from({ length: 450 }, (_, i) => `a${i}: uuid`).join(' ');
    expect(await refusalOf(`{ ${WORKSPACE} { contacts(first: 100) { nodes { ${values} } } } }`)).toMatch(
      tooManyValues,
    );
  });

  test('is at least the page size, whatever the page selects', async () => {
    const pages = (count: number, selection: string) =>
      Array.from({ length: count }, (_, i) => `a${i}: contacts(first: 100) { ${selection} }`).join(' ');
    for (const selection of ['__typename', 'pageInfo { hasNextPage }', 'edges { __typename }']) {
      expect(await refusalOf(`{ ${WORKSPACE} { ${pages(9, selection)} } }`)).toBeUndefined();
      expect(await refusalOf(`{ ${WORKSPACE} { ${pages(10, selection)} } }`)).toMatch(tooCostly);
    }
  });

  test('counts long names as more than one value', async () => {
    const query = (length: number) =>
      `{ ${WORKSPACE} { contacts(first: 100) { nodes { ${Array.from({ length: 10 }, (_, i) => `${'a'.repeat(length)}${i}: id`).join(' ')} } } } }`;
    expect(await refusalOf(query(10))).toBeUndefined();
    expect(await refusalOf(query(120))).toMatch(tooManyValues);
  });

  test('counts cursors and edges as values', async () => {
    const edges = (count: number) =>
      Array.from({ length: count }, (_, i) => `a${i}: edges { cursor }`).join(' ');
    const query = (count: number) => `{ ${WORKSPACE} { contacts(first: 100) { ${edges(count)} } } }`;
    expect(await refusalOf(query(24))).toBeUndefined();
    expect(await refusalOf(query(25))).toMatch(tooManyValues);
  });

  test('counts a fragment for each spread, with the page size there', async () => {
    const fragment = 'fragment P on ContactConnection { nodes { id } }';
    const spread = (size: number) =>
      `{ ${WORKSPACE} { ${Array.from({ length: 20 }, (_, i) => `a${i}: contacts(first: ${size}) { ...P }`).join(' ')} } } ${fragment}`;
    expect(await refusalOf(spread(10))).toBeUndefined();
    expect(await refusalOf(spread(100))).toMatch(tooCostly);
  });

  test('of exponentially nested fragments is computed in linear time', async () => {
    const fragments = Array.from(
      { length: 40 },
      (_, i) =>
        `fragment F${i} on Workspace { a${i}: team { name } ...F${i + 1} ... on Workspace { ...F${i + 1} } }`,
    );
    // If each use were computed anew, this would not end.
    await refusalOf(`{ ${WORKSPACE} { ...F0 } } ${fragments.join(' ')} fragment F40 on Workspace { id }`);
  });

  test('counts the ids of nodes', async () => {
    const query = 'query ($ids: [ID!]!) { a: nodes(ids: $ids) { id } b: nodes(ids: $ids) { id } }';
    expect(await refusalOf(query, { ids: Array.from({ length: 100 }, () => 'x') })).toBeUndefined();
    const many = Array.from({ length: 11 }, (_, i) => `a${i}: nodes(ids: $ids) { id }`).join(' ');
    const ids = Array.from({ length: 100 }, () => 'x');
    expect(await refusalOf(`query ($ids: [ID!]!) { ${many} }`, { ids })).toMatch(tooCostly);
  });

  const extensionsOf = async (query: string, variables?: unknown) => {
    const { errors } = await post(gateway, { query, variables }, { caller });
    return errors?.map(({ extensions, locations }) => ({ ...extensions, locations }));
  };

  test.each([
    [
      'rows, below',
      `{ viewer { name } ${WORKSPACE} {
        contacts { nodes { id } }
        all: funnels(first: 60) { ...Splits } } }
      fragment Splits on FunnelConnection { nodes { conditionalSplits(first: 20) { nodes { id } } } }`,
      {
        path: ['workspace', 'all', 'nodes', 'conditionalSplits'],
        rows: 1281,
        limit: 1000,
        locations: [{ line: 4, column: 53 }],
      },
    ],
    [
      'rows, in a list of each',
      `query ($n: Int) { ${WORKSPACE} { funnels(first: 2) { nodes { conditionalSplits(first: $n) { nodes { funnel {
        splits: conditionalSplits(first: 100) { nodes { id } } } } } } } } }`,
      {
        path: ['workspace', 'funnels', 'nodes', 'conditionalSplits', 'nodes', 'funnel', 'splits'],
        rows: 2043,
        limit: 1000,
      },
    ],
    [
      'rows, by none alone',
      `{ ${WORKSPACE} { ${Array.from({ length: 21 }, (_, i) => `a${i}: contacts(first: ${i === 7 ? 60 : 50}) { nodes { id } }`).join(' ')} } }`,
      { path: ['workspace'], rows: 1061, limit: 1000 },
    ],
    [
      'values',
      `{ ${WORKSPACE} { contacts(first: 100) { nodes { ${Array.from({ length: 60 }, (_, i) => `a${i}: uuid`).join(' ')} } } } }`,
      { path: ['workspace', 'contacts', 'nodes'], values: expect.any(Number), limit: 5000 },
    ],
  ])('names the field with the most: %s', async (_name, query, expected) => {
    expect(await extensionsOf(query, { n: 10 })).toMatchObject([{ code: 'QUERY_TOO_LARGE', ...expected }]);
  });

  test('does not count __typename as a value, except under another name', async () => {
    const query = (name: string) =>
      `{ __typename ${WORKSPACE} { __typename contacts(first: 100) { __typename edges { __typename node { ${Array.from({ length: 46 }, (_, i) => `a${i}: uuid`).join(' ')} ${name} ... on Node { __typename } } } } } }`;
    expect(await refusalOf(query('__typename'))).toBeUndefined();
    expect(await refusalOf(query('is: __typename'))).toMatch(tooManyValues);
  });

  test('counts a caller’s teams as one, since a credential is for one team', async () => {
    expect(
      await refusalOf(
        '{ viewer { teams(first: 100) { nodes { workspaces(first: 100) { nodes { id } } } } } }',
      ),
    ).toBeUndefined();
  });
});

test('every change has a cost', () => {
  const changes = Object.values(schema.getMutationType()?.getFields() ?? {});
  expect(changes.filter((field) => !fieldOptions(field).cost).map(({ name }) => name)).toEqual([]);
});

describe('introspection', () => {
  test('is allowed in full, whatever the limits on data', async () => {
    expect(await refusalOf(getIntrospectionQuery())).toBeUndefined();
    expect(
      await refusalOf(
        getIntrospectionQuery({ descriptions: true, schemaDescription: true, inputValueDeprecation: true }),
      ),
    ).toBeUndefined();
  });

  test('of the whole schema many times at once is refused', async () => {
    const all = Array.from(
      { length: 40 },
      (_, i) => `a${i}: __schema { types { fields { args { name description } } } }`,
    );
    expect(await refusalOf(`{ ${all.join(' ')} }`)).toMatch(asksTooMuch);
  });

  test.each([
    ['__schema', 'a0: __schema { types { name description } }', /a0/g],
    [
      '__type',
      'a0: __type(name: "Contact") { fields { description type { fields { description } } } }',
      /a0/g,
    ],
    [
      'types in types',
      `a0: __type(name: "Query") { ${'fields { type { '.repeat(9)} name ${'} } '.repeat(9)} }`,
      /a0/g,
    ],
  ])('by aliases of %s is not much more than the schema itself', async (_name, field, alias) => {
    const query = (count: number) =>
      `{ ${Array.from({ length: count }, (_, i) => field.replace(alias, `a${i}`)).join(' ')} }`;
    const whole = await post(gateway, {
      query: getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
    });
    const most = 2.2 * JSON.stringify(whole.data).length;
    for (let count = 1; count <= 64; count *= 2) {
      const { response, data } = await post(gateway, { query: query(count) });
      if (response.status !== 200) return;
      expect(JSON.stringify(data).length).toBeLessThan(most);
    }
    throw new Error('never refused');
  });

  test('is allowed with variables, in fragments, and next to other root fields', async () => {
    const query = `query ($name: String!) { ...A viewer { name } } fragment A on Query { ... { __type(name: $name) { ...B } } }
      fragment B on __Type { name fields { name ...C } } fragment C on __Field { type { name } }`;
    expect(await refusalOf(query, { name: 'Contact' })).toBeUndefined();
  });

  test('does not bypass the limits on data', async () => {
    expect(await refusalOf(`{ __schema { queryType { name } } ${nested(3).slice(1)}`)).toMatch(tooDeep);
  });
});

describe('hostile documents', () => {
  test.each([
    ['selections', `{ ${'a { '.repeat(1_900)}`],
    ['lists', `{ nodes(ids: ${'['.repeat(1_900)}${']'.repeat(1_900)}) { id } }`],
    ['objects', `{ node(id: ${'{a:'.repeat(1_300)}1${'}'.repeat(1_300)}) { id } }`],
    ['types', `query ($a: ${'['.repeat(1_900)}Int${']'.repeat(1_900)}) { __typename }`],
  ])('very many %s inside each other are not parsed', async (_name, query) => {
    expect(await refusalOf(query)).toBe('The document has more than 200 brackets inside each other.');
  });

  test('brackets in strings and comments do not count', async () => {
    const open = '{'.repeat(300);
    const block = `"""a "quoted" \\""" ${open}"""`;
    const query = `{ # ${open}\n a: node(id: "\\"${open}") { id } b: node(id: ${block}) { id } }`;
    const { data } = await post(gateway, { query }, { caller });
    expect(data).toEqual({ a: null, b: null });
  });

  test('fragments that contain themselves fail validation', async () => {
    const query = '{ node(id: "x") { ...A } } fragment A on Node { ...B } fragment B on Node { ...A }';
    const { response, errors } = await post(gateway, { query }, { caller });
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  test('a document of very many tokens is not validated', async () => {
    const { response, errors } = await post(gateway, { query: `{ ${'a '.repeat(20_000)} }` }, { caller });
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
  });

  test('a document has its own length limit, besides that of the body', async () => {
    const query = (length: number) => `{ viewer { name } } #`.padEnd(length, 'x');
    expect(await refusalOf(query(100_000))).toBeUndefined();
    expect(await refusalOf(query(100_001))).toBe(
      'The document has 100001 characters. It can have at most 100000; send values as variables.',
    );
  });

  test('a name has a length limit: it is repeated with every value and in every message', async () => {
    const alias = (length: number) => `{ ${'a'.repeat(length)}: viewer { kind } }`;
    expect(await refusalOf(alias(128))).toBeUndefined();
    expect(await refusalOf(alias(129))).toBe('A name in the document is longer than 128 characters.');
  });

  test('a document has a limit of lines, because locating an error scans them', async () => {
    expect(await refusalOf(`${'\n'.repeat(3_999)}{ viewer { kind } }`)).toBeUndefined();
    for (const newline of ['\n', '\r', '\r\n'])
      expect(await refusalOf(`${newline.repeat(4_000)}{ viewer { kind } }`)).toBe(
        'The document has more than 4000 lines.',
      );
  });

  test('at most twenty validation errors are returned, with short messages', async () => {
    const value = `{z: "${'q'.repeat(50_000)}" ${Array.from({ length: 100 }, (_, i) => `f${i}: 1`).join(' ')}}`;
    const query = `query ($a: RemoveConditionalSplitInput = ${value}) { __typename }`;
    const { response, errors } = await post(gateway, { query }, { caller });
    expect(response.status).toBe(400);
    expect(errors?.length).toBeLessThanOrEqual(21);
    for (const { message } of errors ?? []) expect(message.length).toBeLessThanOrEqual(501);
  });

  test('the answer to a document without credentials is less than a hundred times its size', async () => {
    const variables = Array.from({ length: 110 }, (_, i) => `$${'v'.repeat(120)}${i}`).join(' ');
    const query = `query ${'Q'.repeat(128)} { __type(name: "x" a: [${variables}]) { name } }`;
    const response = await gateway.send('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect((await response.text()).length).toBeLessThan(10 * query.length);
  });

  // Quadratic scanning would take minutes.
  test.each([
    ['escaped quotes', '\\"'.repeat(131_000)],
    ['quotes', '"'.repeat(262_000)],
    ['quotes that open a block', '"""'.repeat(87_000)],
    ['escaped quotes in a text that does not end', `{ a(b: "${'\\"'.repeat(131_000)}`],
    ['escaped blocks in a block that does not end', `{ a(b: """${'\\"""'.repeat(65_000)}`],
    ['comments', '#\n'.repeat(131_000)],
    ['brackets', '[]{}()'.repeat(43_000)],
    ['commas', ','.repeat(262_000)],
  ])('a document of %s alone is read in linear time', { timeout: 60_000 }, (_name, text) => {
    const limits = { ...gateway.app.config.limits, maxDocumentChars: 262_144 };
    expect(() => parseWithinLimits(text, limits)).toThrow();
  });
});

describe('without credentials', () => {
  const long = (field: string) => `{ ${Array.from({ length: 500 }, (_, i) => `a${i}: ${field}`).join(' ')} }`;

  test('a long document is not validated: an operation on data gets 401', async () => {
    const { response, errors } = await post(gateway, { query: long('viewer { nope }') });
    expect(response.status).toBe(401);
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  test('a long introspection document is refused', async () => {
    const { response, errors } = await post(gateway, { query: long('__typename') });
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('500 tokens'),
        extensions: { code: 'INVALID' },
      },
    ]);
  });

  test('recursive fragments in a long document are refused', async () => {
    const query = `${long('viewer { name }').slice(0, -1)} ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A }`;
    const { response } = await post(gateway, { query });
    expect(response.status).toBe(401);
  });
});
