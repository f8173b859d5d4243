// The user that a credential represents, and the users of its team.
import { userWithMemberships } from '../../resources/memberships.ts';
import { listedUser, user } from '../../resources/users.ts';
import { showUsers } from '../../services/accounts/memberships.ts';
import * as users from '../../services/accounts/users.ts';
import { listQuery } from '../list-queries.ts';
import { pageOf } from '../lists.ts';
import { objectOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const objects = outputOf(userWithMemberships);

/** One user with its memberships. */
async function showUser(ctx: Parameters<typeof showUsers>[0], found: users.UserRow) {
  const [shown] = await showUsers(ctx, [found]);
  if (shown === undefined) throw new Error('A user is not shown.');
  return shown;
}

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
    handle: async ({ ctx }) => showUser(ctx, await users.me(ctx)),
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
    async handle({ ctx, query }) {
      const { rows, ...page } = await users.list(ctx, query);
      return { ...page, rows: await showUsers(ctx, rows) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/users/:id',
    operationId: 'getUser',
    summary: 'Gets a user of the team',
    resource: user,
    scope: users.scope,
    response: objectOf(objects, 'The user.'),
    handle: async ({ ctx, params }) => showUser(ctx, await users.get(ctx, params.id)),
  }),
];
