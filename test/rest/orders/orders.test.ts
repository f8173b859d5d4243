// Orders and invoices over REST: their content, the transitions of their statuses with their effects, and the effects on stock, numbers
// and contacts.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Executor, inTransaction } from '../../../src/store/connections/executor.ts';
import { takeNumbers } from '../../../src/store/orders/order-numbers.ts';
import * as factories from '../../support/factories.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { untilAnotherWaits, untilWaiting } from '../../support/lock-waits.ts';
import { createSessions } from '../../support/open-transactions.ts';
import { anotherPrice } from '../../support/orders/money.ts';
import { line, type Offer, offer } from '../../support/orders/shop.ts';
import { prismaOf } from '../../support/prisma.ts';
import { createRestClient, type RestClient } from '../../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
let contactId: number;
const sessions = createSessions(() => gateway);

afterEach(() => sessions.endAll());
beforeEach(async () => {
  client = await createRestClient(gateway);
  contactId = Number((await factories.contact(app, { workspaceId: client.workspaceId })).id);
});

interface Body {
  readonly id: number;
  readonly [member: string]: unknown;
}

const orders = () => `/api/v2/workspaces/${client.workspaceId}/orders`;
const goods = (of: Offer = {}) => offer(app, client.workspaceId, of);

function bodyOf(lines: object[], members: object = {}) {
  const common = { contact_id: contactId, live_mode: true, order_type: 'one-time-order' };
  return { order: { ...common, line_items_attributes: lines, ...members } };
}

async function sent(method: string, path: string, body?: object, expected = 200): Promise<Body> {
  const { status, text } = await client.send(method, path, body);
  expect([status, text]).toEqual([expected, text]);
  return JSON.parse(text);
}

const make = (lines: object[], members?: object) => sent('POST', orders(), bodyOf(lines, members), 201);
const change = (id: number, order: object) => sent('PUT', `/api/v2/orders/${id}`, { order });
const read = (id: number) => sent('GET', `/api/v2/orders/${id}`);
const invoicesOf = async (id: number) =>
  (await sent('GET', `/api/v2/orders/${id}/invoices`)) as never as Body[];
const invoiceOf = async (id: number) => (await invoicesOf(id))[0] as Body;
const changeInvoice = (id: number, orders_invoice: object) =>
  sent('PUT', `/api/v2/orders/invoices/${id}`, { orders_invoice });

async function eventsOf(): Promise<string[]> {
  const rows = await prismaOf(app.store).event.findMany({
    where: { workspaceId: client.workspaceId },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ eventType }) => eventType);
}

/** The events since the last call. */
function watching() {
  let seen = 0;
  return async () => {
    const all = await eventsOf();
    const since = all.slice(seen).toSorted();
    seen = all.length;
    return since;
  };
}

async function stockOf(variantId: bigint): Promise<number | null> {
  const found = await prismaOf(app.store).productVariant.findFirst({ where: { id: variantId } });
  return found?.quantity ?? null;
}

describe('creating an order', () => {
  test('copies the ordered goods, adds them up exactly, and writes an invoice', async () => {
    const [mug, tea] = [
      await goods({ amount: '12.10', setup: '1.01' }),
      await goods({ name: 'Tea', amount: '0.07' }),
    ];
    const order = await make([line(mug, 3), line(tea, 10)], { notes: 'Ring twice' });
    expect(order).toMatchObject({
      ...{
        order_number: '1',
        total_amount: '38.01',
        tax_amount: '0.00',
        currency: 'EUR',
        notes: 'Ring twice',
      },
      ...{ billing_status: 'pending', service_status: 'pending', in_trial: false },
      contact: { id: contactId },
      line_items: [
        {
          quantity: 3,
          original_product: { id: Number(mug.productId), name: 'Mug' },
          products_price: { id: Number(mug.priceId), amount: '12.10' },
          products_variant: { id: Number(mug.variantId), name: 'Mug, white', sku: 'SKU-1' },
        },
        { quantity: 10, products_price: { amount: '0.07' } },
      ],
    });
    expect(await read(order.id)).toEqual(order);
    expect(await invoicesOf(order.id)).toMatchObject([
      {
        ...{ invoice_number: '1', invoice_type: 'one_time', status: 'unpaid', order_id: order.id },
        ...{ subtotal_amount: '38.01', total_amount: '38.01', due_amount: '38.01', shipping_amount: '0.00' },
        line_items: [
          { quantity: 3, amount: '12.10', description: null },
          { quantity: 1, amount: '1.01', description: 'Set-up' },
          { quantity: 10, amount: '0.07' },
        ],
        order: { id: order.id, contact: { id: contactId } },
      },
    ]);
    expect(await eventsOf()).toEqual(['order.created', 'orders/invoice.created']);
  });

  test('in a currency without decimal places and in one with three', async () => {
    expect(await make([line(await goods({ amount: '500', currency: 'JPY' }), 3)])).toMatchObject({
      total_amount: '1500',
      tax_amount: '0',
    });
    expect(await make([line(await goods({ amount: '0.125', currency: 'KWD' }), 3)])).toMatchObject({
      total_amount: '0.375',
    });
  });

  test('a change of the price, of its name or of the product changes no order', async () => {
    const mug = await goods();
    const order = await make([line(mug)]);
    await app.store.pool.query('update product_prices set amount = 99 where id = $1', [mug.priceId]);
    await app.store.pool.query(`update products set name = 'Cup' where id = $1`, [mug.productId]);
    expect(await read(order.id)).toEqual(order);
  });

  test('of a subscription with a trial begins with the amount of the trial, and is charged when that is over', async () => {
    const club = await goods({ amount: '30.00', setup: '5.00', trial: '1.00', paymentType: 'subscription' });
    const order = await make([line(club, 2)], { order_type: 'subscription-order', billing_status: 'paid' });
    expect(order).toMatchObject({ total_amount: '7.00', in_trial: true, billing_status: 'paid' });
    expect(order['trial_end_at']).toBe(order['next_charge_at']);
    expect(order['renewal_at']).toBe(order['next_charge_at']);
    expect(await invoiceOf(order.id)).toMatchObject({
      ...{ invoice_type: 'initial', status: 'paid', total_amount: '7.00', due_amount: '0.00' },
      line_items: [
        { amount: '1.00', period_number: '1', period_end_at: order['trial_end_at'] },
        { amount: '5.00' },
      ],
    });
    expect((await eventsOf()).toSorted()).toEqual([
      ...['order.created', 'orders/invoice.created', 'orders/invoice.paid'],
      ...['subscription.activated', 'subscription.first_payment_received', 'subscription.invoice.paid'],
      'subscription.trial_started',
    ]);
  });

  test('periods of any unit are computed for a thousand years', async () => {
    for (const [interval, intervalCount] of [
      ['day', 1_095],
      ['week', 1_001],
      ['month', 1_200],
      ['year', 1_000],
    ] as const) {
      const long = await goods({ paymentType: 'subscription' });
      await app.store.pool.query(
        'update product_prices set interval = $3, interval_count = $2 where id = $1',
        [...[long.priceId, intervalCount, interval]],
      );
      const order = await make([line(long)], { order_type: 'subscription-order' });
      const expected = new Date();
      if (interval === 'day') expected.setUTCDate(expected.getUTCDate() + intervalCount);
      else if (interval === 'week') expected.setUTCDate(expected.getUTCDate() + 7 * intervalCount);
      else expected.setUTCFullYear(expected.getUTCFullYear() + (interval === 'month' ? 100 : 1_000));
      const daysApart = (Date.parse(String(order['next_charge_at'])) - expected.getTime()) / 86_400_000;
      expect(Math.abs(daysApart)).toBeLessThan(0.5);
    }
  });

  test('refuses goods that cannot be ordered, and reports the line', async () => {
    const [mug, other, yen] = [await goods(), await goods(), await goods({ currency: 'JPY', amount: '5' })];
    const gone = await goods();
    await app.store.pool.query('update products set archived_at = now() where id = $1', [gone.productId]);
    const elsewhere = await createRestClient(gateway);
    const foreign = await offer(app, elsewhere.workspaceId);
    const refused = (lines: object[]) => client.refused(422, 'POST', orders(), bodyOf(lines));
    const blamed = (member: string) => [`line_items_attributes[1].${member}`];
    const mixed = { ...line(mug), variant_id: Number(other.variantId) };
    expect(await refused([line(mug), mixed])).toEqual(blamed('products_price_id'));
    expect(await refused([line(mug), line(foreign)])).toEqual(blamed('products_price_id'));
    expect(await refused([line(mug), line(gone)])).toEqual(blamed('products_price_id'));
    expect(await refused([line(mug), line(yen)])).toEqual(blamed('products_price_id'));
    expect(await refused([line(mug), line(mug, 0)])).toEqual(blamed('quantity'));
    expect(await refused([])).toEqual(['line_items_attributes']);
    expect(await refused(Array.from({ length: 251 }, () => line(mug)))).toEqual(['line_items_attributes']);
    expect(
      await client.refused(
        404,
        'POST',
        orders().replace(/\d+\/orders/, `${foreign.priceId + 10n ** 9n}/orders`),
        bodyOf([line(mug)]),
      ),
    ).toEqual([]);
  });

  test('takes exactly one contact: an id, or an e-mail address that finds or creates one', async () => {
    const mug = await goods();
    const refused = (members: object) => client.refused(422, 'POST', orders(), bodyOf([line(mug)], members));
    const attributes = { contact_attributes: { email_address: 'new@example.com' } };
    expect(await refused({ contact_id: undefined })).toEqual(['contact_id']);
    expect(await refused(attributes)).toEqual(['contact_id']);
    expect(await refused({ contact_id: 10 ** 9 })).toEqual(['contact_id']);
    for (const email_address of [null, ' '])
      expect(await refused({ contact_id: undefined, contact_attributes: { email_address } })).toEqual([
        'contact_attributes.email_address',
      ]);
    const byAddress = (email_address: string) =>
      make([line(mug)], { contact_id: undefined, contact_attributes: { email_address } });
    const order = await byAddress('new@example.com');
    expect(order['contact']).toMatchObject({ email_address: 'new@example.com', anonymous: 0 });
    expect((await byAddress(' NEW@example.com'))['contact_id']).toBe(order['contact_id']);
    expect(await client.recordOf(order['contact_id'] as number)).toMatchObject({
      actions: [
        'order.created',
        'contact.created',
        'orders/invoice.created',
        'order.created',
        'orders/invoice.created',
      ],
    });
    expect((await eventsOf()).slice(0, 4)).toEqual([
      ...['contact.created', 'contact.identified', 'order.created', 'orders/invoice.created'],
    ]);
    const seller = await factories.apiKey(app, { teamId: client.teamId, scopes: ['store:write'] });
    const { status } = await gateway.send(orders(), {
      caller: seller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(bodyOf([line(mug)], { contact_id: undefined, ...attributes })),
    });
    expect(status).toBe(403);
  });

  test('two concurrent orders for the same new address create one contact', async () => {
    const mug = await goods();
    const contact = { contact_id: undefined, contact_attributes: { email_address: 'both@example.com' } };
    const made = await Promise.all(Array.from({ length: 4 }, () => make([line(mug)], contact)));
    expect(new Set(made.map((order) => order['contact_id'])).size).toBe(1);
    expect((await eventsOf()).filter((type) => type === 'contact.created')).toHaveLength(1);
  });

  test('the same key creates one order, also if the price is archived meanwhile', async () => {
    const mug = await goods({ stock: 5 });
    const again = () => client.send('POST', orders(), bodyOf([line(mug)]), { 'Idempotency-Key': 'order-1' });
    const first = await again();
    await app.store.pool.query('update product_prices set archived_at = now() where id = $1', [mug.priceId]);
    expect((await again()).text).toBe(first.text);
    expect(await stockOf(mug.variantId)).toBe(4);
  });
});

describe('stock', () => {
  test('is reduced when an order is created, and never below zero', async () => {
    const mug = await goods({ stock: 3 });
    await make([line(mug), line(mug)]);
    expect(await stockOf(mug.variantId)).toBe(1);
    expect(await client.refused(422, 'POST', orders(), bodyOf([line(mug), line(mug)]))).toEqual([
      'line_items_attributes[0].quantity',
    ]);
    const oversold = await goods({ stock: 1, outOfStockSales: true });
    await make([line(oversold, 5)]);
    expect(await stockOf(oversold.variantId)).toBe(0);
  });

  test('the last piece is sold once, whatever concurrent orders there are, in any order of lines', async () => {
    const [one, two] = [await goods({ stock: 3 }), await goods({ stock: 3 })];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.send('POST', orders(), bodyOf(index % 2 ? [line(one), line(two)] : [line(two), line(one)])),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...[201, 201, 201],
      ...Array(5).fill(422),
    ]);
    expect([await stockOf(one.variantId), await stockOf(two.variantId)]).toEqual([0, 0]);
  });
});

describe('numbers', () => {
  test('ascend without a gap, despite refusals and concurrency; a draft has none until it is issued', async () => {
    const [mug, few] = [await goods(), await goods({ stock: 0 })];
    await Promise.all([
      ...Array.from({ length: 4 }, () => make([line(mug)])),
      ...Array.from({ length: 3 }, () => client.send('POST', orders(), bodyOf([line(few)]))),
    ]);
    const draft = await make([line(mug)], { billing_status: 'draft' });
    expect(await invoiceOf(draft.id)).toMatchObject({ invoice_number: '', issued_at: null, status: 'draft' });
    const next = await make([line(mug)]);
    expect(await invoiceOf(next.id)).toMatchObject({ invoice_number: '5' });
    await change(draft.id, { billing_status: 'unpaid' });
    expect(await invoiceOf(draft.id)).toMatchObject({ invoice_number: '6', status: 'unpaid' });
    const numbers = (
      await prismaOf(app.store).order.findMany({ where: { workspaceId: client.workspaceId } })
    ).map(({ orderNumber }) => orderNumber);
    expect(numbers.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('from a client are unique, and skipped by the counter', async () => {
    const mug = await goods();
    const order = await make([line(mug)]);
    const { id } = await invoiceOf(order.id);
    await changeInvoice(id, { invoice_number: '2' });
    const next = await invoiceOf((await make([line(mug)])).id);
    expect(next['invoice_number']).toBe('3');
    const taken = { orders_invoice: { invoice_number: '2' } };
    expect(await client.refused(422, 'PUT', `/api/v2/orders/invoices/${next.id}`, taken)).toEqual([
      'invoice_number',
    ]);
    const list = await sent(
      'GET',
      `/api/v2/workspaces/${client.workspaceId}/orders/invoices?filter[invoice_number]=2`,
    );
    expect(list).toMatchObject([{ id }]);
  });

  test('from a concurrent request are skipped, whatever takes the next one', async () => {
    const club = await goods({ paymentType: 'subscription' });
    const { workspaceId } = client;
    const dearer = await anotherPrice(app, { workspaceId, goods: club, amount: '90.00' });
    const holder = await invoiceOf((await make([line(club)])).id);
    /** Sends a request while the next number is given to an invoice, but not yet committed. */
    const meanwhile = async (method: string, path: string, body: object, expected: number) => {
      const other = await app.store.pool.connect();
      try {
        await other.query('begin');
        await other.query(
          `update order_invoices i set invoice_number = (c.last_invoice_number + 1)::text from order_counters c
            where c.workspace_id = $1 and i.workspace_id = $1 and i.id = $2`,
          [workspaceId, holder.id],
        );
        const asked = sent(method, path, body, expected);
        await untilWaiting(app, 1);
        await other.query('commit');
        await asked;
      } finally {
        other.release();
      }
    };
    const draft = () => make([line(club)], { billing_status: 'draft' });
    const issued = await draft();
    await meanwhile('PUT', `/api/v2/orders/${issued.id}`, { billing_status: 'unpaid' }, 200);
    expect(await invoiceOf(issued.id)).toMatchObject({ invoice_number: '3', status: 'unpaid' });
    const paid = await draft();
    const payment = { external_id: 'ch', amount: '12.00', invoice_id: (await invoiceOf(paid.id)).id };
    await meanwhile('POST', `/api/v2/orders/${paid.id}/transactions`, payment, 201);
    expect(await invoiceOf(paid.id)).toMatchObject({ invoice_number: '5', status: 'paid' });
    const running = { order_type: 'subscription-order', billing_status: 'paid', service_status: 'active' };
    const order = await make([line(club)], running);
    const [first] = order['line_items'] as Body[];
    const wanted = { products_price_id: Number(dearer.priceId), prorate: true };
    await meanwhile('POST', `/api/v2/orders/line_items/${first?.id}/changes/perform`, wanted, 200);
    expect(await invoicesOf(order.id)).toMatchObject([{ invoice_number: '6' }, { invoice_number: '8' }]);
  });

  test('from other requests, again and again, are waited for only for a limited time, and then nothing is changed', async () => {
    const mug = await goods();
    const { workspaceId } = client;
    const draft = await make([line(mug)], { billing_status: 'draft' });
    const holders: Body[] = [];
    for (let made = 0; made < 5; made++) holders.push(await invoiceOf((await make([line(mug)])).id));
    /** Sends a request while each next number is given to an invoice, which is committed only when the request waits for it. */
    const outrun = async (method: string, path: string, body: object) => {
      const others = await Promise.all(holders.map(() => sessions.connect()));
      for (const [index, other] of others.entries()) {
        await other.query('begin');
        await other.query(
          `update order_invoices i set invoice_number = (c.last_invoice_number + 1 + $3::int)::text from order_counters c
            where c.workspace_id = $1 and i.workspace_id = $1 and i.id = $2`,
          [workspaceId, holders[index]?.id, index],
        );
      }
      const asked = client.send(method, path, body);
      const seen = new Set<string>();
      for (const other of others) {
        await untilAnotherWaits(app, seen);
        await other.query('commit');
      }
      await sessions.endAll();
      const { status, headers, text } = await asked;
      return { status, retryAfter: headers.get('retry-after'), ...JSON.parse(text) };
    };
    const refused = {
      status: 409,
      retryAfter: '1',
      code: 'conflict',
      detail: expect.stringContaining('Nothing was changed'),
    };
    const count = async () => prismaOf(app.store).order.count({ where: { workspaceId } });
    const before = await count();
    expect(await outrun('POST', orders(), bodyOf([line(mug)]))).toMatchObject(refused);
    expect(await count()).toBe(before);
    expect(await invoiceOf((await make([line(mug)])).id)).toMatchObject({ status: 'unpaid' });
    expect(
      await outrun('PUT', `/api/v2/orders/${draft.id}`, { order: { billing_status: 'unpaid' } }),
    ).toMatchObject(refused);
    expect(await invoiceOf(draft.id)).toMatchObject({ invoice_number: '', status: 'draft' });
    await change(draft.id, { billing_status: 'unpaid' });
  });

  test('are skipped at once, however many in a row clients have set', async () => {
    const order = await make([line(await goods())]);
    const { workspaceId } = client;
    const give = (first: number, last: number) =>
      app.store.pool.query(
        `insert into order_invoices (workspace_id, order_id, invoice_number, invoice_type, status, currency, subtotal_amount,
            shipping_amount, tax_amount, discount_amount, fulfillment_status)
          select $1, $2, n::text, 'charge', 'unpaid', 'EUR', 0, 0, 0, 0, 'not_applicable' from generate_series($3::int, $4::int) n`,
        [workspaceId, order.id, first, last],
      );
    /** The number that is taken, and by how many statements. */
    const take = async () => {
      let count = 0;
      const taken = await inTransaction(app.store.pool, (tx) => {
        const counted: Executor = {
          $executeRawUnsafe(...sent) {
            count++;
            return tx.$executeRawUnsafe(...sent);
          },
          $queryRawUnsafe(...sent) {
            count++;
            return tx.$queryRawUnsafe(...sent);
          },
        };
        return takeNumbers(counted, workspaceId, { order: 0, invoice: 1 });
      });
      return [taken.invoice, count];
    };
    expect(await take()).toEqual([2, 2]);
    await give(3, 3);
    const [number, count] = await take();
    expect(number).toBe(4);
    await give(5, 2004);
    expect(await take()).toEqual([2005, count]);
    expect(await take()).toEqual([2006, 2]);
  });
});

describe('statuses', () => {
  test('of order and invoice follow each other, with each event once', async () => {
    const order = await make([line(await goods())]);
    const since = watching();
    await since();
    const { id } = await invoiceOf(order.id);
    await changeInvoice(id, { status: 'paid' });
    expect(await read(order.id)).toMatchObject({ billing_status: 'paid' });
    expect(await since()).toEqual([
      ...['one-time-order.completed', 'one-time-order.invoice.paid', 'order.completed', 'order.updated'],
      ...['orders/invoice.paid', 'orders/invoice.updated'],
    ]);
    await change(order.id, { billing_status: 'paid', service_status: 'completed' });
    expect(await since()).toEqual([]);
    await change(order.id, { billing_status: 'disputed' });
    await change(order.id, { billing_status: 'paid' });
    expect(await since()).toEqual([
      ...Array(2).fill('order.updated'),
      ...Array(2).fill('orders/invoice.updated'),
    ]);
    await change(order.id, { billing_status: 'refunded' });
    expect(await invoiceOf(order.id)).toMatchObject({ status: 'refunded', due_amount: '0.00' });
    expect(await since()).toEqual([
      ...['one_time_order.refunded', 'order.updated', 'orders/invoice.refunded', 'orders/invoice.updated'],
    ]);
    await change(order.id, { billing_status: 'refunded', service_status: 'completed' });
    await changeInvoice(id, { status: 'refunded' });
    expect(await since()).toEqual([]);
  });

  describe('a paid order', () => {
    const once = ['one-time-order.completed', 'order.completed'];
    const served = (types: string[]) => types.filter((type) => /completed$|activated$/.test(type)).toSorted();
    const pay = (id: number, given: object) =>
      sent('POST', `/api/v2/orders/${id}/transactions`, { external_id: 'ch', ...given }, 201);

    test('is completed if it is one-time: at its creation, by transactions, by its invoice, by its billing status', async () => {
      const since = watching();
      const made = await make([line(await goods())], { billing_status: 'paid' });
      expect([made['service_status'], served(await since())]).toEqual(['completed', once]);
      const ways: ((order: Body) => Promise<unknown>)[] = [
        async ({ id }) => pay(id, { amount: '12.00' }),
        async ({ id }) => changeInvoice((await invoiceOf(id)).id, { status: 'paid' }),
        async ({ id }) => change(id, { billing_status: 'paid' }),
      ];
      for (const way of ways) {
        const order = await make([line(await goods())]);
        expect([order['service_status'], served(await since())]).toEqual(['pending', []]);
        await way(order);
        expect([(await read(order.id))['service_status'], served(await since())]).toEqual([
          'completed',
          once,
        ]);
      }
    });

    test('in instalments is completed by the last of them, once', async () => {
      const order = await make([line(await goods())]);
      const since = watching();
      await pay(order.id, { amount: '5.00' });
      await pay(order.id, { amount: '2.00', result: 'declined' });
      expect([(await read(order.id))['service_status'], served(await since())]).toEqual(['pending', []]);
      const { id } = await pay(order.id, { amount: '7.00' });
      expect((await read(order.id))['service_status']).toBe('completed');
      await sent('POST', `/api/v2/orders/transactions/${id}/refund`, { amount: '1.00' });
      expect(served(await since())).toEqual(once);
    });

    test('is completed when the last of its invoices is paid', async () => {
      const order = await make([line(await goods())]);
      const since = watching();
      const path = `/api/v2/orders/${order.id}/invoices`;
      await sent('POST', path, { orders_invoice: { external_id: 'x', status: 'paid' } }, 201);
      expect(await read(order.id)).toMatchObject({ billing_status: 'pending', service_status: 'pending' });
      await pay(order.id, { amount: '12.00' });
      expect(await read(order.id)).toMatchObject({ billing_status: 'paid', service_status: 'completed' });
      expect(served(await since())).toEqual(once);
    });

    test('of zero is paid and completed at once, unless it has another status', async () => {
      const since = watching();
      const free = await goods({ amount: '0.00' });
      const order = await make([line(free, 3)]);
      expect(order).toMatchObject({
        total_amount: '0.00',
        billing_status: 'paid',
        service_status: 'completed',
      });
      expect(await invoiceOf(order.id)).toMatchObject({ status: 'paid', due_amount: '0.00' });
      expect(served(await since())).toEqual(once);
      const unpaid = await make([line(free)], { billing_status: 'unpaid' });
      expect(unpaid).toMatchObject({ billing_status: 'unpaid', service_status: 'completed' });
      const draft = await make([line(free)], { billing_status: 'draft' });
      expect(draft).toMatchObject({ billing_status: 'draft', service_status: 'pending' });
    });

    test('keeps a service status that was set, and one that nobody set for it', async () => {
      const since = watching();
      for (const service_status of ['pending', 'active', 'canceled']) {
        const order = await make([line(await goods())], { billing_status: 'paid', service_status });
        expect(order).toMatchObject({ billing_status: 'paid', service_status });
      }
      const order = await make([line(await goods())]);
      await change(order.id, { billing_status: 'paid', service_status: 'pending' });
      // As orders of earlier versions are: a dispute that is won is no payment.
      await change(order.id, { billing_status: 'disputed' });
      await change(order.id, { billing_status: 'paid' });
      expect((await read(order.id))['service_status']).toBe('pending');
      const active = await make([line(await goods())], { service_status: 'active' });
      await pay(active.id, { amount: '12.00' });
      expect((await read(active.id))['service_status']).toBe('active');
      expect(served(await since())).toEqual([]);
    });

    test('and is a subscription becomes active, as does one in a trial', async () => {
      const since = watching();
      const made = async (of: Offer, members: object = {}) => {
        const lines = [line(await goods({ paymentType: 'subscription', ...of }))];
        return make(lines, { order_type: 'subscription-order', ...members });
      };
      const paid = await made({}, { billing_status: 'paid' });
      const trial = await made({ trial: '0' });
      for (const order of [paid, trial])
        expect(order).toMatchObject({ service_status: 'active', activated_at: expect.any(String) });
      expect(trial).toMatchObject({ in_trial: true, billing_status: 'pending' });
      const later = await made({});
      expect(later).toMatchObject({ service_status: 'pending', activated_at: null });
      await pay(later.id, { amount: '12.00' });
      expect(await read(later.id)).toMatchObject({ service_status: 'active' });
      expect(served(await since())).toEqual(Array(3).fill('subscription.activated'));
      await change(later.id, { service_status: 'canceled' });
      const renewal = { external_id: 'r', status: 'paid', invoice_type: 'renewal' };
      await sent('POST', `/api/v2/orders/${later.id}/invoices`, { orders_invoice: renewal }, 201);
      expect(await read(later.id)).toMatchObject({ service_status: 'canceled' });
    });
  });

  test('that must not follow are refused with 409, with both statuses', async () => {
    const order = await make([line(await goods())], { billing_status: 'paid', service_status: 'completed' });
    const { id } = await invoiceOf(order.id);
    const refused = (path: string, body: object) => client.refused(409, 'PUT', path, body);
    const path = `/api/v2/orders/${order.id}`;
    expect(await refused(path, { order: { service_status: 'active' } })).toEqual(['service_status']);
    expect(await refused(path, { order: { billing_status: 'unpaid', notes: 'x' } })).toEqual([
      'billing_status',
    ]);
    expect(await refused(`/api/v2/orders/invoices/${id}`, { orders_invoice: { status: 'voided' } })).toEqual([
      'status',
    ]);
    const { text } = await client.send('PUT', path, { order: { service_status: 'active' } });
    expect(text).toContain('service_status cannot change from completed to active');
    // Another invoice of it was paid: the order is not as a whole.
    await sent('POST', `${path}/invoices`, { orders_invoice: { external_id: 'x', status: 'unpaid' } }, 201);
    expect(await refused(path, { order: { billing_status: 'voided' } })).toEqual(['billing_status']);
  });

  test('of a subscription have its events, and the end of its trial', async () => {
    const club = await goods({ trial: '0', paymentType: 'subscription' });
    const order = await make([line(club)], { order_type: 'subscription-order', service_status: 'pending' });
    const since = watching();
    await since();
    await change(order.id, { service_status: 'active' });
    expect(await since()).toEqual(['order.updated', 'subscription.activated']);
    const path = `/api/v2/orders/${order.id}/invoices`;
    const renewal = { external_id: 'r-2', status: 'paid', invoice_type: 'renewal' };
    await sent('POST', path, { orders_invoice: renewal }, 201);
    expect(await since()).toEqual([
      ...[
        'order.updated',
        'orders/invoice.created',
        'orders/invoice.paid',
        'subscription.first_payment_received',
      ],
      ...['subscription.invoice.paid', 'subscription.trial_converted', 'subscription.trial_ended'],
    ]);
    await sent('POST', path, { orders_invoice: { ...renewal, external_id: 'r-3' } }, 201);
    expect(await since()).not.toContain('subscription.trial_converted');
    expect(await read(order.id)).toMatchObject({ in_trial: false, recurring_invoices_paid_count: 2 });
    for (const service_status of ['paused', 'active', 'churned', 'active', 'canceled'])
      await change(order.id, { service_status });
    expect((await since()).filter((type) => type !== 'order.updated')).toEqual([
      ...['subscription.canceled', 'subscription.churned', 'subscription.reactivated'],
    ]);
    const now = await read(order.id);
    expect([now['activated_at'], now['churned_at'], now['canceled_at']]).not.toContain(null);
  });

  test('canceling voids open amounts, and is done once', async () => {
    const order = await make([line(await goods())], {
      order_type: 'subscription-order',
      service_status: 'active',
    });
    const since = watching();
    await since();
    const path = `/api/v2/orders/${order.id}/cancel`;
    const canceled = await sent('POST', path, {
      cancel_reason: 'too_expensive',
      cancel_description: 'Too much',
    });
    expect(canceled).toMatchObject({
      ...{ service_status: 'canceled', billing_status: 'voided', cancel_reason: 'too_expensive' },
      canceled_by: 'API',
    });
    expect(await invoiceOf(order.id)).toMatchObject({ status: 'voided', due_amount: '0.00' });
    const all = ['order.updated', 'orders/invoice.updated', 'orders/invoice.voided', 'subscription.canceled'];
    expect(await since()).toEqual(all);
    expect(await sent('POST', path)).toEqual(canceled);
    expect(await since()).toEqual([]);
    const over = { order_type: 'subscription-order', service_status: 'completed' };
    const done = await make([line(await goods())], over);
    expect(await client.refused(409, 'POST', `/api/v2/orders/${done.id}/cancel`)).toEqual(['service_status']);
  });

  test('a one-time order has no cancellation request: its statuses cancel it', async () => {
    for (const members of [{}, { billing_status: 'paid' }, { service_status: 'canceled' }]) {
      const order = await make([line(await goods())], members);
      expect(await client.refused(422, 'POST', `/api/v2/orders/${order.id}/cancel`)).toEqual(['order_type']);
      expect(await read(order.id)).toEqual(order);
    }
    const order = await make([line(await goods())]);
    expect(await change(order.id, { service_status: 'canceled' })).toMatchObject({ churned_at: null });
    const other = await make([line(await goods())]);
    expect(await change(other.id, { billing_status: 'voided' })).toMatchObject({ billing_status: 'voided' });
  });

  test('a canceled subscription has who canceled it, a reason, and until when it is paid', async () => {
    const club = await goods({ paymentType: 'subscription' });
    const made = (members: object = {}) =>
      make([line(club)], { order_type: 'subscription-order', ...members });
    const next_charge_at = '2031-05-01T10:00:00.000Z';
    const running = { next_charge_at, service_status: 'active', billing_status: 'paid' };
    const order = await made(running);
    const path = `/api/v2/orders/${order.id}/cancel`;
    const canceled = await sent('POST', path, { cancel_reason: null });
    const ended = { canceled_by: 'API', cancel_reason: 'other', churned_at: next_charge_at };
    expect(order['renewal_at']).toBe(next_charge_at);
    expect(canceled).toMatchObject({
      ...{ ...ended, paid_until: next_charge_at, service_status: 'canceled', renewal_at: null },
    });
    const { id: pausing } = await made(running);
    expect(await change(pausing, { service_status: 'paused' })).toMatchObject({ renewal_at: null });
    expect(await change(pausing, { service_status: 'active' })).toMatchObject({ renewal_at: next_charge_at });
    expect(await make([line(await goods())])).toMatchObject({ renewal_at: null, trial_end_at: null });
    const known = await made({ ...running, cancel_reason: 'unused' });
    expect(await sent('POST', `/api/v2/orders/${known.id}/cancel`)).toMatchObject({
      ...{ ...ended, cancel_reason: 'unused' },
    });
    const called = await change((await made(running)).id, { service_status: 'canceled' });
    expect(called).toMatchObject({ canceled_by: null, churned_at: next_charge_at });
    const given = { service_status: 'canceled', churned_at: '2031-01-01T00:00:00.000Z' };
    expect(await change((await made(running)).id, given)).toMatchObject(given);
    const late = await made({ next_charge_at, service_status: 'canceled' });
    expect(late).toMatchObject({ churned_at: next_charge_at });
    expect((await made())['churned_at']).toBeNull();
  });

  test('canceling an order with the status canceled voids open amounts too, and keeps the reasons', async () => {
    const order = await make([line(await goods())], {
      ...{ order_type: 'subscription-order', service_status: 'active' },
    });
    const { canceled_at } = await change(order.id, { service_status: 'canceled' });
    const since = watching();
    await since();
    const path = `/api/v2/orders/${order.id}/cancel`;
    const canceled = await sent('POST', path, { cancel_reason: 'unused' });
    expect(canceled).toMatchObject({
      ...{ service_status: 'canceled', billing_status: 'voided', cancel_reason: 'unused', canceled_at },
      canceled_by: 'API',
    });
    expect(await invoiceOf(order.id)).toMatchObject({ status: 'voided', due_amount: '0.00' });
    expect(await since()).toEqual(['order.updated', 'orders/invoice.updated', 'orders/invoice.voided']);
    expect(await sent('POST', path, { cancel_reason: 'other' })).toEqual(canceled);
    expect(await since()).toEqual([]);
  });
});

test('an id in the lines of a new order or invoice is ignored: each line is new', async () => {
  const mug = await goods();
  const order = await make([{ ...line(mug), id: 10 ** 9 }]);
  const path = `/api/v2/orders/${order.id}/invoices`;
  const [first] = (await invoiceOf(order.id))['line_items'] as Body[];
  const lines = [{ ...line(mug, 3), amount: '2', id: first?.id }];
  const invoice = { external_id: 'e-2', status: 'unpaid', invoice_type: 'charge' };
  const body = { orders_invoice: { ...invoice, line_items_attributes: lines } };
  const [made] = (await sent('POST', path, body, 201))['line_items'] as Body[];
  expect(made).toMatchObject({ amount: '2.00', quantity: 3 });
  expect(made?.id).not.toBe(first?.id);
  expect((await invoicesOf(order.id)).flatMap((one) => one['line_items'])).toContainEqual(first);
});

describe('an invoice', () => {
  test('can be written by hand, with its sum from its lines', async () => {
    const mug = await goods();
    const order = await make([line(mug)]);
    const path = `/api/v2/orders/${order.id}/invoices`;
    const billed = (amount: string, quantity: number) => ({
      ...line(mug, quantity),
      amount,
      description: 'More',
    });
    const made = await sent(
      'POST',
      path,
      {
        orders_invoice: {
          ...{ external_id: 'e-1', status: 'unpaid', invoice_type: 'charge', shipping_amount: '4.9' },
          line_items_attributes: [billed('0.1', 3), billed('2', 1)],
        },
      },
      201,
    );
    expect(made).toMatchObject({
      ...{ invoice_number: '2', subtotal_amount: '2.30', shipping_amount: '4.90', total_amount: '7.20' },
      ...{
        due_amount: '7.20',
        currency: 'EUR',
        line_items: [{ amount: '0.10', quantity: 3 }, { amount: '2.00' }],
      },
    });
    const [first] = made['line_items'] as Body[];
    const changed = await changeInvoice(made.id, {
      line_items_attributes: [{ id: first?.id, amount: '1.25' }],
      shipping_amount: '0',
    });
    expect(changed).toMatchObject({ subtotal_amount: '5.75', total_amount: '5.75', due_amount: '5.75' });
    const refused = (method: string, to: string, orders_invoice: object) =>
      client.refused(422, method, to, { orders_invoice });
    const member = `/api/v2/orders/invoices/${made.id}`;
    expect(await refused('PUT', member, { shipping_amount: '1.005' })).toEqual(['shipping_amount']);
    expect(await refused('PUT', member, { shipping_amount: '-1' })).toEqual(['shipping_amount']);
    expect(await refused('PUT', member, { line_items_attributes: [{ id: 10 ** 9, quantity: 1 }] })).toEqual([
      'line_items_attributes[0].id',
    ]);
    expect(
      await refused('POST', path, { status: 'unpaid', line_items_attributes: [billed('0.001', 1)] }),
    ).toEqual(['line_items_attributes[0].amount']);
    const yen = await goods({ currency: 'JPY', amount: '5' });
    expect(
      await refused('POST', path, {
        status: 'unpaid',
        line_items_attributes: [{ ...line(yen), amount: '5' }],
      }),
    ).toEqual(['line_items_attributes[0].products_price_id']);
  });

  test('has at least one of each line; its sums never fall below the paid amount, and are final once it is settled', async () => {
    const order = await make([line(await goods(), 2)]);
    const { id, line_items: lines } = await invoiceOf(order.id);
    const [first] = lines as Body[];
    const path = `/api/v2/orders/invoices/${id}`;
    const ofLine = (values: object) => ({ line_items_attributes: [{ id: first?.id, ...values }] });
    const refused = (status: number, body: object) =>
      client.refused(status, 'PUT', path, { orders_invoice: body });
    expect(await refused(422, ofLine({ quantity: 0 }))).toEqual(['line_items_attributes[0].quantity']);
    expect(await refused(422, ofLine({ amount: '-1' }))).toEqual(['line_items_attributes[0].amount']);
    await changeInvoice(id, { shipping_amount: '5' });
    const pay = (amount: string) =>
      sent('POST', `/api/v2/orders/${order.id}/transactions`, { external_id: 'x', amount }, 201);
    await pay('28');
    expect(await refused(422, { shipping_amount: '3.99' })).toEqual(['shipping_amount']);
    expect(await refused(422, ofLine({ quantity: 1 }))).toEqual(['line_items_attributes']);
    await changeInvoice(id, { shipping_amount: '4' });
    expect(await invoiceOf(order.id)).toMatchObject({ total_amount: '28.00', due_amount: '0.00' });
    await changeInvoice(id, { status: 'paid' });
    const paid = await changeInvoice(id, {
      external_id: 'e',
      shipping_amount: '4.0',
      ...ofLine({ amount: '12', quantity: 2 }),
    });
    expect(paid).toMatchObject({ external_id: 'e', total_amount: '28.00' });
    expect(await refused(409, { shipping_amount: '9' })).toEqual(['shipping_amount']);
    expect(await refused(409, ofLine({ quantity: 3 }))).toEqual(['line_items_attributes']);
    expect(await refused(409, ofLine({ amount: '13' }))).toEqual(['line_items_attributes']);
    expect(await invoiceOf(order.id)).toEqual(paid);
  });
});

test('a contact with orders cannot be deleted but erased: accounting data of the orders stays', async () => {
  const members = {
    ...{ external_id: 'R-17', notes: 'Ring at Ann’s', shipping_address_first_name: 'Ann' },
    ...{ cancel_reason: 'too_expensive', cancel_description: 'Lost my job', canceled_by: 'Ann' },
  };
  const { id } = await make([line(await goods(), 2)], members);
  const before = await read(id);
  expect((await client.send('DELETE', `/api/v2/contacts/${contactId}`)).status).toBe(409);
  expect((await client.send('DELETE', `/api/v2/contacts/${contactId}/gdpr_destroy`)).status).toBe(200);
  const blank = Object.fromEntries(Object.keys(members).map((member) => [member, null]));
  const changed = { contact: expect.any(Object), updated_at: expect.any(String), ...blank };
  expect(await read(id)).toEqual({ ...before, ...changed, external_id: 'R-17' });
});

test('only callers who may read contacts see the contact of an order, in every output', async () => {
  const { id } = await make([line(await goods())]);
  const scopes = ['store:read', 'webhooks:read', 'account:read'] as const;
  const seller = await factories.apiKey(app, { teamId: client.teamId, scopes: [...scopes] });
  const whole = await factories.apiKey(app, { teamId: client.teamId, scopes: [...scopes, 'contacts:read'] });
  const texts = async (caller: typeof seller) => {
    const paths = [
      ...[`/api/v2/orders/${id}`, orders(), `/api/v2/orders/${id}/invoices`],
      `/api/v2/workspaces/${client.workspaceId}/webhooks/outgoing/events`,
    ];
    const answers = await Promise.all(
      paths.map(async (path) => (await gateway.send(path, { caller, method: 'GET' })).text()),
    );
    const query = `{ workspace(by: { databaseId: "${client.workspaceId}" }) { auditEntries { nodes { before after } } } }`;
    const response = await gateway.send('/graphql', {
      caller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return [...answers, await response.text()];
  };
  const { emailAddress } = await prismaOf(app.store).contact.findFirstOrThrow({
    where: { id: BigInt(contactId) },
  });
  for (const text of await texts(whole)) expect(text).toContain(emailAddress);
  for (const text of await texts(seller)) {
    expect(text).not.toContain(emailAddress);
    expect(text).toMatch(/"contact":null|total_amount/);
  }
});
