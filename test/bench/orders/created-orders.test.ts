// What the bench takes for an order that was created with all that belongs to it, tried on what the limit creates.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as factories from '../../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../../support/gateway.ts';
import type { Manifest } from '../dataset.ts';
import { type Subject, startSubject } from '../subject.ts';
import { SUBJECTS } from '../subjects.ts';
import { ask } from '../workloads.ts';
import {
  clearCreatedOrders,
  readCreatedOrders,
  requireOrderHistory,
  requireOrderSnapshots,
} from './created-orders.ts';
import { type NewOrder, orderRequest } from './new-orders.ts';

let gateway: Gateway;
let caller: Caller;
let manifest: Manifest;
let client: pg.Client;
let limit: Subject;
let logDir: string;
let orders: NewOrder[];
let answers: string[];
let ids: number[];

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  const workspace = await factories.workspace(app);
  caller = await factories.apiKey(app, { teamId: workspace.teamId });
  const contactIds = await factories.contacts(app, workspace.id, 2);
  manifest = {
    ...{ rows: 2, orders: 0, token: '', teamId: Number(workspace.teamId) },
    ...{ workspaceIds: [Number(workspace.id)], workspaceId: Number(workspace.id) },
    firstContactId: Number(contactIds[0]),
  };
  const databaseUrl = app.store.connection.connectionString ?? '';
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const lines: NewOrder['line_items_attributes'][number][] = [];
  for (const [index, amount] of ['0.10', '12.34', '5.00'].entries()) {
    const { rows } = await client.query<{ variant_id: string; products_price_id: string }>(
      `with d as (insert into products (workspace_id, name) values ($1, 'Bowl') returning id),
        v as (insert into product_variants (workspace_id, product_id, name) select $1, id, 'Small' from d returning id, product_id)
      insert into product_prices (workspace_id, product_id, variant_id, amount, currency) select $1, product_id, id, $2, 'EUR' from v
      returning variant_id, id as products_price_id`,
      [workspace.id, amount],
    );
    lines.push({
      variant_id: Number(rows[0]?.variant_id),
      products_price_id: Number(rows[0]?.products_price_id),
      quantity: index + 1,
    });
  }
  orders = contactIds.map((id, index) => ({
    ...({ order_type: 'one-time-order', live_mode: true } as const),
    ...{ external_id: `bench-${index}`, contact_id: Number(id), line_items_attributes: lines },
  }));
  logDir = await mkdtemp(join(tmpdir(), 'fg-test-'));
  const settings = { databaseUrl, poolSize: 3, logDir, signal: new AbortController().signal };
  limit = await startSubject(SUBJECTS['limit-json'], settings);
});

afterAll(async () => {
  await limit.stop();
  await client.end();
  await rm(logDir, { recursive: true });
  await gateway.close();
});

beforeEach(async () => {
  await clearCreatedOrders(client, manifest);
  const replies = await Promise.all(orders.map((order) => ask(limit, orderRequest(manifest, order, 'test'))));
  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
  answers = replies.map(({ body }) => body);
  ids = await readCreatedOrders(client, manifest, orders);
});

test('the limit’s orders are as asked for and as answered, with their history, and what the gateway shows', async () => {
  await requireOrderHistory(client, manifest, ids);
  for (const [at, answer] of answers.entries()) {
    await requireOrderSnapshots(client, ids[at] ?? 0, answer);
    const shown = await gateway.send(`/api/v2/orders/${ids[at]}`, { caller });
    // The limit answers what is recorded, in which is also what the gateway shows by `expand[]` alone.
    const { fulfillment_ids: _, ...answered } = JSON.parse(answer);
    expect(await shown.json()).toEqual(answered);
  }
});

test('the gateway creates the same order, invoice and snapshots', async () => {
  const [order] = orders;
  const reply = await gateway.send(`/api/v2/workspaces/${manifest.workspaceId}/orders`, {
    ...{ method: 'POST', caller, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ order: { ...order, external_id: 'bench-gateway' } }),
  });
  expect(reply.status).toBe(201);
  const written = `select jsonb_agg(a.after::jsonb - '{id,public_id,created_at,updated_at,order,order_id,order_number,external_id,line_items,invoice_number,issued_at,paid_until}'::text[]
      order by a.action) as shown, array_agg(a.action || ' ' || a.subject_type order by a.action) as actions
    from audit_entries a where a.subject_id = any($1) and a.action in ('order.created', 'orders/invoice.created')`;
  const shown = await Promise.all(
    [ids[0], ((await reply.json()) as { id: number }).id].map(async (id) => {
      const { rows: invoices } = await client.query<{ id: string }>(
        'select id from order_invoices where order_id = $1',
        [id],
      );
      return (await client.query(written, [[id, ...invoices.map((invoice) => invoice.id)]])).rows;
    }),
  );
  expect(shown[1]).toEqual(shown[0]);
});

test.for([
  "delete from audit_entries where action = 'orders/invoice.created' and contact_id = $1",
  "delete from events where event_type = 'order.created' and contact_id = $1",
  'delete from idempotency_records r using audit_entries a where a.id = r.audit_entry_id and a.contact_id = $1',
  'update events set data = \'{"id":0}\' where contact_id = $1',
])('without all that belongs to an order it does not count: %s', async (statement) => {
  await client.query(statement, [manifest.firstContactId]);
  await expect(requireOrderHistory(client, manifest, ids)).rejects.toThrow(/ of [24]$/);
});

test.for([
  ['update order_line_items set quantity = 9 where order_id = $1', 'in place of'],
  ['update orders set total_amount = total_amount + 0.01 where id = $1', 'sums'],
  [
    'update order_invoice_line_items b set amount = 0 from order_invoices i where i.id = b.invoice_id and i.order_id = $1',
    'sums',
  ],
] as const)('an order that is not as asked for does not count: %s', async ([statement, message]) => {
  await client.query(statement, [ids[1]]);
  await expect(readCreatedOrders(client, manifest, orders)).rejects.toThrow(message);
});
