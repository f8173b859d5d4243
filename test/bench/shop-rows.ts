import { COPIED_COLUMNS } from '../../src/store/orders/line-copies.ts';

// The shop of the workspace with all the contacts: products with two variants of one price each, and orders with three lines and an
// invoice. As everywhere in the dataset, every value follows from its row's number.

const PRODUCTS = 100;
/** Each has one price. Variants and prices have the same ids, from 1 on. */
export const VARIANTS = 2 * PRODUCTS;
export const LINES_PER_ORDER = 3;
const MOST_ORDERS = 20_000;
/** Products behind these that nobody ordered, so that a list of products has long pages. Each has a variant of the same id. */
const UNSOLD_PRODUCTS = 20_000;
const CONTACTS_PER_ORDER = 50;

/** How many orders belong to so many contacts. */
export const ordersOf = (contacts: number) =>
  Math.min(MOST_ORDERS, Math.floor(contacts / CONTACTS_PER_ORDER));

const TIME = (n: string) => `timestamptz '2025-01-01T00:00:00Z' + ${n} * interval '17 minutes'`;

/** All that a line copies of its product, variant and price. */
const PRICED = `
  select p.id, p.product_id, p.variant_id, p.amount, p.payment_type,
    ${COPIED_COLUMNS}
  from product_prices p join product_variants v on v.workspace_id = p.workspace_id and v.id = p.variant_id
    join products d on d.workspace_id = p.workspace_id and d.id = p.product_id
  where p.workspace_id = 1`;

/** The lines `l` of all orders `n`, each with its number `i` in the order. */
const LINES = (
  orders: number,
) => `generate_series(1, ${orders}) n cross join generate_series(1, ${LINES_PER_ORDER}) i
  cross join lateral (select (n - 1) * ${LINES_PER_ORDER} + i as id, 1 + (n + i) % 3 as quantity) l
  join shop_prices p on p.id = 1 + (n * 31 + i * 17) % ${VARIANTS}`;

/** The statements that fill the shop of workspace 1, which has these contacts from id 1 on. */
export function shopStatements(contacts: number): string[] {
  const orders = ordersOf(contacts);
  return [
    `insert into products (id, workspace_id, name, current_path, visible_in_store, visible_in_customer_center, created_at, updated_at)
      select i, 1, 'Product “' || i || '”', '/product-' || i, true, true, ${TIME('i')}, ${TIME('i')} from generate_series(1, ${PRODUCTS}) i`,
    `insert into product_variants (id, workspace_id, product_id, name, is_default, sku, created_at, updated_at)
      select i, 1, 1 + (i - 1) / 2, case i % 2 when 1 then 'Small' else 'Large' end, i % 2 = 1, 'SKU-' || i, ${TIME('i')}, ${TIME('i')}
      from generate_series(1, ${VARIANTS}) i`,
    `insert into product_prices (id, workspace_id, product_id, variant_id, name, amount, currency, created_at, updated_at)
      select i, 1, 1 + (i - 1) / 2, i, 'Standard', round((9 + i * 7919 % 9000 / 100.0)::numeric, 2), 'USD', ${TIME('i')}, ${TIME('i')}
      from generate_series(1, ${VARIANTS}) i`,
    `insert into products (id, workspace_id, name, current_path, visible_in_store, visible_in_customer_center, archived_at, created_at, updated_at)
      select i, 1, 'Product ' || i, '/product-' || i, i % 4 = 0, true, case when i % 40 = 1 then ${TIME('i')} end, ${TIME('i')}, ${TIME('i')}
      from generate_series(${VARIANTS + 1}, ${VARIANTS + UNSOLD_PRODUCTS}) i`,
    `insert into product_variants (id, workspace_id, product_id, name, is_default, created_at, updated_at)
      select i, 1, i, 'Only one', true, ${TIME('i')}, ${TIME('i')} from generate_series(${VARIANTS + 1}, ${VARIANTS + UNSOLD_PRODUCTS}) i`,
    `create temporary table shop_prices as ${PRICED}`,
    `create temporary table shop_totals as select n, sum(p.amount * l.quantity) as total from ${LINES(orders)} group by n`,
    `insert into orders (id, workspace_id, contact_id, order_number, order_type, live_mode, currency, total_amount, tax_amount, billing_status,
        service_status, shipping_address_city, shipping_address_country, created_at, updated_at)
      select n, 1, 1 + n * 7919::bigint % ${contacts}, n, 'one-time-order', true, 'USD', total, 0.00, 'paid', 'completed', 'Bern', 'CH',
        ${TIME('n')}, ${TIME('n')}
      from shop_totals`,
    `insert into order_line_items (id, workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount,
        setup_amount, original_product, products_price, products_variant, created_at, updated_at)
      select l.id, 1, n, product_id, variant_id, p.id, quantity, 'USD', amount, amount, 0.00, original_product, ordered_price, ordered_variant,
        ${TIME('n')}, ${TIME('n')}
      from ${LINES(orders)}`,
    `insert into order_invoices (id, workspace_id, order_id, invoice_number, invoice_type, status, currency, subtotal_amount, shipping_amount,
        tax_amount, discount_amount, paid_amount, issued_at, paid_at, fulfillment_status, created_at, updated_at)
      select n, 1, n, n::text, 'one_time', 'paid', 'USD', total, 0.00, 0.00, 0.00, total, ${TIME('n')}, ${TIME('n')}, 'unfulfilled',
        ${TIME('n')}, ${TIME('n')}
      from shop_totals`,
    `insert into order_invoice_line_items (id, workspace_id, invoice_id, order_line_item_id, product_id, variant_id, price_id, quantity, amount,
        payment_type, fulfillment_status, products_price, products_variant, created_at, updated_at)
      select l.id, 1, n, l.id, product_id, variant_id, p.id, quantity, amount, payment_type, 'unfulfilled', billed_price, billed_variant,
        ${TIME('n')}, ${TIME('n')}
      from ${LINES(orders)}`,
    `insert into order_counters (workspace_id, last_order_number, last_invoice_number) values (1, ${orders}, ${orders})`,
  ];
}

/** The tables whose ids are given here. */
export const SHOP_TABLES = [
  ...['products', 'product_variants', 'product_prices', 'orders', 'order_line_items', 'order_invoices'],
  'order_invoice_line_items',
];
