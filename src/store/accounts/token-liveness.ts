// Reads whether an issued access token is still valid. One statement finds everything that may have ended it.
import type { TeamRole } from '#prisma';
import { type Found, lookup } from '../reading/lookup.ts';
import { parseId } from '../sql/public-ids.ts';
import type { Store } from '../store.ts';

/** A column of the client, for a token that acts for itself, or else of the grant. */
const ofOwner = (column: string) => `case when t.grant_key is null then c.${column} else g.${column} end`;

const byJti = lookup(
  'oauth_access_tokens.liveness',
  {
    clientId: { type: 'text', sql: 'c.id' },
    clientName: { type: 'text', sql: 'c.name' },
    clientDisabledAt: { type: 'timestamp', nullable: true, sql: 'c.disabled_at' },
    clientExpiresAt: { type: 'timestamp', nullable: true, sql: 'c.expires_at' },
    revokedAt: { type: 'timestamp', nullable: true },
    // A token that is no JWT has its claims here. Null: it has no end of its own.
    expiresAt: { type: 'timestamp', nullable: true },
    audience: { type: 'text', nullable: true, sql: "t.payload ->> 'aud'" },
    scope: { type: 'text', nullable: true, sql: "t.payload ->> 'scope'" },
    // Null while the grant is incomplete, or for a client without a team.
    teamId: { type: 'int8', nullable: true, sql: ofOwner('team_id') },
    wholeTeam: { type: 'bool', sql: ofOwner('whole_team') },
    workspaceIds: { type: 'int8[]', sql: ofOwner('workspace_ids') },
    // Null for a client that acts for itself. Then the following are null too. A grant without an end has no `grantExpiresAt`.
    grantId: { type: 'int8', nullable: true, sql: 'g.id' },
    grantScopes: { type: 'text[]', nullable: true, sql: 'g.scopes' },
    grantRevokedAt: { type: 'timestamp', nullable: true, sql: 'g.revoked_at' },
    grantExpiresAt: { type: 'timestamp', nullable: true, sql: 'g.expires_at' },
    userId: { type: 'int8', nullable: true, sql: 'u.id' },
    userPublicId: { type: 'text', nullable: true, sql: 'u.public_id' },
    userName: { type: 'text', nullable: true, sql: 'u.name' },
    userEmail: { type: 'text', nullable: true, sql: 'u.email' },
    userDisabledAt: { type: 'timestamp', nullable: true, sql: 'u.disabled_at' },
    // Null if the person has left the team.
    role: { type: 'enum', nullable: true, sql: 'm.role' },
  },
  (select) => `select ${select} from oauth_access_tokens t
    join oauth_clients c on c.id = t.client_id
    left join oauth_grants g on g.key = t.grant_key
    left join users u on u.id = g.user_id
    left join team_members m on m.user_id = g.user_id and m.team_id = g.team_id
    where t.jti = $1 and (t.kind = 'ClientCredentials') = (t.grant_key is null)`,
);

/** A token with its client, grant, user and team, valid or not. */
export type TokenRow = Found<typeof byJti> & { readonly role: TeamRole | null };

/** Finds the token with this key: the `jti` of a JWT, the hash of another token; null if it was never issued, or its row was deleted after it expired. */
export async function findToken(store: Store, jti: string): Promise<TokenRow | null> {
  return (await byJti(store, [jti])) as TokenRow | null;
}

const byNames = lookup(
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

/** Finds a team by its id or public id as text, with its workspaces that have these ids or public ids; null if there is no such team. */
export async function findNamedTeam(store: Store, team: string, workspaces: readonly string[]) {
  const teamId = parseId('teams', team);
  const workspaceIds = workspaces.map((workspace) => parseId('workspaces', workspace));
  return teamId === null ? null : byNames(store, [teamId, workspaceIds.filter((id) => id !== null)]);
}
