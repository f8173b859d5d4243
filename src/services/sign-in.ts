// Signing in by password. Every try is counted before the password is looked at, so that many at once are no way around the
// limits; and an account that does not exist is answered as one that does, after as long a time.
import { DUMMY_HASH, verifyPassword } from '../auth/passwords.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { clearFailures, takeBackTry } from '../store/sign-in-failures.ts';
import { type Account, findAccount, type UserRow } from '../store/users.ts';
import { type Limit, requireFewTries, toNetwork } from './throttle.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Where the person is, behind any proxy; undefined where that is not known. */
  readonly address: string | undefined;
}

const message = 'There were too many tries to sign in. Try again later.';
const windowMs = 15 * 60_000;
/** Wrong passwords before an account or an address has to wait (OWASP, authentication cheat sheet). */
const LIMITS = {
  account: { most: 10, windowMs, message },
  address: { most: 50, windowMs, message },
} as const satisfies Record<string, Limit>;
/** More than any password has that could have been set. */
const MAX_LENGTH = 1_000;

/**
 * The person with this e-mail address and password.
 * @throws AppError `unauthenticated`, the same for an unknown account, a wrong password and a disabled person;
 *   `too_many_requests` once there were too many failures for the account or from the address
 */
export async function signIn(app: App, { email, password, address }: Credentials): Promise<UserRow> {
  const addressKey = `address ${toNetwork(address)}`;
  await requireFewTries(app, addressKey, LIMITS.address);
  const account = await findAccount(app.store, email.trim().normalize('NFC'));
  const accountKey = `account ${account.canonical}`;
  await requireFewTries(app, accountKey, LIMITS.account);
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
