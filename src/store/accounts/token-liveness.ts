// What the store knows about an issued access token. One statement finds everything that may have ended it.
import type { TeamRole } from '#prisma';
import { lookup } from '../reading/lookup.ts';
import { parseId } from '../sql/public-ids.ts';
import type { Store } from '../store.ts';

/** A token with its client, grant, user and team, whether these are still valid or not. */
export interface TokenRow {
  readonly clientId: string;
  readonly clientName: string;
  readonly clientDisabledAt: Date | null;
  readonly revokedAt: Date | null;
  /** The token's team; null while the grant is unfinished, or for a client without a team. */
  readonly teamId: bigint | null;
  readonly wholeTeam: boolean;
  readonly workspaceIds: readonly bigint[];
  /** null for a client that acts for itself. The following members are then null too. */
  readonly grantId: bigint | null;
  readonly grantScopes: readonly string[] | null;
  readonly grantRevokedAt: Date | null;
  readonly grantExpiresAt: Date | null;
  readonly userId: bigint | null;
  readonly userPublicId: string | null;
  readonly userName: string | null;
  readonly userEmail: string | null;
  readonly userDisabledAt: Date | null;
  /** The user's current role in the team; null when they have left it. */
  readonly role: TeamRole | null;
}

const byJti = lookup<TokenRow>(
  'oauth_access_tokens.liveness',
  {
    clientId: { type: 'text', sql: 'c.id' },
    clientName: { type: 'text', sql: 'c.name' },
    clientDisabledAt: { type: 'timestamp', sql: 'c.disabled_at' },
    revokedAt: 'timestamp',
    teamId: { type: 'int8', sql: 'case when t.grant_key is null then c.team_id else g.team_id end' },
    wholeTeam: { type: 'bool', sql: 'case when t.grant_key is null then c.whole_team else g.whole_team end' },
    workspaceIds: {
      type: 'int8[]',
      sql: 'case when t.grant_key is null then c.workspace_ids else g.workspace_ids end',
    },
    grantId: { type: 'int8', sql: 'g.id' },
    grantScopes: { type: 'text[]', sql: 'g.scopes' },
    grantRevokedAt: { type: 'timestamp', sql: 'g.revoked_at' },
    grantExpiresAt: { type: 'timestamp', sql: 'g.expires_at' },
    userId: { type: 'int8', sql: 'u.id' },
    userPublicId: { type: 'text', sql: 'u.public_id' },
    userName: { type: 'text', sql: 'u.name' },
    userEmail: { type: 'text', sql: 'u.email' },
    userDisabledAt: { type: 'timestamp', sql: 'u.disabled_at' },
    role: { type: 'enum', sql: 'm.role' },
  },
  (select) => `select ${select} from oauth_access_tokens t
    join oauth_clients c on c.id = t.client_id
    left join oauth_grants g on g.key = t.grant_key
    left join users u on u.id = g.user_id
    left join team_members m on m.user_id = g.user_id and m.team_id = g.team_id
    where t.jti = $1 and (t.kind = 'ClientCredentials') = (t.grant_key is null)`,
);

/** The token with this `jti`; null when it was never issued, or its row has been deleted after it expired. */
export function findToken(store: Store, jti: string): Promise<TokenRow | null> {
  return byJti(store, [jti]);
}

/** A team, and which of the requested workspaces belong to it. */
export interface NamedTeam {
  readonly teamId: bigint;
  readonly workspaceIds: readonly bigint[];
}

const byNames = lookup<NamedTeam>(
  'teams.named',
  {
    teamId: { type: 'int8', sql: 't.id' },
    workspaceIds: {
      type: 'int8[]',
      sql: `array(select w.id from workspaces w where w.team_id = t.id
        and w.id = any($2::bigint[]) order by w.id)`,
    },
  },
  (select) => `select ${select} from teams t where t.id = $1`,
);

/** A team by its id or public id as text, with its workspaces of these ids or public ids; null if there is no such team. */
export async function findNamedTeam(
  store: Store,
  team: string,
  workspaces: readonly string[],
): Promise<NamedTeam | null> {
  const teamId = parseId('teams', team);
  const workspaceIds = workspaces.map((workspace) => parseId('workspaces', workspace));
  return teamId === null ? null : byNames(store, [teamId, workspaceIds.filter((id) => id !== null)]);
}
