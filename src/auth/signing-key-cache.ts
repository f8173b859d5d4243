// What one process keeps of the signing keys that it has read. A kid is the thumbprint of its public key, and its private
// part is sealed once: what was made of either stays true, however often the rows are read again.
import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose';
import type { Logger } from '../log.ts';
import type { SigningKeyRow } from '../store/signing-keys.ts';
import type { Keyring } from './keyring.ts';

/** What private parts are sealed for. */
export const SEALED_FOR = 'signing key';

export interface KeySet {
  readonly keys: readonly JWK[];
  /** Finds the key that a token names. */
  readonly keyOf: JWTVerifyGetKey;
}

export interface SigningKeyCache {
  /** The public keys of these rows. */
  keySetOf(rows: readonly SigningKeyRow[]): KeySet;
  /** The private part of a key, or null when it was sealed with a secret key that this process does not have. */
  privateOf(row: SigningKeyRow): JWK | null;
}

/** Opens nothing yet: who only checks tokens needs no private part. */
export function createSigningKeyCache(keyring: Keyring, log: Logger): SigningKeyCache {
  const privateJwks = new Map<string, JWK | null>();
  let last: { readonly kids: string; readonly keySet: KeySet } | null = null;

  function open({ id, sealedPrivate }: SigningKeyRow): JWK | null {
    // Not within the try: that the secret keys cannot be read says nothing about this one.
    keyring.keysFor(SEALED_FOR);
    try {
      return JSON.parse(Buffer.from(keyring.open(SEALED_FOR, sealedPrivate)).toString()) as JWK;
    } catch {
      log.warn({ kid: id }, 'no secret key opens this signing key: it cannot sign here');
      return null;
    }
  }

  return {
    keySetOf(rows) {
      const kids = rows.map(({ id }) => id).join(' ');
      if (last?.kids === kids) return last.keySet;
      const keys = rows.map(({ publicJwk }) => publicJwk as JWK);
      last = { kids, keySet: { keys, keyOf: createLocalJWKSet({ keys }) } };
      return last.keySet;
    },
    privateOf(row) {
      const known = privateJwks.get(row.id);
      if (known !== undefined) return known;
      const opened = open(row);
      privateJwks.set(row.id, opened);
      return opened;
    },
  };
}
