// The API key of this tab, and whether the gateway accepts it. The key lives in sessionStorage only.
import { asked } from './address.ts';
import { withHelp } from './answer-help.ts';
import { observed } from './observed.ts';
import { cleanKey } from './pasted-key.ts';
import { endSession, getAccessToken } from './session.ts';

const storageKey = 'funnel-gateway:api-key';
const endpoint = '/graphql';

export type KeyStatus = 'none' | 'checking' | 'accepted' | 'refused' | 'unknown' | 'link-ended';
interface Credentials {
  key: string;
  status: KeyStatus;
}

const credentials = observed<Credentials>({ key: sessionStorage.getItem(storageKey) ?? '', status: 'none' });
export const { get: getCredentials, subscribe } = credentials;

export function setKey(typed: string): void {
  const key = cleanKey(typed);
  if (key) sessionStorage.setItem(storageKey, key);
  else sessionStorage.removeItem(storageKey);
  credentials.set({ key, status: key ? 'unknown' : 'none' });
}

/** At the start: exchanges the code of the demo's sign-in link for the demo key. The code works once. */
export async function redeemDemoLink(): Promise<void> {
  if (asked.demoCode === null) return;
  const response = await fetch('/graphiql/demo-key', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: asked.demoCode }),
  }).catch(() => undefined);
  if (response?.ok) setKey(((await response.json()) as { key: string }).key);
  // After a reload the tab has the key already, so a failure here is harmless.
  else if (getCredentials().key === '') credentials.set({ key: '', status: 'link-ended' });
}

/** Checks whether the gateway accepts the key, from the HTTP status of a request. */
export async function checkKey(): Promise<void> {
  const { key } = getCredentials();
  if (!key) return;
  credentials.set({ key, status: isSendable(key) ? 'checking' : 'refused' });
  if (!isSendable(key)) return;
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json;q=0.9',
  });
  const body = JSON.stringify({ query: '{ viewer { __typename } }' });
  await fetchWithKey(endpoint, { method: 'POST', body }, headers).catch(() => undefined);
  const now = getCredentials();
  if (now.key === key && now.status === 'checking') credentials.set({ key, status: 'unknown' });
}

/**
 * `fetch` with the credentials of this tab: the access token if a person is signed in, otherwise the key. A request that already has an
 * Authorization header keeps it (GraphiQL's headers editor wins). Adds help to some errors (answer-help.ts).
 */
export const fetchWithCredentials: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  if (headers.has('authorization')) return withHelp(await fetch(input, init), 'header');
  const token = await getAccessToken();
  if (token === null) {
    const credential = getCredentials().key === '' ? 'none' : 'key';
    return withHelp(await fetchWithKey(input, init, headers), credential);
  }
  headers.set('authorization', `Bearer ${token}`);
  const response = await fetch(input, { ...init, headers });
  if (response.status === 401) endSession(token);
  return withHelp(response, 'session');
};

async function fetchWithKey(...[input, init, headers]: [...Parameters<typeof fetch>, Headers]) {
  const { key } = getCredentials();
  if (!isSendable(key)) return fetch(input, init);
  headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(input, { ...init, headers });
  if (getCredentials().key === key && response.status === 401) credentials.set({ key, status: 'refused' });
  if (getCredentials().key === key && response.ok) credentials.set({ key, status: 'accepted' });
  return response;
}

/** Whether a header may contain the key: `fetch` throws for anything but visible ASCII. */
const isSendable = (key: string): boolean => /^[\x21-\x7e]+$/.test(key);
