// The computed columns of a funnel, and its steps.
import { funnel } from '../../resources/funnels.ts';
import { rowsAsJson } from '../sql/row-json.ts';
import { joinedTags, pairsOfTags } from '../sql/tags.ts';
import { FUNNEL_URL } from './addresses.ts';
import { stepsOfFunnel } from './funnel-steps.ts';
import { existingIds, ownTable } from './table.ts';

export const funnelTable = ownTable(funnel, {
  computed: {
    url: FUNNEL_URL,
    faviconImageId: 'null::text',
    tagIds: existingIds('funnel_labels', 't.tag_ids'),
    tags: rowsAsJson(
      'g.id, g.public_id, g.name, g.color',
      'funnel_labels g where g.workspace_id = $row_workspace and g.id = any(t.tag_ids)',
      'g.id',
    ),
  },
  matches: {
    tagIds: {
      table: pairsOfTags('tagged_funnels', 'funnel_id', 'funnel_labels'),
      row: 'funnel_id',
      value: 'tag_id',
    },
  },
  below: {
    steps: { type: 'text', joined: stepsOfFunnel },
    ...joinedTags('tagged_funnels', 'funnel_id', 'funnel_labels'),
  },
});
