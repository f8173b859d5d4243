// The arithmetic of a funnel's workflow tree: parents, branches and positions of steps. Pure.
import { BRANCHES } from '../../resources/funnel-steps.ts';
import type { BranchName, TreePosition } from '../../store/reading/funnel-steps.ts';

export type { BranchName };

/** Which branch is discarded when a split is removed (spec §4 "DELETE conditional split step"). */
export type BranchChoice = BranchName | 'both';

/** A list of siblings: a branch of a split, or the top level of the funnel. */
export type SiblingList = Pick<TreePosition, 'parentId' | 'branch'>;

export const TOP_LEVEL: SiblingList = { parentId: null, branch: null };

/** A place in a list of siblings: `index` steps come before it. */
export interface Spot extends SiblingList {
  readonly index: number;
}

/** What the removal of a split does. Lists are in the order of the workflow. */
interface SplitRemoval<Step> {
  /** The steps that take the split's place. */
  readonly kept: readonly Step[];
  /** Those, and the steps below them. */
  readonly promoted: readonly Step[];
  /** The split, and the steps of each discarded branch. */
  readonly removed: readonly Step[];
}

/** A workflow that is being changed. Positions follow from the order of the lists, so they stay dense; ids never change. */
export class Outline<Step extends TreePosition> {
  readonly #before: ReadonlyMap<bigint, Step>;
  readonly #steps: Map<bigint, Step>;
  /** The ids of siblings in order, by `keyOf`. */
  readonly #lists: Map<string, bigint[]>;

  /** @param steps every step of the funnel, in any order */
  constructor(steps: readonly Step[]) {
    this.#before = new Map(steps.map((step) => [step.id, step]));
    this.#steps = new Map(this.#before);
    const lists = Map.groupBy(steps, keyOf);
    this.#lists = new Map(
      [...lists].map(([key, list]) => [
        key,
        list.toSorted((a, b) => a.position - b.position).map(({ id }) => id),
      ]),
    );
  }

  get size(): number {
    return this.#steps.size;
  }

  get(id: bigint): Step | undefined {
    return this.#steps.get(id);
  }

  siblings(list: SiblingList): Step[] {
    return this.#idsIn(list).map((id) => this.#step(id));
  }

  /** Where a step is. */
  spotOf(id: bigint): Spot {
    const { parentId, branch } = this.#step(id);
    return { parentId, branch, index: this.#idsIn({ parentId, branch }).indexOf(id) };
  }

  /** Inserts a step that is new or was taken out, with everything below it. */
  put(step: Step, { parentId, branch, index }: Spot): void {
    this.#steps.set(step.id, { ...step, parentId, branch });
    this.#idsIn({ parentId, branch }).splice(index, 0, step.id);
  }

  /** Takes a step out of its list, with everything below it. Call `put` afterwards. */
  take(id: bigint): Step {
    const { index, ...list } = this.spotOf(id);
    this.#idsIn(list).splice(index, 1);
    return this.#step(id);
  }

  /** Moves steps of one list, which keep their order, to the end of another. */
  append(steps: readonly Step[], list: SiblingList): void {
    for (const { id } of steps) this.put(this.take(id), { ...list, index: this.#idsIn(list).length });
  }

  /** Changes the fields of a step, not its place. */
  set(id: bigint, fields: Partial<Step>): void {
    this.#steps.set(id, { ...this.#step(id), ...fields });
  }

  /** The lists below a step, in the order of display. */
  branchesOf({ id: parentId, kind }: TreePosition): Step[][] {
    return BRANCHES[kind].map((branch) => this.siblings({ parentId, branch }));
  }

  /** Each step followed by its subtree, the first branch before the second. Iterative: trees may be deep. */
  inOrder(roots = this.siblings(TOP_LEVEL)): Step[] {
    const ordered: Step[] = [];
    const stack = roots.toReversed();
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      ordered.push(step);
      for (const branch of this.branchesOf(step).toReversed()) stack.push(...branch.toReversed());
    }
    return ordered;
  }

  /**
   * Removes a split: the steps of the kept branch replace it among its siblings, in their order and with their own subtrees, under its
   * parent and on its branch.
   * @param discard the branch that is removed with it; the other one is kept, `both` keeps none
   * @returns null when there is no such split, or it has no such branch
   */
  removeSplit(id: bigint, discard: BranchChoice): Omit<SplitRemoval<Step>, 'kept'> | null {
    const removal = this.removalOf(id, discard);
    if (removal === null) return null;
    const { kept, promoted, removed } = removal;
    const { index, ...list } = this.spotOf(id);
    this.take(id);
    for (const [offset, step] of kept.entries())
      this.put(this.take(step.id), { ...list, index: index + offset });
    for (const step of removed) this.#drop(step);
    return { promoted, removed };
  }

  /** What `removeSplit` would do. Nothing is changed. */
  removalOf(id: bigint, discard: BranchChoice): SplitRemoval<Step> | null {
    const split = this.#steps.get(id);
    const branches: readonly BranchName[] = split === undefined ? [] : BRANCHES[split.kind];
    if (split === undefined || branches.length === 0) return null;
    if (discard !== 'both' && !branches.includes(discard)) return null;
    const isKept = (branch: BranchName) => discard !== 'both' && branch !== discard;
    const of = (kept: boolean) =>
      branches
        .filter((branch) => isKept(branch) === kept)
        .flatMap((branch) => this.siblings({ parentId: id, branch }));
    const kept = of(true);
    return { kept, promoted: this.inOrder(kept), removed: [split, ...this.inOrder(of(false))] };
  }

  /** The new steps, and those with a changed place or fields: their current states, and their previous ones. */
  changes(): { added: Step[]; changed: Step[]; were: Step[] } {
    const added: Step[] = [];
    const changed: Step[] = [];
    const were: Step[] = [];
    for (const ids of this.#lists.values())
      for (const [position, id] of ids.entries()) {
        const step = { ...this.#step(id), position };
        const before = this.#before.get(id);
        if (before === undefined) added.push(step);
        else if (isDifferent(before, step)) {
          changed.push(step);
          were.push(before);
        }
      }
    return { added, changed, were };
  }

  /** Whether a step is new, or has another place or other fields. */
  isChanged(): boolean {
    const { added, changed } = this.changes();
    return added.length > 0 || changed.length > 0;
  }

  #drop({ id, kind }: Step): void {
    this.#steps.delete(id);
    for (const branch of BRANCHES[kind]) this.#lists.delete(keyOf({ parentId: id, branch }));
  }

  #step(id: bigint): Step {
    const step = this.#steps.get(id);
    if (step === undefined) throw new TypeError(`There is no step ${id}`);
    return step;
  }

  #idsIn(list: SiblingList): bigint[] {
    const key = keyOf(list);
    const ids = this.#lists.get(key) ?? [];
    this.#lists.set(key, ids);
    return ids;
  }
}

function keyOf({ parentId, branch }: SiblingList): string {
  return `${parentId ?? ''}/${branch ?? ''}`;
}

function isDifferent<Step extends object>(before: Step, after: Step): boolean {
  return Object.entries(after).some(([name, value]) => before[name as keyof Step] !== value);
}
