// The one path for every change: recognizes the retry of an earlier request, and checks preconditions. The change and its
// record are one transaction in the store.
import { hash } from 'node:crypto';
import { type Caller, credentialOf } from '../../auth/actor.ts';
import type { Permitted } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, type ErrorCode, invalid, preconditionFailed } from '../../errors.ts';
import { bigintAsText } from '../../rows/json.ts';
import type { Changed } from '../../store/changing/changes.ts';
import { findFirstAnswer, findUnchanged } from '../../store/changing/idempotency-records.ts';
import type { ChangeOrigin, ChangeOutcome } from '../../store/changing/records.ts';
import type { Table } from '../../store/tables/table.ts';
import type { IdempotencyKey, WriteOptions } from '../input/write-options.ts';
import { chargeCreatedRows } from '../limits/rate-limits.ts';

export interface Mutation<Row, Outcome extends ChangeOutcome> {
  /** The caller. */
  readonly by: Permitted;
  readonly options: WriteOptions;
  readonly outcome: Outcome;
  /** The request's content. A retry must have the same. */
  readonly request: readonly unknown[];
  /** The row to change; needed when the change may have no effect. */
  readonly subject?: { readonly table: Table<{ id: bigint }>; readonly id: bigint | null };
  /** The change checks the precondition, under its lock; absent: no precondition can hold. */
  readonly takesPrecondition?: true;
  /** @returns null: the idempotency key was claimed before @throws AppError if refused; the retry of a completed change succeeds */
  change(recorded: ChangeOrigin): Promise<Changed | null>;
  /** Parses the changed row from REST's JSON. */
  toRow(json: string): Row;
}

/** The result of a change, or of the first request that it repeats. `unchanged`: the row already was as requested. */
export interface ChangeAnswer<Row, Outcome extends ChangeOutcome | 'unchanged' = 'created' | 'updated'> {
  readonly outcome: Outcome;
  /** The row after the change, or before it was removed; null when a retry refers to a removed row that was erased since. */
  readonly row: Outcome extends 'removed' ? Row | null : Row;
}

/**
 * Makes a change, or repeats the answer of the first request with the same idempotency key.
 * @throws AppError `precondition_failed`; `conflict` while the first request is running; `invalid` when the key was used for
 *   another request; `gone` when its answer was erased; `unavailable`; and the errors of `change`
 */
export async function mutate<Row, Outcome extends ChangeOutcome>(
  ctx: Context,
  mutation: Mutation<Row, Outcome>,
): Promise<ChangeAnswer<Row, Outcome>> {
  const { by, options, outcome, toRow } = mutation;
  const key = options.idempotencyKey && hashesOf(by, options.idempotencyKey, mutation.request);
  const made = await attempt(ctx, mutation, recordedOf(ctx, by, key));
  if (typeof made === 'string') return { outcome, row: toRow(made) };
  // The change may have failed because the first request had already made it.
  const first = key && (await findFirstAnswer(ctx, by.tenancy, key.key_hash));
  if (key === null || first === null) throw made;
  // The first request made the change, but its process may have ended before it stored the log position (consistency.ts).
  ctx.changes.sent = true;
  if (first.requestHash !== key.request_hash)
    throw invalid(key.field, {
      code: 'invalid_key',
      message: 'was used for another request. Choose a new key',
    });
  const { subject } = mutation;
  // An upsert may find another row by its e-mail address than the first request did, or none.
  const subjectId = first.subjectId ?? subject?.id ?? null;
  const snapshot =
    first.isUnchanged && subject !== undefined && subjectId !== null
      ? await findUnchanged(ctx, subject.table, subjectId, first)
      : first.snapshot;
  if (snapshot === null && first.outcome !== 'removed')
    throw new AppError(
      'gone',
      'The answer to the first request with this idempotency key was erased. Choose a new key.',
    );
  const row = snapshot === null ? null : toRow(snapshot);
  // The hash of the request covers the operation, and the operation decides which outcomes are possible.
  return { outcome: first.outcome, row } as ChangeAnswer<Row, Outcome>;
}

/** Makes a change. Returns the JSON of its row, or the error because of which nothing was changed. */
async function attempt<Row>(
  ctx: Context,
  { options: { precondition }, takesPrecondition, change }: Mutation<Row, ChangeOutcome>,
  recorded: ChangeOrigin,
): Promise<string | AppError> {
  if (precondition !== null && !takesPrecondition) return preconditionFailed();
  try {
    const made = await change(recorded);
    if (made === null) return requestInProgress();
    if (made.rows !== undefined) await chargeCreatedRows(ctx, made.rows);
    return made.snapshot;
  } catch (error) {
    if (error instanceof AppError && REFUSALS.has(error.code)) return error;
    throw error;
  }
}

/** The codes of changes that the input or the state of the rows does not allow. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  ...(['bad_request', 'not_found', 'conflict', 'precondition_failed', 'invalid'] as const),
]);

function requestInProgress(): AppError {
  return new AppError(
    'conflict',
    'The first request with this idempotency key is still running. Try again shortly.',
    {
      retryAfterSeconds: 1,
    },
  );
}

function recordedOf(
  { requestId }: Context,
  actor: Caller,
  key: Pick<ChangeOrigin, 'key_hash' | 'request_hash'> | null,
): ChangeOrigin {
  const { teamId, workspaceIds } = actor.tenancy;
  return {
    team: teamId,
    workspaces: workspaceIds,
    key_hash: key?.key_hash ?? null,
    request_hash: key?.request_hash ?? null,
    actor_kind: actor.kind,
    actor_id: actor.kind === 'api_key' ? actor.publicId : actor.subject,
    client_id: actor.kind === 'api_key' ? null : actor.clientId,
    request_id: requestId,
  };
}

/** An idempotency key is valid for one credential, method and path. Only hashes of the key and of the request are stored. */
function hashesOf(actor: Caller, { key, place, field }: IdempotencyKey, request: readonly unknown[]) {
  return {
    field,
    key_hash: sha256([credentialOf(actor), place, key]),
    request_hash: sha256(request),
  };
}

function sha256(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts, bigintAsText));
}
