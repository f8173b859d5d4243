// The fulfillments of an order: those that ship a line of one of its invoices.
import { fulfillment } from '../../resources/fulfillments.ts';
import { ownTable } from './table.ts';

const OF_ORDER = `(select distinct i.workspace_id, i.order_id, f.fulfillment_id from order_invoices i
  join order_invoice_line_items l on l.workspace_id = i.workspace_id and l.invoice_id = i.id
  join fulfillment_line_items f on f.workspace_id = l.workspace_id and f.invoices_line_item_id = l.id)`;

export const fulfillmentTable = ownTable(fulfillment, {
  pairs: { order: { table: OF_ORDER, row: 'fulfillment_id', value: 'order_id', isUnordered: true } },
});
