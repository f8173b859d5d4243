// The signing keys that one process has read, parsed and decrypted. A key's id depends on its public part and its private part never
// changes, so an entry stays valid however often the rows are read again.
import type { JWK, JWTVerifyGetKey } from 'jose';
import { createLocalJWKSet } from 'jose/jwks/local';
import type { Logger } from '../output/log.ts';
import type { SigningKeyRow } from '../store/accounts/signing-keys.ts';
import type { Keyring } from './keyring.ts';

/** The purpose for encrypting private parts (keyring.ts). */
export const ENCRYPTION_PURPOSE = 'signing key';

export interface KeySet {
  readonly keys: readonly JWK[];
  /** Finds the key by a token's key id. */
  readonly keyOf: JWTVerifyGetKey;
}

export type SigningKeyCache = ReturnType<typeof createSigningKeyCache>;

/** Decrypts nothing in advance: verifying tokens needs no private part. */
export function createSigningKeyCache(keyring: Keyring, log: Logger) {
  const privateJwks = new Map<string, JWK | null>();
  let making: Promise<void> | null = null;
  let last: { readonly kids: string; readonly keySet: KeySet } | null = null;

  function open({ id, sealedPrivate }: SigningKeyRow): JWK | null {
    // Outside the try: a failure to read the secret keys is not a fault of this signing key.
    keyring.keysFor(ENCRYPTION_PURPOSE);
    try {
      return JSON.parse(Buffer.from(keyring.open(ENCRYPTION_PURPOSE, sealedPrivate)).toString()) as JWK;
    } catch {
      log.warn({ kid: id }, 'no secret key opens this signing key: it cannot sign here');
      return null;
    }
  }

  return {
    /** The public keys of these rows. */
    keySetOf(rows: readonly SigningKeyRow[]): KeySet {
      const kids = rows.map(({ id }) => id).join(' ');
      if (last?.kids === kids) return last.keySet;
      const keys = rows.map(({ publicJwk }) => publicJwk as JWK);
      last = { kids, keySet: { keys, keyOf: createLocalJWKSet({ keys }) } };
      return last.keySet;
    },
    /** The private part of a key, or null when it was encrypted with a secret key that this process does not have. */
    privateOf(row: SigningKeyRow): JWK | null {
      const cached = privateJwks.get(row.id);
      if (cached !== undefined) return cached;
      const opened = open(row);
      privateJwks.set(row.id, opened);
      return opened;
    },
    /** Runs `make`, or waits for a running call: concurrent requests to a new store create one key together. */
    createOnce(make: () => Promise<void>): Promise<void> {
      making ??= make().finally(() => {
        making = null;
      });
      return making;
    },
  };
}
