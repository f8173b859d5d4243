// Concurrent removals on one funnel: the resulting tree is that of some sequential order.
import { expect, test } from 'vitest';
import type { Plan } from '../support/factories.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { type Branch, normal, removeFrom } from '../support/plans.ts';
import { type Built, build, readPlan, removeSplit } from '../support/removals.ts';

interface Wish {
  readonly split: string;
  readonly branch: Branch;
  /** The answer of the gateway. */
  readonly status: number;
}

const gateway = await ownGateway({ env: { POOL_SIZE: '10' } });
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

/** Whether some order of the requests, each with its answer, turns `start` into `end`. */
function someOrderMakes(
  start: Plan[],
  wishes: readonly Wish[],
  end: string,
  seen = new Set<string>(),
): boolean {
  const state = JSON.stringify([start, wishes]);
  if (seen.has(state)) return false;
  seen.add(state);
  if (wishes.length === 0) return JSON.stringify(start) === end;
  return wishes.some((wish) => {
    const after = removeFrom(start, wish.split, wish.branch);
    if ((after === null ? 404 : 204) !== wish.status) return false;
    const rest = wishes.filter((other) => other !== wish);
    return someOrderMakes(normal(after ?? start), rest, end, seen);
  });
}

async function removeAtOnce(plan: Plan[], wishes: [split: string, branch: Branch][]): Promise<Wish[]> {
  const built: Built = await build(gateway, workspaceId, plan);
  const answered = await Promise.all(
    wishes.map(async ([split, branch]) => ({
      split,
      branch,
      status: await removeSplit(gateway, caller, built, split, branch),
    })),
  );
  const end = JSON.stringify(await readPlan(gateway, caller, built));
  expect(someOrderMakes(normal(plan), answered, end), `${JSON.stringify(answered)} ended in ${end}`).toBe(
    true,
  );
  return answered;
}

const NESTED: Plan[] = [
  'Entry',
  { split: 'Outer', matched: ['A', { split: 'Inner', matched: ['B'], unmatched: ['C'] }], unmatched: ['D'] },
  { split: 'Next', matched: ['E'], unmatched: ['F'] },
  'Thanks',
];

test.each<[string, string, Branch, Branch]>([
  ['Outer', 'Outer', 'matched', 'unmatched'],
  ['Outer', 'Inner', 'matched', 'matched'],
  ['Outer', 'Inner', 'unmatched', 'matched'],
  ['Outer', 'Next', 'unmatched', 'matched'],
  ['Inner', 'Next', 'both', 'both'],
])('two removals at once, of %s and %s (%s, %s)', async (first, second, firstBranch, secondBranch) => {
  for (let round = 0; round < 5; round++) {
    const answered = await removeAtOnce(NESTED, [
      [first, firstBranch],
      [second, secondBranch],
    ]);
    if (first === second) expect(answered.map(({ status }) => status).sort()).toEqual([204, 404]);
  }
});

test('ten concurrent removals, nested and side by side', async () => {
  const row = (n: number): Plan => ({
    split: `S${n}`,
    matched: [`m${n}`, { split: `T${n}`, matched: [`x${n}`], unmatched: [`y${n}`, `z${n}`] }],
    unmatched: [`u${n}`],
  });
  const plan = ['Entry', row(0), row(1), 'Middle', row(2), row(3), row(4), 'Thanks'];
  const branches: Branch[] = ['unmatched', 'matched', 'both'];
  const wishes = [0, 1, 2, 3, 4].flatMap((n): [string, Branch][] => [
    [`S${n}`, branches[n % 3] ?? 'both'],
    [`T${n}`, branches[(n + 1) % 3] ?? 'both'],
  ]);
  for (let round = 0; round < 3; round++) {
    const answered = await removeAtOnce(plan, wishes);
    for (const { split, status } of answered) if (split.startsWith('S')) expect(status).toBe(204);
  }
});

test('of ten concurrent removals of one split one succeeds, and nine find nothing', async () => {
  const wishes = Array.from({ length: 10 }, (): [string, Branch] => ['Outer', 'matched']);
  const answered = await removeAtOnce(NESTED, wishes);
  expect(answered.filter(({ status }) => status === 204)).toHaveLength(1);
});
