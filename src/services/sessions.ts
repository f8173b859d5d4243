// Sessions of people at the authorization server: which of them are valid, for how long, and their end. Their rows are the
// authorization server's. When all sessions of a person were ended is written on the person, where no request that is under
// way can undo it.
import type { App } from '../context.ts';
import { deleteStateByUid } from '../store/accounts/oauth-states.ts';
import { findSignedIn, type PersonRow } from '../store/accounts/users.ts';

/** A session, or a sign-in that is to become one, by the names of oidc-provider. */
export interface SignedIn {
  /** The person's public id; absent: nobody is signed in. */
  readonly accountId?: string | undefined;
  /** When they signed in, in seconds. */
  readonly loginTs?: number | undefined;
}

/** From signing in to the end of a session, however often it is used. */
const SESSION_MS = 12 * 3_600_000;

/** Who is signed in; null for nobody, for a person who was disabled, and for a session that is over or was ended. */
export async function personOf(app: App, { accountId, loginTs = 0 }: SignedIn): Promise<PersonRow | null> {
  const at = signedInAt({ loginTs });
  if (accountId === undefined || at.getTime() + SESSION_MS <= app.clock().getTime()) return null;
  return findSignedIn(app.store, accountId, at);
}

/** When somebody signed in. */
export function signedInAt({ loginTs = 0 }: SignedIn): Date {
  return new Date(Math.round(loginTs * 1_000));
}

/** Signs one browser out. @param uid the session's, by oidc-provider's name for it */
export async function endSession(app: App, uid: string): Promise<void> {
  await deleteStateByUid(app.store, 'Session', uid);
}

/** Whole seconds that a session has left, at least 1; all of them before anybody has signed in. */
export function secondsLeft(app: App, { loginTs = loginTsNow(app) }: SignedIn): number {
  const leftMs = loginTs * 1_000 + SESSION_MS - app.clock().getTime();
  return Math.max(1, Math.ceil(leftMs / 1_000));
}

/**
 * The time of a sign-in as a session has it, to the millisecond. It is taken before the password is looked at: a password
 * that is replaced meanwhile ends the session before it begins.
 */
export function loginTsNow(app: App): number {
  return app.clock().getTime() / 1_000;
}
