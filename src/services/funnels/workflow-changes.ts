// Changes the structure of a funnel: locks it, changes the outline of its workflow, and writes what is different, with one audit entry that
// shows the structure before and after. Ids of steps stay.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, invalid, notFound, preconditionFailed } from '../../errors.ts';
import { funnelStep } from '../../resources/funnel-steps.ts';
import { toJson } from '../../rows/json.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import type { WorkflowStep } from '../../store/changing/funnel-steps.ts';
import { requireNotAborted, withModels } from '../../store/changing/transactions.ts';
import { violationOf } from '../../store/connections/failures.ts';
import { findFunnelOfStep } from '../../store/reading/funnel-steps.ts';
import { mayHaveReadReplica, readFromPrimary } from '../../store/replicas/reading.ts';
import type { Transaction } from '../../store/store.ts';
import { funnelTable } from '../../store/tables/funnels.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { writeScope } from './funnel-steps.ts';
import { lockOwnWorkflow, saveWorkflow, type Workflow } from './locked-workflows.ts';
import { pageIsMissing, pageIsUsed } from './page-steps.ts';

const FUNNELS = tableOf(funnelTable);

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
