import { asksForRegistry, parsePageQuery, parseRegistryPageQuery } from '../pagination.ts';
import * as refineFilters from '../services/refine-filters.ts';
import { writeRefineFilter } from '../views/refine-filters.ts';
import { objectReply, pageReply, registryReply } from './pagination.ts';
import { param, type Route } from './route.ts';

export const refineFilterRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/refine_filters',
    async handle(request) {
      const { ctx, query, url } = request;
      const workspace = param(request, 'workspace_id');
      if (asksForRegistry(query)) {
        const chunks = await refineFilters.listAll(ctx, workspace, () => parsePageQuery(query).order);
        return registryReply(chunks, writeRefineFilter);
      }
      const page = await refineFilters.list(ctx, workspace, () => parseRegistryPageQuery(query));
      return pageReply(page, writeRefineFilter, url);
    },
  },
  {
    method: 'GET',
    path: '/api/v2/refine_filters/:id',
    async handle(request) {
      return objectReply(await refineFilters.get(request.ctx, param(request, 'id')), writeRefineFilter);
    },
  },
];
