// Changes of a workflow refer to steps by global ids with the type of the step.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { build } from '../support/removals.ts';
import { firstUserError, sendMutation } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

test.each([
  ['moveStep', 'PageStep', 'Split', (id: string) => ({ stepId: id, place: { onTopLevel: { position: 0 } } })],
  [
    'moveStep',
    'ConditionalSplit',
    'End',
    (id: string) => ({ stepId: id, place: { onTopLevel: { position: 0 } } }),
  ],
  ['renameStep', 'SplitTest', 'Split', (id: string) => ({ stepId: id, name: 'Other' })],
] as const)(
  '%s by the id of a %s that is another kind of step is refused',
  async (name, type, step, inputOf) => {
    const plan = ['Entry', { split: 'Split', matched: ['M'], unmatched: ['U'] }, 'End'];
    const built = await build(gateway, workspaceId, plan);
    const input = inputOf(btoa(`${type}:${built.step(step).id}`));
    const before = await outline(built.funnel.id);
    const refused = await sendMutation(gateway, name, input, { caller });
    expect(firstUserError(refused)).toMatchObject({ code: 'NOT_FOUND', path: ['stepId'] });
    expect(await outline(built.funnel.id)).toEqual(before);
  },
);

test('a place that the funnel does not have is blamed by the member that is wrong', async () => {
  const built = await build(gateway, workspaceId, [
    'Entry',
    { split: 'Split', matched: ['M'], unmatched: ['U'] },
    'End',
  ]);
  const other = await build(gateway, workspaceId, [
    'Elsewhere',
    { split: 'Door', matched: [], unmatched: [] },
  ]);
  const id = (type: string, step: { readonly id: bigint }) => btoa(`${type}:${step.id}`);
  const entry = id('PageStep', built.step('Entry'));
  const split = id('ConditionalSplit', built.step('Split'));
  const elsewhere = id('PageStep', other.step('Elsewhere'));
  const door = id('ConditionalSplit', other.step('Door'));
  const page = await factories.page(gateway.app, workspaceId, 'New');
  const pageId = btoa(`Page:${page.id}`);
  const funnelId = btoa(`Funnel:${built.funnel.id}`);
  const workspaceOf = { workspaceId: btoa(`Workspace:${workspaceId}`), name: 'Made' };
  const onBranch = (splitId: string, branch: string, position?: number) => ({
    onBranch: { splitId, branch, position },
  });
  for (const [place, path, code] of [
    [{ after: elsewhere }, ['after'], 'NOT_FOUND'],
    [{ before: elsewhere }, ['before'], 'NOT_FOUND'],
    [onBranch(door, 'MATCHED'), ['onBranch', 'splitId'], 'NOT_FOUND'],
    [onBranch(split, 'LEFT'), ['onBranch', 'branch'], 'NOT_FOUND'],
    [onBranch(split, 'MATCHED', 9), ['onBranch', 'position'], 'OUT_OF_RANGE'],
    [{ onTopLevel: { position: 9 } }, ['onTopLevel', 'position'], 'OUT_OF_RANGE'],
  ] as const)
    for (const [name, input] of [
      ['moveStep', { stepId: entry }],
      ['addPageStep', { funnelId, pageId }],
      ['createConditionalSplit', { funnelId }],
      [
        'createSplitTest',
        { funnelId, leftPageId: btoa(`Page:${built.step('Entry').pageId}`), rightPageId: pageId },
      ],
    ] as const) {
      const refused = await sendMutation(gateway, name, { ...input, place }, { caller });
      expect([name, firstUserError(refused)]).toMatchObject([name, { code, path: ['place', ...path] }]);
    }
  const within = await sendMutation(
    gateway,
    'moveStep',
    { stepId: split, place: { after: id('PageStep', built.step('M')) } },
    { caller },
  );
  expect(firstUserError(within)).toMatchObject({ code: 'NOT_ALLOWED', path: ['place', 'after'] });
  for (const [place, path] of [
    [{ inFunnel: { funnelId, position: 9 } }, ['inFunnel', 'position']],
    [onBranch(split, 'MATCHED', 9), ['onBranch', 'position']],
    [onBranch(split, 'LEFT'), ['onBranch', 'branch']],
  ] as const) {
    const refused = await sendMutation(gateway, 'createPage', { ...workspaceOf, place }, { caller });
    expect(firstUserError(refused)).toMatchObject({ path: ['place', ...path] });
  }
});

test('a permutation of many steps needs no more statements than one of few', async () => {
  async function reverse(count: number): Promise<number> {
    const names = Array.from({ length: count }, (_, index) => `Step ${index}`);
    const built = await build(gateway, workspaceId, names);
    const stepIds = names.toReversed().map((name) => btoa(`PageStep:${built.step(name).id}`));
    const input = { stepIds };
    const query = 'mutation ($input: ReorderStepsInput!) { reorderSteps(input: $input) { funnel { id } } }';
    const statements = await statementsOf(gateway, async () => {
      const { errors } = await post(gateway, { query, variables: { input } }, { caller });
      expect(errors).toBeUndefined();
    });
    const positions = (await outline(built.funnel.id)).map((row) => Reflect.get(row, 'position'));
    expect(positions).toEqual(names.map((_, index) => index).toReversed());
    return statements.length;
  }
  const fewer = await reverse(6);
  expect(await reverse(40)).toBe(fewer);
});

async function outline(funnelId: bigint): Promise<object[]> {
  const text = 'select * from funnel_steps where workspace_id = $1 and funnel_id = $2 order by id';
  return (await gateway.app.store.pool.query(text, [workspaceId, funnelId])).rows;
}
