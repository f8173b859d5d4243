// The lock for migrations: Prisma's own, so that `prisma migrate` never runs at the same time. It is polled instead of waited for: a waiting
// statement has a snapshot, and `create index concurrently`, which the holder may be executing, waits for all transactions that have one.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { LIFT_SESSION_LIMITS } from '../connections/time-limits.ts';

/** Prisma's key. */
const LOCK = 72_707_369;
const PAUSE_MS = 100;

/** Keeps others from migrating for as long as the connection lasts; waits for those who hold the lock. */
export async function takeMigrationLock(client: pg.ClientBase): Promise<void> {
  while (!(await tryLock(client, 'pg_try_advisory_lock'))) await sleep(PAUSE_MS);
}

/**
 * The same until the connection's transaction ends, which is begun for this. A pooler could keep a session's lock after the client is gone.
 * Each try has a transaction of its own: the holder waits for the end of one that it has seen with a snapshot.
 */
export async function takeMigrationLockAlone(client: pg.ClientBase): Promise<void> {
  for (;;) {
    await client.query('begin isolation level read committed');
    await client.query(LIFT_SESSION_LIMITS);
    if (await tryLock(client, 'pg_try_advisory_xact_lock')) return;
    await client.query('rollback');
    await sleep(PAUSE_MS);
  }
}

/** Blocks migrations for as long as the connection lasts; waits for one under way. @throws AbortError at the signal */
export async function shareMigrationLock(client: pg.ClientBase, signal: AbortSignal): Promise<void> {
  while (!(await tryLock(client, 'pg_try_advisory_lock_shared')))
    await sleep(PAUSE_MS, undefined, { signal });
}

async function tryLock(client: pg.ClientBase, attempt: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select ${attempt}(${LOCK}) as taken`);
  return rows[0]?.taken === true;
}
