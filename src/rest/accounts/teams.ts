import { team } from '../../resources/teams.ts';
import * as teams from '../../services/accounts/teams.ts';
import { listQuery } from '../list-queries.ts';
import { pageOf } from '../lists.ts';
import { outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

export const teamRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/teams',
    operationId: 'listTeams',
    summary: 'Lists the teams to which the caller has access',
    resource: team,
    scope: teams.scope,
    query: listQuery(team),
    response: pageOf(outputOf(team)),
    handle: ({ ctx, query }) => teams.list(ctx, query),
  }),
];
