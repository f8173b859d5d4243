// Which workspace a row is in that is known by its id alone: where Citus distributes a store, that says which shard has it. A table of
// its own, distributed by the id, so that one shard is asked. `distribute` makes it, so that a store of one PostgreSQL has none.
//
// It is a hint. What it knows nothing of is looked for in all workspaces that the caller reaches, so that rows may come by any way; what
// it says of rows that are gone, or somebody else's, the statement that it is for finds out.
import type pg from 'pg';
import { NOUNS } from '../../resources/nouns.ts';
import { above } from '../../resources/resource.ts';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import type { Executor } from '../connections/executor.ts';
import type { Readers } from '../pipelining/readers.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';

/** In a schema of its own: it is no part of what the gateway keeps, and is not backed up. */
const SCHEMA = 'funnel_gateway_places';
const PLACES = `${SCHEMA}.places`;

/** Those below a workspace whose rows clients name by their ids. Of what there is much of the places would be as much again. */
const PLACED: readonly PublicIdTable[] = NOUNS.filter(
  (noun) => noun.numerous !== true && above(noun).some(({ table }) => table === 'workspaces'),
).map(({ table }) => table);

/** Rows of a table, by their ids. */
export interface KnownRows {
  readonly table: string;
  readonly ids: readonly bigint[];
}

/** Whether there is a place for rows of a table. */
function isPlaced(table: string): table is PublicIdTable {
  return (PLACED as readonly string[]).includes(table);
}

const WORKSPACES_OF: Statement = {
  name: 'places.of_rows',
  text: `select p.workspace_id from ${PLACES} p where p.type_number = $1::int and p.id = any($2::bigint[])`,
};

/** The workspaces of rows; null where it does not know all of them. @throws the driver's error */
export async function findPlaces(
  lookups: Pick<Readers, 'read'>,
  { table, ids }: KnownRows,
): Promise<bigint[] | null> {
  if (!isPlaced(table)) return null;
  const distinct = [...new Set(ids)];
  const rows = await lookups.read(WORKSPACES_OF, [TYPE_NUMBER[table], distinct]);
  if (rows.length < distinct.length) return null;
  return [...new Set(rows.map((block, index) => BigInt(textOf(new BlockRow(block, index), 0) ?? 0)))];
}

/** The workspace of one row, asked within a transaction; null where it knows nothing of it. */
export async function findPlace(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table: string,
  id: bigint,
): Promise<bigint | null> {
  if (!isPlaced(table)) return null;
  const [found] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(
    `select p.workspace_id as "workspaceId" from ${PLACES} p where p.type_number = $1::int and p.id = $2::bigint`,
    TYPE_NUMBER[table],
    id,
  );
  return found?.workspaceId ?? null;
}

/**
 * Keeps the workspace of a row that was created, forgets one that was deleted: after the commit. Within it the change would be on two
 * nodes, and if one of them failed between the two phases of a commit, appear there up to a minute later, behind those who walk through the
 * list. The change is made, whatever becomes of its place.
 */
export async function followChange(
  db: Pick<Executor, '$executeRawUnsafe'>,
  {
    resource: { table },
    action,
    subjectId,
    workspaceId,
  }: { resource: { table: string }; action: string; subjectId: bigint; workspaceId: bigint },
): Promise<void> {
  if (!isPlaced(table)) return;
  try {
    if (action === 'created') await db.$executeRawUnsafe(KEEP, TYPE_NUMBER[table], subjectId, workspaceId);
    if (action === 'deleted') await db.$executeRawUnsafe(FORGET, TYPE_NUMBER[table], subjectId);
  } catch {
    // What has no place is looked for in all workspaces.
  }
}

const KEEP = `insert into ${PLACES} (type_number, id, workspace_id) values ($1::int, $2::bigint, $3::bigint) on conflict do nothing`;
const FORGET = `delete from ${PLACES} where type_number = $1::int and id = $2::bigint`;

/** Makes the table, and puts the rows into it that are there. @param shards how many it is cut into */
export async function makePlaces(client: Pick<pg.ClientBase, 'query'>, shards: number): Promise<void> {
  await client.query(`create schema ${SCHEMA}`);
  await client.query(
    `create table ${PLACES} (type_number integer not null, id bigint not null, workspace_id bigint not null, primary key (id, type_number))`,
  );
  await client.query(
    `select create_distributed_table('${PLACES}', 'id', colocate_with => 'none', shard_count => $1::int)`,
    [shards],
  );
  for (const table of PLACED)
    await client.query(
      `insert into ${PLACES} (type_number, id, workspace_id) select ${TYPE_NUMBER[table]}, id, workspace_id from ${table}`,
    );
}

/** Whether the table is there. */
export async function hasPlaces(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ made: boolean }>(
    `select to_regclass('${PLACES}') is not null as made`,
  );
  return rows[0]?.made === true;
}
