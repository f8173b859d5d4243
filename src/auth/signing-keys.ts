// The keys that sign access tokens: read from the store, created if there are none. The signing key depends on the time, so each use
// chooses it again.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { AppError } from '../errors.ts';
import {
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  type SigningKeyRow,
  type StoredJwk,
} from '../store/accounts/signing-keys.ts';
import { withTransaction } from '../store/changing/transactions.ts';
import type { AuthApp } from './auth-app.ts';
import { ENCRYPTION_PURPOSE, type KeySet } from './signing-key-cache.ts';

/** RFC 9068 §2.1 requires support for it. */
export const SIGNING_ALG = 'RS256';

const MODULUS_BITS = 2_048;
const CACHE_KEY = 'signing keys';

export interface SigningKeys {
  /** Changes whenever another property here changes. */
  readonly version: string;
  /** The key that signs. */
  readonly active: { readonly kid: string; readonly alg: string; readonly privateJwk: JWK };
  /** The public keys of the current key, of future keys, and of earlier keys whose tokens may still be valid. */
  readonly published: readonly JWK[];
}

/**
 * The current keys. The first call on a store creates one; concurrent processes get the same.
 * @throws AppError `unavailable` when the store does not answer, or no secret key of this process opens its keys
 */
export async function signingKeys(app: AuthApp): Promise<SigningKeys> {
  const view = viewAt(app, await readKeys(app), app.clock());
  if (view !== null) return view;
  await app.signingKeyCache.createOnce(() => createFirstKey(app));
  const created = viewAt(app, await findSigningKeys(app.store), app.clock());
  if (created === null) throw new Error('The signing key that was just made is not there.');
  return created;
}

/** Whether the store has signing keys. Creates none. @throws AppError `unavailable` when the store does not answer */
export async function hasSigningKeys(app: AuthApp): Promise<boolean> {
  return publishedAt(await findSigningKeys(app.store), app.clock()).length > 0;
}

/**
 * The current public keys, for verifying tokens: decrypts no private part and creates no key.
 * @throws AppError `unavailable` when the store does not answer
 */
export async function verifyingKeys(app: AuthApp): Promise<KeySet> {
  return app.signingKeyCache.keySetOf(publishedAt(await readKeys(app), app.clock()));
}

/** Creates a key pair and encrypts its private part. The caller decides when it begins to sign. */
export async function createSigningKey(app: AuthApp) {
  const pair = await generateKeyPair(SIGNING_ALG, { modulusLength: MODULUS_BITS, extractable: true });
  const { kty = '', n = '', e = '' } = await exportJWK(pair.publicKey);
  const kid = toKid(await calculateJwkThumbprint({ kty, n, e }));
  const privateJwk = { ...(await exportJWK(pair.privateKey)), kid, alg: SIGNING_ALG, use: 'sig' };
  return {
    id: kid,
    alg: SIGNING_ALG,
    publicJwk: { kty, n, e, kid, alg: SIGNING_ALG, use: 'sig' } satisfies StoredJwk,
    sealedPrivate: app.keyring.seal(ENCRYPTION_PURPOSE, Buffer.from(JSON.stringify(privateJwk))),
  };
}

/** The id of a key with this thumbprint (RFC 7638): the thumbprint itself, unless a command line would read it as an option. */
export function toKid(thumbprint: string): string {
  return thumbprint.startsWith('-') ? `k${thumbprint}` : thumbprint;
}

/** The key that signs at a given time: the latest active one that can be decrypted. */
export function signerAt<Row extends Pick<SigningKeyRow, 'activeAt' | 'retiredAt'>>(
  rows: readonly Row[],
  now: Date,
  canOpen: (row: Row) => boolean,
): Row | null {
  return rows.findLast((row) => row.activeAt <= now && isPublished(row, now) && canOpen(row)) ?? null;
}

function isPublished(row: Pick<SigningKeyRow, 'retiredAt'>, now: Date): boolean {
  return row.retiredAt === null || row.retiredAt > now;
}

function publishedAt(rows: readonly SigningKeyRow[], now: Date): readonly SigningKeyRow[] {
  return rows.filter((row) => isPublished(row, now));
}

/** Every key, cached; an empty result is not cached. */
async function readKeys(app: AuthApp): Promise<readonly SigningKeyRow[]> {
  const rows = await app.lookups.remember(CACHE_KEY, async () => {
    const found = await findSigningKeys(app.store);
    return found.length === 0 ? null : found;
  });
  return rows ?? [];
}

function viewAt(app: AuthApp, rows: readonly SigningKeyRow[], now: Date): SigningKeys | null {
  const { privateOf, keySetOf } = app.signingKeyCache;
  const signer = signerAt(rows, now, (row) => privateOf(row) !== null);
  const privateJwk = signer && privateOf(signer);
  if (!signer || !privateJwk) return null;
  const published = publishedAt(rows, now);
  return {
    version: [signer.id, ...published.map(({ id }) => id)].join(' '),
    active: { kid: signer.id, alg: signer.alg, privateJwk },
    published: keySetOf(published).keys,
  };
}

/** Creates a key that signs at once, unless there is one by now. */
async function createFirstKey(app: AuthApp): Promise<void> {
  const key = await createSigningKey(app);
  await withTransaction(app, async (tx) => {
    const now = app.clock();
    const rows = await lockSigningKeys(tx);
    const canOpen = (row: SigningKeyRow) => app.signingKeyCache.privateOf(row) !== null;
    if (signerAt(rows, now, canOpen) !== null) return;
    // With keys of another secret key in the store, a new key would hide a wrong SECRET_KEY, and tokens would fail by chance.
    if (publishedAt(rows, now).some((row) => !canOpen(row))) throw sealedKeys();
    await insertSigningKey(tx, { ...key, createdAt: now, activeAt: now });
  });
  await app.lookups.forget();
}

function sealedKeys(): AppError {
  return new AppError('unavailable', 'Tokens cannot be issued at the moment. Try again later.', {
    retryAfterSeconds: 60,
    cause: new Error('SECRET_KEY opens none of the signing keys of this store'),
  });
}
