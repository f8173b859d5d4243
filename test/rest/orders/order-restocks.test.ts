// Restocks over REST: returned goods of an invoice are in stock again.
import { describe, expect, test } from 'vitest';
import { types } from '../../../src/store/sql/value-types.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { openTill } from '../../support/orders/money.ts';
import { type Goods, offer } from '../../support/orders/shop.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const till = await openTill(gateway);
const { client } = till;

async function stockOf({ variantId }: Goods): Promise<number | null | undefined> {
  const { rows } = await app.store.pool.query<{ quantity: number | null }>({
    text: 'select quantity from product_variants where id = $1',
    values: [variantId],
    types,
  });
  return rows[0]?.quantity;
}

/** The ids of the lines of an invoice. */
async function linesOf(invoiceId: number): Promise<number[]> {
  const { line_items: lines } = await till.get(`orders/invoices/${invoiceId}`);
  return (lines as { id: number }[]).map(({ id }) => id);
}

const MEMBER = 'included_invoices_line_items_attributes';

test('restocked goods are in stock again, never more of a line than was ordered', async () => {
  const mug = await offer(app, client.workspaceId, { stock: 5 });
  const cup = await offer(app, client.workspaceId, { name: 'Cup' });
  const { invoiceId } = await till.order([
    [mug, 3],
    [cup, 2],
  ]);
  const [ofMug = 0, ofCup = 0] = await linesOf(invoiceId);
  const before = await till.events();
  const { status, body } = await till.restock(invoiceId, [
    [ofMug, 1],
    [ofCup, 2],
    [ofMug, 1],
  ]);
  expect([status, body]).toMatchObject([
    201,
    {
      ...{ invoice_id: invoiceId, workspace_id: Number(client.workspaceId), status: 'restocked' },
      included_invoices_line_items: [
        { invoices_line_item_id: ofMug, quantity: 2, fulfillment_id: null },
        { invoices_line_item_id: ofCup, quantity: 2, fulfillment_id: null },
      ],
    },
  ]);
  expect([await stockOf(mug), await stockOf(cup)]).toEqual([4, null]);
  expect((await till.events()).slice(before.length)).toEqual(['orders/invoices/restock.created']);
  const path = `/api/v2/orders/invoices/${invoiceId}/restocks`;
  const refused = (...lines: readonly (readonly [number, number])[]) =>
    client.refused(422, 'POST', path, {
      [MEMBER]: lines.map(([invoices_line_item_id, quantity]) => ({ invoices_line_item_id, quantity })),
    });
  expect(await refused([ofMug, 2])).toEqual([`${MEMBER}[0].quantity`]);
  expect(await refused([ofMug, 1], [ofMug, 1], [ofCup, 1])).toEqual([
    `${MEMBER}[1].quantity`,
    `${MEMBER}[2].quantity`,
  ]);
  expect(await refused([ofMug, 0])).toEqual([`${MEMBER}[0].quantity`]);
  expect(await client.refused(422, 'POST', path, { [MEMBER]: [] })).toEqual([MEMBER]);
  expect((await till.restock(invoiceId, [[ofMug, 1]])).status).toBe(201);
  expect(await stockOf(mug)).toBe(5);
  const all = `/api/v2/workspaces/${client.workspaceId}/orders/invoices/restocks`;
  expect(JSON.parse((await client.send('GET', all)).text)).toHaveLength(2);
  expect(await till.get(`orders/invoices/restocks/${body.id}`)).toEqual(body);
});

test('very large quantities leave the stock and come back like small ones', async () => {
  const mug = await offer(app, client.workspaceId, { stock: 250_000 });
  const { invoiceId } = await till.order([[mug, 200_000]]);
  expect(await stockOf(mug)).toBe(50_000);
  const [ofMug = 0] = await linesOf(invoiceId);
  for (const quantity of [1_001, 100_000])
    expect((await till.restock(invoiceId, [[ofMug, quantity]])).status).toBe(201);
  const body = { [MEMBER]: [{ invoices_line_item_id: ofMug, quantity: 99_000 }] };
  const path = `/api/v2/orders/invoices/${invoiceId}/restocks`;
  expect(await client.refused(422, 'POST', path, body)).toEqual([`${MEMBER}[0].quantity`]);
  expect((await till.restock(invoiceId, [[ofMug, 98_999]])).status).toBe(201);
  expect(await stockOf(mug)).toBe(250_000);
});

test('lines of another invoice, and lines without ordered goods, cannot be restocked', async () => {
  const mug = await offer(app, client.workspaceId, { stock: 5, setup: '1.00' });
  const one = await till.order([[mug, 1]]);
  const other = await till.order([[mug, 1]]);
  const [ofOther = 0] = await linesOf(other.invoiceId);
  expect((await till.restock(one.invoiceId, [[ofOther, 1]])).body.errors[0]?.field).toBe(
    `${MEMBER}[0].invoices_line_item_id`,
  );
  const byHand = await client.send('POST', `/api/v2/orders/${one.id}/invoices`, {
    ...{ external_id: 'x', status: 'unpaid' },
    line_items_attributes: [
      {
        ...{ variant_id: Number(mug.variantId), products_price_id: Number(mug.priceId) },
        ...{ quantity: 1, amount: '1.00' },
      },
    ],
  });
  const [ofHand = 0] = await linesOf(byHand.body.id);
  expect((await till.restock(byHand.body.id, [[ofHand, 1]])).status).toBe(422);
  // What is paid once for a line, its set-up, is a line of the invoice that bills the same thing.
  const [line = 0, setup = 0] = await linesOf(one.invoiceId);
  const refused = await till.restock(one.invoiceId, [[setup, 1]]);
  expect([refused.status, refused.body.errors[0]?.field]).toEqual([
    422,
    `${MEMBER}[0].invoices_line_item_id`,
  ]);
  expect((await till.restock(one.invoiceId, [[line, 1]])).status).toBe(201);
  expect((await till.restock(one.invoiceId, [[setup, 1]])).status).toBe(422);
  expect(await stockOf(mug)).toBe(4);
});

describe('goods that never left the stock do not come back to it', () => {
  /** Restocks this many of the first line of an invoice. @returns the stock afterwards */
  async function restocked(of: Goods, invoiceId: number, quantity: number, line = 0) {
    const lines = await linesOf(invoiceId);
    expect((await till.restock(invoiceId, [[lines[line] ?? 0, quantity]])).status).toBe(201);
    return stockOf(of);
  }
  const track = (of: Goods, isTracked: boolean, quantity: number) =>
    app.store.pool.query('update product_variants set track_quantity = $2, quantity = $3 where id = $1', [
      ...[of.variantId, isTracked, quantity],
    ]);

  test.each([
    [1, 3],
    [0, 2],
    [2, 5],
    [4, 4],
  ])('%i in stock, %i ordered', async (stock, quantity) => {
    const mug = await offer(app, client.workspaceId, { stock, outOfStockSales: true });
    const { invoiceId } = await till.order([[mug, quantity]]);
    expect(await stockOf(mug)).toBe(0);
    expect(await restocked(mug, invoiceId, quantity)).toBe(stock);
  });

  test('one by one: goods from the stock come back first', async () => {
    const mug = await offer(app, client.workspaceId, { stock: 2, outOfStockSales: true });
    const { invoiceId } = await till.order([[mug, 4]]);
    const stocks = [];
    for (let piece = 0; piece < 4; piece++) stocks.push(await restocked(mug, invoiceId, 1));
    expect(stocks).toEqual([1, 2, 2, 2]);
  });

  test('of two lines of one order the first took the remaining stock', async () => {
    const mug = await offer(app, client.workspaceId, { stock: 3, outOfStockSales: true });
    const { invoiceId } = await till.order([
      [mug, 2],
      [mug, 2],
    ]);
    expect(await restocked(mug, invoiceId, 2, 1)).toBe(1);
    expect(await restocked(mug, invoiceId, 2, 0)).toBe(3);
  });

  test('of two orders the first took it', async () => {
    const mug = await offer(app, client.workspaceId, { stock: 3, outOfStockSales: true });
    const first = await till.order([[mug, 2]]);
    const second = await till.order([[mug, 2]]);
    expect(await restocked(mug, second.invoiceId, 2)).toBe(1);
    expect(await restocked(mug, first.invoiceId, 2)).toBe(3);
  });

  test('before the stock was counted', async () => {
    const mug = await offer(app, client.workspaceId);
    await track(mug, false, 10);
    const { invoiceId } = await till.order([[mug, 3]]);
    await track(mug, true, 10);
    expect(await restocked(mug, invoiceId, 3)).toBe(10);
  });

  test('but all goods of an earlier version’s order do, since that was not recorded', async () => {
    const mug = await offer(app, client.workspaceId, { stock: 5 });
    const { id, invoiceId } = await till.order([[mug, 3]]);
    await app.store.pool.query('update order_line_items set taken_quantity = null where order_id = $1', [id]);
    expect(await restocked(mug, invoiceId, 3)).toBe(5);
  });
});
