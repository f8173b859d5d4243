import type { PageRequest } from '../../pagination.ts';
import { refineFilter } from '../../resources/refine-filters.ts';
import * as refineFilters from '../../services/contacts/refine-filters.ts';
import { listQuery } from '../list-queries.ts';
import { pageOrAllOf } from '../lists.ts';
import { outputOf } from '../responses.ts';
import { type Query, type Route, route } from '../route.ts';

/** Whether the complete saved-filter list is requested: neither `after` nor `per_page` was sent (spec §4 rule 7). */
export function asksForRegistry(query: URLSearchParams): boolean {
  return !query.has('after') && !query.has('per_page');
}

/** A page of the saved-filter list, in which `after=0` means the start in either direction (spec §4 rule 7). */
export function toRegistryPage(page: PageRequest): PageRequest {
  return page.after === 0n ? { ...page, after: null } : page;
}

/** Without the other orders, which only GraphQL has: this list may be read complete, in the order of ids. */
const { sorts: _, ...inOrderOfIds } = refineFilter;
const pageQuery = listQuery(inOrderOfIds);

/** A page, or, without `after` and `per_page`, the order and filter of the complete list (spec §4 rule 7). */
const pageOrAll: Query<PageRequest | refineFilters.RegistryQuery> = {
  parameters: pageQuery.parameters,
  parse(query) {
    const { order, filter, ...page } = pageQuery.parse(query);
    const selection = { order, ...(filter && { filter }) };
    return asksForRegistry(query) ? selection : toRegistryPage({ ...page, ...selection });
  },
};

const objects = outputOf(refineFilter);

export const refineFilterRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/refine_filters',
    operationId: 'listRefineFilters',
    summary: 'Lists all saved filters of a workspace, or a page of them with `after` or `per_page`',
    resource: refineFilter,
    scope: refineFilters.scope,
    query: pageOrAll,
    response: pageOrAllOf(objects),
    handle: ({ ctx, params, query }) =>
      !('size' in query)
        ? refineFilters.listAll(ctx, params.workspace_id, query)
        : refineFilters.list(ctx, params.workspace_id, query),
  }),
];
