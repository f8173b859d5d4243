// A change of one row that no field is given for, such as activating an endpoint: in steps, under the row's lock, and recorded as every
// change is.
import type { Permitted } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { AppError } from '../errors.ts';
import { snapshotRows } from '../rows/snapshot-rows.ts';
import { executeSteps, type NotMade } from '../store/changing/changes.ts';
import type { ChangeRecord, Unchanged } from '../store/changing/record-change.ts';
import type { Recorded } from '../store/changing/records.ts';
import { findContactOf, findSnapshots } from '../store/changing/snapshots.ts';
import type { Tenancy } from '../store/sql/tenancy.ts';
import type { Transaction } from '../store/store.ts';
import type { Table } from '../store/tables/table.ts';
import { type Done, mutate } from './mutate.ts';
import { parseRef, type Ref } from './refs.ts';
import type { WriteOptions } from './write-options.ts';

interface LockedChange<Row, Locked> {
  /** Who makes it. */
  readonly by: Permitted;
  /** What stands behind the dot in the action of the audit entry. */
  readonly action: string;
  /** What a client said: the retry of a request says the same. */
  readonly given?: unknown;
  /** Locks the row until the transaction ends; null where there is none that is the caller's. */
  lock(tx: Transaction, tenancy: Tenancy, id: bigint): Promise<Locked | null>;
  /** What If-Match is about, where a GET shows more than the row. */
  represent?(id: bigint): Promise<object>;
  /** Why it cannot be made; null where it can. @throws AppError where the caller may not */
  refuse?(locked: Locked, before: Row): AppError | null;
  /** Whether it would change anything; absent: it always does. */
  isChange?(locked: Locked, before: Row, recorded: Recorded): boolean;
  make(tx: Transaction, locked: Locked, before: Row, recorded: Recorded): Promise<void>;
  /** How many rows it has then made beside this one; absent: none. */
  rows?(): number;
}

/** @throws AppError `not_found`; what `refuse` gives, except to the retry of a change that was made; as `mutate` does */
export async function changeLocked<Row extends { id: bigint }, Locked extends { workspaceId: bigint }>(
  ctx: Context,
  table: Table<Row>,
  ref: Ref,
  options: WriteOptions,
  { by, action, given = null, lock, represent, refuse, isChange, make, rows }: LockedChange<Row, Locked>,
): Promise<Done<Row>> {
  const { title, name, resource } = table;
  const id = parseRef(title, name, ref);
  const { fits } = options;
  const toRow = snapshotRows<Row>(resource);
  let refusal: AppError | null = null;

  async function work(
    tx: Transaction,
    tenancy: Tenancy,
    recorded: Recorded,
  ): Promise<ChangeRecord | Unchanged | NotMade> {
    refusal = null;
    const locked = await lock(tx, tenancy, id);
    if (locked === null) return 'not_found';
    const { workspaceId } = locked;
    const [before = ''] = await findSnapshots(tx, table, workspaceId, [id]);
    // Read beside the transaction: the lock keeps the row as it is.
    if (fits !== null && !fits((await represent?.(id)) ?? toRow(before))) return 'unfit';
    refusal = refuse?.(locked, toRow(before)) ?? null;
    if (refusal !== null) return 'unfit';
    if (isChange?.(locked, toRow(before), recorded) === false) return { workspaceId, unchanged: before };
    await make(tx, locked, toRow(before), recorded);
    const [after = null] = await findSnapshots(tx, table, workspaceId, [id]);
    const contactId = await findContactOf(tx, table, workspaceId, id);
    const snapshots = { subjectId: id, contactId, before, after, events: [] };
    return { workspaceId, resource, action, outcome: 'updated', rows: rows?.() ?? 0, ...snapshots };
  }

  return mutate(ctx, {
    by,
    options,
    title,
    outcome: 'updated',
    request: [action, name, id, given],
    subject: { table, id },
    asksItself: true,
    change: (recorded) => executeSteps(ctx, recorded, (tx, tenancy) => work(tx, tenancy, recorded)),
    unfit: () => refusal,
    toRow,
  });
}
