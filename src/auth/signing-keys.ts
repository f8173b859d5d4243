// The keys that access tokens are signed with, as one process sees them: read from the store, opened with the secret
// keys, made where there is none. Which one signs is a matter of time, so it is asked anew each time.
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose';
import type { App } from '../context.ts';
import {
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  type SigningKeyRow,
  type StoredJwk,
} from '../store/signing-keys.ts';
import { withTransaction } from '../store/store.ts';

/** RFC 9068 §2.1 asks everybody to support it. */
export const SIGNING_ALG = 'RS256';

const PURPOSE = 'signing key';
const MODULUS_BITS = 2_048;
const REMEMBERED_AS = 'signing keys';

export interface SigningKeys {
  /** Changes whenever anything else here does. */
  readonly version: string;
  /** The key that signs. */
  readonly active: { readonly kid: string; readonly alg: string; readonly privateJwk: JWK };
  /** The public keys: the one that signs, those announced, and those whose tokens may still live. */
  readonly published: readonly JWK[];
  /** Finds the published key that a token names. */
  readonly keyOf: JWTVerifyGetKey;
}

/** What is remembered of the store: every row, and the private keys that could be opened. */
interface Opened {
  readonly rows: readonly SigningKeyRow[];
  readonly privateJwks: ReadonlyMap<string, JWK>;
  /** The view that was last asked for. */
  view: SigningKeys | null;
}

/**
 * The keys at this moment. The first use of a store makes one; of several processes at once, all get the same.
 * @throws AppError `unavailable` when the store cannot be asked
 */
export async function signingKeys(app: App): Promise<SigningKeys> {
  const opened = await app.lookups.remember(REMEMBERED_AS, async () =>
    openAll(app, await findSigningKeys(app.store)),
  );
  const view = opened && viewAt(opened, app.clock());
  if (view !== null) return view;
  await makeFirst(app);
  const made = viewAt(openAll(app, await findSigningKeys(app.store)), app.clock());
  if (made === null) throw new Error('The signing key that was just made is not there.');
  return made;
}

/** A new key pair, sealed. The caller says from when it signs. */
export async function createSigningKey(app: App): Promise<{
  id: string;
  alg: string;
  publicJwk: StoredJwk;
  sealedPrivate: Uint8Array<ArrayBuffer>;
}> {
  const pair = await generateKeyPair(SIGNING_ALG, { modulusLength: MODULUS_BITS, extractable: true });
  const { kty = '', n = '', e = '' } = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint({ kty, n, e });
  const privateJwk = { ...(await exportJWK(pair.privateKey)), kid, alg: SIGNING_ALG, use: 'sig' };
  return {
    id: kid,
    alg: SIGNING_ALG,
    publicJwk: { kty, n, e, kid, alg: SIGNING_ALG, use: 'sig' },
    sealedPrivate: app.keyring.seal(PURPOSE, Buffer.from(JSON.stringify(privateJwk))),
  };
}

/** The private part of a key, or null when it was sealed with a secret key that this process does not have. */
export function openPrivate(app: App, row: SigningKeyRow): JWK | null {
  try {
    return JSON.parse(Buffer.from(app.keyring.open(PURPOSE, row.sealedPrivate)).toString()) as JWK;
  } catch {
    return null;
  }
}

/** The key that signs at a moment: the one that began last, of those that can be opened. */
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

function openAll(app: App, rows: readonly SigningKeyRow[]): Opened {
  const privateJwks = new Map<string, JWK>();
  for (const row of rows) {
    const jwk = openPrivate(app, row);
    if (jwk === null)
      app.log.warn({ kid: row.id }, 'no secret key opens this signing key: it cannot sign here');
    else privateJwks.set(row.id, jwk);
  }
  return { rows, privateJwks, view: null };
}

function viewAt(opened: Opened, now: Date): SigningKeys | null {
  const { rows, privateJwks } = opened;
  const signer = signerAt(rows, now, ({ id }) => privateJwks.has(id));
  const privateJwk = signer && privateJwks.get(signer.id);
  if (!signer || !privateJwk) return null;
  const published = rows.filter((row) => isPublished(row, now));
  const version = [signer.id, ...published.map(({ id }) => id)].join(' ');
  if (opened.view?.version === version) return opened.view;
  const keys = published.map(({ publicJwk }) => publicJwk as JWK);
  opened.view = {
    version,
    active: { kid: signer.id, alg: signer.alg, privateJwk },
    published: keys,
    keyOf: createLocalJWKSet({ keys }),
  };
  return opened.view;
}

/** Makes a key that signs at once, unless there is one by now. */
async function makeFirst(app: App): Promise<void> {
  const key = await createSigningKey(app);
  await withTransaction(app.store, async (tx) => {
    const now = app.clock();
    const rows = await lockSigningKeys(tx);
    if (signerAt(rows, now, (row) => openPrivate(app, row) !== null) !== null) return;
    await insertSigningKey(tx, { ...key, createdAt: now, activeAt: now });
  });
  app.lookups.forget();
}
