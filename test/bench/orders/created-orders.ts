// What is in the tables after orders were created: all of it, or a subject's figures are worth nothing. And the tables as they were before.
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { order } from '../../../src/resources/orders/orders.ts';
import { publicJson } from '../../../src/rows/shown-json.ts';
import type { Manifest } from '../dataset.ts';
import type { NewOrder } from './new-orders.ts';

/** Each refers to those after it. */
const TABLES = ['order_invoice_line_items', 'order_invoices', 'order_line_items', 'orders'];
const ORDER_OF = {
  order_invoice_line_items:
    'invoice_id in (select id from order_invoices where workspace_id = $1 and order_id > $2)',
  order_invoices: 'order_id > $2',
  order_line_items: 'order_id > $2',
  orders: 'id > $2',
} as Readonly<Record<string, string>>;

/** Removes what was created beside the orders of the dataset, and lets the numbers begin again. */
export async function clearCreatedOrders(
  client: pg.Client,
  { workspaceId, orders }: Manifest,
): Promise<void> {
  await client.query(
    'truncate audit_entries, events, idempotency_records, webhook_deliveries, webhook_attempts',
  );
  for (const table of TABLES)
    await client.query(`delete from ${table} where workspace_id = $1 and ${ORDER_OF[table]}`, [
      workspaceId,
      orders,
    ]);
  await client.query(
    'update order_counters set last_order_number = $2, last_invoice_number = $2 where workspace_id = $1',
    [workspaceId, orders],
  );
  await client.query(`vacuum ${TABLES}, order_counters`);
}

/** An order with its lines, and whether its invoice says the same and its sums are right. */
const CREATED = `
  select o.id, o.external_id, o.contact_id::int,
    (select json_agg(json_build_object('variant_id', l.variant_id, 'products_price_id', l.price_id, 'quantity', l.quantity) order by l.id)
      from order_line_items l where l.workspace_id = o.workspace_id and l.order_id = o.id) as line_items_attributes,
    (o.order_number, o.total_amount) = (select i.invoice_number::int - min(i.invoice_number::int) over () + min(o.order_number) over (), i.due_amount
      from order_invoices i where i.workspace_id = o.workspace_id and i.order_id = o.id and i.status = 'unpaid')
    and o.total_amount = (select sum(l.quantity * p.amount) from order_line_items l
      join product_prices p on p.workspace_id = l.workspace_id and p.id = l.price_id
      where l.workspace_id = o.workspace_id and l.order_id = o.id)
    and o.total_amount = (select sum(b.quantity * b.amount) from order_invoices i
      join order_invoice_line_items b on b.workspace_id = i.workspace_id and b.invoice_id = i.id
      join order_line_items l on l.workspace_id = b.workspace_id and l.id = b.order_line_item_id and l.order_id = o.id
      where i.workspace_id = o.workspace_id and i.order_id = o.id) as adds_up
  from orders o where o.workspace_id = $1 and o.id > $2`;

/** The ids of what was created, in the order of what was asked for. @throws Error when one is not there as it was asked for */
export async function readCreatedOrders(
  client: pg.Client,
  { workspaceId, orders: before }: Manifest,
  orders: readonly NewOrder[],
): Promise<number[]> {
  const { rows } = await client.query<{ id: string; adds_up: boolean | null; external_id: string }>(CREATED, [
    workspaceId,
    before,
  ]);
  if (rows.length !== orders.length)
    throw new Error(`${rows.length} orders are there, of ${orders.length} that were asked for`);
  const found = new Map(rows.map((row) => [row.external_id, row]));
  return orders.map(({ order_type, live_mode, ...asked }) => {
    const { id, adds_up, ...order } = found.get(asked.external_id) ?? {};
    if (!isDeepStrictEqual(order, asked))
      throw new Error(`${JSON.stringify(order)} was created in place of ${JSON.stringify(asked)}`);
    if (adds_up !== true)
      throw new Error(`The sums of order ${id} and its invoice are not those of its lines`);
    return Number(id);
  });
}

const HISTORY = `
  with wanted as (
    select 'order' as topic, o.id, o.contact_id from orders o where o.workspace_id = $1 and o.id = any($2)
    union all select 'orders/invoice', i.id, o.contact_id from order_invoices i join orders o using (workspace_id)
      where i.workspace_id = $1 and i.order_id = o.id and o.id = any($2)
  )
  select 'audit entries' as what, 2 as each, count(*) from wanted w join audit_entries a on a.workspace_id = $1 and a.subject_id = w.id
    and a.action = w.topic || '.created' and a.contact_id = w.contact_id and a.before is null and (a.after ->> 'id')::bigint = w.id
  union all select 'audit entries in all', 2, count(*) from audit_entries
  union all select 'events', 2, count(*) from wanted w join events e on e.workspace_id = $1 and e.subject_id = w.id
    and e.event_type = w.topic || '.created' and e.contact_id = w.contact_id and (e.data ->> 'id')::bigint = w.id
  union all select 'events in all', 2, count(*) from events
  union all select 'idempotency records', 1, count(*) from wanted w join audit_entries a on a.workspace_id = $1 and a.subject_id = w.id
    join idempotency_records r on r.workspace_id = $1 and r.audit_entry_id = a.id where w.topic = 'order' and a.action = 'order.created'
  union all select 'idempotency records in all', 1, count(*) from idempotency_records`;

/** That orders and their invoices have their audit entries, events and records of keys, and nothing else does. @throws Error with what is missing */
export async function requireOrderHistory(
  client: pg.Client,
  { workspaceId }: Manifest,
  ids: readonly number[],
): Promise<void> {
  const { rows } = await client.query<{ what: string; each: number; count: string }>(HISTORY, [
    workspaceId,
    ids,
  ]);
  for (const { what, each, count } of rows)
    if (Number(count) !== each * ids.length) throw new Error(`${what}: ${count} of ${each * ids.length}`);
}

/** That the snapshots of an order, as far as others are shown them, say what was answered. @throws Error when one says something else */
export async function requireOrderSnapshots(client: pg.Client, id: number, answer: string): Promise<void> {
  const { rows } = await client.query<{ snapshot: string }>(
    `select after::text as snapshot from audit_entries where action = 'order.created' and subject_id = $1
      union all select data::text from events where event_type = 'order.created' and subject_id = $1`,
    [id],
  );
  for (const { snapshot } of rows)
    if (!isDeepStrictEqual(JSON.parse(publicJson(order, snapshot)), JSON.parse(answer)))
      throw new Error(`${snapshot} is kept, ${answer} was answered`);
}
