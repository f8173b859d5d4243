import { parsePageQuery } from '../pagination.ts';
import * as workspaces from '../services/workspaces.ts';
import { writeWorkspace } from '../views/workspaces.ts';
import { objectReply, pageReply } from './pagination.ts';
import { param, type Route } from './route.ts';

export const workspaceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v2/teams/:team_id/workspaces',
    async handle(request) {
      const { ctx, query, url } = request;
      const page = await workspaces.list(ctx, param(request, 'team_id'), () => parsePageQuery(query));
      return pageReply(page, writeWorkspace, url);
    },
  },
  {
    method: 'GET',
    path: '/api/v2/workspaces/:id',
    async handle(request) {
      return objectReply(await workspaces.get(request.ctx, param(request, 'id')), writeWorkspace);
    },
  },
];
