// Limits the stored requests that unauthenticated clients can send to the authorization server: authorization requests that wait for a
// person, pushed requests that wait for a browser, and clients that register themselves. Each kind is counted, and refused above a limit.
import type { App } from '../../context.ts';
import { findClient } from '../../store/accounts/oauth-clients.ts';
import { undoTry } from '../../store/accounts/sign-in-failures.ts';
import { type Limit, networkKey, requireWithinLimit } from '../limits/throttle.ts';

/** From one network before sign-in, or by one person after it. */
const AUTHORIZATIONS: Limit = {
  most: 500,
  windowMs: 15 * 60_000,
  message: 'There were too many requests to sign in. Try again later.',
};

const REGISTRATION = {
  windowMs: 3_600_000,
  message: 'Too many clients were registered. Try again later.',
};
/** Registrations from one network, and from all networks. */
const REGISTRATIONS = {
  network: { most: 20, ...REGISTRATION },
  all: { most: 1_000, ...REGISTRATION },
} as const satisfies Record<string, Limit>;

/**
 * Counts an authorization request that will be stored.
 * @param accountId the public id of the signed-in person; undefined: nobody is signed in, and the request counts for the network
 * @throws AppError `too_many_requests`
 */
export async function admitAuthorization(
  app: App,
  { accountId, address }: { readonly accountId: string | undefined; readonly address: string },
): Promise<void> {
  const key = accountId === undefined ? authorizationsFrom(app, address) : `authorization by ${accountId}`;
  await requireWithinLimit(app, key, AUTHORIZATIONS);
}

/** Takes back the count of an authorization request because its person has signed in. Many people may share one address. */
export async function takeBackAuthorization(app: App, address: string): Promise<void> {
  await undoTry(app.store, authorizationsFrom(app, address));
}

/**
 * Counts a pushed request (RFC 9126) that will be stored. Clients that the operator registered and that authenticate with a secret are
 * trusted and not counted.
 * @returns whether the request was counted, which means that it is untrusted
 * @throws AppError `too_many_requests`
 */
export async function admitPushedRequest(
  app: App,
  { clientId, address }: { readonly clientId: string | undefined; readonly address: string },
): Promise<boolean> {
  const client = clientId === undefined ? null : await findClient(app, clientId);
  if (client !== null && !client.dynamic && client.secretHash !== null) return false;
  await requireWithinLimit(app, networkKey(app, 'pushed request', address), AUTHORIZATIONS);
  return true;
}

/** Counts a client that registers itself. @throws AppError `too_many_requests` */
export async function admitRegistration(app: App, address: string): Promise<void> {
  await requireWithinLimit(app, networkKey(app, 'registration', address), REGISTRATIONS.network);
  await requireWithinLimit(app, 'registration', REGISTRATIONS.all);
}

function authorizationsFrom(app: App, address: string): string {
  return networkKey(app, 'authorization', address);
}
