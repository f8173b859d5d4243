// Whether this process can serve, and what holds its lists up. Load balancers ask, so it needs no key and reveals nothing of the data.
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { toStoreError } from '../store/failures.ts';
import { migrationState } from '../store/migrations.ts';
import { findHeldLists, type Told, toTold } from './held-lists.ts';

/** What a process that can serve says of itself. */
export interface Readiness {
  readonly status: 'ready';
  /** The transactions that lists end before; absent: none has been under way for long. */
  readonly listsHeldBy?: readonly Told[];
}

/** The check that is under way for each store: however many requests ask, it is made once. */
const underWay = new WeakMap<App['store'], Promise<Readiness>>();

/** @throws AppError `unavailable` while the database is away or migrations are missing */
export function readiness({ store }: App): Promise<Readiness> {
  const answer = underWay.get(store) ?? askStore(store).finally(() => underWay.delete(store));
  underWay.set(store, answer);
  return answer;
}

async function askStore(store: App['store']): Promise<Readiness> {
  const { pending, failed } = await migrationState(store.pool).catch((error: unknown) => {
    throw toStoreError(error);
  });
  if (pending.length + failed.length > 0) {
    throw new AppError('unavailable', 'Migrations are not applied yet.', { retryAfterSeconds: 5 });
  }
  const held = await findHeldLists({ store });
  return { status: 'ready', ...(held.length > 0 && { listsHeldBy: held.map(toTold) }) };
}
