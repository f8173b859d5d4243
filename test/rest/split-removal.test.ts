// DELETE of a conditional split: what is discarded, what stays, and where (spec §4).
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { normal } from '../support/plans.ts';
import { expectProblem } from '../support/problem.ts';
import { type Built, build, readPlan, removeSplit } from '../support/removals.ts';

const gateway = await sharedGateway();
const workspace = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });

const PLAN = [
  'Entry',
  {
    split: 'Outer',
    matched: ['A', { split: 'In A', matched: ['A1'], unmatched: ['A2'] }, 'A3'],
    unmatched: ['B', { split: 'In B', matched: ['B1'], unmatched: [] }],
  },
  'Thanks',
];
const IN_B = { split: 'In B', matched: ['B1'], unmatched: [] };

const make = () => build(gateway, workspace.id, PLAN);
const left = (built: Built) => readPlan(gateway, caller, built);
const memberPath = ({ funnel, step }: Built, name: string) =>
  `/funnels/${funnel.id}/conditional_split_steps/${step(name).id}`;

test('branch=matched promotes the unmatched branch, nested splits with their subtrees', async () => {
  const built = await make();
  expect(await removeSplit(gateway, caller, built, 'Outer', 'matched')).toBe(204);
  expect(await left(built)).toEqual(['Entry', 'B', IN_B, 'Thanks']);
});

test('a split inside a branch gives its kept steps to that branch', async () => {
  const built = await make();
  expect(await removeSplit(gateway, caller, built, 'In A', 'matched')).toBe(204);
  expect(await left(built)).toEqual(
    normal(['Entry', { split: 'Outer', matched: ['A', 'A2', 'A3'], unmatched: ['B', IN_B] }, 'Thanks']),
  );
});

describe.each(['', '/api/v2'])('under "%s"', (prefix) => {
  test('integer and public ids both identify funnel and split', async () => {
    const { funnel, step } = await make();
    for (const [name, ids] of [
      ['In A', [funnel.publicId, step('In A').publicId]],
      ['In B', [funnel.id, step('In B').publicId]],
      ['Outer', [funnel.publicId, step('Outer').id]],
    ] as const) {
      const path = `${prefix}/funnels/${ids[0]}/conditional_split_steps/${ids[1]}`;
      const response = await gateway.send(path, { caller, method: 'DELETE' });
      expect([name, response.status, await response.text()]).toEqual([name, 204, '']);
      expect(response.headers.get('Content-Type')).toBeNull();
    }
  });

  test.each([
    '',
    'left',
    'MATCHED',
    'matched,unmatched',
    'both%20',
    'null',
    'both&branch=none',
    'both&branch=matched',
    'both&branch=both',
  ])('branch=%s is refused with 422, and nothing changes', async (branch) => {
    const built = await make();
    const path = `${prefix}${memberPath(built, 'Outer')}?branch=${branch}`;
    const problem = await expectProblem(await gateway.send(path, { caller, method: 'DELETE' }), 'invalid');
    expect(problem.errors[0]?.field).toBe('branch');
    expect(await left(built)).toEqual(normal(PLAN));
  });
});

test.each([
  ...['branch[]', 'Branch', 'BRANCH', 'branches', 'branch%20', 'branch_', 'branch[0]'],
  ...['step[branch]', 'conditional_split_step.branch', 'discarded-branch', '%3Fbranch'],
  // One letter missing, wrong, too many, or swapped with the next.
  ...['banch', 'bramch', 'brannch', 'brnach'],
])('a slip of its name does not discard both branches: %s=matched is refused', async (name) => {
  const built = await make();
  const path = `/api/v2${memberPath(built, 'Outer')}?${name}=matched`;
  const problem = await expectProblem(await gateway.send(path, { caller, method: 'DELETE' }), 'invalid');
  expect(problem.errors[0]?.field).toBe(decodeURIComponent(name));
  expect(await left(built)).toEqual(normal(PLAN));
});

test('a page step, an unknown step and a split of another funnel get 404, and nothing changes', async () => {
  const [built, other] = [await make(), await make()];
  const steps = [
    built.step('A').id,
    built.step('A').publicId,
    other.step('Outer').id,
    other.step('Outer').publicId,
  ];
  for (const id of [...steps, 0, 'AbCdEfGh', '%zz', '9'.repeat(30)]) {
    const path = `/api/v2/funnels/${built.funnel.id}/conditional_split_steps/${id}`;
    await expectProblem(await gateway.send(path, { caller, method: 'DELETE' }), 'not_found');
  }
  expect(await left(built)).toEqual(normal(PLAN));
  expect(await left(other)).toEqual(normal(PLAN));
});
