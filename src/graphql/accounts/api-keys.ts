// Adds to API keys their status and the mutations that create, rename and revoke one.
import { API_KEY_NAME, apiKey, apiKeyWithToken, NEW_API_KEY } from '../../resources/api-keys.ts';
import { team } from '../../resources/teams.ts';
import * as apiKeys from '../../services/accounts/api-keys.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { defineChange, defineMutation, edgeField, rowField } from '../mutations.ts';
import { connectionOf, nodeOf } from '../nouns.ts';
import { defineRevocation } from './revocations.ts';

const ApiKeyStatus = defineEnum('ApiKeyStatus', 'The current status of an API key.', {
  active: 'The key works until it expires or is revoked.',
  ending: 'The key was replaced by a new one. It still works until `revokedAt`.',
  expired: 'The key has expired and no longer works.',
  revoked: 'The key was revoked and no longer works.',
});

const ApiKey = nodeOf(apiKey);

builder.objectField(ApiKey.ref, 'status', (t) =>
  t.field({
    type: ApiKeyStatus,
    description: 'The current status of the key.',
    columns: ['revokedAt', 'expiresAt'],
    resolve: (key, _args, { clock }) => apiKeys.statusOf(key, clock()),
  }),
);

defineMutation('createApiKey', {
  description:
    'Creates an API key of a team. It allows no more, and for no longer, than the credential of the request. A caller that is restricted to some of the team’s workspaces cannot create keys.',
  scope: apiKeys.writeScope,
  of: [nodeOf(team)],
  fields: NEW_API_KEY,
  moment: 'creation',
  isRepeatable: false,
  change: (ctx, [id = 0n], input, options) => apiKeys.create(ctx, id, input, options),
  payload: (t) => ({
    apiKey: rowField(t, ApiKey),
    apiKeyEdge: edgeField(t, connectionOf(apiKey)),
    token: t.string({
      description: apiKeyWithToken.fields.token.description,
      resolve: ({ result }) => result.row.token,
    }),
  }),
});

defineChange('updateApiKey', ApiKey, {
  description: 'Renames an API key.',
  scope: apiKeys.writeScope,
  fields: API_KEY_NAME,
  isRepeatable: false,
  change: apiKeys.rename,
});

defineRevocation(ApiKey, {
  what: 'API key',
  idField: 'apiKeyId',
  description:
    'Revokes an API key of the team at once. The key of the request itself can be revoked too. Revoking a key twice changes nothing. A caller that is restricted to some of the team’s workspaces cannot revoke keys.',
  scope: apiKeys.writeScope,
  revoke: apiKeys.revoke,
});
