// Whether this process can serve: asked by load balancers, so it needs no key and says nothing of what is inside.
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { toStoreError } from '../store/failures.ts';
import { migrationState } from '../store/migrations.ts';

/** @throws AppError `unavailable` while the database is away or migrations are missing */
export async function requireReady(app: App): Promise<void> {
  const { pending, failed } = await migrationState(app.store.pool).catch((error: unknown) => {
    throw toStoreError(error);
  });
  if (pending.length + failed.length > 0) {
    throw new AppError('unavailable', 'Migrations are not applied yet.', { retryAfterSeconds: 5 });
  }
}
