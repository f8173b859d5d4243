// Which steps of funnels are conditional splits, and the computed columns of a split.
import type { conditionalSplit } from '../../resources/funnel-steps.ts';
import { publicIdOf, type Special } from './table.ts';

/** The public id of the split's saved filter. */
export const FILTER_PUBLIC_ID = publicIdOf('refine_filters', 't.filter_id');

export const splitTable: Special<typeof conditionalSplit> = {
  visible: "t.kind = 'conditional_split' and t.removed_at is null",
  computed: {
    filterPublicId: FILTER_PUBLIC_ID,
    funnelPublicId: publicIdOf('funnels', 't.funnel_id'),
  },
};
