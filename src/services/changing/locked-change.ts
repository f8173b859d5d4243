// A change of one row that is not made by setting fields, such as activating an endpoint. It runs in steps under the row's lock, and is
// recorded like every other change.
import type { Permitted } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { AppError } from '../../errors.ts';
import { executeSteps, type NotMade } from '../../store/changing/changes.ts';
import type { ChangeRecord, Recorded, Unchanged } from '../../store/changing/records.ts';
import { findContactOf, findSnapshots } from '../../store/changing/snapshots.ts';
import type { Executor } from '../../store/connections/executor.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Table } from '../../store/tables/table.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { rowsFor } from '../reading/needed-scopes.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { type Done, mutate } from './mutate.ts';

interface LockedChange<Row, Locked> {
  /** The caller. */
  readonly by: Permitted;
  /** The part after the dot in the action of the audit entry. */
  readonly action: string;
  /** The client's input. A retry of the request must have the same. */
  readonly given?: unknown;
  /** Locks the row until the transaction ends; null when there is no such row or the caller does not own it. */
  lock(tx: Executor, tenancy: Tenancy, id: bigint): Promise<Locked | null>;
  /** The representation that If-Match refers to, where a GET shows more than the row. */
  represent?(id: bigint): Promise<object>;
  /** Why the change cannot be made; null when it can. @throws AppError when the caller may not make it */
  refuse?(locked: Locked, before: Row): AppError | null;
  /** Whether the change would have an effect; absent: it always has. */
  isChange?(locked: Locked, before: Row, recorded: Recorded): boolean;
  make(tx: Executor, locked: Locked, before: Row, recorded: Recorded): Promise<void>;
  /** How many other rows the change has then created; absent: none. */
  rows?(): number;
  /** The events of the change, those of `children` among them; absent: none. */
  events?(): ChangeRecord['events'];
  /** The other rows that it has changed, each with an audit entry of its own; absent: none. */
  children?(): ChangeRecord['children'];
}

/** @throws AppError `not_found`; the error of `refuse`, except for the retry of a change that was made; as `mutate` does */
export async function changeLocked<Row extends { id: bigint }, Locked extends { workspaceId: bigint }>(
  ctx: Context,
  table: Table<Row>,
  ref: Ref,
  options: WriteOptions,
  {
    by,
    action,
    given = null,
    lock,
    represent,
    refuse,
    isChange,
    make,
    rows,
    events,
    children,
  }: LockedChange<Row, Locked>,
): Promise<Done<Row>> {
  const { title, name, resource } = table;
  const id = parseRef(title, name, ref);
  const { precondition } = options;
  const toRow = rowsFor<Row>(ctx, resource);
  let refusal: AppError | null = null;

  async function work(
    tx: Executor,
    tenancy: Tenancy,
    recorded: Recorded,
  ): Promise<ChangeRecord | Unchanged | NotMade> {
    refusal = null;
    const locked = await lock(tx, tenancy, id);
    if (locked === null) return 'not_found';
    const { workspaceId } = locked;
    const [before = ''] = await findSnapshots(tx, table, workspaceId, [id]);
    // Read outside the transaction: the lock keeps the row unchanged.
    if (precondition !== null && !precondition((await represent?.(id)) ?? toRow(before)))
      return 'precondition';
    refusal = refuse?.(locked, toRow(before)) ?? null;
    if (refusal !== null) return 'precondition';
    if (isChange?.(locked, toRow(before), recorded) === false) return { workspaceId, unchanged: before };
    await make(tx, locked, toRow(before), recorded);
    const [after = null] = await findSnapshots(tx, table, workspaceId, [id]);
    const contactId = await findContactOf(tx, table, workspaceId, id);
    const snapshots = {
      subjectId: id,
      contactId,
      before,
      after,
      events: events?.() ?? [],
      children: children?.() ?? [],
    };
    return { workspaceId, resource, action, outcome: 'updated', rows: rows?.() ?? 0, ...snapshots };
  }

  return mutate(ctx, {
    by,
    options,
    title,
    outcome: 'updated',
    request: [action, name, id, given],
    subject: { table, id },
    takesPrecondition: true,
    change: (recorded) => executeSteps(ctx, recorded, (tx, tenancy) => work(tx, tenancy, recorded)),
    refusal: () => refusal,
    toRow,
  });
}
