// The lock for migrations, taken together with Prisma's own, so that `prisma migrate` never runs at the same time. The locks are polled
// instead of waited for: a waiting statement has a snapshot, and `create index concurrently`, which the holder may be executing, waits for
// all transactions that have one.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { LIFT_SESSION_LIMITS } from '../connections/time-limits.ts';

/** The keys: an arbitrary unique number, and Prisma's key. They are always taken in this order. */
const LOCKS = ['7305441298826014721', '72707369'];
const PAUSE_MS = 100;

/** Keeps others from migrating for as long as the connection lasts; waits for those who hold the lock. */
export function takeMigrationLock(client: pg.ClientBase): Promise<void> {
  return take(client, 'pg_try_advisory_lock');
}

/**
 * The same until the connection's transaction ends, which is begun for this. A pooler could keep a session's lock after the client is gone.
 * Each try has a transaction of its own: the holder waits for the end of one that it has seen with a snapshot.
 */
export async function takeMigrationLockAlone(client: pg.ClientBase): Promise<void> {
  for (;;) {
    await client.query('begin isolation level read committed');
    await client.query(LIFT_SESSION_LIMITS);
    if (await tryAll(client)) return;
    await client.query('rollback');
    await sleep(PAUSE_MS);
  }
}

async function tryAll(client: pg.ClientBase): Promise<boolean> {
  for (const lock of LOCKS) if (!(await tryOne(client, 'pg_try_advisory_xact_lock', lock))) return false;
  return true;
}

/** Blocks migrations for as long as the connection lasts; waits for one under way. @throws AbortError at the signal */
export function shareMigrationLock(client: pg.ClientBase, signal: AbortSignal): Promise<void> {
  return take(client, 'pg_try_advisory_lock_shared', signal);
}

async function take(client: pg.ClientBase, attempt: string, signal?: AbortSignal): Promise<void> {
  for (const lock of LOCKS)
    while (!(await tryOne(client, attempt, lock))) await sleep(PAUSE_MS, undefined, { signal });
}

async function tryOne(client: pg.ClientBase, attempt: string, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select ${attempt}(${lock}) as taken`);
  return rows[0]?.taken === true;
}
