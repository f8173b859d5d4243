// Removing a conditional split over GraphQL (spec §4 "DELETE conditional split step").
import { describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { ask, dataOf, post } from '../support/graphql.ts';
import { firstUserError, sendMutation } from '../support/user-errors.ts';

const REMOVE = graphql(`
  mutation RemoveConditionalSplit($input: RemoveConditionalSplitInput!) {
    removeConditionalSplit(input: $input) {
      removedConditionalSplitId
      funnel {
        name
        steps {
          name
        }
      }
      promotedPages {
        id
        name
      }
      discardedPages {
        id
        name
        currentPath
      }
    }
  }
`);

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

async function funnelWithSplit() {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const { id } = funnel;
  const steps = await factories.workflow(gateway.app, funnel, [
    `before ${id}`,
    { split: 'Split', matched: [`m1 ${id}`, `m2 ${id}`], unmatched: [`u1 ${id}`] },
    `after ${id}`,
  ]);
  const split = steps.get('Split');
  if (split === undefined) throw new Error('no split');
  const pageNamed = (name: string) => {
    const pageId = steps.get(`${name} ${id}`)?.pageId;
    return { id: btoa(`Page:${pageId}`), name: `${name} ${id}` };
  };
  return {
    funnel,
    split,
    pageNamed,
    input: { conditionalSplitId: btoa(`ConditionalSplit:${split.id}`) },
  };
}

describe.each([
  ['MATCHED', ['u1'], ['m1', 'm2']],
  ['UNMATCHED', ['m1', 'm2'], ['u1']],
  ['BOTH', [], ['m1', 'm2', 'u1']],
  [undefined, [], ['m1', 'm2', 'u1']],
] as const)('branch %s', (branch, promoted, discarded) => {
  test('is discarded; the other branch takes the place of the split', async () => {
    const { funnel, pageNamed, input } = await funnelWithSplit();
    const variables = { input: { ...input, ...(branch && { branch }) } };
    const { removeConditionalSplit } = await dataOf(gateway, REMOVE, variables, { caller });
    expect(removeConditionalSplit).toEqual({
      removedConditionalSplitId: input.conditionalSplitId,
      funnel: {
        name: funnel.name,
        steps: ['before', ...promoted, 'after'].map((name) => ({ name: `${name} ${funnel.id}` })),
      },
      promotedPages: promoted.map(pageNamed),
      discardedPages: discarded.map((name) => ({
        ...pageNamed(name),
        currentPath: `/${name}-${funnel.id}`,
      })),
    });
    const ids = discarded.map((name) => `"${pageNamed(name).id}"`);
    const { data } = await post(
      gateway,
      { query: `{ nodes(ids: [${ids}, "${input.conditionalSplitId}"]) { id } }` },
      { caller },
    );
    expect(data).toEqual({ nodes: [...ids, null].map(() => null) });
  });
});

test('two removals in one operation each return the state after themselves', async () => {
  const { funnel, input } = await funnelWithSplit();
  const query = `mutation ($input: RemoveConditionalSplitInput!) {
    a: removeConditionalSplit(input: $input) { funnel { steps { name } } }
    b: removeConditionalSplit(input: $input) { removedConditionalSplitId userErrors { code path } } }`;
  const { data, errors } = await post(gateway, { query, variables: { input } }, { caller });
  expect(data).toEqual({
    a: { funnel: { steps: [{ name: `before ${funnel.id}` }, { name: `after ${funnel.id}` }] } },
    b: { removedConditionalSplitId: null, userErrors: [{ code: 'NOT_FOUND', path: ['conditionalSplitId'] }] },
  });
  expect(errors).toBeUndefined();
});

describe('is refused', () => {
  test('if it was done before', async () => {
    const { input } = await funnelWithSplit();
    await dataOf(gateway, REMOVE, { input }, { caller });
    const refused = await sendMutation(gateway, 'removeConditionalSplit', input, { caller });
    expect(firstUserError(refused)).toMatchObject({ code: 'NOT_FOUND', path: ['conditionalSplitId'] });
  });

  test('for ids of other types, naming the field', async () => {
    const { funnel, split } = await funnelWithSplit();
    for (const wrong of [`Funnel:${funnel.id}`, `SplitTest:${split.id}`].map(btoa).concat('1')) {
      const { errors } = await ask(gateway, REMOVE, { input: { conditionalSplitId: wrong } }, { caller });
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID', field: 'conditionalSplitId' } }]);
    }
  });

  test('for a branch that does not exist', async () => {
    const { input } = await funnelWithSplit();
    const query =
      'mutation ($input: RemoveConditionalSplitInput!) { removeConditionalSplit(input: $input) { removedConditionalSplitId } }';
    const { response } = await post(
      gateway,
      { query, variables: { input: { ...input, branch: 'matched' } } },
      { caller },
    );
    expect(response.status).toBe(400);
  });
});

test('a key with only the write scope gets the ids of the pages; it cannot select more', async () => {
  const { input } = await funnelWithSplit();
  const writer = await factories.apiKey(gateway.app, { teamId, scopes: ['funnels:write'] });
  const all = { ...input, branch: 'MATCHED' as const };
  const refused = await ask(gateway, REMOVE, { input: all }, { caller: writer });
  expect(refused.data?.removeConditionalSplit).toBeNull();
  expect(refused.errors).toMatchObject([
    {
      path: ['removeConditionalSplit'],
      extensions: { code: 'INSUFFICIENT_SCOPE', scope: 'funnels:read' },
    },
  ]);
  const query = `mutation ($input: RemoveConditionalSplitInput!) { removeConditionalSplit(input: $input) {
    promotedPages { id } discardedPages { id } } }`;
  const { data, errors } = await post(gateway, { query, variables: { input: all } }, { caller: writer });
  expect(errors).toBeUndefined();
  expect(data?.['removeConditionalSplit']).toMatchObject({
    promotedPages: [{ id: expect.any(String) }],
    discardedPages: [{ id: expect.any(String) }, { id: expect.any(String) }],
  });
});

const PREVIEW = `query ($id: ID!) { node(id: $id) { ... on ConditionalSplit {
  removalPreview(branch: MATCHED) { promotedPages { name } discardedPages { name } }
  both: removalPreview { promotedPages { name } discardedPages { name } } } } }`;

test('a preview shows what the removal then does, and needs no more than the scope to read', async () => {
  const { input, pageNamed, funnel } = await funnelWithSplit();
  const reader = await factories.apiKey(gateway.app, { teamId, scopes: ['funnels:read'] });
  const preview = await post(
    gateway,
    { query: PREVIEW, variables: { id: input.conditionalSplitId } },
    { caller: reader },
  );
  const named = (...names: string[]) => names.map((name) => ({ name: pageNamed(name).name }));
  const pages = { promotedPages: named('u1'), discardedPages: named('m1', 'm2') };
  const both = { promotedPages: [], discardedPages: named('m1', 'm2', 'u1') };
  expect(preview).toMatchObject({ data: { node: { removalPreview: pages, both } } });
  const query = `mutation ($input: RemoveConditionalSplitInput!) { removeConditionalSplit(input: $input) {
    promotedPages { name } discardedPages { name } funnel { steps { name } } } }`;
  const variables = { input: { ...input, branch: 'MATCHED' } };
  const refused = await post(gateway, { query, variables }, { caller: reader });
  expect(refused.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
  const done = await post(gateway, { query, variables }, { caller });
  const steps = [`before ${funnel.id}`, pageNamed('u1').name, `after ${funnel.id}`];
  expect(done.data).toEqual({
    removeConditionalSplit: { ...pages, funnel: { steps: steps.map((name) => ({ name })) } },
  });
});

test('a preview of a split test names the arm', async () => {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const names = [`left ${funnel.id}`, `right ${funnel.id}`] as const;
  const test = await factories.splitTest(gateway.app, funnel, null, names);
  const query = `query ($id: ID!) { node(id: $id) { ... on SplitTest {
    removalPreview(arm: RIGHT) { promotedPages { name } discardedPages { name } } } } }`;
  const id = btoa(`SplitTest:${test.id}`);
  const { data } = await post(gateway, { query, variables: { id } }, { caller });
  const removalPreview = {
    promotedPages: [{ name: `left ${funnel.id}` }],
    discardedPages: [{ name: `right ${funnel.id}` }],
  };
  expect(data).toEqual({ node: { removalPreview } });
});

test('a creation names what was made, with its edge; with only the write scope, its ids', async () => {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const writer = await factories.apiKey(gateway.app, { teamId, scopes: ['funnels:write'] });
  const query = `mutation ($input: CreateConditionalSplitInput!) { createConditionalSplit(input: $input) {
    conditionalSplit { id databaseId } conditionalSplitEdge { cursor node { id } } } }`;
  const variables = { input: { funnelId: btoa(`Funnel:${funnel.id}`) } };
  const { data } = await post<{
    createConditionalSplit: { conditionalSplit: { id: string }; conditionalSplitEdge: object };
  }>(gateway, { query, variables }, { caller: writer });
  const id = data?.createConditionalSplit.conditionalSplit.id ?? '';
  expect(atob(id)).toMatch(/^ConditionalSplit:\d+$/);
  const list = await post(
    gateway,
    {
      query: `query ($id: ID!) { node(id: $id) { ... on Funnel { steps { id } conditionalSplits { edges { cursor node { id } } } } } }`,
      variables: { id: variables.input.funnelId },
    },
    { caller },
  );
  expect(list.data).toEqual({
    node: {
      steps: [{ id }],
      conditionalSplits: {
        edges: [data?.createConditionalSplit.conditionalSplitEdge],
      },
    },
  });
});
