// Conditional split steps of a funnel.
import { covers, requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { type BRANCHES, conditionalSplit, type SplitRow } from '../resources/funnel-steps.ts';
import type { RefineFilterRow } from '../resources/refine-filters.ts';
import { tableOf } from '../store/tables/tables.ts';
import { listMany as listSteps, type StepNode, stepsOfKind, walk } from './funnel-steps.ts';
import { readsOf } from './reads.ts';
import * as refineFilters from './refine-filters.ts';
import { parseRef, type Ref } from './refs.ts';
import { removalsOf } from './split-removals.ts';

export { writeScope } from './split-removals.ts';

const SPLITS = tableOf(conditionalSplit);

const reads = readsOf(conditionalSplit);
export const { scope, list } = reads;
/** Splits with the steps below them, in the order of the ids; null for an id that is no split or that the caller does not own. */
export const getMany = stepsOfKind('conditional_split');

/** A split of the named funnel. @throws AppError `not_found` when the funnel has no such split, or the caller does not own it */
export async function get(ctx: Context, funnel: Ref, split: Ref): Promise<SplitRow> {
  const row = await reads.get(ctx, split);
  if (parseRef(SPLITS.title, 'funnels', funnel) !== row.funnelId) throw notFound(SPLITS.title);
  return row;
}

/** A split with the first page step of each branch and, where requested and allowed, its saved filter. */
export interface SplitDetail {
  readonly id: bigint;
  readonly split: SplitRow;
  readonly matched: StepNode | null;
  readonly unmatched: StepNode | null;
  /** null when it was not requested, none is set, or the caller may not read saved filters. */
  readonly filter: RefineFilterRow | null;
}

/** One split of the named funnel with its details, the saved filter included. @throws AppError as `get` does */
export async function getDetail(ctx: Context, funnel: Ref, split: Ref): Promise<SplitDetail> {
  const [detail] = await detailsOf(ctx, [await get(ctx, funnel, split)], { filters: true });
  if (detail === undefined) throw notFound(SPLITS.title);
  return detail;
}

/** The details of splits, in the same order. Reads the steps of all their funnels by one statement, and all filters by another. */
export async function detailsOf(
  ctx: Context,
  splits: readonly SplitRow[],
  options: { filters: boolean },
): Promise<SplitDetail[]> {
  const trees = await listSteps(ctx, [...new Set(splits.map((split) => split.funnelId))]);
  const nodes = new Map(trees.flatMap((tree) => [...walk(tree)].map((node) => [node.id, node])));
  const { scopes } = requireScope(ctx, scope);
  const filterIds = splits.map((split) => split.filterId).filter((id) => id !== null);
  const projection = options.filters && filterIds.length > 0 && covers(scopes, refineFilters.scope);
  const filters = projection ? await refineFilters.getMany(ctx, filterIds) : [];
  return splits.map((split) => ({
    id: split.id,
    split,
    matched: firstPage(nodes.get(split.id)?.branches?.matched),
    unmatched: firstPage(nodes.get(split.id)?.branches?.unmatched),
    filter: filters.find((filter) => filter !== null && filter.id === split.filterId) ?? null,
  }));
}

function firstPage(steps: readonly StepNode[] = []): StepNode | null {
  return steps.find((step) => step.kind === 'page') ?? null;
}

export const { remove, preview } = removalsOf({
  kind: 'conditional_split',
  resource: conditionalSplit,
  represent: getDetail,
});

/** Which branch a client wants discarded. */
export type BranchChoice = (typeof BRANCHES)['conditional_split'][number] | 'both';

/** Parses a client's choice of the branch to discard. @throws AppError `invalid` blaming `branch` */
export function parseBranchChoice(text: string): BranchChoice {
  if (text === 'matched' || text === 'unmatched' || text === 'both') return text;
  throw invalid('branch', 'branch must be matched, unmatched or both.');
}
