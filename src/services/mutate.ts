// The one way in which anything is changed (DESIGN §12): which request it is a retry of, on which state it may go ahead.
// What is changed, and the record of it, is one transaction of the store's.
import { hash } from 'node:crypto';
import { type Caller, credentialOf } from '../auth/actor.ts';
import type { Permitted } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { bigintAsText } from '../rows/json.ts';
import type { Changed } from '../store/changing/changes.ts';
import { findFirstAnswer, findUnchanged } from '../store/changing/idempotency-records.ts';
import type { ChangeOutcome, Recorded } from '../store/changing/records.ts';
import type { Table } from '../store/tables/table.ts';
import { chargeMade } from './rate-limits.ts';
import type { IdempotencyKey, WriteOptions } from './write-options.ts';

export interface Mutation<Row, Outcome extends ChangeOutcome> {
  /** Who makes it. */
  readonly by: Permitted;
  readonly options: WriteOptions;
  /** What is to be changed, as it is called in a sentence such as "Contact not found." */
  readonly title: string;
  readonly outcome: Outcome;
  /** What is asked for: the retry of a request asks for the same. */
  readonly request: readonly unknown[];
  /** What is changed, where that may change nothing. */
  readonly subject?: { readonly table: Table<{ id: bigint }>; readonly id: bigint };
  /** The row as it is now, and its version; null where there is none. Asked only if the change depends on it. */
  current?(recorded: Recorded): Promise<{ row: object; version: number } | null>;
  /** The change itself asks whether the state fits, under its lock. */
  readonly asksItself?: true;
  /** @param version the only one that may be changed; null: any */
  change(recorded: Recorded, version: number | null): Promise<Changed>;
  /** Why what is there does not fit the change, where that can be; null: it was changed since. */
  unfit?(): AppError | null;
  /** The row that was changed, of the JSON that REST shows. */
  toRow(json: string): Row;
}

/** What a change, or the first request that it is a retry of, has done. `unchanged`: it is as it was asked to be already. */
export interface Done<Row, Outcome extends ChangeOutcome | 'unchanged' = 'created' | 'updated'> {
  readonly outcome: Outcome;
  /** As it was after the change, or before it was removed; null where a retry asks after what was removed, and erased since. */
  readonly row: Outcome extends 'removed' ? Row | null : Row;
}

/**
 * Makes a change, or answers as the first request with its idempotency key was answered.
 * @throws AppError `not_found`, `precondition_failed`, `conflict` while the first request is under way, `invalid` where the key was
 *   used for another request, `gone` where its answer was erased, `unavailable`; what `change` throws
 */
export async function mutate<Row, Outcome extends ChangeOutcome>(
  ctx: Context,
  mutation: Mutation<Row, Outcome>,
): Promise<Done<Row, Outcome>> {
  const { by, options, outcome, toRow } = mutation;
  const key = options.idempotencyKey && hashesOf(by, options.idempotencyKey, mutation.request);
  const made = await attempt(ctx, mutation, recordedOf(ctx, by, key));
  if (typeof made === 'string') return { outcome, row: toRow(made) };
  // What the first request did may be why nothing could be changed any more.
  const first = key && (await findFirstAnswer(ctx, by.tenancy, key.key_hash));
  if (key === null || first === null) throw made;
  // It was made, though not by this request: whose process may have ended before the position of it was kept (consistency.ts).
  ctx.changes.sent = true;
  if (first.requestHash !== key.request_hash)
    throw invalid(key.field, `${key.field} was used for another request: choose a new one.`);
  const { subject } = mutation;
  const snapshot =
    first.isUnchanged && subject !== undefined
      ? await findUnchanged(ctx, subject.table, subject.id, first)
      : first.snapshot;
  if (snapshot === null && first.outcome !== 'removed')
    throw new AppError('gone', 'The answer to the first request with this key was erased.');
  const row = snapshot === null ? null : toRow(snapshot);
  // The hash of the request names the operation, which decides what the outcome can be.
  return { outcome: first.outcome, row } as Done<Row, Outcome>;
}

/** Makes a change: the JSON of its row, or why nothing was changed. */
async function attempt<Row>(
  ctx: Context,
  { title, options: { fits }, current, asksItself, change, unfit }: Mutation<Row, ChangeOutcome>,
  recorded: Recorded,
): Promise<string | AppError> {
  let version: number | null = null;
  if (fits !== null && !asksItself) {
    if (current === undefined) return preconditionFailed();
    const now = await current(recorded);
    if (now === null) return notFound(title);
    if (!fits(now.row)) return preconditionFailed();
    version = now.version;
  }
  const made = await change(recorded, version);
  if (made.snapshot !== null) {
    if (made.rows !== undefined) await chargeMade(ctx, made.rows);
    return made.snapshot;
  }
  if (!made.found) return notFound(title);
  return made.fits ? underWay() : (unfit?.() ?? preconditionFailed());
}

function preconditionFailed(): AppError {
  return new AppError('precondition_failed', 'It has been changed since, or is not what If-Match names.');
}

function underWay(): AppError {
  return new AppError('conflict', 'The first request with this idempotency key is still under way.', {
    retryAfterSeconds: 1,
  });
}

function recordedOf(
  { requestId }: Context,
  actor: Caller,
  key: Pick<Recorded, 'key_hash' | 'request_hash'> | null,
): Recorded {
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

/** A key is the credential's own, for one method and path. Only hashes of it and of the request are stored. */
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
