// The guards of two phases are taken out: in the database and in Redis, since nothing in the gateway can switch them off. Positions of the
// primary's log are those of its very beginning, which every replica has replayed: each then seems to have all that was written. Redis
// forgets at once who has written.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilReplayed } from './scene.ts';
import type { Topology } from './topology.ts';

const NAME = 'pg_current_wal_insert_lsn';

/** Does something without the guard, and puts it back. */
export async function withoutPositions(topology: Topology, work: () => Promise<void>): Promise<void> {
  const { pool } = topology.primary;
  const { redisPort } = topology;
  const forget = ['-p', String(redisPort), '-r', '-1', '-i', '0.001', 'flushall'];
  const forgetting = redisPort === null ? null : spawn('redis-cli', forget, { stdio: 'ignore' });
  await pool.query(
    `create function public.${NAME}() returns pg_lsn language sql as $$ select '0/1000'::pg_lsn $$`,
  );
  // PostgreSQL's own functions come first, unless the path says otherwise.
  await pool.query('alter database postgres set search_path = public, pg_catalog');
  try {
    await connectAnew(topology);
    await work();
  } finally {
    forgetting?.kill();
    await pool.query('alter database postgres reset search_path');
    await pool.query(`drop function public.${NAME}()`);
    await connectAnew(topology);
  }
}

/** Ends every connection of the gateways to the primary, and waits until they read from replicas again. */
async function connectAnew(topology: Topology): Promise<void> {
  await topology.primary.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'funnel-gateway%'",
  );
  await untilReplayed(topology);
  await sleep(2_000);
}
