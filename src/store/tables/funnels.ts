// The computed columns of a funnel.
import type { funnel } from '../../resources/funnels.ts';
import { tagsOf } from '../sql/tags.ts';
import type { Special } from './table.ts';

export const funnelTable: Special<typeof funnel> = {
  computed: { faviconImageId: 'null::text', tags: tagsOf('funnel_tags', 'funnel_id') },
};
