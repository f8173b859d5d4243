import { toInteger, toTimestamp } from '../json.ts';
import type { RefineFilterRow } from '../services/refine-filters.ts';

export function viewRefineFilter(filter: RefineFilterRow) {
  return {
    id: toInteger(filter.id),
    public_id: filter.publicId,
    workspace_id: toInteger(filter.workspaceId),
    name: filter.name,
    filter_class: filter.filterClass,
    conjunction: filter.conjunction,
    criteria: filter.criteria,
    created_at: toTimestamp(filter.createdAt),
    updated_at: toTimestamp(filter.updatedAt),
  };
}
