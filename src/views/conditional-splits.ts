import { toInteger, toTimestamp } from '../json.ts';
import type { SplitDetail } from '../services/conditional-splits.ts';
import type { StepNode } from '../services/funnel-steps.ts';
import { viewRefineFilter } from './refine-filters.ts';

/** A split with the first page of each branch, matched before unmatched. */
export function viewSplit({ split, matched, unmatched, filter }: SplitDetail) {
  return {
    id: toInteger(split.id),
    public_id: split.publicId,
    funnel_id: toInteger(split.funnelId),
    funnel_public_id: split.funnelPublicId,
    condition: {
      filter_id: split.filterPublicId,
      is_setup: split.filterId !== null,
      ...(filter === null ? {} : { filter: viewRefineFilter(filter) }),
    },
    branches: [viewBranch(matched), viewBranch(unmatched)],
    created_at: toTimestamp(split.createdAt),
    updated_at: toTimestamp(split.updatedAt),
  };
}

function viewBranch(step: StepNode | null) {
  if (step?.page == null) return { show_page_step: null, page: null };
  const { page } = step;
  return {
    show_page_step: {
      id: toInteger(step.id),
      public_id: step.publicId,
      name: step.name,
      current_path: page.currentPath,
    },
    page: { id: toInteger(page.id), public_id: page.publicId, name: page.name },
  };
}
