// The user that a credential represents, and the users of its team.
import { listedUser, user } from '../../resources/users.ts';
import * as users from '../../services/accounts/users.ts';
import { listQuery } from '../list-queries.ts';
import { pageOf } from '../lists.ts';
import { objectOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const objects = outputOf(user);

export const userRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/me',
    operationId: 'getMe',
    summary: 'Gets the user that the credential represents',
    resource: user,
    response: objectOf(
      objects,
      'The person who granted the access token, or the team’s service user for an API key and for a client that acts on its own behalf.',
    ),
    handle: ({ ctx }) => users.me(ctx),
  }),
  route({
    method: 'GET',
    path: '/api/v2/users',
    operationId: 'listUsers',
    summary:
      'Lists the users of the team: its service user and its people; on the host of a workspace, only the caller’s own user',
    resource: user,
    scope: users.scope,
    query: listQuery(listedUser),
    response: pageOf(objects),
    handle: ({ ctx, query }) => users.list(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/api/v2/users/:id',
    operationId: 'getUser',
    summary: 'Gets a user of the team',
    resource: user,
    scope: users.scope,
    response: objectOf(objects, 'The user.'),
    handle: ({ ctx, params }) => users.get(ctx, params.id),
  }),
];
