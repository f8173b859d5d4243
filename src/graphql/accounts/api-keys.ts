// Adds to API keys their status and the mutation that revokes one.
import { apiKey } from '../../resources/api-keys.ts';
import * as apiKeys from '../../services/accounts/api-keys.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { nodeOf } from '../nouns.ts';
import { defineRevocation } from './revocations.ts';

const ApiKeyStatus = defineEnum('ApiKeyStatus', 'The current status of an API key.', {
  active: 'The key works.',
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

defineRevocation(ApiKey, {
  what: 'API key',
  idField: 'apiKeyId',
  description:
    'Revokes an API key of the team at once. The key of the request itself can be revoked too. Revoking a key twice changes nothing. A caller that is restricted to some of the team’s workspaces cannot revoke keys.',
  scope: apiKeys.writeScope,
  revoke: apiKeys.revoke,
});
