// Finds sessions that wait for a lock. In a distributed store they wait at the node that has the row.
import pg from 'pg';
import { expect, inject } from 'vitest';
import type { App } from '../../src/context.ts';

const WAITING = "datname = current_database() and wait_event_type = 'Lock'";

/** Waits until `count` sessions wait for a lock. */
export async function untilWaiting(app: App, count: number): Promise<void> {
  await expect.poll(() => countWaiting(app), { timeout: 20_000 }).toBe(count);
}

/** Waits until `work` is done, or a session waits for a lock. */
export async function untilDoneOrWaiting(app: App, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  await expect.poll(async () => isDone || (await countWaiting(app)) > 0, { timeout: 20_000 }).toBe(true);
  if (isDone) await done;
}

async function countWaiting(app: App): Promise<number> {
  return (await atEachNode(app, `select from pg_stat_activity where ${WAITING}`)).flat().length;
}

/**
 * Waits until a statement waits for a lock that has not been seen before. A statement that has continued may still be listed as waiting.
 * @param seen the statements seen before; the new one is added
 */
export async function untilAnotherWaits(app: App, seen: Set<string>): Promise<void> {
  const waits = `select pid || ' ' || query_start as key from pg_stat_activity where ${WAITING}`;
  await expect
    .poll(
      async () => {
        const keys = ((await atEachNode(app, waits)).flat() as { key: string }[]).map(({ key }) => key);
        const another = keys.filter((key) => !seen.has(key));
        for (const key of another) seen.add(key);
        return another.length;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
}

/** Terminates the session that has waited longest for a row lock. */
export async function endLongestWait(app: App): Promise<void> {
  await atEachNode(
    app,
    `select pg_terminate_backend(pid) from pg_stat_activity where ${WAITING} and wait_event <> 'advisory' order by query_start limit 1`,
  );
}

/** The answers of all servers that have rows. */
async function atEachNode({ store: { pool } }: App, statement: string): Promise<object[][]> {
  const { rows } = await pool.query<{ name: string }>('select current_database() as name');
  const here = pool.query<object>(statement);
  const there = inject('workerUrls').map(async (url) => {
    const client = new pg.Client({ connectionString: url.replace(/\w+$/, rows[0]?.name ?? '') });
    await client.connect();
    return client.query<object>(statement).finally(() => client.end());
  });
  return (await Promise.all([here, ...there])).map((answer) => answer.rows);
}
