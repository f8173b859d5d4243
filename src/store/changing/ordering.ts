// The order of the rows below one parent. It changes only while the parent is locked, so that no two rows get the same position.
import type { Executor } from '../connections/executor.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';
import { tableNamed } from '../tables/tables.ts';
import { lockRow } from './lock-row.ts';
import { timeOf, versionColumns } from './records.ts';

type Noun = Table<{ id: bigint }>;
type Tx = Pick<Executor, '$queryRawUnsafe' | '$executeRawUnsafe'>;

/** A locked parent, and the rows below it. */
export interface LockedPositions {
  readonly workspaceId: bigint;
  /** In their order. */
  readonly ids: readonly bigint[];
}

/** Locks the parent of rows of an ordered table; null if the caller owns no such parent. @param tenancy from `Placement.nameWorkspaces` */
export async function lockPositions(
  tx: Tx,
  { name, parent, owned }: Noun,
  tenancy: Tenancy,
  parentId: bigint,
): Promise<LockedPositions | null> {
  const locked = await lockRow(tx, { name: parent.table, visible: 'true', owned }, tenancy, parentId);
  if (locked === null) return null;
  const { text } = statement(
    `${name}.order`,
    () =>
      `select c.id from ${name} c where c.workspace_id = $1::bigint and c.${parent.column} = $2::bigint order by c.position, c.id`,
  );
  const rows = await tx.$queryRawUnsafe<{ id: bigint }[]>(text, locked.workspaceId, parentId);
  return { ...locked, ids: rows.map(({ id }) => id) };
}

/**
 * Gives all rows below a locked parent a new order, with positions from 0. The parent changes with them.
 * @param ids all of them, in the new order @returns those whose position has changed
 */
export async function setOrder(
  tx: Tx,
  table: Noun,
  workspaceId: bigint,
  parentId: bigint,
  ids: readonly bigint[],
): Promise<bigint[]> {
  const { name, parent } = table;
  const order = statement(
    `${name}.reorder`,
    () => `update ${name} c set position = o.place - 1, ${versionColumns('$4')}
      from unnest($3::bigint[]) with ordinality o (id, place)
      where c.workspace_id = $1::bigint and c.${parent.column} = $2::bigint and c.id = o.id and c.position <> o.place - 1
      returning c.id`,
  );
  const moved = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    ...[order.text, workspaceId, parentId, ids, await timeOf(tx, table)],
  );
  const touch = statement(
    `${name}.reordered`,
    () =>
      `update ${parent.table} c set ${versionColumns('$3')} where c.workspace_id = $1::bigint and c.id = $2::bigint`,
  );
  const now = await timeOf(tx, tableNamed(parent.table));
  await tx.$executeRawUnsafe(touch.text, workspaceId, parentId, now);
  return moved.map(({ id }) => id);
}
