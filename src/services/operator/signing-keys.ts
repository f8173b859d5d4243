// Signing keys as the operator manages them: listing, rotating and removing them.
import { createSigningKey, hasSigningKeys, signerAt, signingKeys } from '../../auth/signing-keys.ts';
import type { App } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import {
  deleteRetiredKeys,
  deleteSigningKey,
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  retireOtherKeys,
  type SigningKeyRow,
  setActiveAt,
} from '../../store/accounts/signing-keys.ts';
import { withTransaction } from '../../store/changing/transactions.ts';

/** How long a new key is published before it signs: longer than any verifier should cache the list of keys. */
const ANNOUNCED_MS = 60_000;
/** How long a key stays published after its last signature: the longest configurable lifetime of a token. */
const LONGEST_TOKEN_LIFE_MS = 86_400_000 + 60_000;

/**
 * `announced`: will sign soon; `retiring`: no longer signs, but its tokens may still be valid; `sealed`: no secret key here decrypts it.
 */
type SigningKeyStatus = 'announced' | 'active' | 'retiring' | 'sealed';

/** A signing key without its private part. */
export interface SigningKeyInfo extends Pick<SigningKeyRow, 'alg' | 'createdAt' | 'activeAt' | 'retiredAt'> {
  readonly kid: string;
  readonly status: SigningKeyStatus;
}

/** The published keys, in the order in which they sign. Creates the first one if there is none. */
export async function list(app: App): Promise<SigningKeyInfo[]> {
  if (!(await hasSigningKeys(app))) await signingKeys(app);
  return toInfos(app, await findSigningKeys(app.store), app.clock());
}

/**
 * How many keys are published, how many of them a secret key of this process decrypts, and when the newest was created; null when there is
 * none. Creates and changes nothing.
 * @throws AppError `unavailable` when the store or the secret key is missing
 */
export async function signingKeyHealth(app: App) {
  const keys = toInfos(app, await findSigningKeys(app.store), app.clock());
  const times = keys.map(({ createdAt }) => createdAt.getTime());
  return {
    keys: keys.length,
    opened: keys.filter(({ status }) => status !== 'sealed').length,
    newestAt: times.length === 0 ? null : new Date(Math.max(...times)),
  };
}

/**
 * Creates the next key. It is published at once and signs after a minute. Earlier keys stay published until their last token has expired;
 * a later rotation deletes them.
 * @param options.now the next key signs at once; if a key is already announced, that one is used
 * @throws AppError `conflict` while a key is already announced
 */
export async function rotate(app: App, options: { now?: boolean } = {}): Promise<SigningKeyInfo> {
  if (!(await hasSigningKeys(app))) await signingKeys(app);
  const next = await createSigningKey(app);
  const rotated = await withTransaction(app, async (tx) => {
    const now = app.clock();
    const announced = (await lockSigningKeys(tx)).find(({ activeAt }) => activeAt > now);
    if (announced !== undefined && options.now !== true) throw alreadyAnnounced(announced);
    const activeAt = options.now === true ? now : new Date(now.getTime() + ANNOUNCED_MS);
    const row =
      announced === undefined
        ? await insertSigningKey(tx, { ...next, createdAt: now, activeAt })
        : await setActiveAt(tx, announced.id, activeAt);
    await deleteRetiredKeys(tx, now);
    await retireOtherKeys(tx, row.id, new Date(activeAt.getTime() + LONGEST_TOKEN_LIFE_MS));
    return toInfos(app, await lockSigningKeys(tx), now).find(({ kid }) => kid === row.id);
  });
  await app.lookups.forget();
  if (rotated === undefined) throw new Error('The signing key that was just made is not there.');
  return rotated;
}

/**
 * Deletes a leaked key: every token that it signed is refused from now on.
 * @throws AppError `not_found`; `conflict` for the key that currently signs
 */
export async function remove(app: App, kid: string): Promise<void> {
  await withTransaction(app, async (tx) => {
    const now = app.clock();
    const status = toInfos(app, await lockSigningKeys(tx), now).find((key) => key.kid === kid)?.status;
    if (status === undefined) throw notFound('Signing key');
    if (status === 'active')
      throw new AppError(
        'conflict',
        'This key currently signs tokens. Rotate with --now first, then remove it.',
      );
    await deleteSigningKey(tx, kid);
  });
  await app.lookups.forget();
}

function alreadyAnnounced({ id, activeAt }: SigningKeyRow): AppError {
  const when = activeAt.toISOString();
  return new AppError('conflict', `Key ${id} is already announced. It signs from ${when} on.`);
}

function toInfos(app: App, rows: readonly SigningKeyRow[], now: Date): SigningKeyInfo[] {
  const canOpen = new Set(
    rows.filter((row) => app.signingKeyCache.privateOf(row) !== null).map(({ id }) => id),
  );
  const signer = signerAt(rows, now, ({ id }) => canOpen.has(id));
  const statusOf = ({ id, activeAt }: SigningKeyRow): SigningKeyStatus => {
    if (id === signer?.id) return 'active';
    if (!canOpen.has(id)) return 'sealed';
    return activeAt > now ? 'announced' : 'retiring';
  };
  return rows
    .filter(({ retiredAt }) => retiredAt === null || retiredAt > now)
    .map((row) => {
      const { id: kid, alg, createdAt, activeAt, retiredAt } = row;
      return { kid, alg, status: statusOf(row), createdAt, activeAt, retiredAt };
    });
}
