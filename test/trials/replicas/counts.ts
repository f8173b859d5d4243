// What each server has done, by its own account: reads of contacts (pg_stat_statements), and the processor time of its processes.
import type pg from 'pg';
import { processorMs } from '../processor-time.ts';
import type { Node } from './topology.ts';

/** By id, and pages: whatever shows contacts to a caller. */
const READS = `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
  where query like 'select %' and query ~ '(from|join) contacts t' and query !~ 'for (no key )?update'`;

/** How often contacts were read at a server since it was started. */
export async function readsOf({ pool }: Pick<Node, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(READS);
  return rows[0]?.calls ?? 0;
}

/** Reads of contacts while something is done, by the server's name. @returns them, and the share of one server */
export async function countReads(
  nodes: readonly Node[],
  work: () => Promise<void>,
): Promise<{ of: ReadonlyMap<string, number>; total: number; share(name: string): number }> {
  const before = await Promise.all(nodes.map(readsOf));
  await work();
  const after = await Promise.all(nodes.map(readsOf));
  const of = new Map(
    nodes.map(({ server }, index) => [server.name, (after[index] ?? 0) - (before[index] ?? 0)]),
  );
  const total = [...of.values()].reduce((sum, one) => sum + one, 0);
  return { of, total, share: (name) => (of.get(name) ?? 0) / total };
}

/** Processor time of a server's connections while something is done, in milliseconds. Of those that end meanwhile nothing is counted. */
export async function processorTimeOf({ pool }: Node, work: () => Promise<unknown>): Promise<number> {
  const now = async () => {
    const { rows } = await pool.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type in ('client backend', 'walsender') and pid <> pg_backend_pid()",
    );
    const times = rows.map(async ({ pid }) => [pid, await processorMs([pid]).catch(() => 0)] as const);
    return new Map(await Promise.all(times));
  };
  const before = await now();
  await work();
  let total = 0;
  for (const [pid, ms] of await now()) total += Math.max(0, ms - (before.get(pid) ?? 0));
  return total;
}

/** How often a statement was executed at a server. */
export async function callsOf({ pool }: { pool: pg.Pool }, pattern: string): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(
    'select coalesce(sum(calls), 0)::int as calls from pg_stat_statements where query ~ $1',
    [pattern],
  );
  return rows[0]?.calls ?? 0;
}

/** How many statements gateways have had executed at a server, but for what they ask at intervals, and what is asked here. */
export async function statementsOf({ pool }: Node): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
      where query !~ 'horizons[(]|pg_stat_|^(begin|commit|set|select set_config)|pg_notify'`,
  );
  return rows[0]?.calls ?? 0;
}
