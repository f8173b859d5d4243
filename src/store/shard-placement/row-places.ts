// Finds the workspace of a row, and so its shard, from the id alone, in a store that Citus distributes. It queries one shard of a separate
// table that is distributed by the id. `distribute` creates the table, so a store on a single PostgreSQL has none.
//
// The table is only a hint. Rows without a hint are looked up in all workspaces that the caller can access, so rows can be inserted by any
// means. If a hint refers to a row that is deleted or belongs to another tenant, the statement that uses the hint does not find it.
import type pg from 'pg';
import { isInWorkspace } from '../../resources/description/ancestors.ts';
import { NOUNS } from '../../resources/nouns.ts';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import type { Executor } from '../connections/executor.ts';
import type { Readers } from '../pipelining/readers.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';

/** A separate schema, because the table is derived data and not backed up. Its name is older than this file's. */
const SCHEMA = 'funnel_gateway_places';
const ROW_WORKSPACES = `${SCHEMA}.places`;

/**
 * Tables below a workspace whose rows clients address by id. Very large tables are left out, because their hints would take as much space
 * again.
 */
const RECORDED: readonly PublicIdTable[] = NOUNS.filter(
  (noun) => noun.numerous !== true && isInWorkspace(noun),
).map(({ table }) => table);

/** Rows of one table, by id. */
export interface KnownRows {
  readonly table: string;
  readonly ids: readonly bigint[];
}

/** A change of a row. */
export interface FollowedChange {
  readonly resource: { readonly table: string };
  readonly action: string;
  readonly subjectId: bigint;
  readonly workspaceId: bigint;
}

/** Whether the workspaces of a table's rows are recorded. */
function isRecorded(table: string): table is PublicIdTable {
  return (RECORDED as readonly string[]).includes(table);
}

const WORKSPACES_OF: Statement = {
  name: 'places.of_rows',
  text: `select p.workspace_id from ${ROW_WORKSPACES} p where p.type_number = $1::int and p.id = any($2::bigint[])`,
};

/** Finds the workspaces of rows; null if some are unknown. @throws the driver's error */
export async function findWorkspaces(
  lookups: Pick<Readers, 'read'>,
  { table, ids }: KnownRows,
): Promise<bigint[] | null> {
  if (!isRecorded(table)) return null;
  const distinct = [...new Set(ids)];
  const rows = await lookups.read(WORKSPACES_OF, [TYPE_NUMBER[table], distinct]);
  if (rows.length < distinct.length) return null;
  return [...new Set(rows.map((block, index) => BigInt(textOf(new BlockRow(block, index), 0) ?? 0)))];
}

/** Reads the workspace of one row within a transaction; null if it is unknown. */
export async function findWorkspace(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table: string,
  id: bigint,
): Promise<bigint | null> {
  if (!isRecorded(table)) return null;
  const [found] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(
    `select p.workspace_id as "workspaceId" from ${ROW_WORKSPACES} p where p.type_number = $1::int and p.id = $2::bigint`,
    TYPE_NUMBER[table],
    id,
  );
  return found?.workspaceId ?? null;
}

/**
 * Records the workspace of a created row, or deletes that of a deleted row, after the commit. Within the transaction, the change would be
 * on two nodes: if one failed between the two phases of the commit, the row could appear up to a minute late, behind the cursors of clients
 * that page through the list. A failure here does not affect the change.
 */
export async function followChange(
  db: Pick<Executor, '$executeRawUnsafe'>,
  { resource: { table }, action, subjectId, workspaceId }: FollowedChange,
): Promise<void> {
  if (!isRecorded(table)) return;
  try {
    if (action === 'created') await db.$executeRawUnsafe(KEEP, TYPE_NUMBER[table], subjectId, workspaceId);
    if (action === 'deleted') await db.$executeRawUnsafe(FORGET, TYPE_NUMBER[table], subjectId);
  } catch {
    // A row without a hint is looked up in all workspaces.
  }
}

const KEEP = `insert into ${ROW_WORKSPACES} (type_number, id, workspace_id) values ($1::int, $2::bigint, $3::bigint) on conflict do nothing`;
const FORGET = `delete from ${ROW_WORKSPACES} where type_number = $1::int and id = $2::bigint`;

/** Creates the table and fills it from the existing rows. @param shards the number of its shards */
export async function makeRowWorkspaces(client: Pick<pg.ClientBase, 'query'>, shards: number): Promise<void> {
  await client.query(`create schema ${SCHEMA}`);
  await client.query(
    `create table ${ROW_WORKSPACES} (type_number integer not null, id bigint not null, workspace_id bigint not null, primary key (id, type_number))`,
  );
  await client.query(
    `select create_distributed_table('${ROW_WORKSPACES}', 'id', colocate_with => 'none', shard_count => $1::int)`,
    [shards],
  );
  for (const table of RECORDED)
    await client.query(
      `insert into ${ROW_WORKSPACES} (type_number, id, workspace_id) select ${TYPE_NUMBER[table]}, id, workspace_id from ${table}`,
    );
}

/** Whether the table exists. */
export async function hasRowWorkspaces(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ made: boolean }>(
    `select to_regclass('${ROW_WORKSPACES}') is not null as made`,
  );
  return rows[0]?.made === true;
}
