// The user that a credential stands for.
import { user } from '../resources/users.ts';
import * as users from '../services/users.ts';
import { objectOf, shown } from './responses.ts';
import { type Route, route } from './route.ts';

export const userRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/me',
    operationId: 'getMe',
    summary: 'Gets the user that the credential stands for',
    resource: user,
    response: objectOf(
      shown(user),
      'The person who granted the access token; for an API key, and for a client that acts for itself, the team’s service user.',
    ),
    handle: ({ ctx }) => users.me(ctx),
  }),
];
