// The lock for migrations, taken together with Prisma's own, so that `prisma migrate` never runs at the same time. The locks are polled
// instead of waited for: a waiting statement has a snapshot, and `create index concurrently`, which the holder may be executing, waits for
// all snapshots.
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
 * An idle transaction has no snapshot, unless it is more isolated than this one, as a server may have it by default.
 */
export async function takeMigrationLockAlone(client: pg.ClientBase): Promise<void> {
  await client.query('begin isolation level read committed');
  await client.query(LIFT_SESSION_LIMITS);
  await take(client, 'pg_try_advisory_xact_lock');
}

/** Blocks migrations for as long as the connection lasts; waits for one under way. @throws AbortError at the signal */
export function shareMigrationLock(client: pg.ClientBase, signal: AbortSignal): Promise<void> {
  return take(client, 'pg_try_advisory_lock_shared', signal);
}

async function take(client: pg.ClientBase, attempt: string, signal?: AbortSignal): Promise<void> {
  for (const lock of LOCKS) {
    const statement = `select ${attempt}(${lock}) as taken`;
    while ((await client.query<{ taken: boolean }>(statement)).rows[0]?.taken !== true)
      await sleep(PAUSE_MS, undefined, { signal });
  }
}
