// Split tests of a funnel: two variants, between which visitors are divided by weight.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, notFound, REQUIRED } from '../../errors.ts';
import type { Page, PageRequest } from '../../pagination.ts';
import { BRANCHES, splitTest } from '../../resources/funnel-steps.ts';
import type { FunnelRow } from '../../resources/funnels.ts';
import type { WorkflowStep } from '../../store/changing/funnel-steps.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import {
  branchesOf,
  getStructure,
  type StepNode,
  scope,
  stepsOfKind,
  walk,
  writeScope,
} from './funnel-steps.ts';
import { newStep, stepIds } from './locked-workflows.ts';
import { isPageOf, requireFreePages } from './page-steps.ts';
import { readCreatedSplit, requireTwo, type SplitNames, setBranchPages } from './split-changes.ts';
import { removalsOf } from './split-removals.ts';
import { type PlaceNames, type StepPlace, spotOf } from './step-places.ts';
import { changeStructure, type StructureChanged } from './workflow-changes.ts';

export { scope, writeScope };

const { title, table } = splitTest;

/** Split tests with the steps below them, in the order of the ids; null for an id of something else, or that the caller does not own. */
export const getMany = stepsOfKind('split_test');

/** A split test with its funnel. */
export interface SplitTestDetail {
  readonly id: bigint;
  readonly funnel: FunnelRow;
  readonly test: StepNode;
}

/** A variant of a split test: the percentage of visitors, and its steps. */
export interface Variant {
  readonly branch: (typeof BRANCHES)['split_test'][number];
  readonly weight: number;
  readonly steps: readonly StepNode[];
}

/** The variants of a split test, the left one first. */
export function variantsOf(test: StepNode): Variant[] {
  const weight = test.leftWeight ?? 0;
  const [left = [], right = []] = branchesOf(test);
  return [
    { branch: 'left', weight, steps: left },
    { branch: 'right', weight: 100 - weight, steps: right },
  ];
}

/**
 * A page of the split tests of a funnel, ordered by id. Ids are drawn under the lock of the funnel, so that a page never skips one that is
 * committed late. @throws AppError `not_found` for the funnel
 */
export async function list(
  ctx: Context,
  funnelRef: Ref,
  { order, after, size }: PageRequest,
): Promise<Page<SplitTestDetail>> {
  requireScope(ctx, scope);
  const { funnel, steps } = await getStructure(ctx, funnelRef);
  const sign = order === 'desc' ? -1 : 1;
  const tests = [...walk(steps)]
    .filter(({ kind, id }) => kind === 'split_test' && (after === null || Number(id - after) * sign > 0))
    .sort((a, b) => Number(a.id - b.id) * sign);
  const rows = tests.slice(0, size).map((test) => ({ id: test.id, funnel, test }));
  return { rows, more: tests.length > size };
}

/** A split test of the named funnel. @throws AppError `not_found` when the funnel has no such split test, or the caller does not own it */
export async function get(
  ctx: Context,
  funnelRef: Ref,
  ref: Ref,
  by = requireScope(ctx, scope),
): Promise<SplitTestDetail> {
  const id = parseRef(title, table, ref);
  const { funnel, steps } = await getStructure(ctx, funnelRef, by);
  const test = walk(steps).find((step) => step.id === id && step.kind === 'split_test');
  if (test === undefined) throw notFound(title);
  return { id, funnel, test };
}

/** A split test that the caller changes: the write scope is enough to read it. @throws AppError as `get` does */
function getWritable(ctx: Context, funnelId: bigint, stepId: bigint): Promise<SplitTestDetail> {
  return get(ctx, funnelId, stepId, requireScope(ctx, writeScope));
}

/** A split test after a change. @throws AppError `gone` when it was removed since */
export function getChanged(ctx: Context, { funnelId, stepId }: StructureChanged): Promise<SplitTestDetail> {
  return readCreatedSplit(title, getWritable(ctx, funnelId, stepId));
}

export const { remove, preview, previewMany } = removalsOf({
  kind: 'split_test',
  resource: splitTest,
  represent: getWritable,
});

/** A variant as a client gives it. */
interface VariantInput {
  readonly pageId?: bigint | undefined;
  readonly weight?: number | undefined;
}

export interface SplitTestInput {
  /** The left one first. */
  readonly variants: readonly VariantInput[];
  readonly names: SplitNames;
}

export interface NewSplitTest extends SplitTestInput {
  /** null: the place of the step of the first variant's page. */
  readonly place: StepPlace | null;
  /** The client's names for the place. Absent: those of `placeNames`. */
  readonly names: SplitNames & { readonly place?: PlaceNames };
}

const listsOf = (parentId: bigint) => BRANCHES.split_test.map((branch) => ({ parentId, branch }));

/**
 * Creates a split test of two pages. The first one is in the funnel already; its step becomes the left variant. The second one is shown
 * by no step yet.
 * @throws AppError `invalid` and `bad_request` blaming members; as `changeStructure`
 */
export async function create(
  ctx: Context,
  funnel: Ref,
  { variants, names, place }: NewSplitTest,
  options: WriteOptions,
): Promise<StructureChanged> {
  requireScope(ctx, writeScope);
  requireTwo(variants, names.branches);
  const leftWeight = leftWeightOf(variants, names) ?? 50;
  const [first, second] = variants.map(({ pageId }, index) => {
    const name = names.pathOf(index, 'page');
    if (pageId === undefined) throw invalid(name, REQUIRED);
    return { name, id: pageId };
  }) as [{ name: string; id: bigint }, { name: string; id: bigint }];
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'split_test_created', names },
      given: [variants, place],
      async edit(workflow, tx) {
        const { outline } = workflow;
        const shown: WorkflowStep | undefined = outline.inOrder().find(({ pageId }) => pageId === first.id);
        if (shown === undefined)
          throw invalid(first.name, {
            code: (await isPageOf(tx, workflow.funnel.workspaceId, first.id)) ? 'not_allowed' : 'not_found',
            message: 'must be a page of a step of this funnel',
          });
        const spot = place === null ? outline.spotOf(shown.id) : spotOf(outline, place, names.place);
        const [page] = await requireFreePages(tx, workflow.funnel.workspaceId, [second]);
        const nextId = await stepIds(tx, 2);
        const test = newStep(nextId(), { kind: 'split_test', name: 'Split test', leftWeight });
        outline.put(test, spot);
        const [left, right] = listsOf(test.id) as [
          ReturnType<typeof listsOf>[0],
          ReturnType<typeof listsOf>[0],
        ];
        outline.append([shown], left);
        const step = newStep(nextId(), { kind: 'page', name: page?.name ?? '', pageId: second.id });
        outline.put(step, { ...right, index: 0 });
        return test.id;
      },
    },
    options,
  );
}

/** Changes the weights of a split test, the first pages of its variants, or both. @throws AppError as `create`; `not_found` */
export async function update(
  ctx: Context,
  funnel: Ref,
  ref: Ref,
  { variants, names }: SplitTestInput,
  options: WriteOptions,
): Promise<StructureChanged> {
  const by = requireScope(ctx, writeScope);
  const id = parseRef(title, table, ref);
  requireTwo(variants, names.branches);
  const leftWeight = leftWeightOf(variants, names);
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'split_test_changed', names, stepId: id },
      given: [id, variants],
      represent: () => get(ctx, funnel, id, by),
      async edit(workflow, tx) {
        const { outline } = workflow;
        if (outline.get(id)?.kind !== 'split_test') throw notFound(title);
        if (leftWeight !== null) outline.set(id, { leftWeight });
        await setBranchPages(workflow, tx, listsOf(id), variants, names);
        return id;
      },
    },
    options,
  );
}

/** The left weight; null if the client sends no weight. A missing weight is the rest of 100. @throws AppError `invalid` */
function leftWeightOf(
  [left, right]: readonly VariantInput[],
  { weights: { name, fault } }: Pick<SplitNames, 'weights'>,
): number | null {
  const weights = [left?.weight ?? null, right?.weight ?? null] as const;
  if (weights[0] === null && weights[1] === null) return null;
  const first = weights[0] ?? 100 - (weights[1] ?? 0);
  const second = weights[1] ?? 100 - first;
  if (first < 0 || second < 0 || first + second !== 100) throw invalid(name, fault);
  return first;
}
