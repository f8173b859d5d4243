// Which workspace a row is in that is known by its id alone: where Citus distributes a store, that says which shard has it. A table of
// its own, distributed by the id, so that one shard is asked. `distribute` makes it, so that a store of one PostgreSQL has none.
//
// It is a hint. What it knows nothing of is looked for in all workspaces that the caller reaches, so that rows may come by any way; what
// it says of rows that are gone, or somebody else's, the statement that it is for finds out.
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../public-ids.ts';
import type { Readers } from '../readers.ts';
import type { Statement } from '../statements.ts';

/** In a schema of its own: it is no part of what the gateway keeps, and is not backed up. */
const SCHEMA = 'funnel_gateway_places';
export const PLACES = `${SCHEMA}.places`;

/** Those whose rows clients name by their ids. What ages (events, deliveries, audit entries) would be as much again, and is not here. */
const PLACED = [
  'contacts',
  'tags',
  'contact_tags',
  'refine_filters',
  'webhook_endpoints',
  'funnels',
  'pages',
  'funnel_steps',
] as const satisfies readonly PublicIdTable[];

type PlacedTable = (typeof PLACED)[number];

/** Rows of a table, by their ids. */
export interface KnownRows {
  readonly table: string;
  readonly ids: readonly bigint[];
}

/** What executes a statement within a transaction. */
interface Execution {
  $executeRawUnsafe(text: string, ...values: unknown[]): PromiseLike<number>;
}

/** Whether there is a place for rows of a table. */
function isPlaced(table: string): table is PlacedTable {
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

/** Keeps the workspace of a row that the transaction makes. */
export async function keepPlace(
  tx: Execution,
  table: string,
  id: bigint,
  workspaceId: bigint,
): Promise<void> {
  if (!isPlaced(table)) return;
  await tx.$executeRawUnsafe(
    `insert into ${PLACES} (type_number, id, workspace_id) values ($1::int, $2::bigint, $3::bigint) on conflict do nothing`,
    TYPE_NUMBER[table],
    id,
    workspaceId,
  );
}

/** Forgets a row that the transaction deletes. */
export async function dropPlace(tx: Execution, table: string, id: bigint): Promise<void> {
  if (!isPlaced(table)) return;
  await tx.$executeRawUnsafe(
    `delete from ${PLACES} where type_number = $1::int and id = $2::bigint`,
    TYPE_NUMBER[table],
    id,
  );
}

/** Makes the table, and puts the rows into it that are there. @param shards how many it is cut into */
export async function makePlaces(
  client: { query(text: string, values?: unknown[]): Promise<unknown> },
  shards: number,
): Promise<void> {
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

/** Whether the table is there, as SQL. */
export const HAS_PLACES = `to_regclass('${PLACES}') is not null`;
