// Who may receive which events: checked when an endpoint subscribes, and again before each delivery.
import { covers, grantable, requireCaller, type Scope } from '../auth/scopes.ts';
import type { App, Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { EVENT_TYPES, scopeOfEventType, TEST_EVENT_TYPE } from '../resources/event-types.ts';
import { findBackings, type Subscription } from '../store/webhooks/webhook-backing.ts';

/**
 * Requires that the caller may read the subjects of all these events. @param eventTypeIds empty: every type
 * @throws AppError `unauthenticated`, `insufficient_scope` naming the first missing scope
 */
export function requireReadable(ctx: Context, eventTypeIds: readonly string[]): void {
  const { scopes } = requireCaller(ctx);
  const missing = scopesOf(eventTypeIds).find((scope) => !covers(scopes, scope));
  if (missing === undefined) return;
  const which = eventTypeIds.length === 0 ? 'every type of event' : 'these types of event';
  throw new AppError('insufficient_scope', `Subscribing to ${which} also needs the scope ${missing}.`, {
    scope: missing,
  });
}

/** The scopes that subscriptions can need, also those of nouns that no operation reads yet. */
export const SUBSCRIPTION_SCOPES: readonly Scope[] = scopesOf([]);

function scopesOf(eventTypeIds: readonly string[]): Scope[] {
  const all = eventTypeIds.length === 0 ? EVENT_TYPES.map(({ id }) => id) : eventTypeIds;
  return [...new Set(all.map(scopeOfEventType))].filter((scope) => scope !== null);
}

/**
 * Whether an endpoint's subscriber may still read the subject of such an event. Credentials of an outside issuer cannot be looked up, so
 * what the issuer allowed at subscription stays allowed.
 * @throws AppError `unavailable`
 */
export async function mayReceive(
  app: App,
  subscription: Subscription,
  eventTypeId: string,
): Promise<boolean> {
  const needed = scopeOfEventType(eventTypeId);
  // A test event reveals only what the subscriber configured. No endpoint can subscribe to a type that is not in the catalogue.
  const isForAnyone = eventTypeId === TEST_EVENT_TYPE;
  const { actorKind } = subscription;
  if (actorKind === null || (actorKind === 'oauth' && app.config.oauth.outside !== null)) return true;
  const backings = await findBackings(app.store, subscription, app.clock());
  return backings.some(({ scopes, role }) => {
    const held = role === null ? scopes : scopes.filter((scope) => grantable(role).has(scope));
    return isForAnyone || (needed !== null && covers(new Set(held), needed));
  });
}

const YES = {};

/**
 * As `mayReceive`. That it may is cached like keys and hosts (auth/lookups.ts), until a revocation is announced or an announcement may have
 * been missed. That it may not is asked each time, because new rights are not announced, and the endpoint would be deactivated again.
 */
export async function mayStillReceive(
  app: App,
  subscription: Subscription,
  eventTypeId: string,
  ask = mayReceive,
): Promise<boolean> {
  const { workspaceId, actorKind, actorId, clientId } = subscription;
  const name = JSON.stringify([`${workspaceId}`, actorKind, actorId, clientId, eventTypeId]);
  const may = await app.lookups.remember(`rights ${name}`, async () =>
    (await ask(app, subscription, eventTypeId)) ? YES : null,
  );
  return may !== null;
}
