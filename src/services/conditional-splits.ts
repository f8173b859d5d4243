// Conditional split steps of a funnel, and removing one (spec §4 "DELETE conditional split step", DESIGN §8).
import { nameOf } from '../auth/actor.ts';
import { covers, type Permitted, requireScope, type Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import {
  conditionalSplit,
  type SplitRemovalRow,
  type SplitRow,
  splitRemoval,
} from '../resources/funnel-steps.ts';
import { page } from '../resources/pages.ts';
import type { RefineFilterRow } from '../resources/refine-filters.ts';
import { snapshotRows } from '../rows/snapshot-rows.ts';
import { executeSteps, type NotMade } from '../store/changing/changes.ts';
import type { ChangeRecord } from '../store/changing/records.ts';
import { findSnapshots } from '../store/changing/snapshots.ts';
import { requireNotAborted } from '../store/changing/transactions.ts';
import { findTreePositions, lockFunnel, moveSteps, retire } from '../store/reading/funnel-steps.ts';
import type { Tenancy } from '../store/sql/tenancy.ts';
import type { Transaction } from '../store/store.ts';
import type { Table } from '../store/tables/table.ts';
import { tableOf } from '../store/tables/tables.ts';
import { listMany as listSteps, type StepNode, stepsOfKind, walk } from './funnel-steps.ts';
import { mutate } from './mutate.ts';
import { readsOf } from './reads.ts';
import * as refineFilters from './refine-filters.ts';
import { parseRef, type Ref } from './refs.ts';
import { type BranchChoice, removeSplit } from './workflow.ts';
import type { WriteOptions } from './write-options.ts';

const PAGES = tableOf(page);
const SPLITS = tableOf(conditionalSplit);

export type { BranchChoice };

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

export interface RemovalInput {
  readonly funnel: Ref;
  readonly split: Ref;
  /** The branch to discard. */
  readonly branch: BranchChoice;
}

/** The scope for removing a split. */
export const writeScope: Scope = 'funnels:write';

const toRemoval = snapshotRows<SplitRemovalRow>({ fields: splitRemoval });

/**
 * Removes a split, promotes the kept branch and discards the pages of the other one, in one transaction. Removals in the same funnel run
 * one after another.
 * @returns what happened to the pages, as it was recorded: later changes of the pages do not alter it
 * @throws AppError `not_found`, also for a split that was removed before; as `mutate`
 */
export async function remove(
  ctx: Context,
  input: RemovalInput,
  options: WriteOptions,
): Promise<SplitRemovalRow> {
  const by = requireScope(ctx, writeScope);
  const funnelId = parseRef('Funnel', 'funnels', input.funnel);
  const splitId = parseRef(SPLITS.title, SPLITS.name, input.split);
  const { branch } = input;
  const { row } = await mutate(ctx, {
    by,
    options,
    title: SPLITS.title,
    outcome: 'removed',
    request: ['remove', SPLITS.name, funnelId, splitId, branch],
    takesPrecondition: true,
    change: (recorded) =>
      executeSteps(ctx, recorded, (tx, tenancy) =>
        removeWithin(ctx, by, tx, tenancy, { funnelId, splitId, branch }, options),
      ),
    toRow: toRemoval,
  });
  if (row === null) throw new TypeError('The record of a removal holds nothing that is erased');
  return row;
}

async function removeWithin(
  ctx: Context,
  by: Permitted,
  tx: Transaction,
  tenancy: Tenancy,
  { funnelId, splitId, branch }: { funnelId: bigint; splitId: bigint; branch: BranchChoice },
  { precondition }: WriteOptions,
): Promise<ChangeRecord | NotMade> {
  const funnel = await lockFunnel(tx, tenancy, funnelId);
  if (funnel === null) return 'not_found';
  requireNotAborted(ctx);
  const steps = await findTreePositions(tx, funnel);
  const split = steps.find((step) => step.id === splitId);
  const removal = split && removeSplit(steps, splitId, branch);
  if (removal == null) return 'not_found';
  // Read outside the transaction: the funnel's lock keeps the split unchanged.
  if (precondition !== null && !precondition(await getDetail(ctx, funnelId, splitId))) return 'precondition';
  const snapshotsOf = (table: Table<{ id: bigint }>, ids: readonly bigint[]) =>
    findSnapshots(tx, table, funnel.workspaceId, ids);
  const [was = ''] = await snapshotsOf(SPLITS, [splitId]);
  const discardedPageIds = pageIdsOf(removal.removed);
  const reason = `Conditional split ${split?.publicId} removed (branch ${branch}) by ${nameOf(by)}`;
  const at = ctx.clock();
  // Retired first: a step that moves into the split's position must find that position free.
  await retire(
    tx,
    funnel,
    { stepIds: removal.removed.map((step) => step.id), pageIds: discardedPageIds },
    reason,
    at,
  );
  await moveSteps(tx, funnel, removal.moved, at);
  const promoted = await snapshotsOf(PAGES, pageIdsOf(removal.promoted));
  const discarded = await snapshotsOf(PAGES, discardedPageIds);
  return {
    workspaceId: funnel.workspaceId,
    resource: conditionalSplit,
    action: 'removed',
    outcome: 'removed',
    subjectId: splitId,
    contactId: null,
    // In the form of `splitRemoval`.
    before: `${was.slice(0, -1)},"discarded_branch":"${branch}","promoted_pages":[${promoted}],"discarded_pages":[${discarded}]}`,
    after: null,
    events: [],
  };
}

function pageIdsOf(steps: readonly { pageId: bigint | null }[]): bigint[] {
  return steps.map((step) => step.pageId).filter((id) => id !== null);
}

/** Parses a client's choice of the branch to discard. @throws AppError `invalid` blaming `branch` */
export function parseBranchChoice(text: string): BranchChoice {
  if (text === 'matched' || text === 'unmatched' || text === 'both') return text;
  throw invalid('branch', 'branch must be matched, unmatched or both.');
}
