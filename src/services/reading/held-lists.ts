// Transactions that delay new rows in lists for longer than requests take. `/readyz`, the metrics, the log and `doctor` report them.
import type { App } from '../../context.ts';
import { findMarkHolders, type Holder } from '../../store/inspection/mark-holders.ts';

/** A transaction that delays new rows in lists. */
export interface HeldBy
  extends Pick<Holder, 'pid' | 'application' | 'user' | 'tables' | 'rows' | 'isOwn' | 'key'> {
  readonly seconds: number;
}

/** Seconds. The gateway's own changes take milliseconds. */
export const LONG_SECONDS = 10;

/** When each transaction of the previous check was first seen. Not every database user may read when other sessions began. */
const firstSeen = new WeakMap<App['store'], Map<string, number>>();

/**
 * The transactions that have delayed lists for `seconds`, the oldest first.
 * @throws AppError `unavailable` when the database cannot be reached
 */
export async function findHeldLists(
  { store }: Pick<App, 'store'>,
  seconds = LONG_SECONDS,
): Promise<HeldBy[]> {
  const holders = await findMarkHolders(store);
  const now = performance.now();
  const before = firstSeen.get(store);
  const seen = new Map(holders.map(({ key }) => [key, before?.get(key) ?? now]));
  firstSeen.set(store, seen);
  return holders
    .map((holder) => ({
      ...holder,
      seconds: Math.floor(holder.seconds ?? (now - (seen.get(holder.key) ?? now)) / 1000),
    }))
    .filter((holder) => holder.seconds >= seconds)
    .sort((one, other) => other.seconds - one.seconds);
}

/** The part of a transaction that is reported: who runs it, but not what it does. */
export type HolderNotice = Omit<HeldBy, 'isOwn' | 'key'>;

/** The form that `/readyz` shows. */
export function toHolderNotice({ pid, application, user, seconds, tables, rows }: HeldBy): HolderNotice {
  return { pid, application, user, seconds, tables, rows };
}
