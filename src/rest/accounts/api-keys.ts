// The API keys of a team.
import { API_KEY_NAME, apiKey, apiKeyWithToken, NEW_API_KEY } from '../../resources/api-keys.ts';
import * as apiKeys from '../../services/accounts/api-keys.ts';
import { bodyOf } from '../body.ts';
import { changedOf, createdOf, emptyResponse, type OutputForm, outputOf, uncached } from '../responses.ts';
import { putAndPatch, type Route, route } from '../route.ts';

const changing = { resource: apiKey, scope: apiKeys.writeScope, gatewayOnly: true } as const;
const withToken = outputOf(apiKeyWithToken) as OutputForm<object> as OutputForm<{ id: bigint }>;

export const apiKeyRoutes: readonly Route[] = [
  route({
    ...changing,
    method: 'POST',
    path: '/api/v2/teams/:team_id/api_keys',
    operationId: 'createApiKey',
    summary: 'Creates an API key of a team. It allows no more than the credential of the request',
    body: bodyOf(apiKey, 'creation', NEW_API_KEY),
    response: uncached(
      createdOf(withToken, '/api/v2/api_keys/', {
        201: 'The created API key, with its token, which is never returned again.',
      }),
    ),
    handle: ({ ctx, params, body, options }) => apiKeys.create(ctx, params.team_id, body, options),
  }),
  ...putAndPatch({
    ...changing,
    path: '/api/v2/api_keys/:id',
    operationId: 'updateApiKey',
    summary: 'Renames an API key',
    body: bodyOf(apiKey, 'change', API_KEY_NAME),
    response: changedOf(outputOf(apiKey), 'The API key after the change.'),
    handle: ({ ctx, params, body, options }) => apiKeys.rename(ctx, params.id, body, options),
  }),
  route({
    ...changing,
    method: 'DELETE',
    path: '/api/v2/api_keys/:id',
    operationId: 'revokeApiKey',
    summary: 'Revokes an API key at once. Revoking it twice changes nothing',
    response: emptyResponse('The API key is revoked.'),
    handle: ({ ctx, params, options }) => apiKeys.revoke(ctx, params.id, options),
  }),
];
