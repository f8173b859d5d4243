// What API keys have besides their noun's fields: a status, and the mutation that revokes one.
import { apiKey } from '../resources/api-keys.ts';
import * as apiKeys from '../services/api-keys.ts';
import { builder } from './builder.ts';
import { encodeGlobalId, parseGlobalId } from './nodes.ts';
import { nodeOf } from './nouns.ts';

const ApiKeyStatus = builder.enumType('ApiKeyStatus', {
  description: 'The current status of an API key.',
  values: {
    ACTIVE: { value: 'active', description: 'The key works.' },
    ENDING: {
      value: 'ending',
      description: 'The key was replaced by a new one. It still works until `revokedAt`.',
    },
    EXPIRED: { value: 'expired', description: 'The key has expired and no longer works.' },
    REVOKED: { value: 'revoked', description: 'The key was revoked and no longer works.' },
  },
});

const ApiKey = nodeOf(apiKey);

builder.objectField(ApiKey.ref, 'status', (t) =>
  t.field({
    type: ApiKeyStatus,
    description: 'Whether the key works now.',
    columns: ['revokedAt', 'expiresAt'],
    resolve: (key, _args, { clock }) => apiKeys.statusOf(key, clock()),
  }),
);

builder.relayMutationField(
  'revokeApiKey',
  {
    description: 'Which API key to revoke.',
    inputFields: (t) => ({
      apiKeyId: t.id({ required: true, description: 'The global id of the API key.' }),
    }),
  },
  {
    description:
      'Revokes an API key of the team at once. The key of the request itself can be revoked too. Revoking a key twice changes nothing. A caller that is restricted to some of the team’s workspaces cannot revoke keys.',
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
    description: 'The API key that was revoked.',
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
