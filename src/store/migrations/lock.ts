// The lock for migrations: Prisma's own, so that `prisma migrate` never runs at the same time. It is polled, because a waiting statement
// has a snapshot, and `create index concurrently`, which the holder may be executing, waits for all transactions with one.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { LIFT_SESSION_LIMITS } from '../connections/time-limits.ts';

/** Prisma's key. */
const LOCK = 72_707_369;
const PAUSE_MS = 100;

/** Takes the lock until the connection ends; waits for other holders. */
export async function takeMigrationLock(client: pg.ClientBase): Promise<void> {
  while (!(await tryLock(client, 'pg_try_advisory_lock'))) await sleep(PAUSE_MS);
}

/**
 * Begins a transaction, and takes the lock until it ends. A pooler could keep a session's lock after the client is gone. Each try has its
 * own transaction, because the holder waits for the end of transactions whose snapshots it has seen.
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

/** Blocks migrations until the connection ends; waits for a running one. @throws AbortError when the signal is aborted */
export async function shareMigrationLock(client: pg.ClientBase, signal: AbortSignal): Promise<void> {
  while (!(await tryLock(client, 'pg_try_advisory_lock_shared')))
    await sleep(PAUSE_MS, undefined, { signal });
}

async function tryLock(client: pg.ClientBase, attempt: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select ${attempt}(${LOCK}) as taken`);
  return rows[0]?.taken === true;
}
