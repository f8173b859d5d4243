// SQL of what can be sent of invoices, with which fulfillments are checked, and which invoices show.
import {
  CANCELED_SERVICE_STATUSES,
  UNSHIPPABLE_INVOICE_STATUSES,
} from '../../resources/orders/order-statuses.ts';
import { MAX_FULFILLMENTS } from '../../resources/orders/orders.ts';

const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Whether the invoice's status allows no more fulfillments. */
export const isUnsendable = (invoice: string) =>
  `${invoice}.status in (${list(UNSHIPPABLE_INVOICE_STATUSES)})`;

/** Whether the order is canceled, so that nothing more of it is sent. */
export const isCanceled = (order: string) =>
  `(${order}.order_type = 'one-time-order' and ${order}.service_status in (${list(CANCELED_SERVICE_STATUSES)}))`;

/**
 * The fulfillment status that an order should have by its invoices (`fulfillmentStatus` of the description has the rule). The column of
 * orders has it; the migration fulfillment_status_of_orders repeats the rule for triggers.
 * @param order the row, of which the id, the type and the service status are read
 */
export const fulfillmentStatusOf = (
  order: string,
  workspace: string,
) => `(select case when bool_and(i.fulfillment_status = 'complete') then 'complete'
    when bool_and(i.fulfillment_status = 'unfulfilled') then 'unfulfilled' when count(*) > 0 then 'partial' else 'not_applicable' end
  from order_invoices i where i.workspace_id = ${workspace} and i.order_id = ${order}.id and i.fulfillment_status <> 'not_applicable'
    and not (i.fulfillment_status = 'unfulfilled' and (${isUnsendable('i')} or ${isCanceled(order)})))`;

/** The ids of the last fulfillments with goods of the order `t`, the oldest first. */
export const FULFILLMENTS_OF_ORDER = `array(select s.id from (select distinct f.fulfillment_id as id from order_invoices i
    join order_invoice_line_items l on l.workspace_id = i.workspace_id and l.invoice_id = i.id
    join fulfillment_line_items f on f.workspace_id = l.workspace_id and f.invoices_line_item_id = l.id
    where i.workspace_id = $row_workspace and i.order_id = t.id order by 1 desc limit ${MAX_FULFILLMENTS}) s order by s.id)`;

/** How many of the invoice line `l` were sent. */
export const sentQuantity = (
  workspace: string,
) => `(select coalesce(sum(f.quantity), 0) from fulfillment_line_items f
  join fulfillments u on u.workspace_id = f.workspace_id and u.id = f.fulfillment_id
  where f.workspace_id = ${workspace} and f.invoices_line_item_id = l.id and u.status <> 'cancelled')`;

/** How many of the order line that the invoice line `l` bills were returned to stock, by any invoice line that bills it. */
export const returnedQuantity = (
  workspace: string,
) => `(select coalesce(sum(r.quantity), 0) from order_invoice_line_items b
  join order_restock_line_items r on r.workspace_id = b.workspace_id and r.invoice_line_item_id = b.id
  where b.workspace_id = ${workspace} and b.order_line_item_id = l.order_line_item_id)`;

/**
 * How many of the order line `p` were returned without having been sent. Returned goods count as sent as long as enough were sent, so this
 * is the largest excess of `back` over `sent` so far. Sending more would hide that excess, so `returned_unsent` keeps it.
 */
const UNSENT = 'greatest(p.returned_unsent, s.back - s.sent, 0)';

/** Lines `l` of invoices: what was sent, what was returned, and what is left to be sent. `p` is null for a line without an order line. */
export const billedGoods = (workspace: string) => `order_invoice_line_items l
  left join order_line_items p on p.workspace_id = l.workspace_id and p.id = l.order_line_item_id
  cross join lateral (select ${sentQuantity(workspace)} as sent, ${returnedQuantity(workspace)} as back) s
  cross join lateral (select greatest(least(l.quantity, p.quantity) - s.sent - ${UNSENT}, 0)::int as left) g`;
