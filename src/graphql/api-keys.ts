// A team's API keys, and ending one.
import { requireScope } from '../auth/scopes.ts';
import * as apiKeys from '../services/api-keys.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { defineNode, encodeGlobalId, parseGlobalId } from './nodes.ts';
import { Team } from './teams.ts';

const ApiKeyStatus = builder.enumType('ApiKeyStatus', {
  description: 'What an API key is good for at the moment.',
  values: {
    ACTIVE: { value: 'active', description: 'The key works.' },
    ENDING: {
      value: 'ending',
      description: 'The key was replaced by another one. It works until `revokedAt`.',
    },
    EXPIRED: { value: 'expired', description: 'The key has reached its expiry and works no more.' },
    REVOKED: { value: 'revoked', description: 'The key was ended and works no more.' },
  },
});

const ApiKey = defineNode<apiKeys.TeamApiKeyRow>('ApiKey', {
  description:
    'An API key of a team. The key itself was shown once, when it was made, and nobody can read it again.',
  scope: apiKeys.scope,
  loadMany: apiKeys.getMany,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the key is for, in the words of who made it.' }),
    hint: t.exposeString('hint', {
      description: 'The first characters of the key, to tell keys apart. They are no use as a credential.',
    }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether it is the default key of the team.' }),
    scopes: t.exposeStringList('scopes', {
      description:
        'What the key allows: `<category>:read` and `<category>:write`, or `read` and `write` for every category.',
    }),
    status: t.field({
      type: ApiKeyStatus,
      description: 'Whether the key works at the moment.',
      extensions: { columns: ['revokedAt', 'expiresAt'] },
      resolve: (key, _args, { clock }) => apiKeys.statusOf(key, clock()),
    }),
    teamId: t.expose('teamId', { type: 'BigInt', description: 'The `databaseId` of its team.' }),
    team: t.field({
      type: Team.ref,
      nullable: true,
      description: 'The team that the key is for.',
      extensions: { columns: ['teamId'] },
      resolve: ({ teamId }, _args, ctx) => Team.load(ctx, teamId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was made.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key stops working by itself, or null when it lasts until it is revoked.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the key was revoked, or null. For a key that was replaced it may still be to come: it works until then.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute, or null when it never was.',
    }),
  }),
});

const ApiKeyConnection = defineConnection(ApiKey, { kind: 'api_keys', reads: apiKeys });

builder.objectField(Team.ref, 'apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection.ref,
    nullable: true,
    description:
      'The API keys of the team, ended ones included. Empty for a caller who is narrowed to some of the team’s workspaces.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (team, args, ctx, info) => ApiKeyConnection.load(ctx, team.id, args, info),
  }),
);

builder.relayMutationField(
  'revokeApiKey',
  {
    description: 'Which API key to end.',
    inputFields: (t) => ({
      apiKeyId: t.id({ required: true, description: 'The global id of the API key.' }),
    }),
  },
  {
    description:
      'Ends an API key of the team at once, be it the one that the request carries. A key that has ended already stays as it is. Not for callers who are narrowed to some of the team’s workspaces. Needs account:write.',
    nullable: true,
    extensions: { scope: apiKeys.writeScope },
    async resolve(_root, { input }, ctx) {
      requireScope(ctx, apiKeys.writeScope);
      const { id } = await apiKeys.revoke(ctx, parseGlobalId(ApiKey, input.apiKeyId, 'apiKeyId'));
      // What was read before the change is stale.
      ctx.loaders.clear();
      return { id };
    },
  },
  {
    description: 'What became of the API key.',
    outputFields: (t) => ({
      revokedApiKeyId: t.id({
        description: 'The global id of the API key.',
        resolve: ({ id }) => encodeGlobalId(ApiKey.name, id),
      }),
      apiKey: t.field({
        type: ApiKey.ref,
        nullable: true,
        description: 'The API key as it is now. Needs account:read.',
        resolve: ({ id }, _args, ctx) => ApiKey.load(ctx, id),
      }),
    }),
  },
);
