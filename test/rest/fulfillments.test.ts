// Fulfillments: never more than was ordered, and invoices with the status of what was sent.
import { beforeEach, describe, expect, test } from 'vitest';
import {
  INVOICE_STATUSES,
  ORDER_TYPES,
  SERVICE_STATUSES,
} from '../../src/resources/orders/order-statuses.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { line, offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';
import { refusalOf, USER_ERRORS } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
let contactId: number;
let locationId: number;

beforeEach(async () => {
  client = await createRestClient(gateway);
  contactId = Number((await factories.contact(app, { workspaceId: client.workspaceId })).id);
  const location = { name: 'Home', address_name: 'Us', address: {}, email_address: 'us@example.com' };
  locationId = (await client.send('POST', inWorkspace('fulfillments/locations'), location)).body.id;
});

const inWorkspace = (rest: string) => `/api/v2/workspaces/${client.workspaceId}/${rest}`;
const member = (id: number, verb = '') => `/api/v2/fulfillments/${id}${verb}`;

interface Invoice {
  readonly id: number;
  readonly order: { readonly id: number };
  readonly fulfillment_status: string;
  readonly line_items: readonly { readonly id: number; readonly fulfillment_status: string }[];
}

/** The invoice of an order with these quantities, each of another product. */
async function ordered(...quantities: number[]): Promise<Invoice> {
  const lines = await Promise.all(
    quantities.map(async (quantity) => line(await offer(app, client.workspaceId), quantity)),
  );
  await app.store.pool.query(
    'update product_variants set fulfillment_required = true where workspace_id = $1',
    [client.workspaceId],
  );
  const order = {
    ...{ contact_id: contactId, live_mode: true, order_type: 'one-time-order' },
    ...{ billing_status: 'paid', service_status: 'active', line_items_attributes: lines },
  };
  const { status, text, body } = await client.send('POST', inWorkspace('orders'), { order });
  expect([status, text]).toEqual([201, text]);
  return invoiceOf(body.id);
}

async function invoiceOf(orderId: unknown): Promise<Invoice> {
  const { text } = await client.send('GET', `/api/v2/orders/${orderId}/invoices`);
  return (JSON.parse(text) as [Invoice])[0];
}

const again = async ({ id }: Invoice) =>
  (await client.send('GET', `/api/v2/orders/invoices/${id}`)).body as unknown as Invoice;
const statusesOf = ({ fulfillment_status, line_items }: Invoice) => [
  fulfillment_status,
  ...line_items.map((item) => item.fulfillment_status),
];

/** The quantities to send of the lines of an invoice, in their order. */
const sending = ({ line_items }: Invoice, quantities: number[], members: object = {}) => ({
  fulfillment: {
    ...{ contact_id: contactId, location_id: locationId, ...members },
    included_orders_invoices_line_items_attributes: quantities.flatMap((quantity, index) =>
      quantity === 0 ? [] : [{ invoices_line_item_id: line_items[index]?.id, quantity }],
    ),
  },
});
const send = (...of: Parameters<typeof sending>) =>
  client.send('POST', inWorkspace('fulfillments'), sending(...of));

async function eventsOf(topic: string): Promise<string[]> {
  const events = await prismaOf(app.store).event.findMany({
    where: { workspaceId: client.workspaceId, eventType: { startsWith: `${topic}.` } },
    orderBy: { id: 'asc' },
  });
  return events.map(({ eventType }) => eventType);
}

describe('sending goods', () => {
  test('has every member, ascending numbers, and its lines', async () => {
    const invoice = await ordered(3);
    const given = {
      shipping_provider: 'Post',
      tracking_code: 'T-1',
      notify_customer: true,
      ignore_out_of_stock: true,
    };
    const { status, body } = await send(invoice, [2], given);
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: body.id, public_id: expect.any(String), workspace_id: Number(client.workspaceId) },
        ...{ fulfillment_number: 1, contact_id: contactId, location_id: locationId, status: 'fulfilled' },
        ...{ shipping_provider: 'Post', tracking_code: 'T-1', tracking_url: null },
        included_invoices_line_items: [
          {
            ...{ id: expect.any(Number), public_id: expect.any(String), fulfillment_id: body.id },
            ...{ invoices_line_item_id: invoice.line_items[0]?.id, quantity: 2 },
          },
        ],
        ...{ created_at: expect.any(String), updated_at: expect.any(String) },
      },
    ]);
    expect((await client.send('GET', member(body.id))).body).toEqual(body);
    expect((await send(invoice, [1])).body).toMatchObject({ fulfillment_number: 2 });
  });

  test('changes the status in the invoice, which causes one event when everything is sent', async () => {
    const invoice = await ordered(2, 3);
    expect(statusesOf(invoice)).toEqual(['unfulfilled', 'unfulfilled', 'unfulfilled']);
    await send(invoice, [2, 1]);
    expect(statusesOf(await again(invoice))).toEqual(['partial', 'complete', 'partially_fulfilled']);
    const { body } = await send(invoice, [0, 2]);
    expect(statusesOf(await again(invoice))).toEqual(['complete', 'complete', 'complete']);
    await client.send('PUT', member(body.id), { tracking_code: 'T-2' });
    expect((await eventsOf('orders/invoice')).filter((type) => type.endsWith('fulfilled'))).toEqual([
      'orders/invoice.fulfilled',
    ]);
    expect(await eventsOf('fulfillment')).toEqual([
      'fulfillment.created',
      'fulfillment.created',
      'fulfillment.updated',
    ]);
  });

  test('is refused for more than remains, in one request or over several', async () => {
    const invoice = await ordered(2, 1);
    const place = (index: number, name: string) =>
      `included_orders_invoices_line_items_attributes[${index}].${name}`;
    const refused = (...of: Parameters<typeof sending>) =>
      client.refused(422, 'POST', inWorkspace('fulfillments'), sending(...of));
    expect(await refused(invoice, [1, 2])).toEqual([place(1, 'quantity')]);
    const [first] = invoice.line_items;
    const twice = { ...invoice, line_items: [first, first] } as Invoice;
    expect(await refused(twice, [1, 2])).toEqual([place(1, 'quantity')]);
    expect((await send(twice, [1, 1])).status).toBe(201);
    expect(await refused(invoice, [1])).toEqual([place(0, 'quantity')]);
    expect((await send(invoice, [1])).body['detail']).toMatch(
      /\.quantity is too much: nothing of the line is left to ship\.$/,
    );
    const none = {
      included_orders_invoices_line_items_attributes: [{ invoices_line_item_id: first?.id, quantity: 0 }],
    };
    expect(await refused(invoice, [], none)).toEqual(['included_orders_invoices_line_items_attributes']);
    const stranger = await factories.contact(app, { workspaceId: client.workspaceId });
    expect(await refused(invoice, [0, 1], { contact_id: Number(stranger.id) })).toEqual([
      place(0, 'invoices_line_item_id'),
    ]);
    const elsewhere = await createRestClient(gateway);
    expect(
      await elsewhere.refused(
        422,
        'POST',
        `/api/v2/workspaces/${elsewhere.workspaceId}/fulfillments`,
        sending(invoice, [0, 1]),
      ),
    ).toContain(place(0, 'invoices_line_item_id'));
  });

  test('never exceeds the order, whatever happens concurrently', async () => {
    const [one, two] = [await ordered(3, 2), await ordered(1)];
    const both = { ...one, line_items: [...one.line_items, ...two.line_items] };
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => send(both, [1, 0, 0])),
      ...Array.from({ length: 3 }, () => send(both, [0, 1, 1])),
      ...Array.from({ length: 2 }, () =>
        send({ ...both, line_items: both.line_items.toReversed() }, [1, 0, 1]),
      ),
    ]);
    expect(answers.every(({ status }) => status === 201 || status === 422)).toBe(true);
    const { rows } = await app.store.pool.query(
      `select l.id from order_invoice_line_items l where l.workspace_id = $1 and l.quantity < (
        select sum(f.quantity) from fulfillment_line_items f where f.workspace_id = $1 and f.invoices_line_item_id = l.id)`,
      [client.workspaceId],
    );
    expect(rows).toEqual([]);
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(3);
    const numbers = answers
      .filter(({ status }) => status === 201)
      .map(({ body }) => body['fulfillment_number']);
    expect(numbers.toSorted()).toEqual(numbers.map((_, index) => index + 1).toSorted());
  });
});

test('a line of an invoice cannot have less than its sent quantity; with exactly that, everything is sent', async () => {
  const invoice = await ordered(3);
  // The sums of what was paid stay.
  await app.store.pool.query("update order_invoices set status = 'unpaid' where id = $1", [invoice.id]);
  const id = invoice.line_items[0]?.id;
  await send(invoice, [2]);
  const path = `/api/v2/orders/invoices/${invoice.id}`;
  const less = (quantity: number) => ({ orders_invoice: { line_items_attributes: [{ id, quantity }] } });
  expect(await client.refused(422, 'PUT', path, less(1))).toEqual(['line_items_attributes']);
  expect((await client.send('PUT', path, less(2))).status).toBe(200);
  expect(statusesOf(await again(invoice))).toEqual(['complete', 'complete']);
  expect(await eventsOf('orders/invoice')).toContain('orders/invoice.fulfilled');
  await client.send('PUT', path, less(4));
  expect(statusesOf(await again(invoice))).toEqual(['partial', 'partially_fulfilled']);
});

describe('canceling and deleting', () => {
  test('a canceled fulfillment no longer counts, once', async () => {
    const invoice = await ordered(2);
    const { body } = await send(invoice, [2]);
    const canceled = await client.send('POST', member(body.id, '/cancel'));
    expect([canceled.status, canceled.body['status']]).toEqual([200, 'cancelled']);
    expect(statusesOf(await again(invoice))).toEqual(['unfulfilled', 'unfulfilled']);
    expect((await client.send('POST', member(body.id, '/cancel'), [])).text).toBe(canceled.text);
    expect(await eventsOf('fulfillment')).toEqual(['fulfillment.created', 'fulfillment.updated']);
    expect((await send(invoice, [2])).status).toBe(201);
    expect((await client.send('DELETE', member(body.id))).status).toBe(204);
    expect(statusesOf(await again(invoice))).toEqual(['complete', 'complete']);
  });

  test('a restocked fulfillment cannot be canceled', async () => {
    const { body } = await send(await ordered(1), [1]);
    await app.store.pool.query("update fulfillments set status = 'restocked' where id = $1", [body.id]);
    await client.refused(409, 'POST', member(body.id, '/cancel'));
    const found = async (statuses: string) => {
      const query = `{ workspace(by: { databaseId: ${client.workspaceId} }) { fulfillments(filter: { statuses: ${statuses} }) { totalCount } } }`;
      return (await post(gateway, { query }, { caller: client.caller })).data;
    };
    expect(await found('[CANCELED, RESTOCKED]')).toEqual({ workspace: { fulfillments: { totalCount: 1 } } });
    expect(await found('[CANCELED, FULFILLED]')).toEqual({ workspace: { fulfillments: { totalCount: 0 } } });
  });

  test('a deleted fulfillment no longer counts; its number is not reused', async () => {
    const invoice = await ordered(1);
    const { body } = await send(invoice, [1]);
    expect((await client.send('DELETE', member(body.id))).status).toBe(204);
    expect(statusesOf(await again(invoice))).toEqual(['unfulfilled', 'unfulfilled']);
    expect((await send(invoice, [1])).body['fulfillment_number']).toBe(2);
  });

  test('a location stays while fulfillments use it: 409 lists them', async () => {
    const { body } = await send(await ordered(1), [1]);
    const location = `/api/v2/fulfillments/locations/${locationId}`;
    await client.refused(409, 'DELETE', location);
    const refused = await client.send('DELETE', location);
    expect(refused.body['detail']).toContain(`by the fulfillment ${body.id} and was not deleted.`);
    expect((await client.send('PUT', location, { archived: true })).status).toBe(200);
    await client.send('DELETE', member(body.id));
    expect((await client.send('DELETE', location)).status).toBe(204);
  });
});

test('over GraphQL a fulfillment has its contact, location and lines', async () => {
  const invoice = await ordered(2);
  const id = (type: string, of: unknown) => btoa(`${type}:${of}`);
  const query = `mutation ($input: CreateFulfillmentInput!) { createFulfillment(input: $input) { userErrors { code path message } fulfillment {
    id status fulfillmentNumber contact { id } location { id name } lineItems { quantity invoicesLineItem: invoiceLineItem { id } } } } }`;
  const input = {
    workspaceId: id('Workspace', client.workspaceId),
    contactId: id('Contact', contactId),
    locationId: id('FulfillmentLocation', locationId),
    lineItems: [{ invoiceLineItemId: id('InvoiceLineItem', invoice.line_items[0]?.id), quantity: 2 }],
  };
  const { data, errors } = await post<{ createFulfillment: { fulfillment: { id: string } } }>(
    gateway,
    { query, variables: { input } },
    client,
  );
  expect(errors).toBeUndefined();
  const made = data?.createFulfillment.fulfillment;
  expect(made).toEqual({
    ...{ id: expect.any(String), status: 'FULFILLED', fulfillmentNumber: 1 },
    contact: { id: input.contactId },
    location: { id: input.locationId, name: 'Home' },
    lineItems: [{ quantity: 2, invoicesLineItem: { id: input.lineItems[0]?.invoiceLineItemId } }],
  });
  const refused = { ...input, lineItems: [{ ...input.lineItems[0], quantity: 1 }] };
  const answer = await post(gateway, { query, variables: { input: refused } }, client);
  expect(refusalOf(answer)).toMatchObject({ code: 'OUT_OF_RANGE', field: 'lineItems[0].quantity' });
  const cancel = await post(
    gateway,
    {
      query:
        'mutation ($input: CancelFulfillmentInput!) { cancelFulfillment(input: $input) { fulfillment { status } } }',
      variables: { input: { fulfillmentId: made?.id } },
    },
    client,
  );
  expect(cancel.data).toEqual({ cancelFulfillment: { fulfillment: { status: 'CANCELED' } } });
});

test('erasing a contact blanks the tracking of its shipments', async () => {
  const { body } = await send(await ordered(1), [1], {
    tracking_code: 'T-9',
    tracking_url: 'https://t.example/T-9',
  });
  expect((await client.send('DELETE', `/api/v2/contacts/${contactId}/gdpr_destroy`)).status).toBe(200);
  expect((await client.send('GET', member(body.id))).body).toMatchObject({
    tracking_code: null,
    tracking_url: null,
  });
});

test('no more is sent than was ordered, even if an invoice bills more; and nothing of an abandoned invoice', async () => {
  const invoice = await ordered(2);
  const { pool } = app.store;
  await pool.query('update order_invoice_line_items set quantity = 50 where invoice_id = $1', [invoice.id]);
  const more = await send(invoice, [3]);
  expect([more.status, more.text]).toEqual([422, expect.stringContaining('must be from 1 to 2,')]);
  expect((await send(invoice, [1])).status).toBe(201);
  await pool.query("update order_invoices set status = 'voided' where id = $1", [invoice.id]);
  const over = await send(invoice, [1]);
  expect([over.status, over.text]).toEqual([
    422,
    expect.stringContaining('voided, abandoned or fully refunded'),
  ]);
});

test('one-time fees and lines that need no shipping are refused with an error at their place', async () => {
  const { workspaceId } = client;
  const [lamp, manual] = [await offer(app, workspaceId, { setup: '5.00' }), await offer(app, workspaceId)];
  await app.store.pool.query(
    'update product_variants set fulfillment_required = (id = $2) where workspace_id = $1',
    [workspaceId, lamp.variantId],
  );
  const { status, body } = await client.send('POST', inWorkspace('orders'), {
    order: {
      ...{ contact_id: contactId, live_mode: true, order_type: 'one-time-order', billing_status: 'paid' },
      line_items_attributes: [line(lamp, 2), line(manual, 1)],
    },
  });
  expect(status).toBe(201);
  const invoice = await invoiceOf(body.id);
  expect(statusesOf(invoice)).toEqual(['unfulfilled', 'unfulfilled', 'ignored', 'ignored']);
  for (const [quantities, index] of [
    [[2, 1, 0], 1],
    [[0, 1, 0], 0],
    [[1, 0, 1], 1],
  ] as const)
    expect(
      await client.refused(422, 'POST', inWorkspace('fulfillments'), sending(invoice, [...quantities])),
    ).toEqual([`included_orders_invoices_line_items_attributes[${index}].invoices_line_item_id`]);
  expect((await send(invoice, [2])).status).toBe(201);
  expect(statusesOf(await again(invoice))).toEqual(['complete', 'complete', 'ignored', 'ignored']);
});

describe('only quantities in `eligible_for_fulfillment` may be sent', () => {
  const set = (table: 'orders' | 'order_invoices', column: string, value: string, id: number) =>
    app.store.pool.query(`update ${table} set ${column} = $2 where id = $1`, [id, value]);

  /** Whether the flag is set over both faces, and whether a fulfillment is accepted over each: the quantity is of one line. */
  async function tried(invoice: Invoice) {
    const { body } = await client.send('GET', `/api/v2/orders/invoices/${invoice.id}`);
    const id = (type: string, of: unknown) => btoa(`${type}:${of}`);
    const shown = await post<{ node: { eligibleForFulfillment: boolean } }>(
      gateway,
      {
        query:
          'query ($id: ID!) { node(id: $id) { ... on Invoice { eligibleForFulfillment: isEligibleForFulfillment } } }',
        variables: { id: id('Invoice', invoice.id) },
      },
      client,
    );
    const sent = await post(
      gateway,
      {
        query: `mutation ($input: CreateFulfillmentInput!) { createFulfillment(input: $input) { ${USER_ERRORS} } }`,
        variables: {
          input: {
            workspaceId: id('Workspace', client.workspaceId),
            contactId: id('Contact', contactId),
            locationId: id('FulfillmentLocation', locationId),
            lineItems: [{ invoiceLineItemId: id('InvoiceLineItem', invoice.line_items[0]?.id), quantity: 1 }],
          },
        },
      },
      client,
    );
    const rest = await send(invoice, [1]);
    const accepted = refusalOf(sent) === null;
    expect(rest.status).toBe(accepted ? 201 : 422);
    expect([body['eligible_for_fulfillment'], shown.data?.node.eligibleForFulfillment]).toEqual([
      accepted,
      accepted,
    ]);
    return accepted;
  }

  test('by the status of the invoice', async () => {
    for (const status of INVOICE_STATUSES) {
      const invoice = await ordered(3);
      await set('order_invoices', 'status', status, invoice.id);
      const stopped = ['voided', 'abandoned', 'refunded'].includes(status);
      expect([status, await tried(invoice)]).toEqual([status, !stopped]);
    }
  });

  test('by the type and service status of the order', async () => {
    for (const type of ORDER_TYPES)
      for (const status of SERVICE_STATUSES) {
        const invoice = await ordered(3);
        const { order } = invoice;
        await set('orders', 'order_type', type, order.id);
        await set('orders', 'service_status', status, order.id);
        const stopped = type === 'one-time-order' && ['canceled', 'abandoned', 'voided'].includes(status);
        expect([type, status, await tried(invoice)]).toEqual([type, status, !stopped]);
      }
  });

  test('by what is left of its lines', async () => {
    const invoice = await ordered(3);
    const restock = (quantity: number) =>
      client.send('POST', `/api/v2/orders/invoices/${invoice.id}/restocks`, {
        included_invoices_line_items_attributes: [
          { invoices_line_item_id: invoice.line_items[0]?.id, quantity },
        ],
      });
    expect((await restock(1)).status).toBe(201);
    expect(await tried(invoice)).toBe(true);
    expect(await tried(invoice)).toBe(false);
    const none = await ordered(2);
    await client.send('POST', `/api/v2/orders/invoices/${none.id}/restocks`, {
      included_invoices_line_items_attributes: [
        { invoices_line_item_id: none.line_items[0]?.id, quantity: 2 },
      ],
    });
    // As in an earlier version.
    await set('order_invoices', 'fulfillment_status', 'unfulfilled', none.id);
    expect(await tried(none)).toBe(false);
  });

  test('none after a full refund or a cancellation; a partial refund does not matter', async () => {
    const invoice = await ordered(4);
    const { order } = invoice;
    const change = (given: object) => client.send('PUT', `/api/v2/orders/${order.id}`, { order: given });
    expect((await change({ billing_status: 'partially-refunded' })).status).toBe(200);
    expect(await tried(invoice)).toBe(true);
    expect((await change({ billing_status: 'refunded' })).status).toBe(200);
    expect(await tried(invoice)).toBe(false);
    const other = await ordered(2);
    await client.send('PUT', `/api/v2/orders/${other.order.id}`, { order: { service_status: 'canceled' } });
    expect(await tried(other)).toBe(false);
  });
});

describe('a restocked quantity', () => {
  /** Does one thing with the first line of an invoice, over either face. */
  async function act(
    face: 'rest' | 'graphql',
    name: string,
    input: Record<string, unknown>,
    rest: () => ReturnType<RestClient['send']>,
  ) {
    if (face === 'rest') {
      const { status, body } = await rest();
      return { refused: status >= 300, id: body.id };
    }
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const noun = name.endsWith('Restock') ? 'restock' : 'fulfillment';
    const query = `mutation ($input: ${type}!) { made: ${name}(input: $input) { ${USER_ERRORS} ${noun} { databaseId } } }`;
    const answer = await post<{ made: Record<string, { databaseId: string }> | null }>(
      gateway,
      { query, variables: { input } },
      client,
    );
    return { refused: refusalOf(answer) !== null, id: Number(answer.data?.made?.[noun]?.databaseId) };
  }
  const idOf = (type: string, of: unknown) => btoa(`${type}:${of}`);

  function handle(face: 'rest' | 'graphql', invoice: Invoice, index = 0) {
    const lineId = invoice.line_items[index]?.id;
    const invoiceLineItemId = idOf('InvoiceLineItem', lineId);
    return {
      ship: (quantity: number) =>
        act(
          face,
          'createFulfillment',
          {
            workspaceId: idOf('Workspace', client.workspaceId),
            contactId: idOf('Contact', contactId),
            locationId: idOf('FulfillmentLocation', locationId),
            lineItems: [{ invoiceLineItemId, quantity }],
          },
          () => send(invoice, [...Array.from({ length: index }, () => 0), quantity]),
        ),
      cancel: (id: number) =>
        act(face, 'cancelFulfillment', { fulfillmentId: idOf('Fulfillment', id) }, () =>
          client.send('POST', member(id, '/cancel')),
        ),
      restock: (quantity: number) =>
        act(
          face,
          'createRestock',
          {
            invoiceId: idOf('Invoice', invoice.id),
            lineItems: [{ invoiceLineItemId, quantity }],
          },
          () =>
            client.send('POST', `/api/v2/orders/invoices/${invoice.id}/restocks`, {
              included_invoices_line_items_attributes: [{ invoices_line_item_id: lineId, quantity }],
            }),
        ),
    };
  }

  describe.each(['rest', 'graphql'] as const)('over %s', (face) => {
    test('that was never sent does not remain to be sent', async () => {
      const invoice = await ordered(2);
      const { ship, restock } = handle(face, invoice);
      expect((await restock(2)).refused).toBe(false);
      expect(statusesOf(await again(invoice))).toEqual(['not_applicable', 'unfulfilled']);
      expect((await ship(1)).refused).toBe(true);
    });

    test('after its fulfillment was canceled does not remain to be sent', async () => {
      const { ship, cancel, restock } = handle(face, await ordered(3));
      const { id } = await ship(2);
      expect((await cancel(id)).refused).toBe(false);
      expect((await restock(2)).refused).toBe(false);
      expect((await ship(2)).refused).toBe(true);
      expect((await ship(1)).refused).toBe(false);
    });

    test('before its fulfillment was canceled does not remain to be sent again', async () => {
      const { ship, cancel, restock } = handle(face, await ordered(3));
      const { id } = await ship(3);
      expect((await restock(2)).refused).toBe(false);
      expect((await cancel(id)).refused).toBe(false);
      expect((await ship(2)).refused).toBe(true);
      expect((await ship(1)).refused).toBe(false);
    });

    test('stays restocked when the rest is sent and comes back', async () => {
      const { ship, restock } = handle(face, await ordered(4));
      expect((await restock(1)).refused).toBe(false);
      expect((await ship(1)).refused).toBe(false);
      expect((await ship(3)).refused).toBe(true);
      expect((await ship(2)).refused).toBe(false);
      expect((await restock(3)).refused).toBe(false);
      expect((await ship(1)).refused).toBe(true);
    });

    test('after it was sent leaves the rest to be sent', async () => {
      const invoice = await ordered(3);
      const { ship, restock } = handle(face, invoice);
      await ship(2);
      expect((await restock(2)).refused).toBe(false);
      expect(statusesOf(await again(invoice))).toEqual(['partial', 'partially_fulfilled']);
      expect((await ship(1)).refused).toBe(false);
    });
  });

  test('from an earlier version does not remain to be sent, also after more was sent', async () => {
    const invoice = await ordered(4);
    const { ship, restock } = handle('rest', invoice);
    await restock(2);
    await app.store.pool.query('update order_line_items set returned_unsent = 0 where workspace_id = $1', [
      client.workspaceId,
    ]);
    await ship(1);
    expect((await ship(2)).refused).toBe(true);
    expect((await ship(1)).refused).toBe(false);
  });

  test('completes an invoice whose other goods were sent, with one event', async () => {
    const invoice = await ordered(2, 1);
    await send(invoice, [1, 1]);
    expect((await handle('rest', invoice).restock(1)).refused).toBe(false);
    // A sent piece came back: the other one must still be sent.
    expect(statusesOf(await again(invoice))).toEqual(['partial', 'partially_fulfilled', 'complete']);
    expect((await handle('rest', invoice).restock(1)).refused).toBe(false);
    expect(statusesOf(await again(invoice))).toEqual(['complete', 'complete', 'complete']);
    expect((await eventsOf('orders/invoice')).filter((type) => type.endsWith('fulfilled'))).toHaveLength(1);
  });
});
