// Pipelines with their stages, opportunities that move through them, and notes.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, noSuch, notFound } from '../../errors.ts';
import type { Field } from '../../resources/description/fields.ts';
import {
  OPPORTUNITY_ACTIONS,
  type OpportunityRow,
  opportunity,
  opportunityNote,
} from '../../resources/sales/opportunities.ts';
import { pipeline, pipelineStage } from '../../resources/sales/pipelines.ts';
import { lockRow } from '../../store/changing/lock-row.ts';
import {
  CLOSING_COLUMNS,
  NOTE_RULES,
  OPPORTUNITY_RULES,
  setStatus,
} from '../../store/changing/opportunities.ts';
import { findById } from '../../store/reading/rows.ts';
import { findCurrency } from '../../store/reading/workspace-currency.ts';
import { opportunityTable, pipelineStageTable, pipelineTable } from '../../store/tables/sales.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { areTeamUsers, me } from '../accounts/users.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { workspaceOf } from '../changing/references.ts';
import { requireTransition } from '../changing/transitions.ts';
import { writesOf } from '../changing/writes.ts';
import { type Input, isObject, type NameOf } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { withoutNeeded } from '../reading/needed-scopes.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const PIPELINES = tableOf(pipelineTable);
const STAGES = tableOf(pipelineStageTable);
const OPPORTUNITIES = tableOf(opportunityTable);
const DEFAULT_CURRENCY = 'USD';

/** The input with one more member. */
function withMember(input: Input, property: string, field: Field, value: unknown): Input {
  return { ...input, members: { ...(input.members as object), [input.nameOf(property, field)]: value } };
}

const pipelineWrites = writesOf(pipeline, { normalize: withStageNames });

/** The public API allows new stages without a name. */
function withStageNames(input: Input): Input {
  const { members, nameOf } = input;
  const { restGiven: restName, ...field } = pipeline.fields.stageList;
  const list = nameOf('stageList', { ...field, restName });
  if (!isObject(members) || !Array.isArray(members[list])) return input;
  const name = nameOf('name', pipelineStage.fields.name);
  const isNew = (stage: unknown) => isObject(stage) && (stage['id'] ?? null) === null;
  const stages = members[list].map((stage: unknown, index) =>
    isNew(stage) && ((stage as Record<string, unknown>)[name] ?? null) === null
      ? { ...(stage as object), [name]: `Stage ${index + 1}` }
      : stage,
  );
  return { ...input, members: { ...members, [list]: stages } };
}

/** Creates a pipeline, by default in the currency of the workspace. @throws AppError as for every noun */
async function createPipeline(ctx: Context, workspace: Ref, input: Input, options: WriteOptions) {
  requireScope(ctx, pipelineWrites.writeScope);
  const given = pipelineWrites.parse(input, 'creation');
  if (given.currency !== undefined) return pipelineWrites.create(ctx, workspace, input, options);
  const id = parseRef('Workspace', 'workspaces', workspace);
  const currency = (await findCurrency(ctx.store, id)) ?? DEFAULT_CURRENCY;
  // Without the currency: the workspace may have another one by the time of a retry.
  const request = ['create', PIPELINES.name, id, given];
  const whole = withMember(input, 'currency', pipeline.fields.currency, currency);
  return pipelineWrites.create(ctx, workspace, whole, options, request);
}

export const pipelines = defineService(pipeline, {
  writes: { ...pipelineWrites, create: createPipeline },
});

const { fields } = opportunity;
const writes = writesOf(opportunity, OPPORTUNITY_RULES);

/** @throws AppError `invalid` unless the user is one of the caller's team */
async function requireTeamUser(
  ctx: Context,
  nameOf: NameOf,
  property: string,
  field: Field,
  id: bigint | null | undefined,
): Promise<void> {
  if (id == null || (await areTeamUsers(ctx, [id]))) return;
  throw invalid(nameOf(property, field), { code: 'not_found', message: 'there is no such user in the team' });
}

/** Creates an opportunity, in the currency of its pipeline. @throws AppError as for every noun */
async function create(ctx: Context, workspace: Ref, input: Input, options: WriteOptions) {
  const { tenancy } = requireScope(ctx, writes.writeScope);
  const { nameOf } = input;
  const given = writes.parse(input, 'creation');
  const { assigneeId, pipelinesStageId = 0n, currency } = given;
  const id = parseRef('Workspace', 'workspaces', workspace);
  const [workspaceId, stage] = await Promise.all([
    workspaceOf(ctx, 'workspaces', tenancy, id),
    findById(ctx, STAGES, tenancy, pipelinesStageId),
  ]);
  if (workspaceId === null) throw notFound('Workspace');
  if (stage?.workspaceId !== workspaceId)
    throw invalid(nameOf('pipelinesStageId', fields.pipelinesStageId), noSuch(STAGES.title));
  await requireTeamUser(ctx, nameOf, 'assigneeId', fields.assigneeId, assigneeId);
  const whole =
    currency === undefined ? withMember(input, 'currency', fields.currency, stage.currency) : input;
  return writes.create(ctx, workspace, whole, options, ['create', OPPORTUNITIES.name, id, given]);
}

/** Changes an opportunity. @throws AppError as for every noun */
async function update(ctx: Context, ref: Ref, input: Input, options: WriteOptions) {
  requireScope(ctx, writes.writeScope);
  const { assigneeId } = writes.parse(input, 'change');
  await requireTeamUser(ctx, input.nameOf, 'assigneeId', fields.assigneeId, assigneeId);
  return writes.update(ctx, ref, input, options);
}

/** Makes the action that gives an opportunity a status. One that has the status stays unchanged. */
function acting(action: keyof typeof OPPORTUNITY_ACTIONS, status: OpportunityRow['status']) {
  const { fields: given = {} } = OPPORTUNITY_ACTIONS[action] as { readonly fields?: Record<string, Field> };
  return async (
    ctx: Context,
    ref: Ref,
    input: Input,
    options: WriteOptions,
  ): Promise<ChangeAnswer<OpportunityRow>> => {
    const by = requireScope(ctx, writes.writeScope);
    const { closedAt } = writes.parse(input, 'change', given);
    return changeLocked(ctx, OPPORTUNITIES, ref, options, {
      by,
      action: status === 'open' ? 'reopened' : status,
      given: closedAt ?? null,
      lock: (tx, tenancy, id) =>
        lockRow<{ workspaceId: bigint; status: string; wasClosed: boolean }>(
          ...([tx, OPPORTUNITIES, tenancy, id, CLOSING_COLUMNS] as const),
        ),
      async make(tx, { workspaceId, status: was, wasClosed }, { id }) {
        requireTransition(fields.status, was, status, 'status');
        if (was === status) return null;
        const time = status === 'open' ? null : (closedAt ?? 'now');
        const changes = await setStatus(tx, workspaceId, id, status, time, wasClosed);
        return { events: changes.flatMap(({ events }) => events) };
      },
    });
  };
}

export const opportunities = defineService(opportunity, {
  shown: (reads) => withoutNeeded(reads, opportunity),
  writes: { ...writes, create, update },
  actions: { win: acting('win', 'won'), lose: acting('lose', 'lost'), reopen: acting('reopen', 'open') },
});

const noteWrites = writesOf(opportunityNote, {
  ...NOTE_RULES,
  parameters: async (ctx) => ({ caller_id: (await me(ctx)).id }),
});
const { createdById } = opportunityNote.fields;

/** Creates a note. @throws AppError as for every noun */
async function createNote(ctx: Context, ref: Ref, input: Input, options: WriteOptions) {
  requireScope(ctx, noteWrites.writeScope);
  const given = noteWrites.parse(input, 'creation');
  await requireTeamUser(ctx, input.nameOf, 'createdById', createdById, given.createdById);
  return noteWrites.create(ctx, ref, input, options);
}

/** Changes a note. @throws AppError as for every noun */
async function updateNote(ctx: Context, ref: Ref, input: Input, options: WriteOptions) {
  requireScope(ctx, noteWrites.writeScope);
  const given = noteWrites.parse(input, 'change');
  await requireTeamUser(ctx, input.nameOf, 'createdById', createdById, given.createdById);
  return noteWrites.update(ctx, ref, input, options);
}

export const notes = defineService(opportunityNote, {
  writes: { ...noteWrites, create: createNote, update: updateNote },
});
