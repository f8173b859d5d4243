// Whether this process can serve. Load balancers ask, so it needs no key and reveals nothing.
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { toStoreError } from '../store/failures.ts';
import { isTooNew, migrationState } from '../store/migrations.ts';

/** The check that is under way for each store: however many requests ask, one statement answers them. */
const underWay = new WeakMap<App['store'], Promise<void>>();

/** @throws AppError `unavailable` while the database is away, migrations are missing, or the store is too new for this version */
export function requireReady({ store }: App): Promise<void> {
  const answer = underWay.get(store) ?? askStore(store).finally(() => underWay.delete(store));
  underWay.set(store, answer);
  return answer;
}

async function askStore(store: App['store']): Promise<void> {
  const state = await migrationState(store.pool).catch((error: unknown) => {
    throw toStoreError(error);
  });
  const { pending, failed } = state;
  if (pending.length + failed.length > 0) {
    throw new AppError('unavailable', 'Migrations are not applied yet.', { retryAfterSeconds: 5 });
  }
  if (isTooNew(state)) {
    const message =
      'The database was migrated by a newer version of the gateway, which this one cannot live with.';
    throw new AppError('unavailable', message, { retryAfterSeconds: 5 });
  }
}
