// The fields of a person's grant to an OAuth client that the team may see: neither key nor payload.
import { IDS } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { team } from './teams.ts';

export const oauthGrant = describe({
  type: 'OauthGrant',
  title: 'Grant',
  table: 'oauth_grants',
  number: 12n,
  parent: team,
  plural: 'oauthGrants',
  path: 'oauth_grants',
  gatewayOnly: true,
  listDescription:
    'The grants that people gave to OAuth clients on the team’s behalf, including expired and revoked ones. Empty for a caller that is restricted to some of the team’s workspaces.',
  parentDescription: 'The team on whose behalf the grant was given.',
  scope: 'account',
  description:
    'The permission that a person gave an OAuth client on the team’s behalf. It outlives the tokens that are issued for it.',
  fields: {
    ...IDS,
    teamId: { type: 'int8', description: 'The integer id of its team.' },
    clientId: { type: 'text', graphql: false, description: 'The `client_id` of the client.' },
    clientName: { type: 'text', graphql: false, description: 'The name of the client.' },
    userId: { type: 'int8', internal: true, description: 'The integer id of the person who gave the grant.' },
    userPublicId: {
      graphql: false,
      type: 'text',
      description: 'The short public id of the person who gave the grant: the `sub` of its tokens.',
    },
    userName: { type: 'text', description: 'The name of the person who gave the grant.' },
    isWholeTeam: {
      type: 'bool',
      description: 'Whether the grant is for all workspaces of the team, including future ones.',
    },
    workspaceIds: {
      graphql: false,
      type: 'int8[]',
      description: 'The integer ids of the workspaces of the grant. Empty if it is for the whole team.',
    },
    scopes: {
      type: 'text[]',
      description:
        'The granted scopes: `<category>:read` and `<category>:write`, or `read` and `write` for every category.',
    },
    isBacked: {
      type: 'bool',
      internal: true,
      description: 'Whether the person, their membership and the client exist and are enabled.',
    },
    createdAt: { type: 'timestamp', description: 'When the grant was given.' },
    expiresAt: {
      type: 'timestamp',
      nullable: true,
      description:
        'When the grant expires; null for a grant to a legacy client, which lasts until it is revoked.',
    },
    revokedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the grant was revoked; null if it was not.',
    },
  },
  sorts: ['createdAt'],
  scannedSorts: ['createdAt'],
});

export interface OauthGrantRow extends Row<typeof oauthGrant> {}
