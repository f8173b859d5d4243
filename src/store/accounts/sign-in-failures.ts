// Counts attempts, such as sign-ins and registrations, within a time window, over all processes. Only hashes of the keys are stored.
import { hash } from 'node:crypto';
import type { Statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** The current count of a key. */
export interface TryCount {
  readonly count: number;
  /** The time when the window ends and the count restarts. */
  readonly endsAt: Date;
}

/** Counts an attempt within the current window, or starts a new window if the current one has ended. */
const COUNT: Statement = {
  name: 'sign_in_failures.count',
  text: `insert into sign_in_failures as f (key_hash, failures, window_start) values ($1, 1, $2)
    on conflict (key_hash) do update set
      failures = case when f.window_start > $3 then least(f.failures + 1, 1000000) else 1 end,
      window_start = case when f.window_start > $3 then f.window_start else $2 end
    returning failures as count, window_start as "windowStart"`,
};

const TAKE_BACK: Statement = {
  name: 'sign_in_failures.take_back',
  text: 'update sign_in_failures set failures = failures - 1 where key_hash = $1 and failures > 0',
};

const CLEAR: Statement = {
  name: 'sign_in_failures.clear',
  text: 'delete from sign_in_failures where key_hash = $1',
};

/** Counts an attempt. @param key what was attempted, such as `account ada@example.com` */
export async function countTry(store: Store, key: string, now: Date, windowMs: number): Promise<TryCount> {
  const since = new Date(now.getTime() - windowMs);
  const [row] = await query<{ count: number; windowStart: Date }>(store, COUNT, [keyHash(key), now, since]);
  if (row === undefined) throw new Error('A counted try gave no count.');
  return { count: row.count, endsAt: new Date(row.windowStart.getTime() + windowMs) };
}

/** Undoes one count, because the attempt was not a failure. */
export async function undoTry(store: Store, key: string): Promise<void> {
  await query(store, TAKE_BACK, [keyHash(key)]);
}

/** Resets a count. */
export async function clearFailures(store: Store, key: string): Promise<void> {
  await query(store, CLEAR, [keyHash(key)]);
}

function keyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
