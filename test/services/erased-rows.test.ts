// From the record of an erasure on, the rows that have data of the contact show none of it, before anything is blanked. What is written
// afterwards is shown, and stays.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Field } from '../../src/resources/description/fields.ts';
import { toSnakeCase } from '../../src/resources/description/names.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import { type Executor, executorOf, inTransaction } from '../../src/store/connections/executor.ts';
import { eraseContact } from '../../src/store/erasure/contact-erasure.ts';
import { continueErasure, findUndoneOf } from '../../src/store/erasure/erasing.ts';
import { isBlankedByErasure } from '../../src/store/sql/personal-data.ts';
import { blankAll } from '../support/blanking.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { createSessions } from '../support/open-transactions.ts';
import { line, offer } from '../support/orders/shop.ts';
import { createRestClient } from '../support/rest-client.ts';

const MARKER = 'Conspicuous';
/** The writable personal texts of each noun. */
const PERSONAL = NOUNS.filter(isBlankedByErasure).map((noun) => ({
  table: noun.table,
  columns: Object.entries<Field>(noun.fields)
    .filter(([, { personal, values, type }]) => personal && values === undefined && type === 'text')
    .map(([property]) => toSnakeCase(property)),
}));

const gateway = await ownGateway();
const { pool } = gateway.app.store;
const sessions = createSessions(() => gateway);
let client: Awaited<ReturnType<typeof createRestClient>>;
let shop: Awaited<ReturnType<typeof open>>;

const run = <T>(work: (tx: Executor) => PromiseLike<T>) => inTransaction(pool, work);
/** Erases as the request's transaction does, without the work that follows it. */
const record = (id = shop.contactId) => run((tx) => eraseContact(tx, client.workspaceId, BigInt(id), null));

/** A contact with an order, and a row of every noun that can have personal data of it. */
async function open() {
  const { app } = gateway;
  const { workspaceId } = client;
  const inWorkspace = (rest: string) => `/api/v2/workspaces/${workspaceId}/${rest}`;
  const send = async (path: string, body: object) => {
    const { status, text, body: made } = await client.send('POST', path, body);
    expect([status, text]).toEqual([201, text]);
    return made as { id: number };
  };
  const contactId = Number((await factories.contact(app, { workspaceId })).id);
  const order = async (members: object = {}) =>
    send(inWorkspace('orders'), {
      order: {
        ...{ contact_id: contactId, live_mode: true, order_type: 'one-time-order' },
        ...{ billing_status: 'paid', line_items_attributes: [line(await offer(app, workspaceId), 4)] },
        ...members,
      },
    });
  const { id } = await order({ notes: MARKER });
  await pool.query('update product_variants set fulfillment_required = true where workspace_id = $1', [
    workspaceId,
  ]);
  const [invoice] = JSON.parse((await client.send('GET', `/api/v2/orders/${id}/invoices`)).text);
  const location = { name: 'Home', address_name: 'Us', address: {}, email_address: 'us@example.com' };
  const { id: locationId } = await send(inWorkspace('fulfillments/locations'), location);
  const fulfillment = await send(inWorkspace('fulfillments'), {
    fulfillment: {
      ...{ contact_id: contactId, location_id: locationId, tracking_code: MARKER },
      included_orders_invoices_line_items_attributes: [
        { invoices_line_item_id: invoice.line_items[0].id, quantity: 1 },
      ],
    },
  });
  const restock = await send(`/api/v2/orders/invoices/${invoice.id}/restocks`, {
    reason: MARKER,
    included_invoices_line_items_attributes: [
      { invoices_line_item_id: invoice.line_items[0].id, quantity: 1 },
    ],
  });
  await pool.query(
    `insert into order_transactions (workspace_id, order_id, invoice_id, amount, currency, result, status, reason)
      select workspace_id, order_id, id, 1, currency, 'approved', 'completed', $2 from order_invoices where id = $1`,
    [invoice.id, MARKER],
  );
  const form = await send(inWorkspace('forms'), { name: 'Repair' });
  const set = await send(`/api/v2/forms/${form.id}/field_sets`, { title: 'What' });
  const field = await send(`/api/v2/forms/field_sets/${set.id}/fields`, { key: 'why', label: 'Why?' });
  const submission = await send(`/api/v2/forms/${form.id}/submissions`, {
    contact_id: contactId,
    answers_attributes: [{ field_id: field.id, entry: MARKER }],
  });
  const appointment = await send(inWorkspace('appointments/scheduled_events'), {
    ...{ primary_contact_id: contactId, start_on: '2030-01-01T09:00:00Z', comments: MARKER },
  });
  const pipeline = await send(inWorkspace('sales/pipelines'), { name: 'Repairs' });
  const stage = await send(`/api/v2/sales/pipelines/${pipeline.id}/stages`, { name: 'Asked' });
  const opportunity = await send(inWorkspace('sales/opportunities'), {
    ...{ name: MARKER, pipelines_stage_id: stage.id, primary_contact_id: contactId },
  });
  const note = await send(`/api/v2/sales/opportunities/${opportunity.id}/notes`, { content: MARKER });
  for (const { table, columns } of PERSONAL.filter((one) => one.columns.length > 0))
    await pool.query(
      `update ${table} set ${columns.map((column) => `${column} = $2`).join(', ')} where workspace_id = $1`,
      [workspaceId, MARKER],
    );
  const paths = {
    order: `/api/v2/orders/${id}`,
    orders: inWorkspace('orders'),
    invoices: `/api/v2/orders/${id}/invoices`,
    invoice: `/api/v2/orders/invoices/${invoice.id}`,
    transactions: `/api/v2/orders/${id}/transactions`,
    restocks: `/api/v2/orders/invoices/${invoice.id}/restocks`,
    restock: `/api/v2/orders/invoices/restocks/${restock.id}`,
    fulfillments: inWorkspace('fulfillments'),
    fulfillment: `/api/v2/fulfillments/${fulfillment.id}`,
    submission: `/api/v2/form_submissions/${submission.id}`,
    submissions: inWorkspace('form_submissions'),
    answers: `/api/v2/forms/submissions/${submission.id}/answers`,
    appointment: `/api/v2/appointments/scheduled_events/${appointment.id}`,
    appointments: inWorkspace('appointments/scheduled_events'),
    opportunity: `/api/v2/sales/opportunities/${opportunity.id}`,
    opportunities: inWorkspace('sales/opportunities'),
    opportunityNote: `/api/v2/sales/opportunities/notes/${note.id}`,
  };
  return { contactId, id, invoice, paths, order, fieldId: field.id };
}

/** The answer of each path. */
async function shown(): Promise<Record<string, string>> {
  const answers = Object.entries(shop.paths).map(async ([name, path]) => {
    const { status, text } = await client.send('GET', path);
    expect([path, status]).toEqual([path, 200]);
    return [name, text];
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** The tables that still contain personal data. */
async function traces(): Promise<string[]> {
  const tables = [...PERSONAL.map(({ table }) => table), 'events', 'audit_entries'];
  const counted = await Promise.all(
    tables.map((table) =>
      pool.query(`select from ${table} t where workspace_id = $1 and t::text like $2 limit 1`, [
        client.workspaceId,
        `%${MARKER}%`,
      ]),
    ),
  );
  return tables.filter((_, index) => counted[index]?.rowCount);
}

beforeEach(async () => {
  client = await createRestClient(gateway);
  shop = await open();
});

describe('before anything is blanked,', () => {
  test('REST returns no personal data of any row, and the rest unchanged', async () => {
    const before = await shown();
    for (const text of Object.values(before)) expect(text).toContain(MARKER);
    await record();
    const after = await shown();
    for (const text of Object.values(after)) expect(text).not.toContain(MARKER);
    expect(JSON.parse(after['order'] ?? '')).toMatchObject({
      ...{ id: shop.id, total_amount: '48.00', notes: null, phone_number: null },
      line_items: [{ quantity: 4 }],
    });
    expect(await traces()).toEqual(expect.arrayContaining(PERSONAL.map(({ table }) => table)));
    const lists = ['audit_entries', 'webhooks/outgoing/events'];
    for (const list of lists)
      expect(
        (await client.send('GET', `/api/v2/workspaces/${client.workspaceId}/${list}`)).text,
      ).not.toContain(MARKER);
    await blankAll(gateway.app);
    expect(await traces()).toEqual([]);
    const withoutTimes = (texts: Record<string, string>) =>
      JSON.parse(JSON.stringify(texts).replaceAll(/\\"updated_at\\":\\"[^"]*\\"/g, ''));
    expect(withoutTimes(await shown())).toEqual(withoutTimes(after));
  });

  test('GraphQL returns no personal data', async () => {
    const query = `{ workspace(by: { databaseId: ${client.workspaceId} }) {
      orders { nodes { notes contact { orders { nodes { notes } } } shippingAddress { firstName phoneNumber } billingAddress { city } canceledBy cancelDescription
        transactions { nodes { reason } } invoices { nodes { order { notes canceledBy } restocks { nodes { reason } } } } } }
      fulfillments { nodes { trackingCode trackingUrl } } auditEntries { nodes { before after } } } }`;
    const ask = async () => {
      const { data, errors } = await post(gateway, { query }, client);
      expect(errors).toBeUndefined();
      return JSON.stringify(data);
    };
    expect(await ask()).toContain(MARKER);
    await record();
    expect(await ask()).not.toContain(MARKER);
  });

  test('a change copies no earlier personal data into its event and its audit entry, and its new data stays', async () => {
    await record();
    const changed = await client.send('PATCH', shop.paths.order, { order: { notes: 'Another buyer' } });
    expect([changed.status, changed.body['notes'], changed.body['shipping_address_city']]).toEqual([
      200,
      'Another buyer',
      null,
    ]);
    const sent = await client.send('PATCH', shop.paths.fulfillment, {
      fulfillment: { tracking_code: 'T-2' },
    });
    expect([sent.status, sent.body['tracking_code'], sent.body['tracking_url']]).toEqual([200, 'T-2', null]);
    const { status } = await client.send('PATCH', shop.paths.invoice, { invoice: { external_id: 'X' } });
    expect(status).toBe(200);
    const answer = { field_id: shop.fieldId, entry: 'A later answer' };
    expect((await client.send('POST', shop.paths.answers, answer)).status).toBe(201);
    for (const _ of ['before', 'after']) {
      const texts = await shown();
      expect(texts['submission']).toContain('A later answer');
      expect(texts['order']).toContain('Another buyer');
      expect(texts['fulfillment']).toContain('T-2');
      for (const text of Object.values(texts)) expect(text).not.toContain(MARKER);
      await blankAll(gateway.app);
    }
    expect(await traces()).toEqual([]);
  });

  test('a change without an effect returns none', async () => {
    await record();
    const same = await client.send('PATCH', shop.paths.order, { order: {} });
    expect([same.status, same.text.includes(MARKER)]).toEqual([200, false]);
  });

  test('later orders are visible, and stay', async () => {
    await record();
    const { id } = await shop.order({ notes: 'Later' });
    for (const _ of ['before', 'after']) {
      expect((await client.send('GET', `/api/v2/orders/${id}`)).body['notes']).toBe('Later');
      await blankAll(gateway.app);
    }
    await record();
    expect((await client.send('GET', `/api/v2/orders/${id}`)).body['notes']).toBeNull();
  });
});

test('an erasure waits for a change in progress, and erases what it writes', async () => {
  const other = await sessions.connect();
  await other.query('begin');
  await other.query('select from order_invoices where workspace_id = $1 for update', [client.workspaceId]);
  const refunding = client.send('POST', shop.paths.restocks, {
    reason: MARKER,
    included_invoices_line_items_attributes: [
      { invoices_line_item_id: shop.invoice.line_items[0].id, quantity: 1 },
    ],
  });
  await untilWaiting(gateway.app, 1);
  const erasing = client.send('DELETE', `/api/v2/contacts/${shop.contactId}/gdpr_destroy`);
  await untilWaiting(gateway.app, 2);
  await other.query('rollback');
  expect([(await refunding).status, (await erasing).status]).toEqual([201, 200]);
  expect(await traces()).toEqual([]);
  await sessions.endAll();
});

test('an erasure waits for a new answer, and erases it', async () => {
  const other = await sessions.connect();
  await other.query('begin');
  await other.query('select from form_fields where workspace_id = $1 for update', [client.workspaceId]);
  const answering = client.send('POST', shop.paths.answers, { field_id: shop.fieldId, entry: MARKER });
  await untilWaiting(gateway.app, 1);
  const erasing = client.send('DELETE', `/api/v2/contacts/${shop.contactId}/gdpr_destroy`);
  await untilWaiting(gateway.app, 2);
  await other.query('rollback');
  expect([(await answering).status, (await erasing).status]).toEqual([201, 200]);
  expect(await traces()).toEqual([]);
  await sessions.endAll();
});

test('many orders are hidden at once, and blanked in batches that another process continues', async () => {
  await pool.query(
    `insert into orders (workspace_id, contact_id, order_number, order_type, live_mode, billing_status, service_status, currency, total_amount, tax_amount, notes)
      select workspace_id, contact_id, n + 1000, order_type, live_mode, billing_status, service_status, currency, total_amount, tax_amount, $2
      from orders, generate_series(1, 700) n where id = $1`,
    [shop.id, MARKER],
  );
  const { body } = await client.send('DELETE', `/api/v2/contacts/${shop.contactId}/gdpr_destroy`);
  expect(body.id).toBe(shop.contactId);
  const left = async () => {
    const { rows } = await pool.query<{ left: number; old: number }>(
      `select count(notes)::int as left, count(*) filter (where row_version = 1)::int as old from orders
        where workspace_id = $1 and order_number > 1000`,
      [client.workspaceId],
    );
    return rows[0];
  };
  expect(await left()).toEqual({ left: 700, old: 700 });
  const text = (await client.send('GET', `${shop.paths.orders}?per_page=100`)).text;
  expect(text).not.toContain(MARKER);
  const undone = await findUndoneOf(executorOf(pool), client.workspaceId, BigInt(shop.contactId));
  if (undone === null) throw new Error('Nothing is left');
  expect(await continueErasure(run, undone, 2)).toBe('more');
  const { left: some = 0, old = 0 } = (await left()) ?? {};
  expect([some, old === some]).toEqual([
    expect.toSatisfy((count: number) => count >= 200 && count <= 250),
    true,
  ]);
  expect(await shown()).toEqual(expect.objectContaining({ orders: expect.not.stringContaining(MARKER) }));
  await blankAll(gateway.app);
  expect(await left()).toEqual({ left: 0, old: 0 });
  expect(await traces()).toEqual([]);
});
