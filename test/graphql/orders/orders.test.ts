// Orders over GraphQL: a page of them with all their objects, creation, and the data after an erasure.
import { expect, test } from 'vitest';
import { countWrongSums } from '../../../src/store/orders/order-sums.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';
import { type Goods, line, offer } from '../../support/orders/shop.ts';
import { createRestClient } from '../../support/rest-client.ts';
import { firstUserError, sendMutation } from '../../support/user-errors.ts';

const gateway = await ownGateway();
const { app } = gateway;
const client = await createRestClient(gateway);
const { caller, workspaceId } = client;

const globalId = (type: string, id: bigint | number) => btoa(`${type}:${id}`);

async function asked<Data>(query: string, variables: object = {}): Promise<Data> {
  const { data, errors } = await post<Data>(gateway, { query, variables }, { caller });
  expect(errors).toBeUndefined();
  return data as Data;
}

async function ordered(goods: readonly Goods[], members: object = {}): Promise<number> {
  const order = {
    contact_id: Number((await factories.contact(app, { workspaceId })).id),
    ...{
      live_mode: true,
      order_type: 'one-time-order',
      line_items_attributes: goods.map((one) => line(one)),
    },
    ...members,
  };
  const { status, text, body } = await client.send('POST', `/api/v2/workspaces/${workspaceId}/orders`, {
    order,
  });
  expect([status, text]).toEqual([201, text]);
  return body.id;
}

const PAGE = `query ($id: ID!) { workspace(by: { id: $id }) { orders(first: 20) { nodes {
  orderNumber billingStatus totalAmount { amount currency } contact { emailAddress }
  lineItems { quantity unitPrice { amount } product { name } variant { sku } price { amount { amount currency } } }
} } } }`;

test('a page of orders with contacts, lines, variants and prices takes five statements, however wide it is', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => offer(app, workspaceId)));
  for (let index = 0; index < 8; index++) await ordered(all.slice(index % 4, (index % 4) + 3));
  interface Page {
    workspace: { orders: { nodes: { lineItems: object[]; contact: object; totalAmount: object }[] } };
  }
  const read = () => asked<Page>(PAGE, { id: globalId('Workspace', workspaceId) });
  const { nodes } = (await read()).workspace.orders;
  expect(nodes).toHaveLength(8);
  expect(nodes[0]).toMatchObject({
    ...{ totalAmount: { amount: '36.00', currency: 'EUR' }, contact: { emailAddress: expect.any(String) } },
    lineItems: Array(3).fill({
      ...{ quantity: 1, unitPrice: { amount: '12.00' }, product: { name: 'Mug' }, variant: { sku: 'SKU-1' } },
      price: { amount: { amount: '12.00', currency: 'EUR' } },
    }),
  });
  const statements = await statementsOf(gateway, read);
  expect(statements.length).toBeLessThanOrEqual(5);
});

test('an order is created, changed and canceled, and its contact found by its orders', async () => {
  const mug = await offer(app, workspaceId);
  const made = await asked<{
    createOrder: { order: { id: string; contact: { id: string }; invoices: object } };
  }>(
    `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { order {
      id contact { id emailAddress } invoices { nodes { status invoiceNumber totalAmount { amount } lineItems { quantity } } } } } }`,
    {
      input: {
        ...{ workspaceId: globalId('Workspace', workspaceId), isLive: true, type: 'ONE_TIME' },
        contact: { emailAddress: 'graph@example.com' },
        lineItems: [{ priceId: globalId('ProductPrice', mug.priceId), quantity: 2 }],
      },
    },
  );
  const { id, contact, invoices } = made.createOrder.order;
  expect(invoices).toMatchObject({
    nodes: [{ status: 'UNPAID', totalAmount: { amount: '24.00' }, lineItems: [{ quantity: 2 }] }],
  });
  const found = await asked(`query ($id: ID!) { contact(by: { id: $id }) { orders { nodes { id } } } }`, {
    id: contact.id,
  });
  expect(found).toEqual({ contact: { orders: { nodes: [{ id }] } } });
  const cancelling =
    'mutation ($id: ID!) { cancelOrder(input: { orderId: $id }) { order { serviceStatus billingStatus canceledBy cancelReason } } }';
  const refused = await sendMutation(gateway, 'cancelOrder', { orderId: id }, client);
  expect(firstUserError(refused)).toEqual({
    code: 'NOT_ALLOWED',
    // The input has no field for the type of the order.
    path: null,
    message: 'Only a subscription can be canceled. For other orders, change serviceStatus or billingStatus.',
  });
  const subscription = await ordered([await offer(app, workspaceId, { paymentType: 'subscription' })], {
    order_type: 'subscription-order',
  });
  expect(await asked(cancelling, { id: globalId('Order', subscription) })).toEqual({
    cancelOrder: {
      order: {
        ...{ serviceStatus: 'CANCELED', billingStatus: 'VOIDED' },
        ...{ canceledBy: 'API', cancelReason: 'OTHER' },
      },
    },
  });
});

test('lines keep their values from the order, whatever changes afterwards', async () => {
  const mug = await offer(app, workspaceId, { name: 'Mug', amount: '12.00' });
  const id = await ordered([mug]);
  const read = () =>
    asked(
      `query ($id: ID!) { order(by: { id: $id }) {
        lineItems { originalName originalSku originalProductName unitPrice { amount currency } totalAmount { amount currency } quantity variant { name } product { name } price { amount { amount } } }
        invoices { nodes { lineItems { originalName originalSku unitPrice { amount currency } totalAmount { amount currency } variant { name } } } } } }`,
      { id: globalId('Order', id) },
    );
  const kept = {
    ...{ originalName: 'Mug, white', originalSku: 'SKU-1' },
    ...{ unitPrice: { amount: '12.00', currency: 'EUR' }, totalAmount: { amount: '12.00', currency: 'EUR' } },
  };
  const shows = (variant: string, product: string, amount: string) => ({
    order: {
      lineItems: [
        {
          ...{ ...kept, originalProductName: 'Mug', quantity: 1, variant: { name: variant } },
          ...{ product: { name: product }, price: { amount: { amount } } },
        },
      ],
      invoices: { nodes: [{ lineItems: [{ ...kept, variant: { name: variant } }] }] },
    },
  });
  expect(await read()).toEqual(shows('Mug, white', 'Mug', '12.00'));
  const put = async (path: string, body: object) =>
    expect((await client.send('PUT', `/api/v2/products/${path}`, body)).status).toBe(200);
  await put(`${mug.productId}`, { product: { name: 'Beaker' } });
  await put(`variants/${mug.variantId}`, { products_variant: { name: 'Beaker, blue' } });
  await put(`prices/${mug.priceId}`, { products_price: { amount: '99.00' } });
  expect(await read()).toEqual(shows('Beaker, blue', 'Beaker', '99.00'));
});

test('a one-time order is completed by the transaction that pays it', async () => {
  const id = await ordered([await offer(app, workspaceId)], { service_status: undefined });
  const paid = await asked(
    `mutation ($id: ID!) { createOrderTransaction(input: { orderId: $id, amount: { amount: "12.00", currency: "EUR" }, externalId: "ch" }) {
      orderTransaction { order { serviceStatus billingStatus } } } }`,
    { id: globalId('Order', id) },
  );
  expect(paid).toEqual({
    createOrderTransaction: {
      orderTransaction: { order: { serviceStatus: 'COMPLETED', billingStatus: 'PAID' } },
    },
  });
});

test('erasing a contact blanks personal data in its orders, and keeps their sums', async () => {
  const buyer = await factories.contact(app, { workspaceId, emailAddress: 'erased@example.com' });
  const id = await ordered([await offer(app, workspaceId)], {
    ...{
      contact_id: Number(buyer.id),
      notes: 'Erasable notes',
      shipping_address_street_one: 'Erasable street 1',
    },
    ...{ shipping_address_phone_number: 'Erasable 0123', billing_address_city: 'Erasable city' },
  });
  await client.send('PUT', `/api/v2/orders/${id}`, { order: { notes: 'Erasable notes, later' } });
  const invoices = JSON.parse((await client.send('GET', `/api/v2/orders/${id}/invoices`)).text);
  const restocks = `/api/v2/orders/invoices/${invoices[0].id}/restocks`;
  const back = [{ invoices_line_item_id: invoices[0].line_items[0].id, quantity: 1 }];
  const restock = { reason: 'Erasable reason', included_invoices_line_items_attributes: back };
  expect((await client.send('POST', restocks, restock)).status).toBe(201);
  const { status } = await client.send('DELETE', `/api/v2/contacts/${buyer.id}/gdpr_destroy`);
  expect(status).toBe(200);
  const paths = [`/api/v2/orders/${id}`, `/api/v2/orders/${id}/invoices`, restocks];
  const texts = await Promise.all([
    ...paths.map(async (path) => (await client.send('GET', path)).text),
    (async () => {
      const { rows } = await app.store.pool.query<{ all: string }>(
        `select (select json_agg(e)::text from events e where e.contact_id = $1 and e.workspace_id = $2)
          || (select json_agg(a)::text from audit_entries a where a.contact_id = $1 and a.workspace_id = $2) as all`,
        [buyer.id, workspaceId],
      );
      return rows[0]?.all ?? '';
    })(),
  ]);
  for (const text of texts) expect(text).not.toMatch(/Erasable|erased@/);
  expect(JSON.parse(texts[0] ?? '')).toMatchObject({
    total_amount: '12.00',
    notes: null,
    line_items: [{ quantity: 1 }],
  });
});

test('doctor counts orders and invoices whose sums differ from their lines', async () => {
  const wrong = () => countWrongSums(app.store.pool);
  expect(await wrong()).toEqual({ orders: 0, invoices: 0 });
  const id = await ordered([await offer(app, workspaceId)]);
  await app.store.pool.query('update orders set total_amount = total_amount + 0.01 where id = $1', [id]);
  await app.store.pool.query(
    'update order_invoice_line_items set quantity = 2 where invoice_id in (select id from order_invoices where order_id = $1)',
    [id],
  );
  expect(await wrong()).toEqual({ orders: 1, invoices: 1 });
});
