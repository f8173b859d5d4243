// What anybody may have the store keep: authorization requests that wait for a person, and pushed ones that wait for a
// browser. They are kept once the library has found them valid, so many from one network, and so many in all.
import { Provider } from 'oidc-provider';
import type { App } from '../context.ts';
import { type Limit, networkKey, requireFewTries } from '../services/throttle.ts';
import { findClient } from '../store/oauth-clients.ts';
import type { NewState } from '../store/oauth-states.ts';
import { takeBackTry } from '../store/sign-in-failures.ts';

/** From one network, of people who have not signed in; or by one person who has. */
const LIMIT: Limit = {
  most: 500,
  windowMs: 15 * 60_000,
  message: 'There were too many requests to sign in. Try again later.',
};

type Context = NonNullable<typeof Provider.ctx>;

/**
 * Counts a request that is to be kept. Returns whether nobody vouches for it, so that it takes a slot.
 * @throws AppError `too_many_requests`
 */
export async function admit(app: App, { model, id, payload }: NewState): Promise<boolean> {
  const { ctx } = Provider;
  // Outside of the library's own answers only what was admitted before is written again.
  if (ctx === undefined) return false;
  if (model === 'Interaction' && ctx.oidc.entities.Interaction?.jti !== id) {
    const { accountId } = (payload['session'] ?? {}) as { accountId?: string };
    const key = accountId === undefined ? beginningsFrom(app, ctx.ip) : `authorization by ${accountId}`;
    await requireFewTries(app, key, LIMIT);
    return accountId === undefined;
  }
  if (model !== 'PushedAuthorizationRequest' || (await isVouchedFor(app, ctx))) return false;
  await requireFewTries(app, networkKey(app, 'pushed request', ctx.ip), LIMIT);
  return true;
}

/** Somebody there has signed in: many people may have one address, and theirs are not to count. */
export async function giveBack(app: App, address: string): Promise<void> {
  await takeBackTry(app.store, beginningsFrom(app, address));
}

function beginningsFrom(app: App, address: string): string {
  return networkKey(app, 'authorization', address);
}

/** A client that the operator registered, and that has shown its secret. */
async function isVouchedFor(app: App, { oidc: { client } }: Context): Promise<boolean> {
  const row = client === undefined ? null : await findClient(app.store, client.clientId);
  return row !== null && !row.dynamic && row.secretHash !== null;
}
