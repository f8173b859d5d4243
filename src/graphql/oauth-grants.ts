// What people granted to OAuth clients on a team's behalf, and ending it.
import { requireScope } from '../auth/scopes.ts';
import * as grants from '../services/oauth-grants.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { defineNode, encodeGlobalId, parseGlobalId } from './nodes.ts';
import { Team } from './teams.ts';
import { Workspace } from './workspaces.ts';

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

const OauthGrant = defineNode<grants.TeamOauthGrantRow>('OauthGrant', {
  description:
    'What a person allowed an OAuth client to do on the team’s behalf. It outlives the tokens that are got with it.',
  scope: grants.scope,
  loadMany: grants.getMany,
  fields: (t) => ({
    clientId: t.exposeString('clientId', { description: 'The `client_id` of the client.' }),
    clientName: t.exposeString('clientName', { description: 'The name of the client.' }),
    userPublicId: t.exposeString('userPublicId', {
      description: 'The short public id of the person who granted it: the `sub` of its tokens.',
    }),
    userName: t.exposeString('userName', { description: 'The name of the person who granted it.' }),
    scopes: t.exposeStringList('scopes', {
      description:
        'What was granted: `<category>:read` and `<category>:write`, or `read` and `write` for every category.',
    }),
    isWholeTeam: t.exposeBoolean('wholeTeam', {
      description: 'Whether it is for every workspace of the team, also those to come.',
    }),
    workspaceIds: t.expose('workspaceIds', {
      type: ['BigInt'],
      description: 'The `databaseId`s of the workspaces that it is for; empty when it is for the whole team.',
    }),
    workspaces: t.field({
      type: [Workspace.ref],
      nullable: true,
      extensions: { columns: ['workspaceIds'] },
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
      extensions: { columns: ['revokedAt', 'expiresAt', 'isBacked'] },
      resolve: (grant, _args, { clock }) => grants.statusOf(grant, clock()),
    }),
    teamId: t.expose('teamId', { type: 'BigInt', description: 'The `databaseId` of its team.' }),
    team: t.field({
      type: Team.ref,
      nullable: true,
      description: 'The team on whose behalf it was granted.',
      extensions: { columns: ['teamId'] },
      resolve: ({ teamId }, _args, ctx) => Team.load(ctx, teamId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was granted.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends by itself.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked, or null.',
    }),
  }),
});

const OauthGrantConnection = defineConnection(OauthGrant, { kind: 'oauth_grants', reads: grants });

builder.objectField(Team.ref, 'oauthGrants', (t) =>
  t.field({
    type: OauthGrantConnection.ref,
    nullable: true,
    description:
      'What people granted to OAuth clients on the team’s behalf, ended grants included. Empty for a caller who is narrowed to some of the team’s workspaces.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (team, args, ctx, info) => OauthGrantConnection.load(ctx, team.id, args, info),
  }),
);

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
      'Ends a grant of the team at once, with every token that was got with it, be it the one that the request carries. A grant that was revoked already stays as it is. Not for callers who are narrowed to some of the team’s workspaces. Needs account:write.',
    nullable: true,
    extensions: { scope: grants.writeScope },
    async resolve(_root, { input }, ctx) {
      requireScope(ctx, grants.writeScope);
      const { id } = await grants.revoke(ctx, parseGlobalId(OauthGrant, input.grantId, 'grantId'));
      // What was read before the change is stale.
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
        description: 'The grant as it is now. Needs account:read.',
        resolve: ({ id }, _args, ctx) => OauthGrant.load(ctx, id),
      }),
    }),
  },
);
