// Whether the secret keys of this process can decrypt the stored signing keys. Creates and changes nothing.
import type { App } from '../../context.ts';
import { findSigningKeys } from '../../store/accounts/signing-keys.ts';

export interface SigningKeyHealth {
  /** Signing keys in the published list. */
  readonly keys: number;
  /** Those that a secret key of this process decrypts. */
  readonly opened: number;
  /** When the newest of them was created; null when there is none. */
  readonly newestAt: Date | null;
}

/** The state of the stored signing keys. @throws AppError `unavailable` when the store or the secret key is missing */
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
