// Adds to OAuth grants their status, their workspaces, and the mutation that revokes one.
import { oauthGrant } from '../../resources/oauth-grants.ts';
import { user } from '../../resources/users.ts';
import { workspace } from '../../resources/workspaces.ts';
import * as grants from '../../services/sign-in/oauth-grants.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { assumedRows } from '../field-options.ts';
import { nodeOf } from '../nouns.ts';
import { loadExisting } from '../references.ts';
import { OauthClient } from './oauth-clients.ts';
import { defineRevocation } from './revocations.ts';

const OauthGrantStatus = defineEnum('OauthGrantStatus', 'The current status of a grant.', {
  active: 'The client can obtain and use tokens with it.',
  suspended: 'Its tokens do not work: the person has left the team, or the person or the client is disabled.',
  expired: 'The grant has expired: the client has to ask the person again.',
  revoked: 'The grant and all its tokens were revoked.',
});

const OauthGrant = nodeOf(oauthGrant);
const Workspace = nodeOf(workspace);

builder.objectFields(OauthGrant.ref, (t) => ({
  user: nodeOf(user).field(
    t,
    'userId',
    'The person who gave the grant: the `sub` of its tokens is their public id. Null if they have left the team.',
  ),
  workspaces: t.field({
    type: [Workspace.ref],
    nullable: true,
    scope: Workspace.scope,
    columns: ['workspaceIds'],
    rows: assumedRows(),
    idsIn: 'workspaceIds',
    description:
      'The workspaces to which the grant is limited, without deleted ones. Empty if the grant is for the whole team.',
    resolve: ({ workspaceIds }, _args, ctx) => loadExisting(ctx, Workspace, workspaceIds),
  }),
  client: t.field({
    type: OauthClient,
    columns: ['clientId', 'clientName'],
    description: 'The client that got the grant.',
    resolve: ({ clientId, clientName }) => ({ clientId, clientName }),
  }),
  status: t.field({
    type: OauthGrantStatus,
    description: 'The current status of the grant.',
    columns: ['revokedAt', 'expiresAt', 'isBacked'],
    resolve: (grant, _args, { clock }) => grants.statusOf(grant, clock()),
  }),
}));

defineRevocation(OauthGrant, {
  what: 'grant',
  idField: 'oauthGrantId',
  description:
    'Revokes a grant of the team at once, with all its tokens. The grant of the request itself can be revoked too. Revoking a grant twice changes nothing. A caller that is restricted to some of the team’s workspaces cannot revoke grants.',
  scope: grants.writeScope,
  revoke: grants.revoke,
});
