// What the store knows of an access token that was issued: one statement finds all that may have ended it.
import type { TeamRole } from './generated/client.ts';
import { query, type Statement, type Store } from './store.ts';

/** A token, and who and what stands behind it, ended or not. */
export interface TokenRow {
  readonly clientId: string;
  readonly clientName: string;
  readonly clientDisabledAt: Date | null;
  readonly revokedAt: Date | null;
  /** The team that it is for; null while the grant is unfinished, or for a client that has none. */
  readonly teamId: bigint | null;
  readonly wholeTeam: boolean;
  readonly workspaceIds: readonly bigint[];
  /** null: a client that acts for itself. What follows is null with it. */
  readonly grantId: bigint | null;
  readonly grantScopes: readonly string[] | null;
  readonly grantRevokedAt: Date | null;
  readonly grantExpiresAt: Date | null;
  readonly userId: bigint | null;
  readonly userPublicId: string | null;
  readonly userName: string | null;
  readonly userEmail: string | null;
  readonly userDisabledAt: Date | null;
  /** What the person is in the team at the moment; null when they have left it. */
  readonly role: TeamRole | null;
}

const BY_JTI: Statement = {
  name: 'oauth_access_tokens.liveness',
  text: `select c.id as "clientId", c.name as "clientName", c.disabled_at as "clientDisabledAt", t.revoked_at as "revokedAt",
    case when t.grant_key is null then c.team_id else g.team_id end as "teamId",
    case when t.grant_key is null then c.whole_team else g.whole_team end as "wholeTeam",
    case when t.grant_key is null then c.workspace_ids else g.workspace_ids end as "workspaceIds",
    g.id as "grantId", g.scopes as "grantScopes", g.revoked_at as "grantRevokedAt",
    g.expires_at as "grantExpiresAt", u.id as "userId", u.public_id as "userPublicId", u.name as "userName",
    u.email as "userEmail", u.disabled_at as "userDisabledAt", m.role::text as role
    from oauth_access_tokens t
    join oauth_clients c on c.id = t.client_id
    left join oauth_grants g on g.key = t.grant_key
    left join users u on u.id = g.user_id
    left join team_members m on m.user_id = g.user_id and m.team_id = g.team_id
    where t.jti = $1 and (t.kind = 'ClientCredentials') = (t.grant_key is null)`,
};

/** The token with this `jti`, or null when it was never issued, or expired so long ago that its row is gone. */
export async function findToken(store: Store, jti: string): Promise<TokenRow | null> {
  return (await query<TokenRow>(store, BY_JTI, [jti]))[0] ?? null;
}

/** A team, and those of the workspaces asked for that are its own. */
export interface NamedReach {
  readonly teamId: bigint;
  readonly workspaceIds: readonly bigint[];
}

const BY_NAMES: Statement = {
  name: 'teams.named_reach',
  text: `select t.id as "teamId", array(
      select w.id from workspaces w where w.team_id = t.id and (w.id::text = any($2) or w.public_id = any($2)) order by w.id
    ) as "workspaceIds" from teams t where t.id::text = $1 or t.public_id = $1`,
};

/** A team by its id or public id as text, with its workspaces of these ids or public ids; null without such a team. */
export async function findNamedReach(
  store: Store,
  team: string,
  workspaces: readonly string[],
): Promise<NamedReach | null> {
  return (await query<NamedReach>(store, BY_NAMES, [team, workspaces]))[0] ?? null;
}
