// The grants that people gave on a team's behalf.
import { oauthGrant } from '../../resources/oauth-grants.ts';
import * as oauthGrants from '../../services/sign-in/oauth-grants.ts';
import { emptyResponse } from '../responses.ts';
import { type Route, route } from '../route.ts';

export const oauthGrantRoutes: readonly Route[] = [
  route({
    method: 'DELETE',
    path: '/api/v2/oauth_grants/:id',
    operationId: 'revokeOauthGrant',
    summary: 'Revokes a grant with all of its tokens at once. Revoking it twice changes nothing',
    resource: oauthGrant,
    scope: oauthGrants.writeScope,
    gatewayOnly: true,
    response: emptyResponse('The grant and its tokens are revoked.'),
    handle: ({ ctx, params, options }) => oauthGrants.revoke(ctx, params.id, options),
  }),
];
