// Signing in by password. Every attempt is counted before the password is checked, so that parallel attempts cannot bypass the limits. An
// unknown account gets the same answer after the same time as a wrong password.

import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { clearFailures, undoTry } from '../../store/accounts/sign-in-failures.ts';
import { type Account, findAccount, type PersonRow } from '../../store/accounts/users.ts';
import { isWithinLimit, type Limit, networkKey, requireWithinLimit, toNetwork } from '../limits/throttle.ts';
import { findDevice } from './devices.ts';
import { DUMMY_HASH, verifyPassword } from './passwords.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The person's address behind any proxy; undefined when unknown. */
  readonly address: string | undefined;
  /** The value of the device cookie (devices.ts); absent: none. */
  readonly devices?: string | undefined;
  /** Aborts the wait for the password check. */
  readonly signal?: AbortSignal | undefined;
}

const message = 'There were too many attempts to sign in. Try again later.';
const windowMs = 15 * 60_000;
/** Failed attempts before a person has to wait (OWASP, authentication cheat sheet; NIST SP 800-63B §3.2.2). */
const LIMITS = {
  /** For one account from one network, or from one device on which its owner has signed in before. */
  accountFromOneSource: { most: 10, windowMs, message },
  /** For one account from all networks together, known devices excepted. */
  account: { most: 100, windowMs, message },
  /** For all accounts from one network. */
  network: { most: 50, windowMs, message },
} as const satisfies Record<string, Limit>;
/** Longer than any valid password. */
const MAX_PASSWORD_LENGTH = 1_000;
/** The longest e-mail address (RFC 5321 §4.5.3.1.3). */
const MAX_EMAIL_LENGTH = 254;

/**
 * The person with this e-mail address and password.
 * @throws AppError `unauthenticated`, the same for an unknown account, a wrong password and a disabled person; `too_many_requests` after
 *   too many failures, or when too many people sign in at once
 */
export async function signIn(app: App, credentials: Credentials): Promise<PersonRow> {
  const network = networkKey(app, 'sign-in', credentials.address);
  await requireWithinLimit(app, network, LIMITS.network);
  let isChecked = false;
  try {
    const checkOnce = () => {
      isChecked = true;
      return check(app, credentials);
    };
    const user = await app.passwordChecks.run(network, checkOnce, credentials.signal);
    await undoTry(app.store, network);
    return user;
  } catch (error) {
    // If the password was not checked, the attempt does not count.
    if (!isChecked || !(error instanceof AppError) || error.code === 'unavailable')
      await undoTry(app.store, network);
    throw error;
  }
}

async function check(app: App, credentials: Credentials): Promise<PersonRow> {
  const { email, password } = credentials;
  const name = email.trim().normalize('NFC');
  const account = await findAccount(app.store, name.length > MAX_EMAIL_LENGTH ? '' : name);
  const uncount = await countTry(app, account, credentials);
  const isPlausible = password.length <= MAX_PASSWORD_LENGTH;
  // An unknown account takes as much work.
  const phc = (isPlausible && account.user?.passwordHash) || DUMMY_HASH;
  const isRight = await verifyPassword(isPlausible ? password : '', phc);
  if (!isRight || account.user === null || account.user.disabledAt !== null)
    throw new AppError('unauthenticated', 'E-mail address or password is wrong.');
  const { passwordHash: _, sessionsEndedAt: __, ...user } = account.user;
  await uncount();
  return user;
}

/**
 * Counts an attempt for an account.
 * @returns a function that undoes the count, to be called when the password is right
 * @throws AppError `too_many_requests`
 */
async function countTry(
  app: App,
  { canonical, user }: Account,
  { address, devices = '' }: Credentials,
): Promise<() => Promise<void>> {
  const device = user && findDevice(app, user, devices);
  const deviceKey = `device ${device}`;
  // A device that has used up its attempts may be stolen. Its owner is then treated like a person on an unknown device.
  if (device !== null && (await isWithinLimit(app, deviceKey, LIMITS.accountFromOneSource)))
    return () => clearFailures(app.store, deviceKey);
  const accountKey = `account ${canonical}`;
  const sourceKey = `${accountKey} from ${toNetwork(address)}`;
  await requireWithinLimit(app, sourceKey, LIMITS.accountFromOneSource);
  try {
    await requireWithinLimit(app, accountKey, LIMITS.account);
  } catch (error) {
    await undoTry(app.store, sourceKey);
    throw error;
  }
  return async () => {
    await clearFailures(app.store, sourceKey);
    await undoTry(app.store, accountKey);
  };
}
