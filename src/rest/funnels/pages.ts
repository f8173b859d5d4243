// Removes products from a page, in the form of the public API.
import { page } from '../../resources/pages.ts';
import * as pages from '../../services/funnels/pages.ts';
import { bodyOf } from '../body.ts';
import { emptyResponse } from '../responses.ts';
import { type Route, route } from '../route.ts';

/** The public API does not wrap this body. */
const { wrapper: _, ...unwrapped } = page;

export const pageRoutes: readonly Route[] = [
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
