// A change of one row that is not made by setting fields, such as activating an endpoint. It runs in steps under the row's lock, and is
// recorded like every other change.
import type { Permitted } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { notFound, preconditionFailed } from '../../errors.ts';
import type { ChangeOrigin, ChangeRecord } from '../../store/changing/records.ts';
import { findContactOf, findSnapshots } from '../../store/changing/snapshots.ts';
import { withSql } from '../../store/changing/transactions.ts';
import type { Executor } from '../../store/connections/executor.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Table } from '../../store/tables/table.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { rowsFor } from '../reading/needed-scopes.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import type { ChangeAnswer } from './mutate.ts';
import { changeStepwise, type StepwiseChange } from './stepwise-change.ts';

/**
 * What a change does in addition to changing its row: the number of other rows that it creates; its events, including those of
 * `children`, and the page where they happened; the other rows that it changes, each with its own audit entry. Absent: none.
 */
export type ChangeEffects = Partial<Pick<ChangeRecord, 'rows' | 'events' | 'pageId' | 'children'>>;

interface LockedChange<Row, Locked>
  extends Pick<StepwiseChange<Row, 'updated', Executor>, 'meanwhile' | 'blame'> {
  /** The caller. */
  readonly by: Permitted;
  /** The part after the dot in the action of the audit entry. */
  readonly action: string;
  /** The client's input. A retry of the request must have the same. */
  readonly given?: unknown;
  /** Locks the row until the transaction ends; null when there is no such row or the caller does not own it. */
  lock(tx: Executor, tenancy: Tenancy, id: bigint): Promise<Locked | null>;
  /** The representation that If-Match refers to, if a GET shows more than the row. */
  represent?(id: bigint): Promise<object>;
  /** Makes the change. @returns null: the row already is as requested @throws AppError if the change is refused */
  make(tx: Executor, locked: Locked, before: Row, recorded: ChangeOrigin): Promise<ChangeEffects | null>;
}

/** @throws AppError `not_found`; the error of `make`, except for the retry of a change that was made; as `mutate` does */
export function changeLocked<Row extends { id: bigint }, Locked extends { workspaceId: bigint }>(
  ctx: Context,
  table: Table<Row>,
  ref: Ref,
  options: WriteOptions,
  { by, action, given = null, lock, represent, make, ...rest }: LockedChange<Row, Locked>,
): Promise<ChangeAnswer<Row>> {
  const { title, name, resource } = table;
  const id = parseRef(title, name, ref);
  const { precondition } = options;
  const toRow = rowsFor<Row>(ctx, resource);
  return changeStepwise(ctx, withSql, {
    by,
    options,
    outcome: 'updated',
    request: [action, name, id, given],
    subject: { table, id },
    takesPrecondition: true,
    async make(tx, tenancy, recorded) {
      const locked = await lock(tx, tenancy, id);
      if (locked === null) throw notFound(title);
      const { workspaceId } = locked;
      const [before = ''] = await findSnapshots(tx, table, workspaceId, [id]);
      const row = toRow(before);
      // Read outside the transaction: the lock keeps the row unchanged.
      if (precondition !== null && !precondition((await represent?.(id)) ?? row)) throw preconditionFailed();
      const effects = await make(tx, locked, row, recorded);
      if (effects === null) return { workspaceId, unchanged: before };
      const [[after = null], contactId] = await Promise.all([
        findSnapshots(tx, table, workspaceId, [id]),
        findContactOf(tx, table, workspaceId, id),
      ]);
      const subject = { subjectId: id, contactId, before, after };
      return { workspaceId, resource, action, outcome: 'updated', events: [], ...effects, ...subject };
    },
    toRow,
    ...rest,
  });
}
