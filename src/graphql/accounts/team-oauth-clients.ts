// Adds to a team's OAuth clients their status, their workspaces, and the mutations that create, rename and revoke one.

import {
  NEW_OAUTH_CLIENT,
  OAUTH_CLIENT_NAME,
  teamOauthClient,
  teamOauthClientWithSecret,
} from '../../resources/team-oauth-clients.ts';
import { team } from '../../resources/teams.ts';
import { workspace } from '../../resources/workspaces.ts';
import * as clients from '../../services/sign-in/team-oauth-clients.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { assumedRows } from '../field-options.ts';
import { defineMutation, edgeField, rowField } from '../mutations.ts';
import { connectionOf, nodeOf } from '../nouns.ts';
import { loadExisting } from '../references.ts';
import { defineRevocation } from './revocations.ts';

const OauthClientStatus = defineEnum('OauthClientStatus', 'The current status of a team’s OAuth client.', {
  active: 'The client can obtain and use tokens.',
  expired: 'The client has expired, and none of its tokens work.',
  revoked: 'The client was revoked, with all its grants and tokens.',
});

const Client = nodeOf(teamOauthClient);
const Workspace = nodeOf(workspace);

builder.objectFields(Client.ref, (t) => ({
  workspaces: t.field({
    type: [Workspace.ref],
    nullable: true,
    scope: Workspace.scope,
    columns: ['workspaceIds'],
    rows: assumedRows(),
    idsIn: 'workspaceIds',
    description:
      'The workspaces that the client can enter by itself, without deleted ones. Empty if these are all of the team.',
    resolve: ({ workspaceIds }, _args, ctx) => loadExisting(ctx, Workspace, workspaceIds),
  }),
  status: t.field({
    type: OauthClientStatus,
    description: 'The current status of the client.',
    columns: ['revokedAt', 'expiresAt'],
    resolve: (client, _args, { clock }) => clients.statusOf(client, clock()),
  }),
}));

defineMutation('createOauthClient', {
  description:
    'Creates an OAuth client of a team. By itself it may do no more, and for no longer, than the credential of the request. People of the team alone can grant it access, and only to the team. A caller that is restricted to some of the team’s workspaces cannot create clients.',
  scope: clients.writeScope,
  of: [nodeOf(team)],
  fields: NEW_OAUTH_CLIENT,
  moment: 'creation',
  isRepeatable: false,
  change: (ctx, [id = 0n], input, options) => clients.create(ctx, id, input, options),
  payload: (t) => ({
    oauthClient: rowField(t, Client),
    oauthClientEdge: edgeField(t, connectionOf(teamOauthClient)),
    secret: t.string({
      nullable: true,
      description: teamOauthClientWithSecret.fields.clientSecret.description,
      resolve: ({ result }) => result.row.clientSecret,
    }),
  }),
});

defineMutation('updateOauthClient', {
  description: 'Renames an OAuth client of the team.',
  scope: clients.writeScope,
  of: [{ ...Client, idField: 'oauthClientId' }],
  fields: OAUTH_CLIENT_NAME,
  isRepeatable: false,
  change: (ctx, [id = 0n], input, options) => clients.rename(ctx, id, input, options),
  payload: (t) => ({ oauthClient: rowField(t, Client) }),
});

defineRevocation(Client, {
  what: 'OAuth client',
  called: 'OauthClient',
  idField: 'oauthClientId',
  description:
    'Revokes an OAuth client of the team at once, with all its grants and tokens. The client of the request itself can be revoked too. Revoking a client twice changes nothing. A caller that is restricted to some of the team’s workspaces cannot revoke clients.',
  scope: clients.writeScope,
  revoke: clients.revoke,
});
