// Who may be told of which events: asked when an endpoint is subscribed, and again before anything is sent to it.
import { covers, grantable, requireCaller, type Scope } from '../auth/scopes.ts';
import type { App, Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { EVENT_TYPES, scopeOfEventType, TEST_EVENT_TYPE } from '../resources/event-types.ts';
import { findBackings, type Subscription } from '../store/webhooks/webhook-backing.ts';

/**
 * The caller may read the subjects of all these events. @param eventTypeIds none: every type there is
 * @throws AppError `unauthenticated`, `insufficient_scope` naming the first scope that is missing
 */
export function requireReadable(ctx: Context, eventTypeIds: readonly string[]): void {
  const { scopes } = requireCaller(ctx);
  const missing = scopesOf(eventTypeIds).find((scope) => !covers(scopes, scope));
  if (missing === undefined) return;
  const which = eventTypeIds.length === 0 ? 'every type of event' : 'these types of event';
  throw new AppError('insufficient_scope', `Being told of ${which} needs the scope ${missing} as well.`, {
    scope: missing,
  });
}

/** What subscribing to one type of event or another needs, also of nouns that nothing else here reads yet. */
export const SUBSCRIPTION_SCOPES: readonly Scope[] = scopesOf([]);

function scopesOf(eventTypeIds: readonly string[]): Scope[] {
  const all = eventTypeIds.length === 0 ? EVENT_TYPES.map(({ id }) => id) : eventTypeIds;
  return [...new Set(all.map(scopeOfEventType))].filter((scope) => scope !== null);
}

/**
 * Whether whoever subscribed an endpoint may still read the subject of such an event. Credentials of an outside issuer cannot be
 * asked for: what it let the subscriber do stays.
 * @throws AppError `unavailable`
 */
export async function mayReceive(
  app: App,
  subscription: Subscription,
  eventTypeId: string,
): Promise<boolean> {
  const needed = scopeOfEventType(eventTypeId);
  // Of a test an endpoint learns no more than what its subscriber said of it. What is in no catalogue nobody has subscribed to.
  const isForAnyone = eventTypeId === TEST_EVENT_TYPE;
  const { actorKind } = subscription;
  if (actorKind === null || (actorKind === 'oauth' && app.config.oauth.outside !== null)) return true;
  const backings = await findBackings(app.store, subscription, app.clock());
  return backings.some(({ scopes, role }) => {
    const held = role === null ? scopes : scopes.filter((scope) => grantable(role).has(scope));
    return isForAnyone || (needed !== null && covers(new Set(held), needed));
  });
}
