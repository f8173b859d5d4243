// Signing in by password. Every try is counted before the password is looked at, in the store, so that many processes and
// many tries at once count as one; and an account that does not exist is answered as one that does, after as long a time.
import { isIPv6 } from 'node:net';
import { DUMMY_HASH, verifyPassword } from '../auth/passwords.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { clearFailures, countTry, takeBackTry } from '../store/sign-in-failures.ts';
import { type Account, findAccount, type UserRow } from '../store/users.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Where the person is, behind any proxy; undefined where that is not known. */
  readonly address: string | undefined;
}

/** Wrong passwords before an account or an address has to wait (OWASP, authentication cheat sheet). */
const MAX_TRIES = { account: 10, address: 50 } as const;
const WINDOW_MS = 15 * 60_000;
/** More than any password has that could have been set. */
const MAX_LENGTH = 1_000;

/**
 * The person with this e-mail address and password.
 * @throws AppError `unauthenticated`, the same for an unknown account, a wrong password and a disabled person;
 *   `too_many_requests` once there were too many failures for the account or from the address
 */
export async function signIn(app: App, { email, password, address }: Credentials): Promise<UserRow> {
  const addressKey = `address ${toNetwork(address)}`;
  await requireFewTries(app, addressKey, MAX_TRIES.address);
  const account = await findAccount(app.store, email.trim().normalize('NFC'));
  const accountKey = `account ${account.canonical}`;
  await requireFewTries(app, accountKey, MAX_TRIES.account);
  const { passwordHash, ...user } = account.user ?? NOBODY;
  const isSane = password.length <= MAX_LENGTH;
  const isRight = await verifyPassword(isSane ? password : '', isSane ? passwordHash : DUMMY_HASH);
  if (!isRight || user.disabledAt !== null)
    throw new AppError('unauthenticated', 'E-mail address or password is wrong.');
  await clearFailures(app.store, accountKey);
  await takeBackTry(app.store, addressKey);
  return user;
}

const NEVER = new Date(0);
const NOBODY: NonNullable<Account['user']> = {
  id: 0n,
  publicId: '',
  email: '',
  name: '',
  passwordHash: DUMMY_HASH,
  createdAt: NEVER,
  updatedAt: NEVER,
  disabledAt: NEVER,
};

async function requireFewTries(app: App, key: string, max: number): Promise<void> {
  const now = app.clock();
  const { count, endsAt } = await countTry(app.store, key, now, WINDOW_MS);
  if (count <= max) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000));
  throw new AppError('too_many_requests', 'There were too many tries to sign in. Try again later.', {
    retryAfterSeconds,
  });
}

/** Whoever has one IPv6 address has 2^64 of them: they count as one. */
function toNetwork(address = 'unknown'): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const all = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
