// Signing in by password. Every try is counted before the password is checked, so that many tries at once do not get around
// the limits. An account that does not exist gets the same answer after the same time as a wrong password.

import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { clearFailures, takeBackTry } from '../store/accounts/sign-in-failures.ts';
import { type Account, findAccount, type PersonRow } from '../store/accounts/users.ts';
import { findDevice } from './devices.ts';
import { DUMMY_HASH, verifyPassword } from './passwords.ts';
import { isFewTries, type Limit, networkKey, requireFewTries, toNetwork } from './throttle.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Where the person is, behind any proxy; undefined where that is not known. */
  readonly address: string | undefined;
  /** The content of the device's cookie (devices.ts); absent: none. */
  readonly devices?: string | undefined;
  /** Ends the wait for the password to be checked. */
  readonly signal?: AbortSignal | undefined;
}

const message = 'There were too many tries to sign in.';
const windowMs = 15 * 60_000;
/** Failed tries before one has to wait (OWASP, authentication cheat sheet; NIST SP 800-63B §3.2.2). */
const LIMITS = {
  /** At an account from one network, or with one device that its owner has signed in with before. */
  accountFromOneSource: { most: 10, windowMs, message },
  /** At an account from all networks together, known devices excepted. */
  account: { most: 100, windowMs, message },
  /** At all accounts from one network. */
  network: { most: 50, windowMs, message },
} as const satisfies Record<string, Limit>;
/** Longer than any password that could have been set. */
const MAX_PASSWORD_LENGTH = 1_000;
/** The longest e-mail address (RFC 5321 §4.5.3.1.3). */
const MAX_EMAIL_LENGTH = 254;

/**
 * The person with this e-mail address and password.
 * @throws AppError `unauthenticated`, the same for an unknown account, a wrong password and a disabled person;
 *   `too_many_requests` once there were too many failures, or when too many sign in at once
 */
export async function signIn(app: App, credentials: Credentials): Promise<PersonRow> {
  const network = networkKey(app, 'sign-in', credentials.address);
  await requireFewTries(app, network, LIMITS.network);
  let isChecked = false;
  try {
    const checkOnce = () => {
      isChecked = true;
      return check(app, credentials);
    };
    const user = await app.passwordChecks.run(network, checkOnce, credentials.signal);
    await takeBackTry(app.store, network);
    return user;
  } catch (error) {
    // A password that was not checked was no try.
    if (!isChecked || !(error instanceof AppError) || error.code === 'unavailable')
      await takeBackTry(app.store, network);
    throw error;
  }
}

async function check(app: App, credentials: Credentials): Promise<PersonRow> {
  const { email, password } = credentials;
  const name = email.trim().normalize('NFC');
  const account = await findAccount(app.store, name.length > MAX_EMAIL_LENGTH ? '' : name);
  const uncount = await countTry(app, account, credentials);
  const { passwordHash, sessionsEndedAt: _, ...user } = account.user ?? NOBODY;
  const isPlausible = password.length <= MAX_PASSWORD_LENGTH;
  const isRight = await verifyPassword(isPlausible ? password : '', isPlausible ? passwordHash : DUMMY_HASH);
  if (!isRight || user.disabledAt !== null)
    throw new AppError('unauthenticated', 'E-mail address or password is wrong.');
  await uncount();
  return user;
}

/**
 * Counts a try at an account.
 * @returns what undoes the count, to be called when the password was right
 * @throws AppError `too_many_requests`
 */
async function countTry(
  app: App,
  { canonical, user }: Account,
  { address, devices = '' }: Credentials,
): Promise<() => Promise<void>> {
  const device = user && findDevice(app, user, devices);
  const deviceKey = `device ${device}`;
  // A device whose tries are used up may have been stolen. Its owner is then treated as somebody on an unknown device.
  if (device !== null && (await isFewTries(app, deviceKey, LIMITS.accountFromOneSource)))
    return () => clearFailures(app.store, deviceKey);
  const accountKey = `account ${canonical}`;
  const sourceKey = `${accountKey} from ${toNetwork(address)}`;
  await requireFewTries(app, sourceKey, LIMITS.accountFromOneSource);
  try {
    await requireFewTries(app, accountKey, LIMITS.account);
  } catch (error) {
    await takeBackTry(app.store, sourceKey);
    throw error;
  }
  return async () => {
    await clearFailures(app.store, sourceKey);
    await takeBackTry(app.store, accountKey);
  };
}

const NEVER = new Date(0);
const NOBODY: NonNullable<Account['user']> = {
  id: 0n,
  publicId: '',
  email: '',
  name: '',
  timeZone: null,
  locale: null,
  passwordHash: DUMMY_HASH,
  createdAt: NEVER,
  updatedAt: NEVER,
  disabledAt: NEVER,
  sessionsEndedAt: NEVER,
};
