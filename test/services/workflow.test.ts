// The arithmetic of split removal, for any workflow: compared with a model, and property by property.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Outline } from '../../src/services/funnels/workflow.ts';
import type { TreePosition } from '../../src/store/reading/funnel-steps.ts';
import type { Plan } from '../support/factories.ts';
import { anyBranch, anyPlans, type Branch, namesOf, normal, removeFrom, splitsOf } from '../support/plans.ts';

type Step = TreePosition & { readonly name: string };

function removeSplit(steps: readonly Step[], split: bigint, branch: Branch) {
  const outline = new Outline(steps);
  const removal = outline.removeSplit(split, branch);
  return removal && { ...removal, moved: outline.changes().changed };
}

/** The steps of a plan as the store has them. */
function toSteps(
  plans: readonly Plan[],
  parentId: bigint | null = null,
  branch: Step['branch'] = null,
): Step[] {
  return plans.flatMap((plan, position): Step[] => {
    const name = typeof plan === 'string' ? plan : plan.split;
    const id = BigInt(name.split(' ')[1] ?? 0) + 1n;
    const step = { id, name, parentId, branch, position };
    if (typeof plan === 'string') return [{ ...step, kind: 'page' }];
    return [
      { ...step, kind: 'conditional_split' },
      ...toSteps(plan.matched ?? [], id, 'matched'),
      ...toSteps(plan.unmatched ?? [], id, 'unmatched'),
    ];
  });
}

/** The plan that steps make. @throws when there is an orphan or a gap between positions */
function toPlans(
  steps: readonly Step[],
  parentId: bigint | null = null,
  branch: Step['branch'] = null,
): Plan[] {
  const siblings = steps.filter((step) => step.parentId === parentId && step.branch === branch);
  siblings.sort((a, b) => a.position - b.position);
  expect(siblings.map(({ position }) => position)).toEqual(siblings.map((_, index) => index));
  return siblings.map((step) =>
    step.kind === 'page'
      ? step.name
      : {
          split: step.name,
          matched: toPlans(steps, step.id, 'matched'),
          unmatched: toPlans(steps, step.id, 'unmatched'),
        },
  );
}

/** Any workflow with at least one split, one of its splits, and the steps in any order. */
const anyRemoval = fc
  .tuple(anyPlans, anyBranch)
  .filter(([plans]) => splitsOf(plans).length > 0)
  .chain(([plans, branch]) => {
    const steps = toSteps(plans);
    return fc.record({
      plans: fc.constant(plans),
      branch: fc.constant(branch),
      split: fc.constantFrom(...steps.filter((step) => step.kind === 'conditional_split')),
      steps: fc.shuffledSubarray(steps, { minLength: steps.length }),
    });
  });

interface Removal {
  plans: Plan[];
  branch: Branch;
  split: Step;
  steps: Step[];
}

function remove({ steps, split, branch }: Removal) {
  const removal = removeSplit(steps, split.id, branch);
  if (removal === null) throw new Error('not removed');
  const moved = new Map(removal.moved.map((step) => [step.id, step]));
  const gone = new Set(removal.removed.map((step) => step.id));
  const left = steps.filter((step) => !gone.has(step.id)).map((step) => moved.get(step.id) ?? step);
  return { ...removal, left };
}

const always = (check: (removal: Removal) => void) =>
  fc.assert(fc.property(anyRemoval, check), { numRuns: 300 });

describe('removing any split of any workflow, with any branch', () => {
  test('returns the tree of the model, with dense positions and no orphan', () => {
    always((removal) => {
      const { left } = remove(removal);
      const tree = toPlans(left);
      expect(tree).toEqual(normal(removeFrom(removal.plans, removal.split.name, removal.branch) ?? []));
      // A step that no root leads to would be missing here.
      expect(namesOf(tree)).toHaveLength(left.length);
    });
  });

  test('removes exactly the split and everything below the discarded branches', () => {
    always((removal) => {
      const { removed, left } = remove(removal);
      const below = (id: bigint, branch: Step['branch']): string[] =>
        removal.steps
          .filter((step) => step.parentId === id && step.branch === branch)
          .flatMap((step) => [step.name, ...below(step.id, 'matched'), ...below(step.id, 'unmatched')]);
      const { id, name } = removal.split;
      const matched = removal.branch === 'unmatched' ? [] : below(id, 'matched');
      const unmatched = removal.branch === 'matched' ? [] : below(id, 'unmatched');
      expect(removed.map((step) => step.name).sort()).toEqual([name, ...matched, ...unmatched].sort());
      expect(left.length + removed.length).toBe(removal.steps.length);
    });
  });

  test('keeps the workflow order of the remaining steps, and reports discarded and promoted ones in that order', () => {
    always((removal) => {
      const { removed, promoted, left } = remove(removal);
      const order = namesOf(removal.plans);
      const gone = new Set(removed.map((step) => step.name));
      expect(namesOf(toPlans(left))).toEqual(order.filter((name) => !gone.has(name)));
      for (const reported of [removed, promoted].map((steps) => steps.map((step) => step.name))) {
        expect(reported).toEqual(order.filter((name) => reported.includes(name)));
      }
    });
  });

  test('puts the kept steps below the parent of the split and on its branch, with unchanged subtrees', () => {
    always((removal) => {
      const { split, branch, steps } = removal;
      const { left, promoted, moved } = remove(removal);
      const kept = steps.filter(
        (step) => step.parentId === split.id && branch !== 'both' && step.branch !== branch,
      );
      for (const { id } of kept) {
        expect(left.find((step) => step.id === id)).toMatchObject({
          parentId: split.parentId,
          branch: split.branch,
        });
      }
      const subtree = promoted.filter(({ id }) => !kept.some((step) => step.id === id));
      for (const step of subtree) expect(left).toContain(step);
      // Only the kept steps and what stood behind the split among its siblings have another place.
      for (const { id } of moved) {
        const before = steps.find((step) => step.id === id);
        const behind =
          before?.parentId === split.parentId &&
          before.branch === split.branch &&
          before.position > split.position;
        expect(behind || kept.some((step) => step.id === id)).toBe(true);
      }
    });
  });

  test('reports as moved only steps with a new place', () => {
    always((removal) => {
      for (const step of remove(removal).moved) {
        expect(removal.steps.find(({ id }) => id === step.id)).not.toEqual(step);
      }
    });
  });

  test('does not change its input', () => {
    always((removal) => {
      const before = structuredClone(removal.steps);
      remove(removal);
      expect(removal.steps).toEqual(before);
    });
  });
});

test('an unknown id, a page, or an already removed split cannot be removed', () => {
  fc.assert(
    fc.property(anyRemoval, fc.bigInt(), (removal, unknown) => {
      for (const { id, kind } of removal.steps) {
        if (kind === 'page') expect(removeSplit(removal.steps, id, removal.branch)).toBeNull();
      }
      expect(removeSplit(remove(removal).left, removal.split.id, removal.branch)).toBeNull();
      fc.pre(!removal.steps.some(({ id }) => id === unknown));
      expect(removeSplit(removal.steps, unknown, removal.branch)).toBeNull();
    }),
  );
});

test('a workflow nested thousands of splits deep works', () => {
  const depth = 20_000;
  const steps = Array.from({ length: depth }, (_, index): Step => {
    const parent =
      index === 0
        ? { parentId: null, branch: null }
        : { parentId: BigInt(index), branch: 'matched' as const };
    return { id: BigInt(index + 1), name: '', kind: 'conditional_split', position: 0, ...parent };
  });
  expect(removeSplit(steps, 1n, 'unmatched')?.promoted).toHaveLength(depth - 1);
});
