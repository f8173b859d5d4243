// The signed-in person of this tab. The tokens are kept only in sessionStorage, so that they survive a reload.
import { asked } from './address.ts';
import {
  canSignIn,
  isRefusal,
  leaveToSignIn,
  redeem,
  refresh,
  revoke,
  type Tokens,
  TooLong,
  takeCallback,
} from './authorization.ts';
import { observed } from './observed.ts';
import type { Operation } from './operation-link.ts';

const storageKey = 'funnel-gateway:session';
const refreshBeforeMs = 20_000;
const lockTimeoutMs = 1_500;

interface Session {
  readonly status: 'signed-out' | 'busy' | 'signed-in';
  /** The error message for the person; '' for none. */
  readonly message: string;
  /** The missing scope of the last refused request, which the next sign-in requests first; '' for none. */
  readonly wantedScope: string;
}

interface StoredSession extends Tokens {
  /** Identifies the sign-in. */
  readonly id: string;
}

const state = observed<Session>({ status: 'signed-out', message: '', wantedScope: asked.scope });
export const { get: getSession, subscribe } = state;
let current: StoredSession | null = null;
let refreshing: Promise<string | null> | undefined;
let resuming: Promise<void> = Promise.resolve();

// The browser's back button returns from the authorization server to a cached copy of the page.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && getSession().status === 'busy') update(current === null ? 'signed-out' : 'signed-in');
});

/** At the start: finishes a sign-in that comes back from the authorization server, or resumes the tab's session. */
export function resumeSession(): Promise<void> {
  resuming = resume();
  return resuming;
}

async function resume(): Promise<void> {
  const callback = takeCallback();
  if (callback === 'start') return signIn(null);
  if (callback !== null) return finish(callback);
  const stored = storedSession();
  if (stored !== null) await resumeStored(stored);
}

const storedSession = (): StoredSession | null =>
  canSignIn ? (JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as StoredSession | null) : null;

async function resumeStored(session: StoredSession, message = ''): Promise<void> {
  update('busy');
  if (await acquireTabLock(session.id)) startSession(session, message);
  else clearSession(message);
}

async function finish(callback: URLSearchParams): Promise<void> {
  update('busy');
  // The previous tokens, when the person has signed in again.
  const before = storedSession();
  try {
    const session = { ...(await redeem(callback)), id: crypto.randomUUID() };
    await acquireTabLock(session.id);
    startSession(session);
    update('signed-in', '', '');
  } catch (error) {
    const message = callback.get('error') === 'access_denied' ? 'Access was denied' : failureMessage(error);
    return before === null ? clearSession(message) : resumeStored(before, message);
  }
  if (before !== null) await revoke(before.refreshToken ?? before.accessToken).catch(() => {});
}

/** @param operation the operation in the editors, to restore afterwards */
export async function signIn(operation: Operation | null): Promise<void> {
  const { status } = getSession();
  update('busy');
  await leaveToSignIn(operation, getSession().wantedScope).catch((error: unknown) =>
    update(status === 'signed-in' ? status : 'signed-out', failureMessage(error)),
  );
}

/** Stores the scope for which a request was refused. */
export function wantScope(scope: string): void {
  state.set({ ...getSession(), wantedScope: scope });
}

/** Deletes the tokens and revokes their grant. */
export async function signOut(): Promise<void> {
  const token = current?.refreshToken ?? current?.accessToken;
  clearSession();
  if (token !== undefined)
    await revoke(token).catch(() => update('signed-out', 'Signed out in this tab only'));
}

/** Ends the session when the gateway no longer accepts `token`. */
export function endSession(token: string): void {
  if (current?.accessToken === token) clearSession('Your sign-in has ended');
}

/** An access token that is still valid for a while; null if nobody is signed in. */
export async function getAccessToken(): Promise<string | null> {
  await resuming;
  if (current === null) return null;
  if (current.expiresAt - Date.now() > refreshBeforeMs || current.refreshToken === null)
    return current.accessToken;
  // One refresh at a time: the server treats a refresh token that is used twice as stolen.
  refreshing ??= renew(current, current.refreshToken).finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function renew(session: StoredSession, refreshToken: string): Promise<string | null> {
  try {
    const tokens = await refresh(refreshToken);
    if (current !== session) return null;
    startSession({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken, id: session.id });
  } catch (error) {
    if (isRefusal(error) && current === session) clearSession('Your sign-in has ended');
  }
  return current?.accessToken ?? null;
}

/**
 * Whether this tab may use the refresh token. A duplicated tab has a copy of sessionStorage, so each tab holds this lock for its lifetime, and
 * only the first one gets it.
 */
function acquireTabLock(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const keepLock = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    const signal = AbortSignal.timeout(lockTimeoutMs);
    navigator.locks.request(`${storageKey}:${id}`, { signal }, keepLock).catch(() => resolve(false));
  });
}

function startSession(session: StoredSession, message = ''): void {
  current = session;
  sessionStorage.setItem(storageKey, JSON.stringify(session));
  update('signed-in', message);
}

function clearSession(message = ''): void {
  current = null;
  sessionStorage.removeItem(storageKey);
  update('signed-out', message);
}

const failureMessage = (error: unknown): string =>
  error instanceof TooLong
    ? error.message
    : isRefusal(error)
      ? 'Sign-in was refused'
      : 'Sign-in failed: try again';

function update(status: Session['status'], message = '', wantedScope = getSession().wantedScope): void {
  state.set({ status, message, wantedScope });
}
