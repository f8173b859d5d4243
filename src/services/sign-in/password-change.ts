// A person who is signed in and knows the current password changes it. All their sessions end, as with the operator's `user
// set-password`; their grants stay.
import type { App } from '../../context.ts';
import { AppError, invalid } from '../../errors.ts';
import { endSessions } from '../../store/accounts/users.ts';
import type { PersonRow } from '../accounts/users.ts';
import { networkKey } from '../limits/throttle.ts';
import { hashPassword, parsePassword } from './passwords.ts';
import { personOf, type SignedIn, signedInAt } from './sessions.ts';
import { type Credentials, signIn } from './sign-in.ts';

/** The person's input, and where it comes from. */
export interface PasswordChange extends Omit<Credentials, 'email' | 'password'> {
  readonly current: string;
  readonly password: string;
  /** The new password again, to catch typing errors. */
  readonly again: string;
}

/**
 * Changes the password of the signed-in person. Wrong current passwords count as failed sign-ins.
 * @returns the person, and the sign-in time of a new session for this browser, in seconds; all older sessions end
 * @throws AppError `unauthenticated` for a session that has ended; `invalid` blaming `current`, `password` or `again`;
 *   `too_many_requests` after too many failures, or when too many people sign in at once
 */
export async function changePassword(
  app: App,
  session: SignedIn,
  change: PasswordChange,
): Promise<{ user: PersonRow; loginTs: number }> {
  const user = await personOf(app, session);
  if (user === null) throw sessionEnded();
  requireNewPassword(change, user.email);
  await requireCurrentPassword(app, user, change);
  const { address, signal } = change;
  const network = networkKey(app, 'sign-in', address);
  const passwordHash = await app.passwordChecks.run(network, () => hashPassword(change.password), signal);
  const since = signedInAt(session);
  const changed = await endSessions(app.store, user.id, app.clock(), { passwordHash }, since);
  if (changed === null) throw sessionEnded();
  // The old password was valid until that commit: sessions that it started meanwhile end as well.
  const endedAt = app.clock();
  await endSessions(app.store, user.id, endedAt);
  return { user, loginTs: (endedAt.getTime() + 1) / 1_000 };
}

function requireNewPassword({ current, password, again }: PasswordChange, email: string): void {
  parsePassword(password, email);
  if (password === current)
    throw invalid('password', {
      code: 'not_allowed',
      message: 'The new password must differ from the current one.',
    });
  if (password.normalize('NFKC') !== again.normalize('NFKC'))
    throw invalid('again', {
      code: 'not_allowed',
      message: 'The new passwords differ. Type the same one twice.',
    });
}

async function requireCurrentPassword(app: App, user: PersonRow, change: PasswordChange): Promise<void> {
  try {
    await signIn(app, { ...change, email: user.email, password: change.current });
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated')
      throw invalid('current', { code: 'not_allowed', message: 'The current password is wrong.' });
    throw error;
  }
}

function sessionEnded(): AppError {
  return new AppError('unauthenticated', 'You have been signed out. Nothing was changed.');
}
