// What holds lists up for longer than requests do: said by `/readyz`, by the metrics, by the log and by `doctor`.
import type { App } from '../context.ts';
import { findMarkHolders, type Holder } from '../store/inspection/horizon-holders.ts';

/** A transaction that holds lists up. */
export interface HeldBy
  extends Pick<Holder, 'pid' | 'application' | 'user' | 'tables' | 'rows' | 'isOwn' | 'key'> {
  readonly seconds: number;
}

/** Changes of the gateway's own take milliseconds. */
export const LONG_SECONDS = 10;

/** When each transaction was seen first, of those that were there last time: not every database user may know when others began. */
const firstSeen = new WeakMap<App['store'], Map<string, number>>();

/**
 * The transactions that have held lists up for long, the oldest first.
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

/** What is told of one: who it is, and nothing of what it does. */
export type HolderNotice = Omit<HeldBy, 'isOwn' | 'key'>;

/** As `/readyz` tells it. */
export function toHolderNotice({ pid, application, user, seconds, tables, rows }: HeldBy): HolderNotice {
  return { pid, application, user, seconds, tables, rows };
}
