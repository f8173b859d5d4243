// The computed columns of an event, and those that an erasure hides.
import { webhookEvent } from '../../resources/webhook-events.ts';
import { isErasedEvent, unlessErased } from '../sql/erased.ts';
import { ROW_WORKSPACE } from '../sql/statements.ts';
import { taggingColumns } from '../sql/tagging.ts';
import { ownTable } from './table.ts';

/** The page or funnel where the event happened; null if it was deleted. */
function placeOf(table: 'pages' | 'funnels', column: string): string {
  return `(select to_json(v) from (select p.id, p.public_id, p.name from ${table} p
    where p.workspace_id = $row_workspace and p.id = t.${column}) v)`;
}

const data = unlessErased('t.data', isErasedEvent('t', ROW_WORKSPACE));

export const webhookEventTable = ownTable(webhookEvent, {
  computed: {
    eventTypeId: 't.event_type',
    data,
    ...taggingColumns(data),
    page: placeOf('pages', 'page_id'),
    funnel: placeOf('funnels', 'funnel_id'),
  },
});
