// Steps that show pages: which pages may be put into a workflow, and the changes that put them there. No page is shown by two steps.
import { type AppError, blaming, invalid, notFound } from '../../errors.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import type { FunnelIds } from '../../store/changing/funnel-steps.ts';
import type { ChangeRecord } from '../../store/changing/records.ts';
import type { Transaction } from '../../store/store.ts';
import { lockWorkflow, newStep, saveWorkflow, stepIds, type Workflow } from './locked-workflows.ts';
import { type PlaceNames, type StepPlace, spotOf } from './step-places.ts';
import type { SiblingList } from './workflow.ts';

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

/** The error for a page that the workspace does not have. @param name the client's name for it */
export function pageIsMissing(name: string): AppError {
  return blaming('bad_request', name, { code: 'not_found', message: 'not found in this workspace' });
}

/** The error for a page that another step shows. @param name the client's name for it */
export function pageIsUsed(name: string): AppError {
  return invalid(name, { code: 'taken', message: 'is already used by another funnel step' });
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
  if (workflow === null) throw notFound(funnelNoun.title);
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
  if (workflow === null) throw notFound(funnelNoun.title);
  const stepId = await edit(workflow);
  return workflow.outline.isChanged()
    ? saveWorkflow(tx, workflow, { action: 'page_step_changed', stepId })
    : null;
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
