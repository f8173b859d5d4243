// What may be read of a team's credentials, as tables for the hand-written reads: no hash, no secret, no payload.
import type { ApiKey, OauthGrant } from './generated/client.ts';
import type { Table } from './tables.ts';

export type TeamApiKeyRow = Omit<ApiKey, 'tokenHash'>;
export type TeamOauthGrantRow = Omit<OauthGrant, 'key' | 'payload' | 'userId' | 'teamId'> & {
  teamId: bigint;
  userPublicId: string;
  userName: string;
  clientName: string;
  /** Person, membership and client are there and enabled. */
  isBacked: boolean;
};

/** A team's credentials: nothing of them for a caller who is narrowed to some of its workspaces. */
const BELOW_TEAM = {
  parent: { table: 'teams', column: 'team_id' },
  visible: 'true',
  owned: (team: string, workspace: string) => `t.team_id = ${team} and ${workspace}::bigint[] is null`,
  narrowed: (workspace: string) => `${workspace}::bigint[] is null`,
} as const;

export const API_KEYS: Table<TeamApiKeyRow> = {
  name: 'api_keys',
  columns: {
    id: 'int8',
    publicId: 'text',
    teamId: 'int8',
    name: 'text',
    isDefault: 'bool',
    hint: 'text',
    scopes: 'text[]',
    createdAt: 'timestamp',
    expiresAt: 'timestamp',
    revokedAt: 'timestamp',
    lastUsedAt: 'timestamp',
  },
  ...BELOW_TEAM,
};

export const OAUTH_GRANTS: Table<TeamOauthGrantRow> = {
  name: 'oauth_grants',
  columns: {
    id: 'int8',
    publicId: 'text',
    teamId: 'int8',
    clientId: 'text',
    clientName: { type: 'text', sql: '(select c.name from oauth_clients c where c.id = t.client_id)' },
    userPublicId: { type: 'text', sql: '(select u.public_id from users u where u.id = t.user_id)' },
    userName: { type: 'text', sql: '(select u.name from users u where u.id = t.user_id)' },
    wholeTeam: 'bool',
    workspaceIds: 'int8[]',
    scopes: 'text[]',
    isBacked: {
      type: 'bool',
      sql: `(exists (select from team_members m join users u on u.id = m.user_id
          where m.user_id = t.user_id and m.team_id = t.team_id and u.disabled_at is null)
        and exists (select from oauth_clients c where c.id = t.client_id and c.disabled_at is null))`,
    },
    createdAt: 'timestamp',
    expiresAt: 'timestamp',
    revokedAt: 'timestamp',
  },
  ...BELOW_TEAM,
};
