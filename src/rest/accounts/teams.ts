import { team } from '../../resources/teams.ts';
import * as teams from '../../services/accounts/teams.ts';
import { bodyOf } from '../body.ts';
import { listQuery } from '../list-queries.ts';
import { pageOf } from '../lists.ts';
import { changedOf, objectOf, shown } from '../responses.ts';
import { putAndPatch, type Route, route } from '../route.ts';

const objects = shown(team);

export const teamRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/teams',
    operationId: 'listTeams',
    summary: 'Lists the teams that the caller has access to',
    resource: team,
    scope: teams.scope,
    query: listQuery(team),
    response: pageOf(objects),
    handle: ({ ctx, query }) => teams.list(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/api/v2/teams/:id',
    operationId: 'getTeam',
    summary: 'Gets a team',
    resource: team,
    scope: teams.scope,
    response: objectOf(objects, 'The team.'),
    handle: ({ ctx, params }) => teams.get(ctx, params.id),
  }),
  ...putAndPatch({
    path: '/api/v2/teams/:id',
    operationId: 'updateTeam',
    summary: 'Changes a team',
    resource: team,
    scope: teams.writeScope,
    body: bodyOf(team, 'change'),
    response: changedOf(objects, 'The team as it is now.'),
    handle: ({ ctx, params, body, options }) => teams.update(ctx, params.id, body, options),
  }),
];
