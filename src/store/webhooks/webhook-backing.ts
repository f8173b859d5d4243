// Finds the credential that a subscription depends on, and its current rights.
import type { TeamRole } from '#prisma';
import { isEnabledClient } from '../sql/oauth-clients.ts';
import { parseId } from '../sql/public-ids.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** An endpoint and its subscriber. Without one, the operator is the subscriber. */
export interface Subscription {
  readonly workspaceId: bigint;
  readonly actorKind: 'api_key' | 'oauth' | null;
  /** The public id of an API key; `sub` of an access token. */
  readonly actorId: string | null;
  readonly clientId: string | null;
}

/** Scopes that a subscription depends on, and the role in the team of the user who granted them; null: no user did. */
export interface SubscriptionRights {
  readonly scopes: readonly string[];
  readonly role: TeamRole | null;
}

/**
 * The subscriber's credentials that are live at `at` and give access to the workspace.
 * @throws AppError `unavailable`
 */
export async function findSubscriptionRights(
  store: Store,
  { workspaceId, actorKind, actorId, clientId }: Subscription,
  at: Date,
): Promise<readonly SubscriptionRights[]> {
  if (actorId === null) return [];
  if (actorKind === 'api_key') return query(store, OF_KEY, [workspaceId, at, parseId('api_keys', actorId)]);
  // A client that acts for itself is its own subject (RFC 9068 §2.2).
  if (actorId === clientId) return query(store, OF_CLIENT, [workspaceId, at, clientId]);
  return query(store, OF_GRANTS, [workspaceId, at, parseId('users', actorId), clientId]);
}

const OF_KEY = statement(
  'webhook_endpoints.backing.key',
  () => `select k.scopes, null as role from api_keys k join workspaces w on w.team_id = k.team_id
      where w.id = $1::bigint and k.id = $3::bigint
        and (k.revoked_at is null or k.revoked_at > $2::timestamptz)
        and (k.expires_at is null or k.expires_at > $2::timestamptz)`,
);

const OF_CLIENT = statement(
  'webhook_endpoints.backing.client',
  () => `select string_to_array(c.metadata ->> 'scope', ' ') as scopes, null as role
      from oauth_clients c join workspaces w on w.team_id = c.team_id
      where w.id = $1::bigint and c.id = $3 and ${isEnabledClient('c', '$2::timestamptz')}
        and c.metadata ->> 'scope' is not null
        and (c.whole_team or w.id = any(c.workspace_ids))`,
);

const OF_GRANTS = statement(
  'webhook_endpoints.backing.grants',
  () => `select g.scopes, m.role from oauth_grants g
        join workspaces w on w.team_id = g.team_id
        join oauth_clients c on c.id = g.client_id
        join users u on u.id = g.user_id
        join team_members m on m.user_id = g.user_id and m.team_id = g.team_id
      where w.id = $1::bigint and g.user_id = $3::bigint and g.client_id = $4
        and g.revoked_at is null and (g.expires_at is null or g.expires_at > $2::timestamptz)
        and ${isEnabledClient('c', '$2::timestamptz')} and u.disabled_at is null
        and (g.whole_team or w.id = any(g.workspace_ids))`,
);
