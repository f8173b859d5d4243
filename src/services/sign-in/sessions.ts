// Sessions of people at the authorization server: whether a session is valid, for how long, and ending it. The authorization server owns
// their rows. The time at which all sessions of a person ended is stored with the person, so that no running request can undo it.
import type { App } from '../../context.ts';
import { deleteState } from '../../store/accounts/oauth-states.ts';
import { findSignedIn, type PersonRow } from '../../store/accounts/users.ts';

/** A session, or a sign-in that will become one, with oidc-provider's names. */
export interface SignedIn {
  /** The person's public id; absent: nobody is signed in. */
  readonly accountId?: string | undefined;
  /** When they signed in, in seconds. */
  readonly loginTs?: number | undefined;
}

/** The lifetime of a session since sign-in, however often it is used. */
const SESSION_MS = 12 * 3_600_000;

/** The signed-in person; null when there is none, the person is disabled, or the session has ended. */
export async function personOf(app: App, { accountId, loginTs = 0 }: SignedIn): Promise<PersonRow | null> {
  const at = signedInAt({ loginTs });
  if (accountId === undefined || at.getTime() + SESSION_MS <= app.clock().getTime()) return null;
  return findSignedIn(app.store, accountId, at);
}

/** The time of a sign-in. */
export function signedInAt({ loginTs = 0 }: SignedIn): Date {
  return new Date(Math.round(loginTs * 1_000));
}

/** Signs one browser out. @param uid the session's `uid` in oidc-provider */
export async function endSession(app: App, uid: string): Promise<void> {
  await deleteState(app, 'Session', { uid });
}

/** Whole seconds until a session ends, at least 1; the full lifetime before sign-in. */
export function secondsLeft(app: App, { loginTs = loginTsNow(app) }: SignedIn): number {
  const leftMs = loginTs * 1_000 + SESSION_MS - app.clock().getTime();
  return Math.max(1, Math.ceil(leftMs / 1_000));
}

/**
 * The current time as `loginTs`, to the millisecond. Taken before the password is checked: if the password is replaced meanwhile, the
 * session has ended before it begins.
 */
export function loginTsNow(app: App): number {
  return app.clock().getTime() / 1_000;
}
