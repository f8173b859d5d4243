// Watches for open transactions that keep lists from showing newer rows, in every gateway. It terminates a session of the gateway itself
// that exceeds its time limit. It only reports other sessions; the database's administrator decides about them.
import type { App } from '../context.ts';
import { findHeldLists, type HeldBy, LONG_SECONDS } from '../services/reading/held-lists.ts';
import { transactionLimit } from '../store/connections/time-limits.ts';
import { endOwnHolders } from '../store/inspection/mark-holders.ts';
import { type Background, repeat } from './repeat.ts';

const INTERVAL_MS = 5_000;
/** How much longer than the transaction's limit PostgreSQL may take to end it. */
const GRACE_SECONDS = 30;

export interface ListWatch extends Background {
  /** Checks once. */
  look(): Promise<void>;
}

/**
 * Starts in the background. @param times the seconds after which a session is reported, and after which it is terminated if it is the
 * gateway's own
 */
export function startListWatch(
  app: App,
  {
    reportAfter: tellAfter = LONG_SECONDS,
    terminateAfter: endAfter = transactionLimit(app.config.limits.statementTimeoutMs) / 1000 + GRACE_SECONDS,
  }: { readonly reportAfter?: number; readonly terminateAfter?: number } = {},
): ListWatch {
  /** The transactions that are logged already. */
  let logged = new Set<string>();
  let held: readonly HeldBy[] = [];

  async function look(): Promise<void> {
    held = await findHeldLists(app, tellAfter).catch((error: unknown) => {
      held = [];
      throw error;
    });
    const loggedBefore = logged;
    logged = new Set(held.map(({ key }) => key));
    for (const { key, isOwn, ...holder } of held)
      if (!loggedBefore.has(key))
        app.log.warn(
          { ...holder, own: isOwn },
          'lists end before what a transaction under way may still commit',
        );
    if (!held.some(({ isOwn, seconds }) => isOwn && seconds >= endAfter)) return;
    for (const pid of await endOwnHolders(app.store, endAfter))
      app.log.error(
        { pid, seconds: endAfter },
        'a session of the gateway was ended: it held lists up for too long',
      );
  }

  const what = 'looking for transactions that hold lists up';
  const watching = repeat(app.log, what, INTERVAL_MS, () => look().then(() => undefined), INTERVAL_MS);
  for (const holder of ['own', 'foreign'])
    app.metrics.watch('lists', holder, () => {
      const some = held.filter(({ isOwn }) => isOwn === (holder === 'own'));
      const greatest = (of: 'seconds' | 'rows') => Math.max(0, ...some.map((one) => one[of]));
      return { seconds: greatest('seconds'), rows: greatest('rows') };
    });
  return { look, close: watching.close };
}
