// What is special of OAuth grants: their status, the workspaces that they are for, and the mutation that revokes one.
import { oauthGrant } from '../resources/oauth-grants.ts';
import { workspace } from '../resources/workspaces.ts';
import * as grants from '../services/oauth-grants.ts';
import { builder } from './builder.ts';
import { encodeGlobalId, parseGlobalId } from './nodes.ts';
import { nodeOf } from './nouns.ts';

const OauthGrantStatus = builder.enumType('OauthGrantStatus', {
  description: 'What a grant is good for at the moment.',
  values: {
    ACTIVE: { value: 'active', description: 'The client can get and use tokens with it.' },
    SUSPENDED: {
      value: 'suspended',
      description:
        'Its tokens do not work: the person has left the team, or the person or the client is disabled.',
    },
    EXPIRED: { value: 'expired', description: 'It has reached its end.' },
    REVOKED: { value: 'revoked', description: 'It was revoked, and every token with it.' },
  },
});

const OauthGrant = nodeOf(oauthGrant);
const Workspace = nodeOf(workspace);

builder.objectFields(OauthGrant.ref, (t) => ({
  workspaces: t.field({
    type: [Workspace.ref],
    nullable: true,
    scope: Workspace.scope,
    columns: ['workspaceIds'],
    description:
      'The workspaces that it is for, without those that are gone; empty when it is for the whole team.',
    async resolve({ workspaceIds }, _args, ctx) {
      const rows = await Promise.all(workspaceIds.map((id) => Workspace.load(ctx, id)));
      return rows.filter((row) => row !== null);
    },
  }),
  status: t.field({
    type: OauthGrantStatus,
    description: 'Whether the grant is good for anything at the moment.',
    columns: ['revokedAt', 'expiresAt', 'isBacked'],
    resolve: (grant, _args, { clock }) => grants.statusOf(grant, clock()),
  }),
}));

builder.relayMutationField(
  'revokeOauthGrant',
  {
    description: 'Which grant to end.',
    inputFields: (t) => ({
      grantId: t.id({ required: true, description: 'The global id of the grant.' }),
    }),
  },
  {
    description:
      'Ends a grant of the team at once, with every token that was got with it, be it the one that the request carries. A grant that was revoked already stays as it is. Not for callers who are narrowed to some of the team’s workspaces.',
    nullable: true,
    scope: grants.writeScope,
    async resolve(_root, { input }, ctx) {
      const { id } = await grants.revoke(ctx, parseGlobalId(OauthGrant, input.grantId, 'grantId'));
      // Values that were loaded before the change are stale.
      ctx.loaders.clear();
      return { id };
    },
  },
  {
    description: 'What became of the grant.',
    outputFields: (t) => ({
      revokedGrantId: t.id({
        description: 'The global id of the grant.',
        resolve: ({ id }) => encodeGlobalId(OauthGrant.name, id),
      }),
      oauthGrant: t.field({
        type: OauthGrant.ref,
        nullable: true,
        description: 'The grant as it is now.',
        scope: OauthGrant.scope,
        resolve: ({ id }, _args, ctx) => OauthGrant.load(ctx, id),
      }),
    }),
  },
);
