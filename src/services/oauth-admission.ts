// How many requests to the authorization server are kept that anybody may send: authorization requests that wait for a
// person, pushed ones that wait for a browser, clients that register themselves. Each is counted, and refused beyond a limit.
import type { App } from '../context.ts';
import { findClient } from '../store/accounts/oauth-clients.ts';
import { takeBackTry } from '../store/accounts/sign-in-failures.ts';
import { type Limit, networkKey, requireFewTries } from './throttle.ts';

/** From one network, of people who have not signed in; or by one person who has. */
const AUTHORIZATIONS: Limit = {
  most: 500,
  windowMs: 15 * 60_000,
  message: 'There were too many requests to sign in.',
};

const REGISTRATION = {
  windowMs: 3_600_000,
  message: 'Too many clients were registered. Try again later.',
};
/** Registrations from one network, and from all. */
const REGISTRATIONS = {
  network: { most: 20, ...REGISTRATION },
  all: { most: 1_000, ...REGISTRATION },
} as const satisfies Record<string, Limit>;

/**
 * Counts an authorization request that is to be kept.
 * @param accountId the public id of the person who is signed in; undefined: nobody is, and the network is what counts
 * @throws AppError `too_many_requests`
 */
export async function admitAuthorization(
  app: App,
  { accountId, address }: { readonly accountId: string | undefined; readonly address: string },
): Promise<void> {
  const key = accountId === undefined ? authorizationsFrom(app, address) : `authorization by ${accountId}`;
  await requireFewTries(app, key, AUTHORIZATIONS);
}

/** Does not count an authorization request after all: its person has signed in. Many people may share one address. */
export async function takeBackAuthorization(app: App, address: string): Promise<void> {
  await takeBackTry(app.store, authorizationsFrom(app, address));
}

/**
 * Counts a pushed request (RFC 9126) that is to be kept, unless the operator vouches for its client: registered by the
 * operator, and authenticated by a secret.
 * @returns whether it was counted, and so could be anybody's
 * @throws AppError `too_many_requests`
 */
export async function admitPushedRequest(
  app: App,
  { clientId, address }: { readonly clientId: string | undefined; readonly address: string },
): Promise<boolean> {
  const client = clientId === undefined ? null : await findClient(app.store, clientId);
  if (client !== null && !client.dynamic && client.secretHash !== null) return false;
  await requireFewTries(app, networkKey(app, 'pushed request', address), AUTHORIZATIONS);
  return true;
}

/** Counts a client that registers itself. @throws AppError `too_many_requests` */
export async function admitRegistration(app: App, address: string): Promise<void> {
  await requireFewTries(app, networkKey(app, 'registration', address), REGISTRATIONS.network);
  await requireFewTries(app, 'registration', REGISTRATIONS.all);
}

function authorizationsFrom(app: App, address: string): string {
  return networkKey(app, 'authorization', address);
}
