// Changes of a funnel's structure: each locks the funnel, reads its workflow, changes the outline and writes what is different, with one
// audit entry that shows the structure before and after. Ids of steps stay.
import { AppError, invalid, notFound } from '../errors.ts';
import { BRANCHES } from '../resources/funnel-steps.ts';
import { funnel as funnelNoun } from '../resources/funnels.ts';
import { toInteger } from '../rows/json.ts';
import {
  drawStepIds,
  type FreePage,
  type FunnelIds,
  findFreePages,
  findWorkflow,
  lockFunnel,
  type WorkflowChanges,
  type WorkflowStep,
  writeWorkflow,
} from '../store/changing/funnel-steps.ts';
import type { ChangeRecord } from '../store/changing/records.ts';
import type { Executor } from '../store/connections/executor.ts';
import type { BranchName } from '../store/reading/funnel-steps.ts';
import { Outline, type SiblingList, type Spot, TOP_LEVEL } from './workflow.ts';

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
    if (page === undefined)
      throw new AppError('bad_request', `${name} not found in this workspace.`, {
        errors: [{ field: name, message: `${name} not found in this workspace.` }],
      });
    if (page.stepId !== null || seen.has(id)) throw pageIsUsed(name);
    seen.add(id);
    return page;
  });
}

export function pageIsUsed(name: string): AppError {
  return invalid(name, `${name} is already used by another funnel step.`);
}

/**
 * Adds a step that shows a page of the workspace to a funnel, within a transaction of the caller's. Locks the funnel.
 * @param names what the client calls the page and the place
 * @returns the id of the step, and the audit entry of the funnel, to be recorded with the change
 * @throws AppError `not_found` for the funnel; `invalid` for the place, for a page that a step shows, and for too many steps
 */
export async function addPageStep(
  tx: Executor,
  funnel: FunnelIds,
  pageId: bigint,
  place: StepPlace,
  names: { readonly page: string; readonly place: string },
): Promise<{ stepId: bigint; record: ChangeRecord }> {
  const workflow = await lockWorkflow(tx, funnel);
  if (workflow === null) throw notFound(funnelNoun.title);
  const { outline } = workflow;
  const spot = spotOf(outline, place, names.place);
  const [page] = await requireFreePages(tx, funnel.workspaceId, [{ name: names.page, id: pageId }]);
  const [stepId = 0n] = await drawStepIds(tx, 1);
  outline.put(newStep(stepId, { kind: 'page', name: page?.name ?? '', pageId }), spot);
  return { stepId, record: await saveWorkflow(tx, workflow, { action: 'page_step_added', stepId }) };
}
