// Signing in by password. Every try is counted before the password is looked at, so that many at once are no way around the
// limits; and an account that does not exist is answered as one that does, after as long a time.

import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { clearFailures, takeBackTry } from '../store/sign-in-failures.ts';
import { type Account, findAccount, type UserRow } from '../store/users.ts';
import { findDevice } from './devices.ts';
import { DUMMY_HASH, verifyPassword } from './passwords.ts';
import { isFewTries, type Limit, networkKey, requireFewTries, toNetwork } from './throttle.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Where the person is, behind any proxy; undefined where that is not known. */
  readonly address: string | undefined;
  /** What the device keeps of sign-ins before (devices.ts); absent: nothing. */
  readonly devices?: string | undefined;
  /** Ends the wait for the password to be checked. */
  readonly signal?: AbortSignal | undefined;
}

const message = 'There were too many tries to sign in. Try again later.';
const windowMs = 15 * 60_000;
/** Wrong passwords before one has to wait (OWASP, authentication cheat sheet; NIST SP 800-63B §3.2.2). */
const LIMITS = {
  /** At an account from one network, or with one device that its owner has signed in with before. */
  place: { most: 10, windowMs, message },
  /** At an account from all networks; what such a device tries is not counted. */
  account: { most: 100, windowMs, message },
  /** At all accounts from one network. */
  network: { most: 50, windowMs, message },
} as const satisfies Record<string, Limit>;
/** More than any password has that could have been set. */
const MAX_PASSWORD_LENGTH = 1_000;
/** More than any e-mail address has (RFC 5321 §4.5.3.1.3). */
const MAX_EMAIL_LENGTH = 254;

/**
 * The person with this e-mail address and password.
 * @throws AppError `unauthenticated`, the same for an unknown account, a wrong password and a disabled person;
 *   `too_many_requests` once there were too many failures, or when too many sign in at once
 */
export async function signIn(app: App, credentials: Credentials): Promise<UserRow> {
  const network = networkKey(app, 'sign-in', credentials.address);
  await requireFewTries(app, network, LIMITS.network);
  let isJudged = false;
  try {
    const check = () => {
      isJudged = true;
      return judge(app, credentials);
    };
    const user = await app.passwordChecks.run(network, check, credentials.signal);
    await takeBackTry(app.store, network);
    return user;
  } catch (error) {
    // What was not looked at was no try.
    if (!isJudged || !(error instanceof AppError) || error.code === 'unavailable')
      await takeBackTry(app.store, network);
    throw error;
  }
}

async function judge(app: App, credentials: Credentials): Promise<UserRow> {
  const { email, password } = credentials;
  const name = email.trim().normalize('NFC');
  const account = await findAccount(app.store, name.length > MAX_EMAIL_LENGTH ? '' : name);
  const forget = await countTry(app, account, credentials);
  const { passwordHash, sessionsEndedAt: _, ...user } = account.user ?? NOBODY;
  const isSane = password.length <= MAX_PASSWORD_LENGTH;
  const isRight = await verifyPassword(isSane ? password : '', isSane ? passwordHash : DUMMY_HASH);
  if (!isRight || user.disabledAt !== null)
    throw new AppError('unauthenticated', 'E-mail address or password is wrong.');
  await forget();
  return user;
}

/** Counts a try at an account. Returns what is to be done once it was none. @throws AppError `too_many_requests` */
async function countTry(
  app: App,
  { canonical, user }: Account,
  { address, devices = '' }: Credentials,
): Promise<() => Promise<void>> {
  const device = user && findDevice(app, user, devices);
  const deviceKey = `device ${device}`;
  // A device whose tries are used up may have been stolen: its owner still is who they are, as anywhere else.
  if (device !== null && (await isFewTries(app, deviceKey, LIMITS.place)))
    return () => clearFailures(app.store, deviceKey);
  const accountKey = `account ${canonical}`;
  const placeKey = `${accountKey} from ${toNetwork(address)}`;
  await requireFewTries(app, placeKey, LIMITS.place);
  try {
    await requireFewTries(app, accountKey, LIMITS.account);
  } catch (error) {
    await takeBackTry(app.store, placeKey);
    throw error;
  }
  return async () => {
    await clearFailures(app.store, placeKey);
    await takeBackTry(app.store, accountKey);
  };
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
  sessionsEndedAt: NEVER,
};
