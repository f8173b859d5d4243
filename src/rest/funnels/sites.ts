// The site of a workspace, which REST finds by the workspace.
import { site } from '../../resources/sites.ts';
import * as sites from '../../services/funnels/sites.ts';
import { bodyOf } from '../body.ts';
import { changedOf, objectOf, outputOf } from '../responses.ts';
import { putAndPatch, type Route, route } from '../route.ts';

const path = '/api/v2/workspaces/:workspace_id/site';
const objects = outputOf(site);

export const siteRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'getSiteOfWorkspace',
    summary: 'Gets the site of a workspace',
    resource: site,
    scope: sites.scope,
    response: objectOf(objects, 'The site.'),
    handle: ({ ctx, params }) => sites.getOf(ctx, params.workspace_id),
  }),
  ...putAndPatch({
    path,
    operationId: 'updateSiteOfWorkspace',
    summary: 'Changes the site of a workspace',
    resource: site,
    scope: sites.writeScope,
    body: bodyOf(site, 'change'),
    response: changedOf(objects, 'The site after the change.'),
    handle: ({ ctx, params, body, options }) => sites.updateOf(ctx, params.workspace_id, body, options),
  }),
];
