// Removing a split from a funnel's workflow, or showing what that would do (spec §4 "DELETE conditional split step").
import { nameOf } from '../../auth/actor.ts';
import { type Permitted, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { notFound, preconditionFailed } from '../../errors.ts';
import { parseJson } from '../../resources/description/field-types.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { type SplitRemovalRow, splitRemoval } from '../../resources/funnel-steps.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import type { PageOfStep } from '../../resources/pages.ts';
import { toJson } from '../../rows/json.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import type { ChangeRecord } from '../../store/changing/records.ts';
import { findSnapshots } from '../../store/changing/snapshots.ts';
import { requireNotAborted, withModels } from '../../store/changing/transactions.ts';
import { toPublicId } from '../../store/sql/public-ids.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Transaction } from '../../store/store.ts';
import { splitTable } from '../../store/tables/funnel-steps.ts';
import { pageTable } from '../../store/tables/pages.ts';
import type { Table } from '../../store/tables/table.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { type StepNode, scope, treesOf, walk, writeScope } from './funnel-steps.ts';
import { lockOwnWorkflow, writeOutline } from './locked-workflows.ts';
import { type BranchChoice, Outline } from './workflow.ts';

const PAGES = tableOf(pageTable);
/** The table of all kinds of steps. */
const STEPS = tableOf(splitTable);

export interface RemovalInput {
  readonly funnel: Ref;
  readonly split: Ref;
  /** The branch to discard. */
  readonly branch: BranchChoice;
}

/** What a removal does to the pages on the branches, in workflow order. */
export interface RemovalEffect {
  readonly id: bigint;
  readonly funnelId: bigint;
  readonly promotedPages: readonly PageOfStep[];
  readonly discardedPages: readonly PageOfStep[];
}

/** A kind of split. */
interface SplitKind {
  readonly kind: 'conditional_split' | 'split_test';
  readonly resource: Resource & { readonly title: string };
  /** The representation that If-Match refers to. */
  represent(ctx: Context, funnelId: bigint, splitId: bigint): Promise<object>;
}

/** A removal whose ids are parsed. */
export type Removal = Record<'funnelId' | 'splitId', bigint> & Pick<RemovalInput, 'branch'>;

const toRemoval = snapshotRows<SplitRemovalRow>({ fields: splitRemoval });

/** The removal of splits of one kind. */
export function removalsOf({ kind, resource, represent }: SplitKind) {
  const { title } = resource;

  function parse({ funnel, split, branch }: RemovalInput): Removal {
    return {
      funnelId: parseRef(funnelNoun.title, 'funnels', funnel),
      splitId: parseRef(title, STEPS.name, split),
      branch,
    };
  }

  /** null when the outline has no such split. */
  function effectOf(
    outline: ReturnType<typeof outlineOf>,
    { funnelId, splitId, branch }: Removal,
  ): RemovalEffect | null {
    const removal = outline.get(splitId)?.kind === kind ? outline.removalOf(splitId, branch) : null;
    if (removal === null) return null;
    const pagesOf = (steps: typeof removal.kept) => steps.flatMap(({ page }) => page ?? []);
    return {
      id: splitId,
      funnelId,
      promotedPages: pagesOf(removal.promoted),
      discardedPages: pagesOf(removal.removed),
    };
  }

  async function removeWithin(
    ctx: Context,
    by: Permitted,
    tx: Transaction,
    tenancy: Tenancy,
    { funnelId, splitId, branch }: Removal,
    { precondition }: WriteOptions,
  ): Promise<ChangeRecord> {
    const workflow = await lockOwnWorkflow(tx, tenancy, funnelId);
    if (workflow === null) throw notFound(title, funnelNoun.title);
    requireNotAborted(ctx);
    const { outline, before } = workflow;
    const { workspaceId } = workflow.funnel;
    const removal = outline.get(splitId)?.kind === kind ? outline.removeSplit(splitId, branch) : null;
    if (removal === null) throw notFound(title);
    // Read outside the transaction: the funnel's lock keeps the split unchanged.
    if (precondition !== null && !precondition(await represent(ctx, funnelId, splitId)))
      throw preconditionFailed();
    const snapshotsOf = async (table: Table<{ id: bigint }>, ids: readonly bigint[]) =>
      (await findSnapshots(tx, table, workspaceId, ids)).map((json) => parseJson(json) as object);
    const [was] = await snapshotsOf(STEPS, [splitId]);
    const words = title.replace(/ step$/, '');
    const reason = `${words} ${toPublicId(STEPS.name, splitId)} removed (branch ${branch}) by ${nameOf(by)}`;
    const { removed } = removal;
    const after = await writeOutline(tx, workflow, { removed, reason, at: ctx.clock() });
    const promoted = await snapshotsOf(PAGES, pageIdsOf(removal.promoted));
    const discarded = await snapshotsOf(PAGES, pageIdsOf(removed));
    return {
      workspaceId,
      resource,
      action: 'removed',
      outcome: 'removed',
      subjectId: splitId,
      contactId: null,
      // In the form of `splitRemoval`.
      before: toJson({
        ...was,
        discarded_branch: branch,
        promoted_pages: promoted,
        discarded_pages: discarded,
        structure_before: before,
        structure_after: after,
      }),
      after: null,
      events: [],
    };
  }

  return {
    /**
     * Removes a split, promotes the kept branch and discards the pages of the other one, in one transaction. Changes of the same funnel
     * run one after another.
     * @returns what happened to the pages, as it was recorded: later changes of the pages do not alter it
     * @throws AppError `not_found`, also for a split that was removed before; as `mutate`
     */
    async remove(ctx: Context, input: RemovalInput, options: WriteOptions): Promise<SplitRemovalRow> {
      const by = requireScope(ctx, writeScope);
      const wanted = parse(input);
      const { row } = await changeStepwise(ctx, withModels, {
        by,
        options,
        outcome: 'removed',
        request: ['remove', STEPS.name, wanted.funnelId, wanted.splitId, wanted.branch],
        takesPrecondition: true,
        make: (tx, tenancy) => removeWithin(ctx, by, tx, tenancy, wanted, options),
        toRow: toRemoval,
      });
      if (row === null) throw new TypeError('The record of a removal holds nothing that is erased');
      return row;
    },

    /** What `remove` would do now. Nothing is changed. @throws AppError `not_found`, `precondition_failed` */
    async preview(
      ctx: Context,
      input: RemovalInput,
      { precondition }: Pick<WriteOptions, 'precondition'>,
    ): Promise<RemovalEffect> {
      const { tenancy } = requireScope(ctx, writeScope);
      const removal = parse(input);
      const { funnelId, splitId } = removal;
      const [tree = []] = await treesOf(ctx, tenancy, [funnelId]);
      const effect = effectOf(outlineOf(tree), removal);
      if (effect === null) throw notFound(title);
      if (precondition !== null && !precondition(await represent(ctx, funnelId, splitId)))
        throw preconditionFailed();
      return effect;
    },

    /**
     * What several removals would do now, each by itself, in their order; null for what is no split of the funnel. Reads the steps of all
     * funnels by one statement, and needs no more than the scope to read them.
     * @returns `workflows`: the number of steps of each funnel
     */
    async previewMany(
      ctx: Context,
      removals: readonly Removal[],
    ): Promise<{ effects: (RemovalEffect | null)[]; workflows: number[] }> {
      const { tenancy } = requireScope(ctx, scope);
      const ids = [...new Set(removals.map(({ funnelId }) => funnelId))];
      const trees = await treesOf(ctx, tenancy, ids);
      const outlines = new Map(ids.map((id, index) => [id, outlineOf(trees[index] ?? [])]));
      const effects = removals.map((removal) => {
        const outline = outlines.get(removal.funnelId);
        return outline === undefined ? null : effectOf(outline, removal);
      });
      return { effects, workflows: [...outlines.values()].map(({ size }) => size) };
    },
  };
}

function outlineOf(tree: readonly StepNode[]) {
  const steps = [...walk(tree)].map(({ id, kind, parentId, branch, position, page }) => {
    return { id, kind, parentId, branch, position, page };
  });
  return new Outline(steps);
}

function pageIdsOf(steps: readonly { pageId: bigint | null }[]): bigint[] {
  return steps.flatMap(({ pageId }) => pageId ?? []);
}
