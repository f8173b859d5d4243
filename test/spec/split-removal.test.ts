// Specification §4 "DELETE conditional split step", and §7: 204.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { type Built, build, readPlan, removeSplit } from '../support/removals.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

const make = () =>
  build(gateway, workspaceId, [
    'Entry',
    {
      split: 'Parent',
      matched: ['First', { split: 'Split', matched: ['M1', 'M2'], unmatched: ['U1', 'U2'] }, 'Last'],
    },
  ]);
const plan = (matched: string[]) => [
  'Entry',
  { split: 'Parent', matched: ['First', ...matched, 'Last'], unmatched: [] },
];
const left = (built: Built) => readPlan(gateway, caller, built);
const discarded = async () =>
  (
    await prismaOf(gateway.app.store).page.findMany({
      where: { discardedAt: { not: null } },
      orderBy: { id: 'asc' },
    })
  ).map((page) => page.name);

test('spec §4 DELETE item table: funnel_id and id are strings in the path, no body is sent, the answer is 204 without one', async () => {
  const { funnel, step } = await make();
  const path = `/funnels/${funnel.publicId}/conditional_split_steps/${step('Split').publicId}`;
  const response = await gateway.send(path, { caller, method: 'DELETE' });
  expect([response.status, await response.text(), response.body]).toEqual([204, '', null]);
});

test('spec §4 DELETE item table: branch may be matched, unmatched or both, and nothing else', async () => {
  for (const [branch, status] of [
    ['matched', 204],
    ['unmatched', 204],
    ['both', 204],
    ['neither', 422],
  ] as const) {
    const { funnel, step } = await make();
    const path = `/funnels/${funnel.id}/conditional_split_steps/${step('Split').id}?branch=${branch}`;
    expect([branch, (await gateway.send(path, { caller, method: 'DELETE' })).status]).toEqual([
      branch,
      status,
    ]);
  }
});

test.each(['both', undefined] as const)(
  'spec §4 DELETE rule 1: branch=%s removes the split and discards both branches',
  async (branch) => {
    const before = await discarded();
    const built = await make();
    expect(await removeSplit(gateway, caller, built, 'Split', branch)).toBe(204);
    expect(await left(built)).toEqual(plan([]));
    expect((await discarded()).slice(before.length).sort()).toEqual(['M1', 'M2', 'U1', 'U2']);
  },
);

test('spec §4 DELETE rule 2: branch=matched promotes the pages of the unmatched branch under the parent of the split', async () => {
  const built = await make();
  expect(await removeSplit(gateway, caller, built, 'Split', 'matched')).toBe(204);
  expect(await left(built)).toEqual(plan(['U1', 'U2']));
});

test('spec §4 DELETE rule 2: promoted pages stay attached to the main workflow of the funnel', async () => {
  const built = await build(gateway, workspaceId, [{ split: 'Top', matched: ['M'], unmatched: ['U'] }]);
  expect(await removeSplit(gateway, caller, built, 'Top', 'matched')).toBe(204);
  expect(await left(built)).toEqual(['U']);
  const { pageId } = built.step('U');
  const page = await prismaOf(gateway.app.store).page.findFirstOrThrow({ where: { id: pageId ?? 0n } });
  expect(page.discardedAt).toBeNull();
});

test('spec §4 DELETE rule 3: branch=unmatched promotes the pages of the matched branch under the parent of the split', async () => {
  const built = await make();
  expect(await removeSplit(gateway, caller, built, 'Split', 'unmatched')).toBe(204);
  expect(await left(built)).toEqual(plan(['M1', 'M2']));
});

test.each(['matched', 'unmatched', 'both'] as const)(
  'spec §4 DELETE rules: branch=%s never leaves a split with one branch, it removes the whole split',
  async (branch) => {
    const built = await make();
    await removeSplit(gateway, caller, built, 'Split', branch);
    expect(JSON.stringify(await left(built))).not.toContain('Split');
    expect(await removeSplit(gateway, caller, built, 'Split')).toBe(404);
  },
);
