// Teams with their memberships.
import { requireScope } from '../../auth/scopes.ts';
import { teamWithMemberships } from '../../resources/memberships.ts';
import { team } from '../../resources/teams.ts';
import { showTeam } from '../../services/accounts/memberships.ts';
import * as teams from '../../services/accounts/teams.ts';
import { bodyOf } from '../body.ts';
import { listQuery } from '../list-queries.ts';
import { pageOf } from '../lists.ts';
import { changedOf, objectOf, outputOf } from '../responses.ts';
import { putAndPatch, type Route, route } from '../route.ts';

const objects = outputOf(teamWithMemberships);

export const teamRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/teams',
    operationId: 'listTeams',
    summary: 'Lists the teams to which the caller has access',
    resource: team,
    scope: teams.scope,
    query: listQuery(team),
    response: pageOf(objects),
    async handle({ ctx, query }) {
      const { rows, ...page } = await teams.list(ctx, query);
      return { ...page, rows: rows.length === 0 ? [] : rows.map(await showTeam(ctx)) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/teams/:id',
    operationId: 'getTeam',
    summary: 'Gets a team',
    resource: team,
    scope: teams.scope,
    response: objectOf(objects, 'The team.'),
    async handle({ ctx, params }) {
      const found = await teams.get(ctx, params.id);
      return (await showTeam(ctx))(found);
    },
  }),
  ...putAndPatch({
    path: '/api/v2/teams/:id',
    operationId: 'updateTeam',
    summary: 'Changes a team',
    resource: team,
    scope: teams.writeScope,
    body: bodyOf(team, 'change'),
    response: changedOf(objects, 'The team after the change.'),
    representation: objects.write,
    async handle({ ctx, params, body, options }) {
      teams.requireWholeTeam(requireScope(ctx, teams.writeScope));
      // Read before the change, whose database role cannot read memberships; no change of a team touches them.
      const show = await showTeam(ctx);
      const { precondition } = options;
      const answer = await teams.update(ctx, params.id, body, {
        ...options,
        precondition: precondition && ((row) => precondition(show(row as Parameters<typeof show>[0]))),
      });
      return { ...answer, row: show(answer.row) };
    },
  }),
];
