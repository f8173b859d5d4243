// The user that a credential represents.
import { user } from '../resources/users.ts';
import * as users from '../services/users.ts';
import { objectOf, shown } from './responses.ts';
import { type Route, route } from './route.ts';

export const userRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/me',
    operationId: 'getMe',
    summary: 'Gets the user that the credential represents',
    resource: user,
    response: objectOf(
      shown(user),
      'The person who granted the access token, or the team’s service user for an API key and for a client that acts on its own behalf.',
    ),
    handle: ({ ctx }) => users.me(ctx),
  }),
];
