// Adds a shop in bulk: products, and orders of one year with their lines, invoices and payments.

import type pg from 'pg';
import { executorOf, inOrder } from '../connections/executor.ts';
import { COPIED_COLUMNS } from '../orders/line-copies.ts';
import { takeNumbers } from '../orders/order-numbers.ts';
import { type BulkOptions, insertInChunks, withoutLimits } from './bulk.ts';
import { insertManyContacts } from './contacts.ts';

const SPREAD_DAYS = 365;
/** The minimum number of products before orders are added. */
const PRODUCTS = 60;
/** The average number of orders of a contact. */
const ORDERS_PER_CONTACT = 3;
/** The maximum number of contacts with orders, because their ids are one parameter. */
const MAX_BUYERS = 50_000;
const CURRENCY = 'USD';

const MATERIALS = 'Oak Linen Walnut Ceramic Copper Wool Bamboo Marble Canvas Leather';
const THINGS = 'Lamp Blanket Bowl Planner Mug Candle Tray Pillow Clock Notebook';
const SIZES = 'Small Large';

/** Products with two variants each, and one price for each variant. A product's number selects its material and its thing. */
const PRODUCTS_SQL = `
  with m as (select name, n - 1 as n from unnest(string_to_array('${MATERIALS}', ' ')) with ordinality m (name, n)),
  t as (select name, n - 1 as n from unnest(string_to_array('${THINGS}', ' ')) with ordinality t (name, n)),
  p as (
    insert into products (workspace_id, name, current_path, visible_in_store, visible_in_customer_center)
    select $1, m.name || ' ' || t.name, '/' || lower(m.name || '-' || t.name), true, true
    from generate_series(0, $2::int - 1) i join m on m.n = i % 10 join t on t.n = i / 10 % 10 order by i
    returning id, name
  ),
  v as (
    insert into product_variants (workspace_id, product_id, name, is_default, sku)
    select $1, p.id, p.name || ', ' || lower(s.name), s.n = 1, upper(left(p.name, 3)) || '-' || p.id || '-' || left(s.name, 1)
    from p cross join unnest(string_to_array('${SIZES}', ' ')) with ordinality s (name, n) order by p.id, s.n
    returning id, product_id
  )
  insert into product_prices (workspace_id, product_id, variant_id, name, amount, currency)
  select $1, product_id, id, 'Standard', round((9 + id * 7919 % 9000 / 100.0)::numeric, 2), '${CURRENCY}' from v order by id`;

/** Everything that a line copies, and the number by which orders select a price. */
const PRICES = `
  select row_number() over (order by p.id) - 1 as number, p.id, p.product_id, p.variant_id, p.amount, p.payment_type, v.fulfillment_required,
    ${COPIED_COLUMNS}
  from product_prices p join product_variants v on v.workspace_id = p.workspace_id and v.id = p.variant_id
    join products d on d.workspace_id = p.workspace_id and d.id = p.product_id
  where p.workspace_id = $1 and p.payment_type = 'one_time' and p.currency = '${CURRENCY}' and coalesce(p.setup_amount, 0) = 0
    and not (p.archived or v.archived or d.archived)`;

/** Of ten orders, seven are paid and sent, one is paid, one awaits payment, and one is canceled. */
const ORDERS_SQL = `
  with price as materialized (${PRICES}),
  o as materialized (
    select n, draw_id(25, 'orders_id_seq') as id, draw_id(27, 'order_invoices_id_seq') as invoice_id,
      ($6::bigint[])[1 + (n * 7919::bigint) % cardinality($6::bigint[])] as contact_id, n % 10 as kind,
      $5::timestamptz - interval '1 day' * (${SPREAD_DAYS} * (1 - n / $4::float8)) as created
    from generate_series($2::int, $3::int) n
  ),
  l as materialized (
    select o.*, draw_id(26, 'order_line_items_id_seq') as line_id, draw_id(28, 'order_invoice_line_items_id_seq') as billed_id,
      price.id as price_id, product_id, variant_id, amount, payment_type, fulfillment_required, original_product, ordered_price, ordered_variant,
      billed_price, billed_variant, 1 + (n + i) % 3 as quantity
    from o cross join lateral generate_series(1, 1 + n % 3) i
      join price on price.number = (n * 31::bigint + i * 17) % (select count(*) from price)
  ),
  total as (select id, sum(amount * quantity) as total, bool_or(fulfillment_required) as is_sent from l group by id),
  orders as (
    insert into orders (id, workspace_id, contact_id, order_number, order_type, live_mode, currency, total_amount, tax_amount,
      billing_status, service_status, fulfillment_status, canceled_at, cancel_reason, created_at, updated_at)
    select o.id, $1, contact_id, $7::int + 1 + n, 'one-time-order', true, '${CURRENCY}', total, 0.00,
      case kind when 8 then 'unpaid' when 9 then 'voided' else 'paid' end,
      case kind when 7 then 'active' when 8 then 'pending' when 9 then 'canceled' else 'completed' end,
      case when is_sent and kind <> 9 then 'unfulfilled' else 'not_applicable' end, case kind when 9 then created end, case kind when 9 then 'other' end, created, created
    from o join total using (id)
  ),
  lines as (
    insert into order_line_items (id, workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount,
      setup_amount, original_product, products_price, products_variant, created_at, updated_at)
    select line_id, $1, id, product_id, variant_id, price_id, quantity, '${CURRENCY}', amount, amount, 0.00, original_product,
      ordered_price, ordered_variant, created, created
    from l
  ),
  invoices as (
    insert into order_invoices (id, workspace_id, order_id, invoice_number, invoice_type, status, currency, subtotal_amount, shipping_amount,
      tax_amount, discount_amount, issued_at, due_at, paid_at, fulfillment_status, created_at, updated_at)
    select invoice_id, $1, o.id, ($8::int + 1 + n)::text, 'one_time', case kind when 8 then 'unpaid' when 9 then 'voided' else 'paid' end,
      '${CURRENCY}', total, 0.00, 0.00, 0.00, created, created, case when kind < 8 then created end,
      case when is_sent then 'unfulfilled' else 'not_applicable' end, created, created
    from o join total using (id)
  ),
  billed as (
    insert into order_invoice_line_items (id, workspace_id, invoice_id, order_line_item_id, product_id, variant_id, price_id, quantity, amount,
      payment_type, fulfillment_status, products_price, products_variant, created_at, updated_at)
    select billed_id, $1, invoice_id, line_id, product_id, variant_id, price_id, quantity, amount, payment_type,
      case when fulfillment_required then 'unfulfilled' else 'ignored' end, billed_price, billed_variant, created, created
    from l
  )
  insert into order_transactions (workspace_id, order_id, invoice_id, amount, currency, status, result, external_id, created_at, updated_at)
  select $1, o.id, invoice_id, total, '${CURRENCY}', 'completed', 'approved', 'seed-' || o.id, created, created
  from o join total using (id) where kind < 8`;

const TABLES = [
  ...['products', 'product_variants', 'product_prices', 'orders', 'order_line_items', 'order_invoices'],
  ...['order_invoice_line_items', 'order_transactions'],
];

/**
 * Adds orders to a workspace, with the products and contacts that they need. After an interruption, running chunks are completed, so that
 * the numbers of orders and invoices have no gaps.
 * @returns how many orders were committed: fewer than requested after an abort
 */
export async function insertManyOrders(pool: pg.Pool, options: BulkOptions): Promise<number> {
  const { count, workspaceId, now, signal } = options;
  await withoutLimits(pool, (client) => addProducts(client, workspaceId));
  await addContacts(pool, options);
  const buyers = await withoutLimits(pool, (client) => findBuyers(client, workspaceId));
  if (signal.aborted) return 0;
  const last = await withoutLimits(pool, (client) =>
    takeNumbers(inOrder(executorOf(client)), workspaceId, { order: count, invoice: count }),
  );
  /** The last numbers before ours. */
  const numbers: [number, number] = [last.order - count, last.invoice - count];
  const added = await insertInChunks(pool, {
    ...options,
    chunkSize: 2_500,
    tables: TABLES,
    isCancelled: false,
    insert: (client, from, to) =>
      client.query(ORDERS_SQL, [workspaceId, from, to, count, now, buyers, ...numbers]),
  });
  await withoutLimits(pool, (client) => returnNumbers(client, workspaceId, count, added, numbers));
  return added;
}

async function addProducts(client: pg.PoolClient, workspaceId: bigint): Promise<void> {
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from (${PRICES}) p`, [
    workspaceId,
  ]);
  const missing = PRODUCTS - (rows[0]?.count ?? 0);
  if (missing > 0) await client.query(PRODUCTS_SQL, [workspaceId, missing]);
}

async function addContacts(pool: pg.Pool, options: BulkOptions): Promise<void> {
  const { workspaceId, count } = options;
  const wanted = Math.min(MAX_BUYERS, Math.ceil(count / ORDERS_PER_CONTACT));
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::int as count from (select from contacts where workspace_id = $1 limit $2) c',
    [workspaceId, wanted],
  );
  const missing = wanted - (rows[0]?.count ?? 0);
  if (missing > 0) await insertManyContacts(pool, { ...options, count: missing, onProgress: () => {} });
}

async function findBuyers(client: pg.PoolClient, workspaceId: bigint): Promise<bigint[]> {
  const { rows } = await client.query<{ id: bigint }>(
    `select id from contacts where workspace_id = $1 order by id desc limit ${MAX_BUYERS}`,
    [workspaceId],
  );
  return rows.map(({ id }) => id);
}

/** Returns unused numbers, unless others were taken after them. */
async function returnNumbers(
  client: pg.PoolClient,
  workspaceId: bigint,
  count: number,
  added: number,
  [order, invoice]: [number, number],
): Promise<void> {
  if (added === count) return;
  await client.query(
    `update order_counters set last_order_number = $2::int + $4, last_invoice_number = $3::int + $4
      where workspace_id = $1 and last_order_number = $2::int + $5 and last_invoice_number = $3::int + $5`,
    [workspaceId, order, invoice, added, count],
  );
}
