// The arithmetic of a funnel's workflow tree: parents, branches and positions of steps (DESIGN §8). Pure.
import type { BranchName, TreePosition } from '../store/reading/funnel-steps.ts';

/** Which branch is discarded when a split is removed (spec §4 "DELETE conditional split step"). */
export type BranchChoice = BranchName | 'both';

/**
 * Removes a split: the steps of the kept branch replace it among its siblings, in their order and with their own subtrees, under its
 * parent and on its branch. The siblings after the split are renumbered; positions stay dense.
 * @param steps every step of the funnel
 * @param discard the branch that is removed with it; the other one is kept, `both` keeps none
 * @returns null when there is no such split
 */
export function removeSplit<Step extends TreePosition>(
  steps: readonly Step[],
  splitId: bigint,
  discard: BranchChoice,
) {
  const split = steps.find((step) => step.id === splitId && step.kind === 'conditional_split');
  if (split === undefined) return null;
  const children = groupBySiblings(steps);
  const branch = (name: BranchName) => children.get(siblingKey(split.id, name)) ?? [];
  const kept = discard === 'both' ? [] : branch(discard === 'matched' ? 'unmatched' : 'matched');
  const gone = discard === 'both' ? [...branch('matched'), ...branch('unmatched')] : branch(discard);

  const siblings = children.get(siblingKey(split.parentId, split.branch)) ?? [];
  const moved = siblings
    .flatMap((sibling) => (sibling.id === split.id ? kept : [sibling]))
    .map((step, position) => ({ step, position }))
    .filter(
      ({ step, position }) =>
        step.position !== position || step.parentId !== split.parentId || step.branch !== split.branch,
    )
    .map(({ step, position }) => ({ ...step, parentId: split.parentId, branch: split.branch, position }));
  return {
    /** Steps whose parent, branch or position changes, with the new ones. */
    moved,
    /** The steps of the kept branch, subtrees included, in workflow order. */
    promoted: inWorkflowOrder(kept, children),
    /** The split and the steps that are removed with it, subtrees included, in workflow order. */
    removed: [split, ...inWorkflowOrder(gone, children)],
  };
}

/** Steps grouped by parent and branch, each group in order of position. */
function groupBySiblings<Step extends TreePosition>(steps: readonly Step[]): Map<string, Step[]> {
  const groups = Map.groupBy(steps, (step) => siblingKey(step.parentId, step.branch));
  for (const group of groups.values()) group.sort((a, b) => a.position - b.position);
  return groups;
}

/** The key of a group in `groupBySiblings`. */
function siblingKey(parentId: bigint | null, branch: BranchName | null): string {
  return `${parentId ?? ''}/${branch ?? ''}`;
}

/** Each step followed by its subtree, the matched branch before the unmatched one. Iterative: trees may be deep. */
function inWorkflowOrder<Step extends TreePosition>(
  roots: readonly Step[],
  children: Map<string, Step[]>,
): Step[] {
  const ordered: Step[] = [];
  const stack = roots.toReversed();
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    ordered.push(step);
    for (const name of ['unmatched', 'matched'] as const) {
      stack.push(...(children.get(siblingKey(step.id, name)) ?? []).toReversed());
    }
  }
  return ordered;
}
