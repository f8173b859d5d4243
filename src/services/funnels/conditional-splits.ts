// Conditional split steps of a funnel.
import { coversScope, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../errors.ts';
import { contact } from '../../resources/contacts.ts';
import { BRANCHES, conditionalSplit, type SplitRow } from '../../resources/funnel-steps.ts';
import type { RefineFilterRow } from '../../resources/refine-filters.ts';
import type { Transaction } from '../../store/store.ts';
import { splitTable } from '../../store/tables/funnel-steps.ts';
import { tableOf } from '../../store/tables/tables.ts';
import * as refineFilters from '../contacts/refine-filters.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { readsOf, requireRow } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { type StepNode, stepsOfKind, treesOf, walk, writeScope } from './funnel-steps.ts';
import type { Workflow } from './locked-workflows.ts';
import { newStep, stepIds } from './locked-workflows.ts';
import {
  type BranchPages,
  readCreatedSplit,
  requireOneForm,
  requireTwo,
  type SplitNames,
  setBranchPages,
} from './split-changes.ts';
import { removalsOf } from './split-removals.ts';
import { type PlaceNames, type StepPlace, spotOf } from './step-places.ts';
import { changeStructure, type StructureChanged } from './workflow-changes.ts';

export { writeScope };

const SPLITS = tableOf(splitTable);

const reads = readsOf(conditionalSplit);
export const { scope, list } = reads;
/** Splits with the steps below them, in the order of the ids; null for an id that is not a split or that the caller does not own. */
export const getMany = stepsOfKind('conditional_split');

/** A split with the first page step of each branch and, where requested and allowed, its saved filter. */
export interface SplitDetail {
  readonly id: bigint;
  readonly split: SplitRow;
  readonly matched: StepNode | null;
  readonly unmatched: StepNode | null;
  /** null when it was not requested, none is set, or the caller may not read saved filters. */
  readonly filter: RefineFilterRow | null;
}

/**
 * One split of the named funnel with its details, the saved filter included.
 * @throws AppError `not_found` when the funnel has no such split, or the caller does not own it
 */
export async function getDetail(
  ctx: Context,
  funnel: Ref,
  split: Ref,
  by = requireScope(ctx, scope),
): Promise<SplitDetail> {
  const row = await requireRow(ctx, SPLITS, by.tenancy, split);
  if (parseRef(SPLITS.title, 'funnels', funnel) !== row.funnelId) throw notFound(SPLITS.title);
  const [detail] = await detailsOf(ctx, [row], { filters: true }, by);
  if (detail === undefined) throw notFound(SPLITS.title);
  return detail;
}

/** A split that the caller changes: the write scope is enough to read it. @throws AppError as `getDetail` does */
function getWritable(ctx: Context, funnelId: bigint, stepId: bigint): Promise<SplitDetail> {
  return getDetail(ctx, funnelId, stepId, requireScope(ctx, writeScope));
}

/** A split after a change. @throws AppError `gone` when it was removed since */
export function getChanged(ctx: Context, { funnelId, stepId }: StructureChanged): Promise<SplitDetail> {
  return readCreatedSplit(SPLITS.title, getWritable(ctx, funnelId, stepId));
}

/** The details of splits, in the same order. Reads the steps of all their funnels by one statement, and all filters by another. */
export async function detailsOf(
  ctx: Context,
  splits: readonly SplitRow[],
  options: { filters: boolean },
  by = requireScope(ctx, scope),
): Promise<SplitDetail[]> {
  const trees = await treesOf(ctx, by.tenancy, [...new Set(splits.map((split) => split.funnelId))]);
  const nodes = new Map(trees.flatMap((tree) => [...walk(tree)].map((node) => [node.id, node])));
  const filterIds = splits.map((split) => split.filterId).filter((id) => id !== null);
  const projection = options.filters && filterIds.length > 0 && coversScope(by.scopes, refineFilters.scope);
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

export const { remove, preview, previewMany } = removalsOf({
  kind: 'conditional_split',
  resource: conditionalSplit,
  represent: getWritable,
});

/** A client's input for a split. */
export interface SplitInput {
  /** null: no filter. Absent: unchanged; for a new split, no filter. */
  readonly filterId?: bigint | null | undefined;
  /** The matched branch first. */
  readonly branches?: readonly BranchPages[] | undefined;
  readonly names: SplitNames;
}

export interface NewSplit extends SplitInput {
  readonly place: StepPlace;
  /** The client's names for the place. Absent: those of `placeNames`. */
  readonly names: SplitNames & { readonly place?: PlaceNames };
  /** The steps after the place move to this branch. Absent: they come after the split. */
  readonly wrap?: (typeof BRANCHES)['conditional_split'][number] | undefined;
}

const listsOf = (parentId: bigint) => BRANCHES.conditional_split.map((branch) => ({ parentId, branch }));

/** @throws AppError `invalid` for a filter of another class than contacts. The database checks that the filter exists. */
async function requireContactsFilter(
  { funnel: { workspaceId } }: Workflow,
  tx: Transaction,
  filterId: bigint | null,
  { filter }: SplitNames,
): Promise<void> {
  if (filterId === null) return;
  const found = await tx.refineFilter.findUnique({
    where: { workspaceId_id: { workspaceId, id: filterId } },
    select: { filterClass: true },
  });
  if (found !== null && found.filterClass !== contact.refinedBy)
    throw invalid(filter, {
      code: 'not_found',
      message: `not found in this workspace. A split decides by a ${contact.refinedBy}`,
    });
}

/** Creates a split. @throws AppError `invalid` and `bad_request` blaming members; as `changeStructure` */
export async function create(
  ctx: Context,
  funnel: Ref,
  { filterId = null, branches = [], names, place, wrap }: NewSplit,
  options: WriteOptions,
): Promise<StructureChanged> {
  requireScope(ctx, writeScope);
  requireOneForm(branches, names);
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'conditional_split_created', names },
      given: [filterId, branches, place, wrap ?? null],
      async edit(workflow, tx) {
        await requireContactsFilter(workflow, tx, filterId, names);
        const { outline } = workflow;
        const spot = spotOf(outline, place, names.place);
        const following = wrap === undefined ? [] : outline.siblings(spot).slice(spot.index);
        const nextId = await stepIds(tx, 1);
        const split = newStep(nextId(), { kind: 'conditional_split', name: 'Conditional split', filterId });
        outline.put(split, spot);
        await setBranchPages(workflow, tx, listsOf(split.id), branches, names);
        if (wrap !== undefined) outline.append(following, { parentId: split.id, branch: wrap });
        return split.id;
      },
    },
    options,
  );
}

/** Changes the condition of a split, the pages on its branches, or both. @throws AppError as `create`; `not_found` for the split */
export async function update(
  ctx: Context,
  funnel: Ref,
  split: Ref,
  { filterId, branches, names }: SplitInput,
  options: WriteOptions,
): Promise<StructureChanged> {
  const by = requireScope(ctx, writeScope);
  const id = parseRef(SPLITS.title, SPLITS.name, split);
  if (branches !== undefined) requireTwo(branches, names.branches);
  requireOneForm(branches ?? [], names);
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'conditional_split_changed', names, stepId: id },
      given: [id, filterId === undefined ? 'unchanged' : filterId, branches ?? null],
      represent: () => getDetail(ctx, funnel, id, by),
      async edit(workflow, tx) {
        const { outline } = workflow;
        if (outline.get(id)?.kind !== 'conditional_split') throw notFound(SPLITS.title);
        await requireContactsFilter(workflow, tx, filterId ?? null, names);
        if (filterId !== undefined) outline.set(id, { filterId });
        await setBranchPages(workflow, tx, listsOf(id), branches ?? [], names);
        return id;
      },
    },
    options,
  );
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(conditionalSplit, { getMany });
