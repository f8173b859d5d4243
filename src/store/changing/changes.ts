// Makes changes to rows: changes of one statement (statements.ts), and changes of several steps in one Prisma transaction. A single
// statement goes to the pool directly, because Prisma's raw query would take a quarter longer. Everything is executed within the caller's
// tenancy (tenant-role.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, nothingChanged, outcomeUnknown } from '../../errors.ts';
import { executorOf } from '../connections/executor.ts';
import {
  isConflictOfTransactions,
  isLockTimeout,
  toStoreError,
  wasRefused,
} from '../connections/failures.ts';
import { followChange } from '../shard-placement/places.ts';
import { type NamedStatement, valuesOf } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext, Transaction } from '../store.ts';
import { type Claimed, changeInSteps, findInSteps } from './distributed/change.ts';
import { ClaimedBefore, claimInSteps, recordInSteps } from './distributed/record.ts';
import { type ChangeRecord, claimUnchanged, recordChange, type Unchanged } from './record-change.ts';
import { type Recorded, type Told, tenancyOf } from './records.ts';
import type { ChangeStatements } from './statements.ts';
import { queryAs } from './tenant-query.ts';
import { beginChange, withTenantTransaction } from './transactions.ts';

/** The result of a change. Without a snapshot, nothing was changed. */
export interface Changed {
  /** Whether the row, or the parent of a new row, exists and the caller owns it. */
  readonly found: boolean;
  /** Whether the precondition holds: the row has the expected version, or the parent has room for a new row. */
  readonly fits: boolean;
  /** The JSON of the row as REST shows it, after the change; for a removed row, from before. */
  readonly snapshot: string | null;
  /** How many rows were written besides the row and its audit entry: events, deliveries, and others that it reports; absent: none. */
  readonly rows?: number;
}

/** The notified endpoints are absent where the noun has no events. */
interface Answer extends Changed, Partial<Told> {
  readonly fresh: boolean;
}

const MAX_ATTEMPTS = 4;
/** The longest pause before the second attempt; it doubles each time. Without random pauses, the same transactions would conflict again. */
const MAX_PAUSE_MS = 10;
const RETRY_AFTER_SECONDS = 1;

/**
 * Executes one of a noun's statements. Serialization failures and deadlocks are retried.
 * @param values the values of its parameters, by name
 * @throws AppError `unavailable` when the database is unavailable, or another change locks the row for too long; the database's error
 */
export async function executeChange(
  ctx: StoreContext,
  statements: ChangeStatements,
  verb: 'create' | 'update' | 'remove',
  values: Recorded & Readonly<Record<string, unknown>>,
): Promise<Changed> {
  const isDistributed = await ctx.store.distribution.isDistributed();
  if (isDistributed || statements.areSteps)
    return executeSteps(ctx, values, (tx, { workspaceIds: workspaces }) =>
      changeInSteps(tx, statements.distributed(), verb, { ...values, workspaces }, isDistributed),
    );
  const statement = statements[verb];
  const answer = await attempt(ctx, values, async () => {
    const answer = await send(ctx, statement, values);
    if (answer.fresh || !answer.found) return answer;
    // The statement waited for another change. Once this transaction holds the lock, the statement sees that change.
    return withTenantTransaction(ctx, tenancyOf(values), async (tx) => {
      const lock = statements.locks[verb];
      // It locks nothing if the row has been removed meanwhile.
      await tx.$queryRawUnsafe(lock.text, ...valuesOf(lock, values));
      return answerOf(statement, await tx.$queryRawUnsafe(statement.text, ...valuesOf(statement, values)));
    });
  });
  ctx.store.deliveries.announce(answer.told ?? []);
  return answer;
}

/** Why a change was not made: the caller owns no such row, or a precondition does not hold. */
export type NotMade = 'not_found' | 'unfit';

/**
 * Makes a change of several steps in one transaction, with its record. Serialization failures and deadlocks are retried.
 * @param work makes the change within the given tenancy; returns what to record, or why nothing was changed
 * @throws AppError as `executeChange` does; what `work` throws
 */
export async function executeSteps(
  ctx: StoreContext,
  recorded: Recorded,
  work: (tx: Transaction, tenancy: Tenancy) => Promise<ChangeRecord | Claimed | Unchanged | NotMade>,
): Promise<Changed> {
  const { distribution } = ctx.store;
  const isDistributed = await distribution.isDistributed();
  const tenancy = await distribution.reach(tenancyOf(recorded));
  let told: readonly bigint[] = [];
  let changed: ChangeRecord | undefined;
  const steps = async (tx: Transaction): Promise<Changed> => {
    const record = await work(tx, tenancy);
    if (record === 'not_found' || record === 'unfit')
      return { found: record === 'unfit', fits: false, snapshot: null };
    const own = { ...recorded, workspaces: tenancy.workspaceIds };
    if ('unchanged' in record) {
      const { workspaceId, unchanged, isClaimed = recorded.key_hash === null } = record;
      if (isClaimed) return { found: true, fits: true, snapshot: unchanged };
      if (isDistributed) await claimInSteps(tx, own, workspaceId, 'updated');
      else if (!(await claimUnchanged(tx, recorded, workspaceId))) throw new ClaimedBefore();
      return { found: true, fits: true, snapshot: unchanged };
    }
    const made =
      isDistributed || 'auditEntryId' in record
        ? await recordDistributed(tx, own, record)
        : await recordChange(tx, recorded, record);
    if (made === null) throw new ClaimedBefore();
    told = made.told;
    changed = record;
    const rows = made.rows + (record.rows ?? 0);
    return { found: true, fits: true, snapshot: record.after ?? record.before, rows };
  };
  try {
    const answer = await attempt(ctx, recorded, () => {
      return withTenantTransaction(ctx, tenancyOf(recorded), steps);
    });
    ctx.store.deliveries.announce(told);
    if (isDistributed && changed !== undefined) await followChange(executorOf(ctx.store.pool), changed);
    return answer;
  } catch (error) {
    if (error instanceof ClaimedBefore) return { found: true, fits: true, snapshot: null };
    throw error;
  }
}

/** Claims the idempotency key, if that has not been done yet, and writes the record. @throws ClaimedBefore */
async function recordDistributed(
  tx: Transaction,
  recorded: Recorded,
  record: ChangeRecord | Claimed,
): Promise<Told> {
  const { workspaceId, outcome } = record;
  const auditEntryId =
    'auditEntryId' in record ? record.auditEntryId : await claimInSteps(tx, recorded, workspaceId, outcome);
  return recordInSteps(tx, recorded, auditEntryId, record);
}

/** Makes a change once its team has a slot. Serialization failures and deadlocks are retried. */
async function attempt<Result>(
  ctx: StoreContext,
  { team, key_hash }: Recorded,
  change: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    let isBegun = false;
    const begin = () => {
      isBegun = true;
      return change();
    };
    try {
      return await ctx.store.changing.run(String(team), begin, ctx.signal);
    } catch (error) {
      // The change got no slot: too many were waiting, or the request ended while it waited.
      if (!isBegun && error instanceof AppError) throw nothingChanged(error);
      if (isLockTimeout(error)) throw lockTimeout(key_hash !== null);
      if (!isConflictOfTransactions(error) || attempts === MAX_ATTEMPTS) throw toStoreError(error);
      await sleep(Math.random() * MAX_PAUSE_MS * 2 ** (attempts - 1));
    }
  }
}

/** A row as it is now, and its version; null if the caller owns no such row. */
export async function findCurrent<Row extends object>(
  { store }: StoreContext,
  statements: ChangeStatements,
  values: Recorded & Readonly<Record<string, unknown>>,
  toRow: (json: string) => Row,
): Promise<{ row: Row; version: number } | null> {
  const tenancy = await store.distribution.reach(tenancyOf(values));
  const reached = { ...values, workspaces: tenancy.workspaceIds };
  const { current } = statements;
  const [found] = (await store.distribution.isDistributed())
    ? [await findInSteps(executorOf(store.pool), statements.distributed(), reached).catch(rethrow)]
    : await queryAs<{ snapshot: string; version: number }>(
        store,
        tenancy,
        current,
        valuesOf(current, reached),
      );
  return found === undefined ? null : { row: toRow(found.snapshot), version: found.version };
}

function rethrow(error: unknown): never {
  throw toStoreError(error);
}

/** A change waited too long for another change of the same row, or for the first request with the same key. */
function lockTimeout(hasKey: boolean): AppError {
  const message = `Another change of the same object${hasKey ? ', or the first request with this idempotency key,' : ''} is still under way. Nothing was changed.`;
  return new AppError(hasKey ? 'conflict' : 'unavailable', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Sends a statement, which is a transaction of its own. */
async function send(
  ctx: StoreContext,
  statement: NamedStatement,
  values: Recorded & Readonly<Record<string, unknown>>,
): Promise<Answer> {
  beginChange(ctx);
  try {
    const { store } = ctx;
    return answerOf(
      statement,
      await queryAs(store, tenancyOf(values), statement, valuesOf(statement, values)),
    );
  } catch (error) {
    const known = toStoreError(error);
    if (!(known instanceof AppError) || known.code !== 'unavailable' || isConflictOfTransactions(error))
      throw error;
    throw wasRefused(error) ? nothingChanged(known) : outcomeUnknown(known);
  }
}

function answerOf({ name }: NamedStatement, [answer]: Answer[]): Answer {
  if (answer === undefined) throw new TypeError(`${name} did not answer`);
  return answer;
}
