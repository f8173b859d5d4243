// Reads the workflow of a funnel under the funnel's lock, and writes what was changed of it.
import { AppError } from '../../errors.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { bigintAsText, toJson } from '../../rows/json.ts';
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
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Transaction } from '../../store/store.ts';
import { Outline } from './workflow.ts';

/** The maximum number of steps of a funnel. */
export const MAX_STEPS = 500;

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
export async function lockWorkflow(tx: Transaction, funnel: FunnelIds): Promise<Workflow | null> {
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

/** Makes a new step, without a place. */
export function newStep(
  id: bigint,
  fields: Pick<WorkflowStep, 'kind' | 'name'> & Partial<WorkflowStep>,
): WorkflowStep {
  const nowhere = { parentId: null, branch: null, position: 0 };
  return { id, ...nowhere, pageId: null, filterId: null, leftWeight: null, ...fields };
}

/** Draws ids for at most `count` new steps. */
export async function stepIds(tx: Transaction, count: number): Promise<() => bigint> {
  const ids = (await drawStepIds(tx, count)).values();
  return () => ids.next().value ?? 0n;
}
