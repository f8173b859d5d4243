// Whether the secret keys of this process open the store's signing keys. It makes none, and changes nothing.
import type { App } from '../../context.ts';
import { findSigningKeys } from '../../store/accounts/signing-keys.ts';

export interface SigningKeyHealth {
  /** Keys that have not left the published list. */
  readonly keys: number;
  /** Those of them that a secret key here opens. */
  readonly opened: number;
  /** When the newest of them was made; null when there is none. */
  readonly newestAt: Date | null;
}

/** What the store's signing keys are to this process. @throws AppError `unavailable` when the store or the secret key is not there */
export async function signingKeyHealth(app: App): Promise<SigningKeyHealth> {
  const now = app.clock();
  const rows = (await findSigningKeys(app.store)).filter(
    ({ retiredAt }) => retiredAt === null || retiredAt > now,
  );
  const times = rows.map(({ createdAt }) => createdAt.getTime());
  return {
    keys: rows.length,
    opened: rows.filter((row) => app.signingKeyCache.privateOf(row) !== null).length,
    newestAt: times.length === 0 ? null : new Date(Math.max(...times)),
  };
}
