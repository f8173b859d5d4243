// Makes changes to rows: of one row, in steps made from its noun's description (steps.ts), and changes that services write themselves, in
// one transaction. Every change is limited to the caller's tenancy (tenant-role.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { ignoreUnhandled } from '../../concurrency/ignore-unhandled.ts';
import { AppError, notFound, nothingChanged } from '../../errors.ts';
import { isConflictOfTransactions, isLockTimeout, toStoreError } from '../connections/failures.ts';
import { isBelowWorkspace } from '../reading/parents.ts';
import { type PlacementRules, restrictToRowWorkspace } from '../shard-placement/placement.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext, Transaction } from '../store.ts';
import type { Table } from '../tables/table.ts';
import type { Pipeline } from './pipeline.ts';
import {
  prepareRecord,
  readKeyClaim,
  record,
  recordUnchanged,
  requireUnclaimed,
  wasClaimedBefore,
} from './record.ts';
import { type ChangeOrigin, type ChangeRecord, tenancyOf, type Unchanged } from './records.ts';
import type { ChangeRules } from './rules.ts';
import { type ChangeStatements, changeStatements } from './statements.ts';
import {
  type ChangeRequest,
  type ChangeResult,
  type Changing,
  create,
  remove,
  type UnchangedResult,
  update,
} from './steps.ts';
import { lockTimeout, type Open, type Opened, withModels, withSql } from './transactions.ts';

export { type GivenValues as Given, TooMany } from './steps.ts';

/** The result of a change. */
export interface Changed {
  /** The JSON of the row as REST shows it, after the change; for a removed row, from before. */
  readonly snapshot: string;
  /**
   * How many rows were written in addition to the row and its audit entry: events, deliveries, and others that it reports; absent: none.
   */
  readonly rows?: number;
}

const MAX_ATTEMPTS = 4;
/** The longest pause before the second attempt; it doubles each time. Without random pauses, the same transactions would conflict again. */
const MAX_PAUSE_MS = 10;

const VERBS = { create, update, remove };

/** The changes of one noun's rows. @param rules the SQL that is specific to the noun */
export function changesOf(table: Table<{ id: bigint }>, rules: ChangeRules) {
  /** Memoized for each store. */
  const made = new WeakMap<PlacementRules, ChangeStatements>();
  const statementsFor = (placement: PlacementRules) => {
    const statements = made.get(placement) ?? changeStatements(table, rules, placement);
    made.set(placement, statements);
    return statements;
  };
  return {
    /**
     * Makes a change of one row. Serialization failures and deadlocks are retried.
     * @returns null: the idempotency key was claimed before
     * @throws AppError `not_found`; `precondition_failed`; `unavailable` when the database is unavailable, or another change locks the row
     *   for too long; TooMany; the database's error; what the precondition and `given` throw
     */
    async execute(
      ctx: StoreContext,
      verb: keyof typeof VERBS,
      recorded: ChangeOrigin,
      wanted: ChangeRequest,
    ): Promise<Changed | null> {
      const placement = await ctx.store.placement.rules();
      const statements = statementsFor(placement);
      const { hasTriggers } = placement;
      const named = verb === 'create' ? table.parent.table : table.name;
      const change = async ({ tx, tenancy, everywhere }: OpenChange, models: Transaction | null = null) => {
        // A workspace is not inside another workspace.
        const place = isBelowWorkspace(named)
          ? await restrictToRowWorkspace(tx, named, tenancy, wanted.id)
          : tenancy;
        if (place === null) throw notFound(verb === 'create' ? table.parent.title : table.title);
        const [workspaceId = null, ...others] = place.workspaceIds ?? [];
        const own = { ...recorded, workspaces: place.workspaceIds };
        const known = others.length === 0 ? workspaceId : null;
        const found = { recorded: own, workspaceId: known, everywhere };
        const changing = { tx, models, statements, hasTriggers, ...found };
        return VERBS[verb](changing, wanted);
      };
      return wanted.needsModels === true
        ? run(ctx, recorded, withModels, (begun, models) => change(begun, models))
        : run(ctx, recorded, withSql, (begun) => change(begun));
    },
  };
}

/**
 * Makes a change of several steps in one transaction, with its record. Serialization failures and deadlocks are retried.
 * @param open how the transaction is opened: `withModels` or `withSql`
 * @param work makes the change within the given tenancy, and does not commit it; returns what to record. `withSql` sends statements that do
 * not depend on each other together: those issued before the first `await` go out with the look-up of the idempotency key
 * @returns null: the idempotency key was claimed before
 * @throws AppError as the changes of one row do; what `work` throws
 */
export async function execute<Tx>(
  ctx: StoreContext,
  recorded: ChangeOrigin,
  open: Open<Tx>,
  work: (tx: Tx, tenancy: Tenancy, recorded: ChangeOrigin) => Promise<ChangeRecord | Unchanged>,
): Promise<Changed | null> {
  return run(ctx, recorded, open, async ({ tx, tenancy, everywhere, ready }, own) => {
    const turning = ignoreUnhandled(readKeyClaim(tx, recorded, everywhere));
    await ready();
    const change = await work(own, tenancy, recorded).catch(async (error: unknown) => {
      // A retry gets the first answer, whatever `work` would do now.
      requireUnclaimed(await turning);
      throw error;
    });
    const turn = await turning;
    requireUnclaimed(turn);
    const commit = () => tx.commit();
    if ('unchanged' in change) {
      const { auditEntryId } = await prepareRecord(tx, change.workspaceId, []);
      await Promise.all([recordUnchanged(tx, recorded, turn, { ...change, auditEntryId }), commit()]);
      return change;
    }
    const { workspaceId, events, pageId = null } = change;
    const prepared = change.prepared ?? (await prepareRecord(tx, workspaceId, events, pageId));
    return { ...(await record(tx, recorded, change, { ...prepared, turn, commit })), change };
  });
}

/** The open transaction of a change, with its caller's tenancy. */
interface OpenChange extends Pick<Changing, 'tx' | 'everywhere'>, Pick<Opened<unknown>, 'ready'> {
  readonly tenancy: Tenancy;
}

/** Opens a transaction, makes a change in it, and notifies those who wait for it. @returns null: the idempotency key was claimed before */
async function run<Tx>(
  ctx: StoreContext,
  recorded: ChangeOrigin,
  open: Open<Tx>,
  work: (begun: OpenChange, tx: Tx) => Promise<ChangeResult | UnchangedResult>,
): Promise<Changed | null> {
  const { placement } = ctx.store;
  const tenancy = await placement.nameWorkspaces(tenancyOf(recorded));
  const everywhere = await placement.nameWorkspaces({ ...tenancyOf(recorded), workspaceIds: null });
  try {
    const made = await attempt(ctx, String(recorded.team), recorded.key_hash, () =>
      open(
        ctx,
        tenancyOf(recorded),
        ({ pipeline, tx, ready }) => work({ tx: pipeline, tenancy, everywhere, ready }, tx),
        recorded.key_hash,
      ),
    );
    if ('change' in made) await followUp(ctx, made);
    return toChanged(made);
  } catch (error) {
    if (wasClaimedBefore(error)) return null;
    throw error;
  }
}

/**
 * Runs several steps for a caller that leave no record: no audit entry, no event, no idempotency key. Serialization failures and deadlocks
 * are retried.
 * @param work may send the commit with its last statements; otherwise it is sent when `work` is done
 * @param queueKey whose queue slots it takes; absent: not those of the team's changes, behind which a revocation must not wait
 * @throws AppError as the changes of one row do; what `work` throws
 */
export function executeUnrecorded<T>(
  ctx: StoreContext,
  tenancy: Tenancy,
  work: (tx: Pipeline) => Promise<T>,
  queueKey = `unrecorded ${tenancy.teamId}`,
): Promise<T> {
  return attempt(ctx, queueKey, null, () =>
    withSql(
      ctx,
      tenancy,
      async ({ pipeline }) => {
        const done = await work(pipeline);
        if (!pipeline.isCommitted) await pipeline.commit();
        return done;
      },
      null,
    ),
  );
}

/** Runs a transaction as soon as there is a queue slot for `queueKey`. Serialization failures and deadlocks are retried. */
async function attempt<T>(
  ctx: StoreContext,
  queueKey: string,
  keyHash: string | null,
  transaction: () => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    let isBegun = false;
    const begin = () => {
      isBegun = true;
      return transaction();
    };
    try {
      return await ctx.store.changing.run(queueKey, begin, ctx.signal);
    } catch (error) {
      // The transaction got no slot: too many were waiting, or the request ended while it waited.
      if (!isBegun && error instanceof AppError) throw nothingChanged(error);
      if (isLockTimeout(error)) throw lockTimeout(keyHash !== null);
      if (!isConflictOfTransactions(error) || attempts === MAX_ATTEMPTS) throw toStoreError(error);
      await sleep(Math.random() * MAX_PAUSE_MS * 2 ** (attempts - 1));
    }
  }
}

async function followUp({ store }: StoreContext, { endpoints, change }: ChangeResult): Promise<void> {
  store.deliveries.notify(endpoints);
  await store.placement.follow(change);
}

function toChanged(made: ChangeResult | UnchangedResult): Changed {
  if ('unchanged' in made) return { snapshot: made.unchanged };
  const { change, rows } = made;
  const snapshot = change.after ?? change.before;
  if (snapshot === null) throw new TypeError('A change has no snapshot');
  return { snapshot, rows: rows + (change.rows ?? 0) };
}
