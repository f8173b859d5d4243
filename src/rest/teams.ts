import { parsePageQuery } from '../pagination.ts';
import * as teams from '../services/teams.ts';
import { writeTeam } from '../views/teams.ts';
import { objectReply, pageReply } from './pagination.ts';
import { param, type Route } from './route.ts';

export const teamRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v2/teams',
    async handle({ ctx, query, url }) {
      return pageReply(await teams.list(ctx, () => parsePageQuery(query)), writeTeam, url);
    },
  },
  {
    method: 'GET',
    path: '/api/v2/teams/:id',
    async handle(request) {
      return objectReply(await teams.get(request.ctx, param(request, 'id')), writeTeam);
    },
  },
];
