// Removing a conditional split over GraphQL (spec §4 "DELETE conditional split step").
import { describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { ask, dataOf, post } from '../support/graphql.ts';

const REMOVE = graphql(`
  mutation RemoveConditionalSplit($input: RemoveConditionalSplitInput!) {
    removeConditionalSplit(input: $input) {
      removedSplitId
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
    input: { funnelId: btoa(`Funnel:${id}`), splitId: btoa(`ConditionalSplitStep:${split.id}`) },
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
      removedSplitId: input.splitId,
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
      { query: `{ nodes(ids: [${ids}, "${input.splitId}"]) { id } }` },
      { caller },
    );
    expect(data).toEqual({ nodes: [...ids, null].map(() => null) });
  });
});

test('two removals in one operation each return the state after themselves', async () => {
  const { funnel, input } = await funnelWithSplit();
  const other = await factories.workflow(gateway.app, await factories.funnel(gateway.app, { workspaceId }), [
    { split: 'Other' },
  ]);
  const query = `mutation ($a: RemoveConditionalSplitInput!, $b: RemoveConditionalSplitInput!) {
    a: removeConditionalSplit(input: $a) { funnel { steps { name } } }
    b: removeConditionalSplit(input: $b) { removedSplitId } }`;
  const b = { ...input, splitId: btoa(`ConditionalSplitStep:${other.get('Other')?.id}`) };
  const { data, errors } = await post(gateway, { query, variables: { a: input, b } }, { caller });
  expect(data).toEqual({
    a: { funnel: { steps: [{ name: `before ${funnel.id}` }, { name: `after ${funnel.id}` }] } },
    b: null,
  });
  expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'NOT_FOUND' } }]);
});

describe('is refused', () => {
  test('if it was done before', async () => {
    const { input } = await funnelWithSplit();
    await dataOf(gateway, REMOVE, { input }, { caller });
    const { data, errors } = await ask(gateway, REMOVE, { input }, { caller });
    expect(data).toEqual({ removeConditionalSplit: null });
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });

  test('for ids of other types, naming the field', async () => {
    const { input } = await funnelWithSplit();
    for (const [field, wrong] of [
      ['funnelId', { ...input, funnelId: input.splitId }],
      ['splitId', { ...input, splitId: input.funnelId }],
      ['funnelId', { ...input, funnelId: '1' }],
    ] as const) {
      const { errors } = await ask(gateway, REMOVE, { input: wrong }, { caller });
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID', field } }]);
    }
  });

  test('for a branch that does not exist', async () => {
    const { input } = await funnelWithSplit();
    const query =
      'mutation ($input: RemoveConditionalSplitInput!) { removeConditionalSplit(input: $input) { removedSplitId } }';
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

test('a dry run returns the same as the removal, and changes nothing', async () => {
  const { input, pageNamed, funnel } = await funnelWithSplit();
  const query = `mutation ($input: RemoveConditionalSplitInput!) { removeConditionalSplit(input: $input) {
    promotedPages { name } discardedPages { name } funnel { steps { name } } } }`;
  const variables = (dryRun: boolean) => ({ input: { ...input, branch: 'MATCHED', dryRun } });
  const dry = await post(gateway, { query, variables: variables(true) }, { caller });
  const pages = {
    promotedPages: [{ name: pageNamed('u1').name }],
    discardedPages: [{ name: pageNamed('m1').name }, { name: pageNamed('m2').name }],
  };
  const around = (...names: string[]) => ({
    funnel: { steps: [`before ${funnel.id}`, ...names, `after ${funnel.id}`].map((name) => ({ name })) },
  });
  expect(dry.data).toEqual({ removeConditionalSplit: { ...pages, ...around('Split') } });
  const done = await post(gateway, { query, variables: variables(false) }, { caller });
  expect(done.data).toEqual({ removeConditionalSplit: { ...pages, ...around(pageNamed('u1').name) } });
});
