// OAuth clients that belong to a team. The operator's own clients, and those that register themselves, belong to nobody.
import { IDS } from './description/common-fields.ts';
import type { Fields } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { team } from './teams.ts';
import { workspace } from './workspaces.ts';

/** How a client may get tokens (RFC 7591 §2 `grant_types`). */
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

export const teamOauthClient = describe({
  type: 'TeamOauthClient',
  title: 'OAuth client',
  table: 'team_oauth_clients',
  number: 151n,
  parent: team,
  plural: 'oauthClients',
  path: 'oauth_clients',
  wrapper: 'oauth_client',
  gatewayOnly: true,
  listDescription:
    'The OAuth clients of the team, including revoked ones. Empty for a caller that is restricted to some of the team’s workspaces.',
  parentDescription: 'The team to which the client belongs.',
  scope: 'account',
  description:
    'An OAuth client that belongs to a team: only people of the team can grant it access, and only to that team. Its secret is returned only once, when the client is created.',
  fields: {
    ...IDS,
    teamId: { type: 'int8', description: 'The integer id of its team.' },
    clientId: { type: 'text', description: 'The `client_id` of the client.' },
    name: { type: 'text', description: 'The name of the client, which people read when they grant access.' },
    grantTypes: {
      type: 'text[]',
      description:
        'How the client gets tokens: `client_credentials` for the team itself; `authorization_code`, and `refresh_token` beside it, for people who grant access.',
    },
    redirectUris: {
      type: 'text[]',
      description:
        'Where people are sent back to after they granted access. Empty without `authorization_code`.',
    },
    isPublic: {
      type: 'bool',
      description: 'Whether the client has no secret, because it runs where users could read one.',
    },
    scopes: {
      type: 'text[]',
      description:
        'The scopes that the client can request: `<category>:read` and `<category>:write`, or `read` and `write` for every category.',
    },
    isWholeTeam: {
      type: 'bool',
      description:
        'Whether the client can enter all workspaces of the team by itself, including future ones.',
    },
    workspaceIds: {
      graphql: false,
      type: 'int8[]',
      description:
        'The integer ids of the workspaces that the client can enter by itself. Empty if these are all of the team.',
    },
    createdAt: { type: 'timestamp', description: 'When the client was created.' },
    expiresAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the client expires. Null if it is valid until it is revoked.',
    },
    revokedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the client was revoked, with all its grants and tokens; null if it was not.',
    },
  },
  sorts: ['createdAt'],
  scannedSorts: ['createdAt'],
});

const { name, grantTypes, redirectUris, isPublic, scopes, expiresAt } = teamOauthClient.fields;

/** The longest name of a client. */
export const MAX_CLIENT_NAME_LENGTH = 200;

/** The input of a new name. */
export const OAUTH_CLIENT_NAME = {
  name: { ...name, writable: 'always', required: true, maxLength: MAX_CLIENT_NAME_LENGTH },
} as const satisfies Fields;

/** The input of a new client. */
export const NEW_OAUTH_CLIENT = {
  ...OAUTH_CLIENT_NAME,
  scopes: {
    ...scopes,
    writable: 'at_creation',
    required: true,
    maxLength: 50,
    rule: 'Only those that the credential of the request has.',
  },
  grantTypes: {
    ...grantTypes,
    writable: 'at_creation',
    required: true,
    maxLength: GRANT_TYPES.length,
  },
  redirectUris: { ...redirectUris, writable: 'at_creation', default: [], maxLength: 20 },
  isPublic: {
    ...isPublic,
    writable: 'at_creation',
    default: false,
    rule: 'Not together with `client_credentials`.',
  },
  workspaceIds: {
    type: 'int8[]',
    idsOf: workspace,
    writable: 'at_creation',
    default: [],
    maxLength: 1_000,
    description:
      'The integer ids of the workspaces that the client can enter by `client_credentials`. Empty for all workspaces of the team.',
  },
  expiresAt: {
    ...expiresAt,
    writable: 'at_creation',
    rule: 'At most, and by default, the end of the credential of the request, if that has one.',
  },
} as const satisfies Fields;

/** A client with its secret, which is returned only when it is created. */
export const teamOauthClientWithSecret = describe({
  ...teamOauthClient,
  type: 'TeamOauthClientWithSecret',
  fields: {
    ...teamOauthClient.fields,
    clientSecret: {
      type: 'text',
      nullable: true,
      description: 'The secret of the client; null for a public client. Only this answer contains it.',
    },
  },
});

export interface TeamOauthClientRow extends Row<typeof teamOauthClient> {}
