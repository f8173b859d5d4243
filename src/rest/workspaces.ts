import { workspace } from '../resources/workspaces.ts';
import * as workspaces from '../services/workspaces.ts';
import { pageOf, pageQuery } from './lists.ts';
import { objectOf, shown } from './responses.ts';
import { type Route, route } from './route.ts';

const objects = shown(workspace);

export const workspaceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/teams/:team_id/workspaces',
    operationId: 'listWorkspaces',
    summary: 'Lists the workspaces of a team',
    resource: workspace,
    scope: workspaces.scope,
    query: pageQuery,
    response: pageOf(objects),
    handle: ({ ctx, params, query }) => workspaces.list(ctx, params.team_id, query),
  }),
  route({
    method: 'GET',
    path: '/api/v2/workspaces/:id',
    operationId: 'getWorkspace',
    summary: 'Gets a workspace',
    resource: workspace,
    scope: workspaces.scope,
    response: objectOf(objects, 'The workspace.'),
    handle: ({ ctx, params }) => workspaces.get(ctx, params.id),
  }),
];
