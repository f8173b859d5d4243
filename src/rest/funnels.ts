import { parsePageQuery } from '../pagination.ts';
import * as funnelSteps from '../services/funnel-steps.ts';
import * as funnels from '../services/funnels.ts';
import { writeFunnel, writeStructure } from '../views/funnels.ts';
import { objectReply, pageReply } from './pagination.ts';
import { param, type Route } from './route.ts';

export const funnelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/funnels',
    async handle(request) {
      const { ctx, query, url } = request;
      const page = await funnels.list(ctx, param(request, 'workspace_id'), () => parsePageQuery(query));
      return pageReply(page, writeFunnel, url);
    },
  },
  {
    method: 'GET',
    path: '/api/v2/funnels/:id',
    async handle(request) {
      return objectReply(await funnels.get(request.ctx, param(request, 'id')), writeFunnel);
    },
  },
  {
    method: 'GET',
    path: '/api/v2/funnels/:id/structure',
    async handle(request) {
      return objectReply(await funnelSteps.getStructure(request.ctx, param(request, 'id')), writeStructure);
    },
  },
];
