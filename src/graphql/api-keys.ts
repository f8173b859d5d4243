// What is special of API keys: their status, and the mutation that revokes one.
import { apiKey } from '../resources/api-keys.ts';
import * as apiKeys from '../services/api-keys.ts';
import { builder } from './builder.ts';
import { encodeGlobalId, parseGlobalId } from './nodes.ts';
import { nodeOf } from './nouns.ts';

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

const ApiKey = nodeOf(apiKey);

builder.objectField(ApiKey.ref, 'status', (t) =>
  t.field({
    type: ApiKeyStatus,
    description: 'Whether the key works at the moment.',
    columns: ['revokedAt', 'expiresAt'],
    resolve: (key, _args, { clock }) => apiKeys.statusOf(key, clock()),
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
      'Ends an API key of the team at once, be it the one that the request carries. A key that has ended already stays as it is. Not for callers who are narrowed to some of the team’s workspaces.',
    nullable: true,
    scope: apiKeys.writeScope,
    async resolve(_root, { input }, ctx) {
      const { id } = await apiKeys.revoke(ctx, parseGlobalId(ApiKey, input.apiKeyId, 'apiKeyId'));
      // Values that were loaded before the change are stale.
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
        description: 'The API key as it is now.',
        scope: ApiKey.scope,
        resolve: ({ id }, _args, ctx) => ApiKey.load(ctx, id),
      }),
    }),
  },
);
