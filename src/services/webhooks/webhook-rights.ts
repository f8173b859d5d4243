// Who may receive which events: checked when an endpoint subscribes, and again before each delivery.
import { coversScope, grantable, requireCaller, type Scope } from '../../auth/scopes.ts';
import type { App, Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { EVENT_TYPES, scopeOfEventType, TEST_EVENT_TYPE } from '../../resources/event-types.ts';
import { withNull } from '../../rows/json-members.ts';
import { findSubscriptionRights, type Subscription } from '../../store/webhooks/webhook-backing.ts';
import { needingOf } from '../reading/needed-scopes.ts';

/**
 * Requires that the caller may read the subjects of all these events. @param eventTypeIds empty: every type
 * @throws AppError `unauthenticated`, `insufficient_scope` naming every missing scope
 */
export function requireReadable(ctx: Context, eventTypeIds: readonly string[]): void {
  const { scopes } = requireCaller(ctx);
  const missing = scopesOf(eventTypeIds).filter((scope) => !coversScope(scopes, scope));
  if (missing.length === 0) return;
  const which = eventTypeIds.length === 0 ? 'every type of event' : 'these types of event';
  const named = `${missing.length === 1 ? 'scope' : 'scopes'} ${missing.join(', ')}`;
  throw new AppError('insufficient_scope', `A subscription to ${which} also needs the ${named}.`, {
    // RFC 6750 §3: a list with spaces.
    scope: missing.join(' '),
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
  return isBacked(app, subscription, (held) => isForAnyone || (needed !== null && coversScope(held, needed)));
}

/** Whether a credential of the subscriber, if any can be looked up, still has the needed scopes. */
async function isBacked(
  app: App,
  subscription: Subscription,
  isEnough: (held: ReadonlySet<string>) => boolean,
): Promise<boolean> {
  const { actorKind } = subscription;
  if (actorKind === null || (actorKind === 'oauth' && app.config.oauth.outside !== null)) return true;
  const backings = await findSubscriptionRights(app.store, subscription, app.clock());
  return backings.some(({ scopes, role }) =>
    isEnough(new Set(role === null ? scopes : scopes.filter((scope) => grantable(role).has(scope)))),
  );
}

/** The data of an event for a subscriber, with null for members that it may not read. @throws AppError `unavailable` */
export async function readableData(
  app: App,
  subscription: Subscription,
  { subjectType, data }: { readonly subjectType: string; readonly data: string },
): Promise<string> {
  const mayRead = (scope: Scope) =>
    mayStillReceive(app, subscription, scope, () =>
      isBacked(app, subscription, (held) => coversScope(held, scope)),
    );
  const hidden = needingOf(subjectType).map(async ({ way, scope }) => ((await mayRead(scope)) ? [] : [way]));
  const ways = (await Promise.all(hidden)).flat();
  return ways.length === 0 ? data : withNull(data, ways);
}

const ALLOWED = {};

/**
 * As `mayReceive`, cached. A positive result is cached like keys and hosts (auth/lookups.ts), until a revocation is announced or an
 * announcement may have been missed. A negative result is never cached: new rights are not announced, and the endpoint would be
 * deactivated again.
 * @param what the type of the event, or a scope if `ask` checks a scope
 */
export async function mayStillReceive(
  app: App,
  subscription: Subscription,
  what: string,
  ask = mayReceive,
): Promise<boolean> {
  const { workspaceId, actorKind, actorId, clientId } = subscription;
  const name = JSON.stringify([`${workspaceId}`, actorKind, actorId, clientId, what]);
  const may = await app.lookups.remember(`rights ${name}`, async () =>
    (await ask(app, subscription, what)) ? ALLOWED : null,
  );
  return may !== null;
}
