// The lock of migrations, and Prisma's own beside it, so that `prisma migrate` never works at the same time. They are asked for again and
// again instead of waited for: a statement that waits has a snapshot, and `create index concurrently`, which may be what the holder is
// doing, waits for everybody's.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { LIFT_SESSION_LIMITS } from '../connections/time-limits.ts';

/** Any number that is nobody else's; and what Prisma takes: always in this order. */
const LOCKS = ['7305441298826014721', '72707369'];
const PAUSE_MS = 100;

/** Lets nobody else migrate, nor keep migrations waiting, for as long as the connection lasts; waits for those who do. */
export function takeMigrationLock(client: pg.ClientBase): Promise<void> {
  return take(client, 'pg_try_advisory_lock');
}

/**
 * The same until the connection's transaction ends, which is begun for that: a pooler in between would keep the lock of a session when its
 * connection is gone. A transaction that is idle has no snapshot.
 */
export async function takeMigrationLockAlone(client: pg.ClientBase): Promise<void> {
  await client.query('begin');
  await client.query(LIFT_SESSION_LIMITS);
  await take(client, 'pg_try_advisory_xact_lock');
}

/** Keeps migrations waiting for as long as the connection lasts; waits for one that is under way. @throws AbortError at the signal */
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
