// The tags of an object of each kind are one connection of one interface.
import { expect, test } from 'vitest';
import { TAG_FAMILIES } from '../../src/resources/tag-families.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { createTenant } from '../support/operations.ts';
import { createTaggables, globalId, typeNames } from '../support/taggables.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'tags');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
const { rest, objects, tags } = createTaggables(gateway, tenant, caller);
const workspace = { id: globalId('Workspace', tenant.workspace.id) };

interface TagPage {
  readonly totalCount: number;
  readonly edges: readonly {
    readonly cursor: string;
    readonly appliedAt: string;
    readonly node: { id: string };
  }[];
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>>;
}

/** Sends a query that succeeds. */
async function ask<Data>(query: string, variables: object): Promise<Data> {
  const { data, errors } = await post<Data>(gateway, { query, variables }, { caller });
  expect(errors).toBeUndefined();
  return data ?? expect.fail('no data');
}

async function add(taggableIds: readonly string[], tagIds: readonly string[]): Promise<void> {
  const query = 'mutation ($input: AddTagsInput!) { addTags(input: $input) { taggables { id } } }';
  await ask(query, { input: { taggableIds, tagIds } });
  // The next change gets a later time.
  await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Two objects, of which the first has three tags: in the order of application, which is not that of their ids. The other has the first. */
async function tagged(family: (typeof TAG_FAMILIES)[number]) {
  const types = typeNames(family);
  const [one = '', other = ''] = (await objects(family, 2)).map((id) => globalId(types.object, id));
  const [a = '', b = '', c = ''] = (await tags(family, 3)).map((id) => globalId(types.tag, id));
  await add([one, other], [c]);
  await add([one], [a]);
  await add([one], [b]);
  return { one, other, order: [c, a, b] };
}

const CASES = TAG_FAMILIES.map((family) => [typeNames(family).object, family] as const);

test.each(CASES)(
  'the tags of a %s are in the order of application, each with its time',
  async (_, family) => {
    const { one, other, order } = await tagged(family);
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Taggable { tags { totalCount pageInfo { hasNextPage hasPreviousPage }
    edges { appliedAt node { __typename id databaseId publicId name color workspace { id } } } nodes { id } } } } }`;
    const { nodes } = await ask<{ nodes: { tags: TagPage }[] }>(query, { ids: [one, other] });
    const [first, second] = nodes.map((node) => node.tags);
    expect(first?.edges.map(({ node }) => node.id)).toEqual(order);
    expect(first?.nodes.map(({ id }) => id)).toEqual(order);
    const times = first?.edges.map(({ appliedAt }) => appliedAt) ?? [];
    expect(times.toSorted()).toEqual(times);
    expect(new Set(times).size).toBe(3);
    expect(first?.edges[0]?.node).toMatchObject({ __typename: typeNames(family).tag, workspace });
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: false, hasPreviousPage: false } });
    expect(second).toMatchObject({ totalCount: 1, nodes: [{ id: order[0] }] });
  },
);

test.each(CASES)('the tags of a %s are pages, in either direction', async (name, family) => {
  const { one, order } = await tagged(family);
  const page = async (args: string, cursors: object = {}) => {
    const query = `query ($id: ID!, $after: String, $before: String) { node(id: $id) { ... on ${name} {
      tags(after: $after, before: $before, ${args}) { totalCount edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } } } } }`;
    const { node } = await ask<{ node: { tags: TagPage } }>(query, { id: one, ...cursors });
    const { edges, pageInfo, totalCount } = node.tags;
    expect(totalCount).toBe(3);
    const { hasNextPage, hasPreviousPage } = pageInfo;
    return { ids: edges.map(({ node }) => node.id), edges, more: [hasPreviousPage, hasNextPage] };
  };
  const first = await page('first: 2');
  expect([first.ids, first.more]).toEqual([order.slice(0, 2), [false, true]]);
  const next = await page('first: 2', { after: first.edges[1]?.cursor });
  expect([next.ids, next.more]).toEqual([order.slice(2), [true, false]]);
  const back = await page('last: 1', { before: next.edges[0]?.cursor });
  expect([back.ids, back.more]).toEqual([order.slice(1, 2), [true, true]]);
  const latest = await page('last: 2');
  expect([latest.ids, latest.more]).toEqual([order.slice(-2), [true, false]]);
});

test.each(CASES)('the tags of a page of %s objects are read with the objects', async (_, family) => {
  await tagged(family);
  const node = 'edges { appliedAt node { id databaseId publicId name color } } totalCount';
  const query = `query ($id: ID!) { node(id: $id) { ... on Workspace {
    ${family.object.plural}(first: 10) { nodes { id tags { ${node} } } } } } }`;
  const names = await statementsOf(gateway, () => ask(query, workspace));
  expect(names.filter((name) => !name.startsWith('workspaces'))).toHaveLength(1);
});

test.each(CASES)('other fields of the tags of %s objects are one statement more', async (_, family) => {
  const { order } = await tagged(family);
  const query = `query ($id: ID!) { node(id: $id) { ... on Workspace { ${family.object.plural}(last: 2) {
    nodes { tags { nodes { id ... on ${typeNames(family).tag} { createdAt } } } } } } } }`;
  let nodes: { tags: { nodes: { id: string; createdAt: string }[] } }[] = [];
  const names = await statementsOf(gateway, async () => {
    const { node } = await ask<{ node: Record<string, { nodes: typeof nodes }> }>(query, workspace);
    nodes = node[family.object.plural]?.nodes ?? [];
  });
  expect(nodes[0]?.tags.nodes.map(({ id }) => id)).toEqual(order);
  expect(nodes[0]?.tags.nodes.every(({ createdAt }) => createdAt.length > 0)).toBe(true);
  expect(names.filter((name) => !name.startsWith('workspaces'))).toHaveLength(2);
});

test.each(CASES)('a tag that is deleted is no tag of a %s', async (name, family) => {
  const { one, order } = await tagged(family);
  const id = atob(order[1] ?? '').split(':')[1];
  await rest('DELETE', `/${family.tag.path}/${id}`);
  const query = `query ($id: ID!) { node(id: $id) { ... on ${name} { tags { totalCount nodes { id } } } } }`;
  const { node } = await ask<{ node: { tags: TagPage } }>(query, { id: one });
  expect(node.tags).toEqual({ totalCount: 2, nodes: [{ id: order[0] }, { id: order[2] }] });
});

test('a workspace lists its tags of each kind', async () => {
  for (const family of TAG_FAMILIES) {
    const { order } = await tagged(family);
    const query = `query ($id: ID!) { node(id: $id) { ... on Workspace { ${family.tag.plural}(last: 3) { nodes { id } } } } }`;
    const { node } = await ask<{ node: Record<string, TagPage> }>(query, workspace);
    expect(node[family.tag.plural]?.nodes.map(({ id }) => id).toSorted()).toEqual(order.toSorted());
  }
});

test('wrong arguments of the tags are refused as in any list', async () => {
  const [family] = TAG_FAMILIES;
  const { one } = await tagged(family);
  for (const [args, field] of [
    ['first: -1', 'first'],
    ['after: "x"', 'after'],
    ['first: 1, last: 1', 'last'],
  ]) {
    const query = `query ($id: ID!) { node(id: $id) { ... on Contact { tags(${args}) { totalCount } } } }`;
    const { errors } = await post(gateway, { query, variables: { id: one } }, { caller });
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.field])).toEqual([
      ['INVALID', field],
    ]);
  }
});
