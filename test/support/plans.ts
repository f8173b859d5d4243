// A workflow as nested plans, and split removal on it: the model that the gateway is compared with. It has another representation than
// `services/funnels/workflow.ts`, so that the two cannot be wrong in the same way.
import fc from 'fast-check';
import type { Plan } from './factories.ts';

export type Branch = 'matched' | 'unmatched' | 'both';
type SplitPlan = Exclude<Plan, string>;

/** The plan after the removal of a split (spec §4 DELETE rules 1-3); null without such a split. */
export function removeFrom(plans: readonly Plan[], split: string, discard: Branch): Plan[] | null {
  const at = plans.findIndex((plan) => typeof plan !== 'string' && plan.split === split);
  if (at >= 0) {
    const { matched = [], unmatched = [] } = plans[at] as SplitPlan;
    const kept = { both: [], matched: unmatched, unmatched: matched }[discard];
    return [...plans.slice(0, at), ...kept, ...plans.slice(at + 1)];
  }
  for (const [index, plan] of plans.entries()) {
    if (typeof plan === 'string') continue;
    const matched = removeFrom(plan.matched ?? [], split, discard);
    const unmatched = removeFrom(plan.unmatched ?? [], split, discard);
    if (matched === null && unmatched === null) continue;
    const changed = { ...plan, ...(matched && { matched }), ...(unmatched && { unmatched }) };
    return plans.with(index, changed);
  }
  return null;
}

/** Adds missing branch lists as empty ones, so that plans can be compared. */
export function normal(plans: readonly Plan[]): Plan[] {
  return plans.map((plan) =>
    typeof plan === 'string'
      ? plan
      : { split: plan.split, matched: normal(plan.matched ?? []), unmatched: normal(plan.unmatched ?? []) },
  );
}

/** All names in workflow order: a split, its matched branch, its unmatched branch, the steps after it. */
export function namesOf(plans: readonly Plan[]): string[] {
  return plans.flatMap((plan) =>
    typeof plan === 'string'
      ? [plan]
      : [plan.split, ...namesOf(plan.matched ?? []), ...namesOf(plan.unmatched ?? [])],
  );
}

/** The names of the splits, outer before inner. */
export function splitsOf(plans: readonly Plan[]): string[] {
  return plans.flatMap((plan) =>
    typeof plan === 'string'
      ? []
      : [plan.split, ...splitsOf(plan.matched ?? []), ...splitsOf(plan.unmatched ?? [])],
  );
}

type Shape = 'page' | { matched: Shape[]; unmatched: Shape[] };

/** Workflows with splits nested up to four deep; names are unique. */
export const anyPlans: fc.Arbitrary<Plan[]> = fc
  .letrec<{ shape: Shape; list: Shape[] }>((tie) => ({
    shape: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constant('page' as const),
      fc.record({ matched: tie('list'), unmatched: tie('list') }),
    ),
    list: fc.array(tie('shape'), { maxLength: 4 }),
  }))
  .list.map((shapes) => {
    let count = 0;
    const name = (shape: Shape): Plan => {
      const number = count++;
      if (shape === 'page') return `page ${number}`;
      return {
        split: `split ${number}`,
        matched: shape.matched.map(name),
        unmatched: shape.unmatched.map(name),
      };
    };
    return shapes.map(name);
  });

export const anyBranch: fc.Arbitrary<Branch> = fc.constantFrom('matched', 'unmatched', 'both');
