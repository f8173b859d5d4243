// Changes of a funnel's structure: each locks the funnel, reads its workflow, changes the outline and writes what is different, with one
// audit entry that shows the structure before and after. Ids of steps stay.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, blaming, invalid, notFound, outOfRange, preconditionFailed } from '../../errors.ts';
import { BRANCHES, funnelStep } from '../../resources/funnel-steps.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { bigintAsText, toJson } from '../../rows/json.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import {
  drawStepIds,
  drawTime,
  type FunnelIds,
  lockFunnel,
  lockPages,
  type WorkflowStep,
  writeEach,
} from '../../store/changing/funnel-steps.ts';
import type { ChangeRecord } from '../../store/changing/records.ts';
import { setIsShown } from '../../store/changing/shown-pages.ts';
import { requireNotAborted, withModels } from '../../store/changing/transactions.ts';
import { violationOf } from '../../store/connections/failures.ts';
import { type BranchName, findFunnelOfStep } from '../../store/reading/funnel-steps.ts';
import { mayHaveReadReplica, readFromPrimary } from '../../store/replicas/reading.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Transaction } from '../../store/store.ts';
import { funnelTable } from '../../store/tables/funnels.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { writeScope } from './funnel-steps.ts';
import { Outline, type SiblingList, type Spot, TOP_LEVEL } from './workflow.ts';

const FUNNELS = tableOf(funnelTable);

export { writeScope };

/** The maximum number of steps of a funnel. */
export const MAX_STEPS = 500;

/** The place of a step: after or before another one, or in a list of siblings. @param index absent: at the end */
export type StepPlace =
  | { readonly after: bigint }
  | { readonly before: bigint }
  | { readonly in: SiblingList; readonly index?: number };

export const ENTRY: StepPlace = { in: TOP_LEVEL, index: 0 };
export const END: StepPlace = { in: TOP_LEVEL };

const STEP = {
  ...{ id: true, kind: true, parentId: true, branch: true, position: true, name: true },
  ...{ pageId: true, filterId: true, leftWeight: true, updatedAt: true },
} as const;

/** The workflow of a locked funnel. */
export interface Workflow {
  readonly funnel: FunnelIds;
  readonly outline: Outline<WorkflowStep>;
  /** Its structure before the change. */
  readonly before: Structure;
  /** When the funnel or a step of it was changed last. */
  readonly changedAt: Date;
}

/** The funnel of the caller, locked, with its workflow. @returns null when the caller has no such funnel */
export async function lockOwnWorkflow(
  tx: Transaction,
  { teamId, workspaceIds }: Tenancy,
  id: bigint,
): Promise<Workflow | null> {
  const funnel = await tx.funnel.findFirst({
    where: { id, workspace: { teamId }, ...(workspaceIds && { workspaceId: { in: [...workspaceIds] } }) },
    select: { id: true, workspaceId: true },
  });
  return funnel && lockWorkflow(tx, funnel);
}

/** Locks a funnel and reads its workflow. @returns null when the workspace has no such funnel */
async function lockWorkflow(tx: Transaction, funnel: FunnelIds): Promise<Workflow | null> {
  const { id, workspaceId } = funnel;
  const locked = await lockFunnel(tx, funnel);
  if (locked === null) return null;
  const rows = await tx.funnelStep.findMany({
    where: { workspaceId, funnelId: id, removedAt: null },
    select: STEP,
  });
  const changedAt = latestUpdate([locked, ...rows]);
  const outline = new Outline<WorkflowStep>(rows.map(({ updatedAt: _, ...step }) => step));
  return { funnel, outline, before: structureOf(outline), changedAt };
}

const latestUpdate = (rows: readonly { updatedAt: Date }[]) =>
  new Date(Math.max(0, ...rows.map(({ updatedAt }) => updatedAt.getTime())));

/** The time of a change, later than that of the change before: another process's clock may have been ahead. */
const laterThan = (now: Date, before: Date) => new Date(Math.max(now.getTime(), before.getTime() + 1));

/** The parts of a change's record in addition to the structure. */
interface Recording {
  /** The part after the dot in the action of the audit entry. */
  readonly action: string;
  /** The step that is new or changed. */
  readonly stepId: bigint;
}

/** Writes a changed workflow. @returns the audit entry of the funnel */
export async function saveWorkflow(
  tx: Transaction,
  workflow: Workflow,
  { action, stepId }: Recording,
): Promise<ChangeRecord> {
  const { funnel, before } = workflow;
  const after = await writeOutline(tx, workflow);
  const shown = (structure: Structure) => toJson({ id: funnel.id, step_id: stepId, structure });
  return {
    workspaceId: funnel.workspaceId,
    resource: funnelNoun,
    action,
    outcome: 'updated',
    subjectId: funnel.id,
    contactId: null,
    before: shown(before),
    after: shown(after),
    events: [],
  };
}

/**
 * Writes a changed workflow. @returns its structure now
 * @param removal the steps that were removed with their pages, and why
 * @throws AppError `invalid` when the funnel has too many steps
 */
export async function writeOutline(
  tx: Transaction,
  { funnel: { id: funnelId, workspaceId }, outline, changedAt }: Workflow,
  removal: Removal | null = null,
): Promise<Structure> {
  const { added, changed, were } = outline.changes();
  if (outline.size > MAX_STEPS && added.length > 0)
    throw new AppError('invalid', `A funnel can have at most ${MAX_STEPS} steps.`, {
      reason: { code: 'too_many' },
    });
  const now = laterThan(await drawTime(tx), changedAt);
  // First: a step may move into the place of a removed one.
  if (removal !== null) await retireRows(tx, workspaceId, removal, now);
  // Before existing steps move below the new ones.
  if (added.length > 0)
    await tx.funnelStep.createMany({
      data: added.map((step) => ({ ...step, workspaceId, funnelId, createdAt: now, updatedAt: now })),
    });
  await writeChanged(tx, workspaceId, changed, were, now);
  await setIsShown(tx, workspaceId, [...pagesOf([...added, ...changed]).symmetricDifference(pagesOf(were))]);
  await tx.funnel.updateMany({
    where: { workspaceId, id: funnelId },
    data: { rowVersion: { increment: 1 }, updatedAt: now },
  });
  return structureOf(outline);
}

const pagesOf = (steps: readonly WorkflowStep[]) => new Set(steps.flatMap(({ pageId }) => pageId ?? []));

/** More groups of steps than this are changed by one statement. */
const MAX_GROUPS = 4;

async function writeChanged(
  tx: Transaction,
  workspaceId: bigint,
  changed: readonly WorkflowStep[],
  were: readonly WorkflowStep[],
  updatedAt: Date,
): Promise<void> {
  const groups = groupsOf(changed, were);
  if (groups.length > MAX_GROUPS) return writeEach(tx, workspaceId, changed, updatedAt);
  for (const { ids, data } of groups)
    await tx.funnelStep.updateMany({
      where: { workspaceId, id: { in: ids } },
      data: { ...data, updatedAt },
    });
}

/** Groups steps that change in the same way: those after a new one move by one place, those of a branch move to another one together. */
function groupsOf(changed: readonly WorkflowStep[], were: readonly WorkflowStep[]) {
  const groups = new Map<string, { ids: bigint[]; data: object }>();
  for (const [index, { id, position, ...step }] of changed.entries()) {
    const was = were[index] as WorkflowStep;
    const different = Object.entries(step).filter(
      ([name, value]) => was[name as keyof WorkflowStep] !== value,
    );
    const increment = position - was.position;
    const data = { ...Object.fromEntries(different), ...(increment !== 0 && { position: { increment } }) };
    const key = JSON.stringify(data, bigintAsText);
    const group = groups.get(key) ?? { ids: [], data };
    groups.set(key, group);
    group.ids.push(id);
  }
  return [...groups.values()];
}

/** Marks these steps as removed, and their pages as discarded, with time and reason. Nothing is deleted. */
interface Removal {
  readonly removed: readonly WorkflowStep[];
  readonly reason: string;
  readonly at: Date;
}

async function retireRows(
  tx: Transaction,
  workspaceId: bigint,
  { removed, reason, at }: Removal,
  now: Date,
): Promise<void> {
  const pageIds = [...pagesOf(removed)];
  const pages = await lockPages(tx, workspaceId, pageIds);
  // Before the steps, so that their trigger finds the pages up to date.
  await tx.page.updateMany({
    where: { workspaceId, id: { in: pageIds } },
    data: {
      discardedAt: at,
      discardReason: reason,
      isShown: false,
      updatedAt: laterThan(now, latestUpdate(pages)),
    },
  });
  // The record of the removal keeps the filters. Without these references, the filters can be deleted.
  await tx.funnelStep.updateMany({
    where: { workspaceId, id: { in: removed.map(({ id }) => id) } },
    data: { removedAt: at, removalReason: reason, filterId: null, updatedAt: now },
  });
}

/** The steps in workflow order, as audit entries show them: null members are left out. */
type Structure = readonly object[];

function structureOf(outline: Outline<WorkflowStep>): Structure {
  return outline.inOrder().map(({ id, kind, name, parentId, branch, pageId, filterId, leftWeight }) => ({
    ...{ id, kind, name },
    ...(parentId !== null && { parent_id: parentId, branch }),
    ...(pageId !== null && { page_id: pageId }),
    ...(filterId !== null && { filter_id: filterId }),
    ...(leftWeight !== null && { left_weight: leftWeight }),
  }));
}

/** The client's names for the members of a place: the step beside it or the split above it, the branch, and the position there. */
export interface PlaceNames {
  readonly step: string;
  readonly branch: string;
  readonly position: string;
}

/** The names for a client that has one name for the whole place. */
export const onePlaceName = (name: string): PlaceNames => ({ step: name, branch: name, position: name });

/** The names in the inputs for places: `place.after`, `place.onBranch.position`. @param topLevel the member for the top level */
export function placeNames(place: StepPlace, topLevel = 'onTopLevel'): PlaceNames {
  if ('after' in place) return onePlaceName('place.after');
  if ('before' in place) return onePlaceName('place.before');
  const list = `place.${place.in.parentId === null ? topLevel : 'onBranch'}`;
  return { step: `${list}.splitId`, branch: `${list}.branch`, position: `${list}.position` };
}

/** Converts a place to a spot. @throws AppError `invalid` blaming the member of the place that is wrong */
export function spotOf(
  outline: Outline<WorkflowStep>,
  place: StepPlace,
  names: PlaceNames = placeNames(place),
): Spot {
  if (!('in' in place)) {
    const id = 'after' in place ? place.after : place.before;
    if (outline.get(id) === undefined)
      throw invalid(names.step, { code: 'not_found', message: 'must be a step of the funnel' });
    const spot = outline.spotOf(id);
    return 'after' in place ? { ...spot, index: spot.index + 1 } : spot;
  }
  const { parentId, branch } = place.in;
  const parent = parentId === null ? null : outline.get(parentId);
  const branches: readonly BranchName[] = parent ? BRANCHES[parent.kind] : [];
  if (parent !== null && (branch === null || !branches.includes(branch)))
    throw invalid(parent === undefined ? names.step : names.branch, {
      code: 'not_found',
      message: 'must be a split of the funnel that has this branch',
    });
  const { length } = outline.siblings(place.in);
  const { index = length } = place;
  if (index < 0 || index > length) throw invalid(names.position, outOfRange(`from 0 to ${length}`));
  return { parentId, branch, index };
}

/** Makes a new step, without a place. */
export function newStep(
  id: bigint,
  fields: Pick<WorkflowStep, 'kind' | 'name'> & Partial<WorkflowStep>,
): WorkflowStep {
  const nowhere = { parentId: null, branch: null, position: 0 };
  return { id, ...nowhere, pageId: null, filterId: null, leftWeight: null, ...fields };
}

/** A page that may be put into a workflow. */
export interface FreePage {
  readonly id: bigint;
  readonly name: string;
}

/** A page in a client's input, with the name of its member. */
export interface NamedPage {
  readonly name: string;
  readonly id: bigint;
}

/**
 * Pages of the workspace that no step shows.
 * @throws AppError `bad_request` for a page that the workspace does not have; `invalid` for one that a step shows, or that is repeated
 */
export async function requireFreePages(
  tx: Transaction,
  workspaceId: bigint,
  named: readonly NamedPage[],
): Promise<FreePage[]> {
  if (named.length === 0) return [];
  const found = await tx.page.findMany({
    where: { workspaceId, id: { in: named.map(({ id }) => id) }, discardedAt: null },
    // The workspace again: each statement filters by it.
    select: {
      id: true,
      name: true,
      steps: { where: { workspaceId, removedAt: null }, select: { id: true } },
    },
  });
  const seen = new Set<bigint>();
  return named.map(({ name, id }) => {
    const page = found.find((one) => one.id === id);
    if (page === undefined) throw pageIsMissing(name);
    if (page.steps.length > 0 || seen.has(id)) throw pageIsUsed(name);
    seen.add(id);
    return page;
  });
}

/** Whether the workspace has a page. */
export async function isPageOf(tx: Transaction, workspaceId: bigint, id: bigint): Promise<boolean> {
  const page = await tx.page.findFirst({
    where: { workspaceId, id, discardedAt: null },
    select: { id: true },
  });
  return page !== null;
}

function pageIsMissing(name: string): AppError {
  return blaming('bad_request', name, { code: 'not_found', message: 'not found in this workspace' });
}

function pageIsUsed(name: string): AppError {
  return invalid(name, { code: 'taken', message: 'is already used by another funnel step' });
}

/** Draws ids for at most `count` new steps. */
export async function stepIds(tx: Transaction, count: number): Promise<() => bigint> {
  const ids = (await drawStepIds(tx, count)).values();
  return () => ids.next().value ?? 0n;
}

/** The client's names for a page and for the place of a step. */
interface PageNames {
  readonly page: string;
  readonly place: PlaceNames;
}

/** Adds a step that shows a page. @throws AppError as `addPageStep` */
export async function placePage(
  { funnel, outline }: Workflow,
  tx: Transaction,
  pageId: bigint,
  place: StepPlace,
  names: PageNames,
): Promise<bigint> {
  const spot = spotOf(outline, place, names.place);
  const [page] = await requireFreePages(tx, funnel.workspaceId, [{ name: names.page, id: pageId }]);
  const nextId = await stepIds(tx, 1);
  const step = newStep(nextId(), { kind: 'page', name: page?.name ?? '', pageId });
  outline.put(step, spot);
  return step.id;
}

/**
 * Adds a step that shows a page of the workspace to a funnel, within a transaction of the caller's. Locks the funnel.
 * @returns the id of the step, and the audit entry of the funnel, to be recorded with the change
 * @throws AppError `not_found` for the funnel; `invalid` for the place, for a page that a step shows, and for too many steps
 */
export async function addPageStep(
  tx: Transaction,
  funnel: FunnelIds,
  pageId: bigint,
  place: StepPlace,
  names: PageNames,
): Promise<{ stepId: bigint; record: ChangeRecord }> {
  const workflow = await lockWorkflow(tx, funnel);
  if (workflow === null) throw notFound(FUNNELS.title);
  const stepId = await placePage(workflow, tx, pageId, place, names);
  return { stepId, record: await saveWorkflow(tx, workflow, { action: 'page_step_added', stepId }) };
}

/**
 * Makes a step show another page, which no step shows yet. The page that it showed becomes standalone.
 * @throws AppError `invalid` for the step, and for a page that a step shows
 */
export async function showOnStep(
  { funnel, outline }: Workflow,
  tx: Transaction,
  stepId: bigint,
  pageId: bigint,
  names: { readonly page: string; readonly step: string },
): Promise<void> {
  const step = outline.get(stepId);
  if (step?.kind !== 'page')
    throw invalid(names.step, {
      code: 'not_found',
      message: 'must be a step of a funnel that shows a page',
    });
  if (step.pageId === pageId) return;
  const [page] = await requireFreePages(tx, funnel.workspaceId, [{ name: names.page, id: pageId }]);
  outline.set(stepId, { pageId, name: page?.name ?? '' });
}

/**
 * Changes the step of a page that is being changed, within a transaction of the caller's. Locks the funnel.
 * @param edit @returns the step @throws AppError
 * @returns the audit entry of the funnel, to be recorded with the change; null if nothing changed
 * @throws AppError `not_found` for the funnel; what `edit` throws
 */
export async function changePageStep(
  tx: Transaction,
  funnel: FunnelIds,
  edit: (workflow: Workflow) => Promise<bigint>,
): Promise<ChangeRecord | null> {
  const workflow = await lockWorkflow(tx, funnel);
  if (workflow === null) throw notFound(FUNNELS.title);
  const stepId = await edit(workflow);
  return workflow.outline.isChanged()
    ? saveWorkflow(tx, workflow, { action: 'page_step_changed', stepId })
    : null;
}

/** The funnel whose structure was changed, and the step that is new or changed. */
export interface StructureChanged {
  readonly funnelId: bigint;
  readonly stepId: bigint;
}

const toChanged = snapshotRows<StructureChanged>({
  fields: {
    funnelId: { type: 'int8', restName: 'id', description: 'The funnel.' },
    stepId: { type: 'int8', description: 'The step.' },
  },
});

/** The funnel of a step that the caller changes, or has removed. @param title of the step in errors @throws AppError `not_found` */
export async function funnelOfStep(
  ctx: Context,
  stepId: bigint,
  title: string = funnelStep.title,
): Promise<bigint> {
  const { tenancy } = requireScope(ctx, writeScope);
  // It is the first read of a change: an error says that nothing was changed.
  requireNotAborted(ctx);
  let funnelId = await findFunnelOfStep(ctx, tenancy, stepId);
  if (funnelId === null && mayHaveReadReplica(ctx)) {
    // The step may be newer than the replica.
    readFromPrimary(ctx);
    funnelId = await findFunnelOfStep(ctx, tenancy, stepId);
  }
  if (funnelId === null) throw notFound(title);
  return funnelId;
}

interface StructureChange {
  readonly funnel: Ref;
  /** The part after the dot in the action of the audit entry. */
  readonly action: string;
  /** The client's input. A retry of the request must have the same. */
  readonly given: readonly unknown[];
  /** The step to change; absent: one is new. If it already is as requested, only the idempotency key is recorded. */
  readonly stepId?: bigint;
  /** The client's names for a page and a saved filter, for errors of the store: one was taken meanwhile, or is missing. */
  readonly names?: { readonly page: string; readonly filter: string };
  /** What If-Match refers to; absent: no precondition can hold. */
  represent?(): Promise<object>;
  /** @returns the step that is new or changed @throws AppError if the change is refused */
  edit(workflow: Workflow, tx: Transaction): Promise<bigint>;
}

/** How a structure is changed. */
export interface StructureOptions extends WriteOptions {
  /** Steps in the client's input, each with the kind that the client expects. */
  readonly kinds?: readonly (readonly [id: bigint, kind: WorkflowStep['kind']])[];
}

/**
 * Changes the structure of a funnel in one transaction. Changes of the same funnel run one after another.
 * @throws AppError `not_found` for the funnel; what `edit` throws, except for the retry of a change that was made; as `mutate`
 */
export async function changeStructure(
  ctx: Context,
  { funnel, action, given, stepId: known, names, represent, edit }: StructureChange,
  options: StructureOptions,
): Promise<StructureChanged> {
  const by = requireScope(ctx, writeScope);
  const { title, name } = FUNNELS;
  const id = parseRef(title, name, funnel);
  const { precondition, kinds = [] } = options;
  const { row } = await changeStepwise(ctx, withModels, {
    by,
    options,
    outcome: 'updated',
    request: [action, name, id, ...given],
    subject: { table: FUNNELS, id },
    ...(represent && { takesPrecondition: true }),
    async make(tx, tenancy) {
      const workflow = await lockOwnWorkflow(tx, tenancy, id);
      if (workflow === null) throw notFound(title);
      requireNotAborted(ctx);
      for (const [step, kind] of kinds)
        if ((workflow.outline.get(step)?.kind ?? kind) !== kind) throw notFound(funnelStep.title);
      // Read outside the transaction: the funnel's lock keeps it unchanged.
      if (precondition !== null && represent && !precondition(await represent())) throw preconditionFailed();
      const stepId = await edit(workflow, tx);
      if (known !== undefined && !workflow.outline.isChanged())
        return { workspaceId: workflow.funnel.workspaceId, unchanged: toJson({ id }) };
      return saveWorkflow(tx, workflow, { action, stepId });
    },
    blame: (error) => toFieldError(error, names),
    toRow: toChanged,
  });
  // The retry of a change without effect gets the funnel, which has no step id.
  return { funnelId: row.funnelId, stepId: known ?? row.stepId };
}

/** Converts the error for a page or a saved filter that is taken or missing; returns any other error unchanged. */
function toFieldError(error: unknown, names: StructureChange['names']): unknown {
  const constraint = error instanceof AppError ? undefined : violationOf(error)?.constraint;
  if (names && constraint === 'funnel_steps_one_step_of_page') return pageIsUsed(names.page);
  if (names && constraint === 'funnel_steps_workspace_id_page_id_fkey') return pageIsMissing(names.page);
  if (names && constraint === 'funnel_steps_workspace_id_filter_id_fkey')
    return invalid(names.filter, { code: 'not_found', message: 'not found in this workspace' });
  return error;
}

/** A step of the workflow. @throws AppError `not_found` */
export function requireStep({ outline }: Pick<Workflow, 'outline'>, ref: bigint): WorkflowStep {
  const step = outline.get(ref);
  if (step === undefined) throw notFound(funnelStep.title);
  return step;
}

/** Adds steps that show pages to the end of a list of siblings. */
export function appendPages(
  { outline }: Pick<Workflow, 'outline'>,
  list: SiblingList,
  pages: readonly FreePage[],
  nextId: () => bigint,
): void {
  for (const { id: pageId, name } of pages) {
    const { length: index } = outline.siblings(list);
    outline.put(newStep(nextId(), { kind: 'page', name, pageId }), { ...list, index });
  }
}

/** The first step of a list that shows a page; undefined if none does. */
export function firstPageIn({ outline }: Pick<Workflow, 'outline'>, list: SiblingList) {
  return outline.siblings(list).find(({ kind }) => kind === 'page');
}

/** Makes the first page step of a list show this page; if there is none, adds one at the front. */
export function setFirstPage(
  workflow: Pick<Workflow, 'outline'>,
  list: SiblingList,
  { id: pageId, name }: FreePage,
  nextId: () => bigint,
): void {
  const { outline } = workflow;
  const first = firstPageIn(workflow, list);
  if (first !== undefined) outline.set(first.id, { pageId, name });
  else outline.put(newStep(nextId(), { kind: 'page', name, pageId }), { ...list, index: 0 });
}
