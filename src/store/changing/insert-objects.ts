// Inserts rows of a noun whose columns are given by name.
import type { Executor } from '../connections/executor.ts';
import type { Table } from '../tables/table.ts';
import { insertRows } from './insert-rows.ts';
import { typeOfColumn } from './statements.ts';

/** Inserts rows of a noun that all have the same columns. @param unshown the types of columns that are not fields @returns their ids */
export async function insertObjects(
  tx: Executor,
  { name, resource }: Table<{ id: bigint }>,
  workspaceId: bigint,
  rows: readonly Readonly<Record<string, unknown>>[],
  unshown: Readonly<Record<string, string>> = {},
): Promise<bigint[]> {
  const columns = Object.keys(rows[0] ?? {});
  const inserted = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into ${name} (${['workspace_id', ...columns].join(', ')})`,
    workspaceId,
    // A column of the type json keeps the order of members.
    types: columns.map(
      (column) => unshown[column] ?? typeOfColumn(resource, column).replace('jsonb', 'json'),
    ),
    rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
    returning: 'id',
  });
  return inserted.map(({ id }) => id);
}
