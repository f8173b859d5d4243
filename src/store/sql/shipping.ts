// What of invoices can be sent, as SQL: what a fulfillment is checked by, and what invoices show.
import { CALLED_OFF, UNSENDABLE } from '../../resources/orders/order-statuses.ts';
import { MAX_FULFILLMENTS } from '../../resources/orders/orders.ts';

const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Whether nothing of the invoice is sent any more. */
export const isUnsendable = (invoice: string) => `${invoice}.status in (${list(UNSENDABLE)})`;

/** Whether nothing of the order is sent any more. */
export const isCalledOff = (order: string) =>
  `(${order}.order_type = 'one-time-order' and ${order}.service_status in (${list(CALLED_OFF)}))`;

/** Whether the goods of the order `t` were sent, over its invoices: `fulfillmentStatus` of the description says how. */
export const FULFILLMENT_STATUS_OF_ORDER = `(select case when bool_and(i.fulfillment_status = 'complete') then 'complete'
    when bool_and(i.fulfillment_status = 'unfulfilled') then 'unfulfilled' when count(*) > 0 then 'partial' else 'not_applicable' end
  from order_invoices i where i.workspace_id = $row_workspace and i.order_id = t.id and i.fulfillment_status <> 'not_applicable'
    and not (i.fulfillment_status = 'unfulfilled' and (${isUnsendable('i')} or ${isCalledOff('t')})))`;

/** The ids of the last fulfillments with goods of the order `t`, the oldest first. */
export const FULFILLMENTS_OF_ORDER = `array(select s.id from (select distinct f.fulfillment_id as id from order_invoices i
    join order_invoice_line_items l on l.workspace_id = i.workspace_id and l.invoice_id = i.id
    join fulfillment_line_items f on f.workspace_id = l.workspace_id and f.invoices_line_item_id = l.id
    where i.workspace_id = $row_workspace and i.order_id = t.id order by 1 desc limit ${MAX_FULFILLMENTS}) s order by s.id)`;

/** How many of the invoice's line `l` were sent. */
export const sentOf = (
  workspace: string,
) => `(select coalesce(sum(f.quantity), 0) from fulfillment_line_items f
  join fulfillments u on u.workspace_id = f.workspace_id and u.id = f.fulfillment_id
  where f.workspace_id = ${workspace} and f.invoices_line_item_id = l.id and u.status <> 'cancelled')`;

/** How many of what the invoice's line `l` bills came back to stock, by any line that bills it. */
export const backOf = (
  workspace: string,
) => `(select coalesce(sum(r.quantity), 0) from order_invoice_line_items b
  join order_restock_line_items r on r.workspace_id = b.workspace_id and r.invoice_line_item_id = b.id
  where b.workspace_id = ${workspace} and b.order_line_item_id = l.order_line_item_id)`;

/**
 * How many came back without having been sent. What comes back is taken to have been sent as far as goods are out, so this is the most that
 * `back` has ever exceeded `sent`; sending more is what would hide it, so `returned_unsent` keeps it then. Over an order's line `p`.
 */
const UNSENT = 'greatest(p.returned_unsent, s.back - s.sent, 0)';

/** Lines `l` of invoices: what was sent, what came back, and what is left to be sent. A line of no order has `p` null. */
export const goods = (workspace: string) => `order_invoice_line_items l
  left join order_line_items p on p.workspace_id = l.workspace_id and p.id = l.order_line_item_id
  cross join lateral (select ${sentOf(workspace)} as sent, ${backOf(workspace)} as back) s
  cross join lateral (select greatest(least(l.quantity, p.quantity) - s.sent - ${UNSENT}, 0)::int as left) g`;
