// Lists of references and of children that are longer than the cost analysis assumes: their cost, and event loop ticks for other work.
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { fieldOptions, typeOptions } from '../../../src/graphql/field-options.ts';
import { Pace, yieldToEventLoop } from '../../../src/graphql/limits/long-work.ts';
import { schema } from '../../../src/graphql/schema.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';

const LENGTH = 100;
const STEPS = 60;

const gateway = await ownGateway({ env: { MAX_QUERY_COST: '2000' } });
const { app } = gateway;
const { pool } = app.store;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const w = String(workspaceId);
await pool.query(
  `with p as (insert into products (workspace_id, name) select $1, 'No. ' || i from generate_series(1, $2::int) i returning id)
   insert into pages (workspace_id, name, current_path, product_ids) select $1, 'All', '/all', array(select id from p)`,
  [w, LENGTH],
);
const funnel = await factories.funnel(app, { workspaceId });
await factories.workflow(
  app,
  funnel,
  Array.from({ length: STEPS }, (_, i) => `Step ${i}`),
);

const split = await factories.funnel(app, { workspaceId });
const matched = Array.from({ length: STEPS }, (_, i) => `Branch ${i}`);
await factories.workflow(app, split, [{ split: 'Split', matched }]);

async function rowsOf(query: string): Promise<number> {
  const { extensions } = (await post(
    gateway,
    { query },
    { caller, headers: { 'GraphQL-Cost': '1' } },
  )) as object as { extensions: { cost: { rows: number } } };
  return extensions.cost.rows;
}

/** The answer of an operation, and its cost. @param way the executor that answers */
async function ask(selection: string, way: 'the full executor' | 'the fast path') {
  // The fast path does not compile operations with directives, and executes others from the second time on.
  const directive = way === 'the full executor' ? '__typename @include(if: true)' : '';
  const query = `{ ${directive} workspace(by: { databaseId: "${w}" }) { ${selection} } }`;
  const send = async () => {
    const { response, data, errors, extensions } = (await post(
      gateway,
      { query },
      { caller, headers: { 'GraphQL-Cost': '1' } },
    )) as Awaited<ReturnType<typeof post>> & {
      extensions: { cost: { rows: number; points: number } };
    };
    const charged = Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
    return { status: response.status, data, errors, charged, ...extensions.cost };
  };
  if (way === 'the fast path') await send();
  return send();
}

test('every list of objects declares its size', () => {
  const undeclared = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!(isObjectType(type) || isInterfaceType(type)) || type.name.startsWith('__')) return [];
    // The lists in a connection are as long as its page.
    if (typeOptions(type).isConnection === true) return [];
    return Object.values(type.getFields())
      .filter((field) => isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type)))
      .filter((field) => {
        const { rows, rowsOf } = fieldOptions(field);
        return rows === undefined && rowsOf === undefined;
      })
      .map(({ name }) => `${type.name}.${name}`);
  });
  expect(undeclared).toEqual([]);
});

const PREVIEWS = `... on ConditionalSplit { removalPreview { promotedPages { name } discardedPages { name } } }
  ... on SplitTest { removalPreview { promotedPages { name } discardedPages { name } } }`;

describe('the previews of removals', () => {
  /** The workflow, and the pages on both branches, as many as the analysis assumes. */
  const OF_A_KIND = 20 + 20;

  test('cost once for each workflow, as they read it once, and not once for each step', async () => {
    const { rows, status } = await ask(
      `funnels(first: 1) { nodes { steps { name ${PREVIEWS} } } }`,
      'the full executor',
    );
    // The funnel is longer than assumed, and so are its previews in proportion.
    const further = (STEPS - 20) * (1 + (2 * OF_A_KIND) / 20);
    expect([status, rows]).toEqual([200, 1 + 1 + 20 + 2 * OF_A_KIND + further]);
    const aliases = 'a: removalPreview { __typename } b: removalPreview(arm: LEFT) { __typename }';
    const aliased = await ask(
      `funnels(first: 1) { nodes { steps { ... on SplitTest { ${aliases} } } } }`,
      'the full executor',
    );
    expect(aliased.rows).toBe(1 + 1 + 20 + 2 * 20 + (STEPS - 20) * (1 + 2));
  });

  test('cost once for each object of other lists', async () => {
    const ids = [1, 2, 3].map((id) => `"${btoa(`ConditionalSplit:${id}`)}"`);
    const query = `{ nodes(ids: [${ids}]) { ${PREVIEWS} } }`;
    expect(await rowsOf(query)).toBe(3 * (1 + 2 * OF_A_KIND));
  });

  test('count the steps of a long workflow, also where those are not selected', async () => {
    const { id } = split;
    const query = `{ node(id: "${btoa(`Funnel:${id}`)}") { ... on Funnel { conditionalSplits(first: 1) { nodes { removalPreview { __typename } } } } } }`;
    expect(await rowsOf(query)).toBe(1 + 1 + 20 + (STEPS + 1 - 20));
  });
});

describe.each(['the full executor', 'the fast path'] as const)('a long list by %s', (way) => {
  test('costs what it reads, including everything below its objects', async () => {
    const pages = (selection: string) => `pages(first: 1) { nodes { products { ${selection} } } }`;
    const plain = await ask(pages('name'), way);
    expect(plain).toMatchObject({ status: 200, errors: undefined, rows: 2 + LENGTH });
    expect(plain.data).toMatchObject({
      workspace: {
        pages: {
          nodes: [{ products: Array.from({ length: LENGTH }, (_, i) => ({ name: `No. ${i + 1}` })) }],
        },
      },
    });
    expect(plain.points).toBeGreaterThanOrEqual(Math.floor(LENGTH / 50));
    const { rows } = await ask(pages('defaultVariant { name }'), way);
    expect(rows).toBe(2 + 2 * LENGTH);
    const paged = await ask(pages('prices(first: 3) { nodes { name } }'), way);
    expect(paged.rows).toBe(2 + (1 + 3) * LENGTH);
  });

  test('costs points by its length', async () => {
    const selection = 'pages(first: 1) { nodes { products { name } } }';
    const before = await ask(selection, way);
    const after = await ask(selection, way);
    expect(after.status).toBe(200);
    const requests = way === 'the fast path' ? 2 : 1;
    expect(before.charged - after.charged).toBeGreaterThanOrEqual(requests * Math.floor(LENGTH / 50));
  });

  test.each([
    ['of references', 'pages(first: 1) { nodes { products { prices(first: 50) { nodes { name } } } } }'],
    [
      'of steps',
      'funnels(first: 1) { nodes { steps { funnel { conditionalSplits(first: 50) { nodes { name } } } } } }',
    ],
  ])('%s is refused whole when more would be read below it than is allowed', async (_of, selection) => {
    const { status, data, errors } = await ask(selection, way);
    expect([status, data]).toEqual([400, undefined]);
    expect(errors).toEqual([
      {
        message: `The operation reads more than 2000 rows, because \`workspace.${selection.split('(')[0]}.nodes.${selection.includes('products') ? 'products' : 'steps'}\` is longer than usual. Ask for smaller pages above it, or for less below it.`,
        extensions: expect.objectContaining({
          code: 'QUERY_TOO_LARGE',
          path: [
            'workspace',
            selection.split('(')[0],
            'nodes',
            0,
            selection.includes('products') ? 'products' : 'steps',
          ],
          rows: expect.any(Number),
          limit: 2000,
        }),
      },
    ]);
  });
});

test('a change with a long list in its answer is answered completely, because it has been made', async () => {
  const { id } = await pool.query("select id from pages where name = 'All'").then(({ rows: [row] }) => row);
  const query = `mutation ($input: UpdatePageInput!) { updatePage(input: $input) { page { name
    products { prices(first: 50) { nodes { name } } } } } }`;
  const input = { pageId: btoa(`Page:${id}`), name: 'All of them' };
  const { data, errors } = await post(gateway, { query, variables: { input } }, { caller });
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    updatePage: {
      page: {
        name: 'All of them',
        products: Array.from({ length: LENGTH }, () => ({ prices: { nodes: [] } })),
      },
    },
  });
});

test('the full executor completes the objects of a long list in several event loop ticks', async () => {
  const pace = new Pace();
  expect(pace.spread(['a', 'b'])).toEqual(['a', 'b']);
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const items = Array.from({ length: 5_000 }, (_, i) => i);
  const turns = new Map<number, number>();
  const spread = pace.spread(items).map(async (item) => {
    const value = await item;
    turns.set(turn, (turns.get(turn) ?? 0) + 1);
    return value;
  });
  expect(await Promise.all(spread)).toEqual(items);
  isOver = true;
  expect(Math.max(...turns.values())).toBeLessThanOrEqual(500);
});

test('operations alternate: a later one waits only for one part of an earlier one', async () => {
  const order: string[] = [];
  const work = async (name: string, pieces: number) => {
    for (let piece = 0; piece < pieces; piece++) {
      await yieldToEventLoop();
      order.push(name);
    }
  };
  await Promise.all([work('long', 5), work('short', 1)]);
  expect(order).toEqual(['long', 'short', 'long', 'long', 'long', 'long']);
});
