import { funnel } from '../resources/funnels.ts';
import * as funnels from '../services/funnels.ts';
import { pageOf, pageQuery } from './lists.ts';
import { objectOf, shown } from './responses.ts';
import { type Route, route } from './route.ts';

const objects = shown(funnel);

export const funnelRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/funnels',
    operationId: 'listFunnels',
    summary: 'Lists the funnels of a workspace',
    resource: funnel,
    scope: funnels.scope,
    query: pageQuery,
    response: pageOf(objects),
    handle: ({ ctx, params, query }) => funnels.list(ctx, params.workspace_id, query),
  }),
  route({
    method: 'GET',
    path: '/api/v2/funnels/:id',
    operationId: 'getFunnel',
    summary: 'Gets a funnel',
    resource: funnel,
    scope: funnels.scope,
    response: objectOf(objects, 'The funnel.'),
    handle: ({ ctx, params }) => funnels.get(ctx, params.id),
  }),
];
