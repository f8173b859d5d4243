// Changes of a funnel's structure: each locks the funnel, reads its workflow, changes the outline and writes what is different, with one
// audit entry that shows the structure before and after. Ids of steps stay.
import { requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, invalid, notFound, preconditionFailed } from '../../errors.ts';
import { BRANCHES, funnelStep } from '../../resources/funnel-steps.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { toInteger } from '../../rows/json.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import {
  drawStepIds,
  type FreePage,
  type FunnelIds,
  findFreePages,
  findFunnel,
  findWorkflow,
  lockFunnel,
  type WorkflowChanges,
  type WorkflowStep,
  writeWorkflow,
} from '../../store/changing/funnel-steps.ts';
import type { ChangeRecord } from '../../store/changing/records.ts';
import { requireNotAborted } from '../../store/changing/transactions.ts';
import type { Executor } from '../../store/connections/executor.ts';
import { violationOf } from '../../store/connections/failures.ts';
import type { BranchName } from '../../store/reading/funnel-steps.ts';
import { funnelTable } from '../../store/tables/funnels.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { Outline, type SiblingList, type Spot, TOP_LEVEL } from './workflow.ts';

const FUNNELS = tableOf(funnelTable);

/** The scope for changing workflows. */
export const writeScope: Scope = 'funnels:write';

/** A funnel has at most so many steps. */
export const MAX_STEPS = 500;

/** Where a step comes: behind or before another, or into a list of siblings. @param index absent: at the end */
export type StepPlace =
  | { readonly after: bigint }
  | { readonly before: bigint }
  | { readonly in: SiblingList; readonly index?: number };

export const ENTRY: StepPlace = { in: TOP_LEVEL, index: 0 };
export const END: StepPlace = { in: TOP_LEVEL };

/** The workflow of a locked funnel. */
export interface Workflow {
  readonly funnel: FunnelIds;
  readonly outline: Outline<WorkflowStep>;
  /** JSON of its structure before the change. */
  readonly before: string;
}

/** Locks a funnel and reads its workflow. @returns null when the workspace has no such funnel */
export async function lockWorkflow(tx: Executor, funnel: FunnelIds): Promise<Workflow | null> {
  if (!(await lockFunnel(tx, funnel))) return null;
  const outline = new Outline(await findWorkflow(tx, funnel));
  return { funnel, outline, before: structureJson(outline) };
}

/** What is recorded of a changed structure, besides the structure. */
interface Recording {
  /** The part after the dot in the action of the audit entry. */
  readonly action: string;
  /** The step that is new or changed. */
  readonly stepId: bigint;
}

/** Writes a changed workflow. @returns the audit entry of the funnel */
export async function saveWorkflow(
  tx: Executor,
  workflow: Workflow,
  { action, stepId }: Recording,
): Promise<ChangeRecord> {
  const { funnel, before } = workflow;
  const after = await writeOutline(tx, workflow);
  const shown = (structure: string) => `{"id":${funnel.id},"step_id":${stepId},"structure":${structure}}`;
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
 * Writes a changed workflow. @returns JSON of its structure now
 * @param removal the steps that were removed with their pages, and why
 * @throws AppError `invalid` when the funnel has too many steps
 */
export async function writeOutline(
  tx: Executor,
  { funnel, outline }: Workflow,
  removal: WorkflowChanges['removal'] = null,
): Promise<string> {
  const changes = outline.changes();
  if (outline.size > MAX_STEPS && changes.added.length > 0)
    throw new AppError('invalid', `A funnel has at most ${MAX_STEPS} steps.`);
  await writeWorkflow(tx, funnel, { ...changes, removal });
  return structureJson(outline);
}

/** JSON of the steps in workflow order, as audit entries show them: null members are left out. */
function structureJson(outline: Outline<WorkflowStep>): string {
  const steps = outline
    .inOrder()
    .map(({ id, kind, name, parentId, branch, pageId, filterId, leftWeight }) => ({
      ...{ id: toInteger(id), kind, name },
      ...(parentId !== null && { parent_id: toInteger(parentId), branch }),
      ...(pageId !== null && { page_id: toInteger(pageId) }),
      ...(filterId !== null && { filter_id: toInteger(filterId) }),
      ...(leftWeight !== null && { left_weight: leftWeight }),
    }));
  return JSON.stringify(steps);
}

/** The spot that a place means. @param name the client's name for the place @throws AppError `invalid` blaming it */
export function spotOf(outline: Outline<WorkflowStep>, place: StepPlace, name: string): Spot {
  if (!('in' in place)) {
    const id = 'after' in place ? place.after : place.before;
    if (outline.get(id) === undefined) throw invalid(name, `${name} must be a step of the funnel.`);
    const spot = outline.spotOf(id);
    return 'after' in place ? { ...spot, index: spot.index + 1 } : spot;
  }
  const { parentId, branch } = place.in;
  const parent = parentId === null ? null : outline.get(parentId);
  const branches: readonly BranchName[] = parent ? BRANCHES[parent.kind] : [];
  if (parent !== null && (branch === null || !branches.includes(branch)))
    throw invalid(name, `${name} must be a split of the funnel that has this branch.`);
  const { length } = outline.siblings(place.in);
  const { index = length } = place;
  if (index < 0 || index > length) throw invalid(name, `${name} must be from 0 to ${length}.`);
  return { parentId, branch, index };
}

/** A step that is new. */
export function newStep(
  id: bigint,
  fields: Pick<WorkflowStep, 'kind' | 'name'> & Partial<WorkflowStep>,
): WorkflowStep {
  const nowhere = { parentId: null, branch: null, position: 0 };
  return { id, ...nowhere, pageId: null, filterId: null, leftWeight: null, ...fields };
}

/** A page that a client names, by the name of the member. */
export interface NamedPage {
  readonly name: string;
  readonly id: bigint;
}

/**
 * Pages of the workspace that no step shows.
 * @throws AppError `bad_request` for a page that the workspace does not have; `invalid` for one that a step shows, or that is named twice
 */
export async function requireFreePages(
  tx: Executor,
  workspaceId: bigint,
  named: readonly NamedPage[],
): Promise<FreePage[]> {
  if (named.length === 0) return [];
  const found = await findFreePages(
    tx,
    workspaceId,
    named.map(({ id }) => id),
  );
  const seen = new Set<bigint>();
  return named.map(({ name, id }) => {
    const page = found.find((one) => one.id === id);
    if (page === undefined) throw pageIsMissing(name);
    if (page.stepId !== null || seen.has(id)) throw pageIsUsed(name);
    seen.add(id);
    return page;
  });
}

function pageIsMissing(name: string): AppError {
  const message = `${name} not found in this workspace.`;
  return new AppError('bad_request', message, { errors: [{ field: name, message }] });
}

function pageIsUsed(name: string): AppError {
  return invalid(name, `${name} is already used by another funnel step.`);
}

/** Draws ids for new steps, at most so many. */
export async function stepIds(tx: Executor, count: number): Promise<() => bigint> {
  const ids = (await drawStepIds(tx, count)).values();
  return () => ids.next().value ?? 0n;
}

/** What a client calls a page, and the place of a step. */
interface PageNames {
  readonly page: string;
  readonly place: string;
}

/** Adds a step that shows a page. @throws AppError as `addPageStep` */
export async function placePage(
  { funnel, outline }: Workflow,
  tx: Executor,
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
  tx: Executor,
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

interface StructureChange {
  readonly funnel: Ref;
  /** The part after the dot in the action of the audit entry. */
  readonly action: string;
  /** The client's input. A retry of the request must have the same. */
  readonly given: readonly unknown[];
  /** The step that is changed; absent: one is new. Where it already is as requested, nothing is recorded but the idempotency key. */
  readonly stepId?: bigint;
  /** What the client calls a page, and a saved filter, where the store finds that one is taken meanwhile or missing. */
  readonly names?: { readonly page: string; readonly filter: string };
  /** What If-Match refers to; absent: no precondition can hold. */
  represent?(): Promise<object>;
  /** @returns the step that is new or changed @throws AppError for what is refused */
  edit(workflow: Workflow, tx: Executor): Promise<bigint>;
}

/** How a structure is changed. */
export interface StructureOptions extends WriteOptions {
  /** Steps that the client names, and of which kind it says that they are. */
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
  const { row } = await changeStepwise(ctx, {
    by,
    options,
    outcome: 'updated',
    request: [action, name, id, ...given],
    subject: { table: FUNNELS, id },
    ...(represent && { takesPrecondition: true }),
    async make(tx, tenancy) {
      const found = await findFunnel(tx, tenancy, id);
      const workflow = found && (await lockWorkflow(tx, found));
      if (workflow === null) throw notFound(title);
      requireNotAborted(ctx);
      for (const [step, kind] of kinds)
        if ((workflow.outline.get(step)?.kind ?? kind) !== kind) throw notFound(funnelStep.title);
      // Read outside the transaction: the funnel's lock keeps it unchanged.
      if (precondition !== null && represent && !precondition(await represent())) throw preconditionFailed();
      const stepId = await edit(workflow, tx);
      if (known !== undefined && !workflow.outline.isChanged())
        return { workspaceId: workflow.funnel.workspaceId, unchanged: `{"id":${id}}` };
      return saveWorkflow(tx, workflow, { action, stepId });
    },
    blame: (error) => blamed(error, names),
    toRow: toChanged,
  });
  // A retry of a change that changed nothing is answered by the funnel, which names no step.
  return { funnelId: row.funnelId, stepId: known ?? row.stepId };
}

/** The error for a page, or a saved filter, that is taken or missing; any other error as it is. */
function blamed(error: unknown, names: StructureChange['names']): unknown {
  const constraint = error instanceof AppError ? undefined : violationOf(error)?.constraint;
  if (names && constraint === 'funnel_steps_one_step_of_page') return pageIsUsed(names.page);
  if (names && constraint === 'funnel_steps_workspace_id_page_id_fkey') return pageIsMissing(names.page);
  if (names && constraint === 'funnel_steps_workspace_id_filter_id_fkey')
    return invalid(names.filter, `${names.filter} not found in this workspace.`);
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

/** The first step of a list that shows a page; undefined where none does. */
export function firstPageIn({ outline }: Pick<Workflow, 'outline'>, list: SiblingList) {
  return outline.siblings(list).find(({ kind }) => kind === 'page');
}

/** Has the first page step of a list show this page; where there is none, it gets one before all others. */
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
