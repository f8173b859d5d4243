// Where the rows of a distributed store are, and how many shards a statement asks.
import pg from 'pg';
import { PLAN_SETTINGS } from '../../../src/store/pipelining/session.ts';
import type { Statement } from '../../../src/store/sql/statements.ts';
import type { Store } from '../../../src/store/store.ts';

/** To how many shards a statement goes; what is read on the coordinator itself, as reference tables are, counts as none. */
export async function countTasks(store: Store, { text }: Statement, values: unknown[]): Promise<number> {
  const client = new pg.Client(store.connection);
  await client.connect();
  try {
    await client.query(PLAN_SETTINGS);
    await client.query(`prepare planned as ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute planned${values.length === 0 ? '' : `(${values.map(literal)})`}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [...plan.matchAll(/Task Count: (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  } finally {
    await client.end();
  }
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? `'{${value}}'` : `'${value}'`;
}

interface Node {
  readonly name: string;
  readonly port: number;
}

interface Placement extends Node {
  readonly shard: string;
}

/** The shard of contacts that a workspace's rows are in, with which those of the other tables move. */
async function placementOf(pool: pg.Pool, workspaceId: unknown): Promise<Placement> {
  const { rows } = await pool.query<Placement>(
    `select s.shard::text, nodename as name, nodeport as port
      from (select get_shard_id_for_distribution_column('contacts', $1::bigint) as shard) s
      join pg_dist_placement p on p.shardid = s.shard join pg_dist_node using (groupid)`,
    [workspaceId],
  );
  const [placement] = rows;
  if (placement === undefined || rows.length !== 1)
    throw new Error(`The workspace is on ${rows.length} nodes`);
  return placement;
}

/** Moves what a workspace has to the other worker. @returns whether it is there, and how long it took */
export async function moveWorkspace(
  pool: pg.Pool,
  workspaceId: unknown,
): Promise<{ isMoved: boolean; seconds: number; shard: string }> {
  const from = await placementOf(pool, workspaceId);
  const { rows } = await pool.query<Node>(
    `select nodename as name, nodeport as port from pg_dist_node
      where noderole = 'primary' and shouldhaveshards and nodeport <> $1 order by nodeport limit 1`,
    [from.port],
  );
  const [to] = rows;
  if (to === undefined) throw new Error('There is one worker only');
  const started = performance.now();
  await pool.query(
    "select citus_move_shard_placement($1::bigint, $2, $3::int, $4, $5::int, shard_transfer_mode := 'force_logical')",
    [from.shard, from.name, from.port, to.name, to.port],
  );
  const seconds = (performance.now() - started) / 1_000;
  const now = await placementOf(pool, workspaceId);
  return { isMoved: now.port === to.port, seconds, shard: from.shard };
}
