// An order as the limit creates it: all rows that the gateway writes (the order with its lines, its invoice with its lines, the numbers of
// both, two audit entries, two events, the record of the idempotency key) in one prepared statement, which writes their JSON too. Nobody is
// asked who they are, and nothing is checked.

import { hash, randomUUID } from 'node:crypto';
import { invoice } from '../../../src/resources/orders/order-invoices.ts';
import { order } from '../../../src/resources/orders/orders.ts';
import { publicJson } from '../../../src/rows/shown-json.ts';
import { COPIED_COLUMNS } from '../../../src/store/orders/line-copies.ts';
import { snapshot } from '../../../src/store/sql/row-json.ts';
import { inWorkspace } from '../../../src/store/sql/statements.ts';
import { tableOf } from '../../../src/store/tables/tables.ts';
import type { NewOrder } from '../orders/new-orders.ts';
import { type Query, rowsOf } from './limit-pages.ts';

/** What is shown of a row: the gateway's SQL, in which each table that is written stands for the rows that this statement has inserted. */
const shownOf = (noun: typeof order | typeof invoice) => inWorkspace(snapshot(noun, tableOf(noun).columns));

/** $1 workspace, $2 contact, $3 external id, $4 variants, $5 prices, $6 quantities, $7 request id, $8 and $9 hashes of key and request. */
const CREATE = `
  with priced as materialized (
    select i.quantity, p.id as price_id, v.id as variant_id, d.id as product_id, p.amount, p.currency, p.payment_type, v.fulfillment_required,
      ${COPIED_COLUMNS}
    from unnest($4::bigint[], $5::bigint[], $6::int[]) with ordinality i (variant_id, price_id, quantity, place)
      join product_prices p on p.workspace_id = $1::bigint and p.id = i.price_id and p.variant_id = i.variant_id
      join product_variants v on v.workspace_id = $1::bigint and v.id = p.variant_id
      join products d on d.workspace_id = $1::bigint and d.id = v.product_id
    order by i.place
  ), total as (
    select sum(amount * quantity) as amount, min(0 * amount) as zero, min(currency) as currency, bool_or(fulfillment_required) as is_sent from priced
  ), numbers as (
    insert into order_counters as c (workspace_id, last_order_number, last_invoice_number) values ($1::bigint, 1, 1)
    on conflict (workspace_id) do update set last_order_number = c.last_order_number + 1, last_invoice_number = c.last_invoice_number + 1
    returning last_order_number, last_invoice_number
  ), orders as (
    insert into orders (workspace_id, contact_id, external_id, order_number, order_type, live_mode, currency, total_amount, tax_amount,
      billing_status, service_status, fulfillment_status)
    select $1::bigint, $2::bigint, $3::text, last_order_number, 'one-time-order', true, currency, amount, zero, 'pending', 'pending',
      case when is_sent then 'unfulfilled' else 'not_applicable' end
    from numbers, total returning *
  ), order_line_items as (
    insert into order_line_items (workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount,
      setup_amount, original_product, products_price, products_variant, created_at, updated_at)
    select $1::bigint, orders.id, product_id, variant_id, price_id, quantity, p.currency, amount, amount, 0 * amount, original_product,
      ordered_price, ordered_variant, created_at, updated_at
    from orders, priced p returning *
  ), order_invoices as (
    insert into order_invoices (workspace_id, order_id, invoice_number, invoice_type, status, currency, subtotal_amount, shipping_amount,
      tax_amount, discount_amount, issued_at, fulfillment_status)
    select $1::bigint, orders.id, last_invoice_number::text, 'one_time', 'unpaid', total.currency, amount, zero, zero, zero, created_at,
      case when is_sent then 'unfulfilled' else 'not_applicable' end
    from orders, numbers, total returning *
  ), order_invoice_line_items as (
    insert into order_invoice_line_items (workspace_id, invoice_id, order_line_item_id, product_id, variant_id, price_id, quantity, amount,
      payment_type, fulfillment_status, products_price, products_variant, created_at, updated_at)
    select $1::bigint, i.id, l.id, l.product_id, l.variant_id, l.price_id, l.quantity, l.amount, payment_type,
      case when fulfillment_required then 'unfulfilled' else 'ignored' end, billed_price, billed_variant, i.created_at, i.updated_at
    from order_invoices i, order_line_items l join priced using (price_id) returning *
  ), shown as materialized (
    select 'order' as topic, 'Order' as type, id, ${shownOf(order)} as shown from orders t
    union all select 'orders/invoice', 'Orders::Invoice', id, ${shownOf(invoice)} from order_invoices t
  ), audit as (
    insert into audit_entries (workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, request_id, after)
    select $1::bigint, topic || '.created', type, id, $2::bigint, 'api_key', 'nobody', $7, shown from shown returning id, action
  ), happened as (
    insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)
    select $1::bigint, topic || '.created', type, id, $2::bigint, shown from shown
  ), record as (
    insert into idempotency_records (workspace_id, key_hash, request_hash, outcome, audit_entry_id)
    select $1::bigint, $8, $9, 'created', id from audit where action = 'order.created'
  )
  select shown from shown where topic = 'order'`;

/** Creates what a body says under an idempotency key. @returns REST's JSON of the order */
export function createOrder(query: Query) {
  return async (path: string, key: string, body: string): Promise<string> => {
    const { order: given } = JSON.parse(body) as { readonly order: NewOrder };
    const lines = given.line_items_attributes;
    const [row] = await rowsOf(query, 'create_order', CREATE, [
      ...[path.split('/')[4], given.contact_id, given.external_id],
      lines.map(({ variant_id }) => variant_id),
      lines.map(({ products_price_id }) => products_price_id),
      lines.map(({ quantity }) => quantity),
      randomUUID(),
      hash('sha256', `nobody POST ${path} ${key}`, 'buffer'),
      hash('sha256', body, 'buffer'),
    ]);
    return publicJson(order, row?.[0] ?? '{}');
  };
}
