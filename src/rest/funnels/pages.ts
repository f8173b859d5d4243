// Creates pages from HTML and pages on other servers, and removes products from a page, in the form of the public API.
import { page } from '../../resources/pages.ts';
import * as pages from '../../services/funnels/pages.ts';
import { bodyOf } from '../body.ts';
import { createdOf, emptyResponse, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

/** The public API does not wrap this body. */
const { wrapper: _, ...unwrapped } = page;

const CREATED = createdOf(outputOf(page), '/api/v2/pages/', { 201: 'The created page.' });

export const pageRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v2/workspaces/:workspace_id/pages/external',
    operationId: 'createExternalPage',
    summary: 'Creates a page that another server hosts',
    resource: page,
    scope: pages.writeScope,
    body: bodyOf(page, 'creation', pages.EXTERNAL_INPUT, 'ExternalPageCreation'),
    response: CREATED,
    handle: ({ ctx, params, body, options }) => pages.createExternal(ctx, params.workspace_id, body, options),
  }),
  route({
    method: 'POST',
    path: '/api/v2/workspaces/:workspace_id/pages/custom_html',
    operationId: 'createCustomHtmlPage',
    summary: 'Creates a page from HTML',
    resource: page,
    scope: pages.writeScope,
    body: bodyOf(page, 'creation', pages.CUSTOM_HTML_INPUT, 'CustomHtmlPageCreation'),
    response: CREATED,
    handle: ({ ctx, params, body, options }) =>
      pages.createCustomHtml(ctx, params.workspace_id, body, options),
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/pages/:id/products',
    operationId: 'removePageProducts',
    summary: 'Removes products from a page, including order bumps',
    resource: page,
    scope: pages.writeScope,
    body: bodyOf(unwrapped, 'creation', pages.REMOVED_PRODUCTS_INPUT, 'PageProducts'),
    response: emptyResponse('The products are removed from the page.'),
    handle: ({ ctx, params, body, options }) => pages.takeProducts(ctx, params.id, body, options),
  }),
];
