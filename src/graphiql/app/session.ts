// Who is signed in, in this tab. The tokens live in sessionStorage only, so that they outlive a reload.
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
  /** What went wrong, for the person; '' when nothing did. */
  readonly message: string;
  /** A scope that an answer was refused for: the next sign-in asks for it first. '' when there was none. */
  readonly wantedScope: string;
}

interface Held extends Tokens {
  /** Of this sign-in. */
  readonly id: string;
}

const shown = observed<Session>({ status: 'signed-out', message: '', wantedScope: asked.scope });
export const { get: getSession, subscribe } = shown;
let held: Held | null = null;
let refreshing: Promise<string | null> | undefined;
let resuming: Promise<void> = Promise.resolve();

// Back from the authorization server by the browser's button, to a page that was kept as it was left.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && getSession().status === 'busy') update(held === null ? 'signed-out' : 'signed-in');
});

/** At the start: finishes a sign-in that comes back from the authorization server, or takes up the tab's own one. */
export function resumeSession(): Promise<void> {
  resuming = resume();
  return resuming;
}

async function resume(): Promise<void> {
  const callback = takeCallback();
  if (callback === 'start') return signIn(null);
  if (callback !== null) return finish(callback);
  const kept = keptSession();
  if (kept !== null) await takeUp(kept);
}

const keptSession = (): Held | null =>
  canSignIn ? (JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Held | null) : null;

async function takeUp(session: Held, message = ''): Promise<void> {
  update('busy');
  if (await isOurs(session.id)) hold(session, message);
  else drop(message);
}

async function finish(callback: URLSearchParams): Promise<void> {
  update('busy');
  // The previous tokens of a person who has signed in again.
  const before = keptSession();
  try {
    const session = { ...(await redeem(callback)), id: crypto.randomUUID() };
    await isOurs(session.id);
    hold(session);
    update('signed-in', '', '');
  } catch (error) {
    const message = callback.get('error') === 'access_denied' ? 'Access was denied' : failure(error);
    return before === null ? drop(message) : takeUp(before, message);
  }
  if (before !== null) await revoke(before.refreshToken ?? before.accessToken).catch(() => {});
}

/** @param operation what is in the editors, to be there again afterwards */
export async function signIn(operation: Operation | null): Promise<void> {
  const { status } = getSession();
  update('busy');
  await leaveToSignIn(operation, getSession().wantedScope).catch((error: unknown) =>
    update(status === 'signed-in' ? status : 'signed-out', failure(error)),
  );
}

/** An answer was refused for want of a scope. */
export function wantScope(scope: string): void {
  shown.set({ ...getSession(), wantedScope: scope });
}

/** Deletes the tokens and revokes their grant. */
export async function signOut(): Promise<void> {
  const token = held?.refreshToken ?? held?.accessToken;
  drop();
  if (token !== undefined) await revoke(token).catch(() => update('signed-out', 'The server was not told'));
}

/** To be called when the gateway no longer accepts `token`. */
export function endSession(token: string): void {
  if (held?.accessToken === token) drop('Your sign-in has ended');
}

/** An access token that is still valid for a while; null if nobody is signed in. */
export async function getAccessToken(): Promise<string | null> {
  await resuming;
  if (held === null) return null;
  if (held.expiresAt - Date.now() > refreshBeforeMs || held.refreshToken === null) return held.accessToken;
  // One refresh at a time: the server treats a refresh token that is used twice as stolen.
  refreshing ??= renew(held, held.refreshToken).finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function renew(session: Held, refreshToken: string): Promise<string | null> {
  try {
    const tokens = await refresh(refreshToken);
    if (held !== session) return null;
    hold({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken, id: session.id });
  } catch (error) {
    if (isRefusal(error) && held === session) drop('Your sign-in has ended');
  }
  return held?.accessToken ?? null;
}

/**
 * A tab that was duplicated has a copy of our sessionStorage. Only one of the two may go on with the refresh token: the
 * one that holds this lock, for as long as it lives.
 */
function isOurs(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const holdForever = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    const signal = AbortSignal.timeout(lockTimeoutMs);
    navigator.locks.request(`${storageKey}:${id}`, { signal }, holdForever).catch(() => resolve(false));
  });
}

function hold(session: Held, message = ''): void {
  held = session;
  sessionStorage.setItem(storageKey, JSON.stringify(session));
  update('signed-in', message);
}

function drop(message = ''): void {
  held = null;
  sessionStorage.removeItem(storageKey);
  update('signed-out', message);
}

const failure = (error: unknown): string =>
  error instanceof TooLong
    ? error.message
    : isRefusal(error)
      ? 'Sign-in was refused'
      : 'Sign-in did not work: try again';

function update(status: Session['status'], message = '', wantedScope = getSession().wantedScope): void {
  shown.set({ status, message, wantedScope });
}
