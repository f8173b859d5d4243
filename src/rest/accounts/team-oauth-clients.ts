// The OAuth clients of a team.
import {
  NEW_OAUTH_CLIENT,
  OAUTH_CLIENT_NAME,
  teamOauthClient,
  teamOauthClientWithSecret,
} from '../../resources/team-oauth-clients.ts';
import * as clients from '../../services/sign-in/team-oauth-clients.ts';
import { bodyOf } from '../body.ts';
import { changedOf, createdOf, emptyResponse, type OutputForm, outputOf, uncached } from '../responses.ts';
import { putAndPatch, type Route, route } from '../route.ts';

const changing = { resource: teamOauthClient, scope: clients.writeScope, gatewayOnly: true } as const;
const withSecret = outputOf(teamOauthClientWithSecret) as OutputForm<object> as OutputForm<{ id: bigint }>;

export const teamOauthClientRoutes: readonly Route[] = [
  route({
    ...changing,
    method: 'POST',
    path: '/api/v2/teams/:team_id/oauth_clients',
    operationId: 'createTeamOauthClient',
    summary:
      'Creates an OAuth client of a team. By itself it may do no more than the credential of the request, and people of the team alone can grant it access',
    body: bodyOf(teamOauthClient, 'creation', NEW_OAUTH_CLIENT),
    response: uncached(
      createdOf(withSecret, '/api/v2/oauth_clients/', {
        201: 'The created OAuth client, with its secret, which is never returned again.',
      }),
    ),
    handle: ({ ctx, params, body, options }) => clients.create(ctx, params.team_id, body, options),
  }),
  ...putAndPatch({
    ...changing,
    path: '/api/v2/oauth_clients/:id',
    operationId: 'updateTeamOauthClient',
    summary: 'Renames an OAuth client',
    body: bodyOf(teamOauthClient, 'change', OAUTH_CLIENT_NAME),
    response: changedOf(outputOf(teamOauthClient), 'The OAuth client after the change.'),
    handle: ({ ctx, params, body, options }) => clients.rename(ctx, params.id, body, options),
  }),
  route({
    ...changing,
    method: 'DELETE',
    path: '/api/v2/oauth_clients/:id',
    operationId: 'revokeTeamOauthClient',
    summary:
      'Revokes an OAuth client at once, with all of its grants and tokens. Revoking it twice changes nothing',
    response: emptyResponse('The OAuth client is revoked.'),
    handle: ({ ctx, params, options }) => clients.revoke(ctx, params.id, options),
  }),
];
