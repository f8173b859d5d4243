// The rows after a removal, and what stays visible: nothing is physically deleted.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { build, readPlan, removeSplit } from '../support/removals.ts';
import { idsOf } from '../support/walk.ts';

const NOW = new Date('2026-05-06T07:08:09.010Z');

const gateway = await ownGateway({ overrides: { clock: () => NOW } });
const workspace = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
const built = await build(gateway, workspace.id, [
  'Entry',
  { split: 'Split', matched: ['M', { split: 'Inner', matched: ['I'] }], unmatched: ['U'] },
  'Thanks',
]);
expect(await removeSplit(gateway, caller, built, 'Split', 'matched')).toBe(204);

const GONE = ['Split', 'M', 'Inner', 'I'];
const STAYS = ['Entry', 'U', 'Thanks'];

test('removed steps stay as rows, with time and cause', async () => {
  const rows = await prismaOf(gateway.app.store).funnelStep.findMany({
    where: { funnelId: built.funnel.id },
  });
  const key = await prismaOf(gateway.app.store).apiKey.findUniqueOrThrow({ where: { id: caller.id } });
  const reason = `Conditional split ${built.step('Split').publicId} removed (branch matched) by API key ${key.publicId}`;
  expect(rows).toHaveLength(GONE.length + STAYS.length);
  for (const { name, removedAt, removalReason } of rows) {
    expect([name, removedAt, removalReason]).toEqual(
      GONE.includes(name) ? [name, NOW, reason] : [name, null, null],
    );
  }
});

test('discarded pages stay as rows, with time and the same cause; promoted pages are untouched', async () => {
  const rows = await prismaOf(gateway.app.store).page.findMany();
  expect(rows.map((row) => row.name).sort()).toEqual(['Entry', 'I', 'M', 'Thanks', 'U']);
  for (const { name, discardedAt, discardReason } of rows) {
    expect([name, discardedAt]).toEqual([name, GONE.includes(name) ? NOW : null]);
    expect(discardReason ?? '').toMatch(GONE.includes(name) ? /^Conditional split \w+ removed/ : /^$/);
  }
});

test('promoted steps are below the parent of the split, on its branch, without a gap', async () => {
  const rows = await prismaOf(gateway.app.store).funnelStep.findMany({
    where: { funnelId: built.funnel.id, removedAt: null },
    orderBy: { position: 'asc' },
  });
  expect(rows.map(({ name, parentId, branch, position }) => [name, parentId, branch, position])).toEqual([
    ['Entry', null, null, 0],
    ['U', null, null, 1],
    ['Thanks', null, null, 2],
  ]);
});

test('removed splits are in no list and have no page of their own', async () => {
  const path = `/api/v2/funnels/${built.funnel.id}/conditional_split_steps`;
  expect(await idsOf(await gateway.send(path, { caller }))).toEqual([]);
  for (const name of ['Split', 'Inner']) {
    for (const id of [built.step(name).id, built.step(name).publicId]) {
      await expectProblem(await gateway.send(`${path}/${id}`, { caller }), 'not_found');
    }
  }
  expect(await readPlan(gateway, caller, built)).toEqual(['Entry', 'U', 'Thanks']);
});

test('the rows of another funnel are unchanged', async () => {
  const other = await build(gateway, built.funnel.workspaceId, [
    { split: 'S', matched: ['X'], unmatched: ['Y'] },
  ]);
  const before = await prismaOf(gateway.app.store).funnelStep.findMany({
    where: { funnelId: built.funnel.id },
  });
  expect(await removeSplit(gateway, caller, other, 'S', 'unmatched')).toBe(204);
  const after = await prismaOf(gateway.app.store).funnelStep.findMany({
    where: { funnelId: built.funnel.id },
  });
  expect(after).toEqual(before);
});
