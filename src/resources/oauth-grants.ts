// The fields of a person's grant to an OAuth client that the team may see: neither key nor payload.
import { describe, IDS, type Row } from './resource.ts';
import { team } from './teams.ts';

export const oauthGrant = describe({
  type: 'OauthGrant',
  title: 'Grant',
  table: 'oauth_grants',
  number: 12n,
  parent: team,
  plural: 'oauthGrants',
  listDescription:
    'What people granted to OAuth clients on the team’s behalf, ended grants included. Empty for a caller who is narrowed to some of the team’s workspaces.',
  parentDescription: 'The team on whose behalf it was granted.',
  scope: 'account',
  description:
    'What a person allowed an OAuth client to do on the team’s behalf. It outlives the tokens that are issued for it.',
  fields: {
    ...IDS,
    teamId: { type: 'int8', description: 'The integer id of its team.' },
    clientId: { type: 'text', description: 'The `client_id` of the client.' },
    clientName: { type: 'text', description: 'The name of the client.' },
    userPublicId: {
      type: 'text',
      description: 'The short public id of the person who granted it: the `sub` of its tokens.',
    },
    userName: { type: 'text', description: 'The name of the person who granted it.' },
    isWholeTeam: {
      type: 'bool',
      description: 'Whether it is for every workspace of the team, also future ones.',
    },
    workspaceIds: {
      type: 'int8[]',
      description: 'The integer ids of the workspaces that it is for; empty when it is for the whole team.',
    },
    scopes: {
      type: 'text[]',
      description:
        'What was granted: `<category>:read` and `<category>:write`, or `read` and `write` for every category.',
    },
    isBacked: {
      type: 'bool',
      internal: true,
      description: 'Whether the person, their membership and the client exist and are enabled.',
    },
    createdAt: { type: 'timestamp', description: 'When it was granted.' },
    expiresAt: { type: 'timestamp', description: 'When it expires.' },
    revokedAt: { type: 'timestamp', nullable: true, description: 'When it was revoked, or null.' },
  },
});

export interface OauthGrantRow extends Row<typeof oauthGrant> {}
