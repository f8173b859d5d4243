// The fulfillment status of an order follows from its invoices, whoever writes them: an earlier version of the gateway, or SQL.
import { expect, test } from 'vitest';
import {
  CORRECT_FULFILLMENT_STATUSES,
  countWrongFulfillmentStatuses,
} from '../../src/store/orders/order-fulfillment-statuses.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { dropFulfillmentTriggers } from '../support/orders/fulfillment-triggers.ts';

const gateway = await ownGateway();
const { app } = gateway;
const { pool } = app.store;
const { id: workspaceId } = await factories.workspace(app);
const { id: contactId } = await factories.contact(app, { workspaceId });

const insertOrder = async (number: number, type: string) => {
  const { rows } = await pool.query<{ id: string }>(
    `insert into orders (workspace_id, order_number, live_mode, tax_amount, currency, contact_id, billing_status, service_status, order_type, total_amount)
      values ($1, $2, true, 0, 'EUR', $3, 'paid', 'pending', $4, 10) returning id`,
    [workspaceId, number, contactId, type],
  );
  return rows[0]?.id ?? '';
};
const bill = (order: string, status: string, goods: string) =>
  `insert into order_invoices (workspace_id, order_id, invoice_type, invoice_number, status, currency, subtotal_amount, shipping_amount,
      tax_amount, discount_amount, fulfillment_status)
    select ${workspaceId}, ${order}, 'charge', '${goods}' || count(*), '${status}', 'EUR', 1, 0, 0, 0, '${goods}'
    from order_invoices where order_id = ${order}`;
const change = (order: string, set: string, where = 'true') =>
  `update order_invoices set ${set} where order_id = ${order} and ${where}`;
const serve = (order: string, to: string) => `update orders set service_status = '${to}' where id = ${order}`;

const order = await insertOrder(1, 'one-time-order');
const subscription = await insertOrder(2, 'subscription-order');

test('follows each invoice and the service status, and is no change of the order', async () => {
  const ids = [order, subscription];
  const stateOf = async () => {
    const { rows } = await pool.query<{ status: string; version: number; at: Date }>(
      'select fulfillment_status as status, row_version as version, updated_at as at from orders where id = any($1) order by id',
      [ids],
    );
    return { statuses: rows.map(({ status }) => status), rest: rows.map(({ version, at }) => [version, at]) };
  };
  const none = 'not_applicable';
  for (const [sql, ...expected] of [
    [bill(order, 'paid', none), none, none],
    [bill(order, 'paid', 'unfulfilled'), 'unfulfilled', none],
    [bill(order, 'paid', 'complete'), 'partial', none],
    [change(order, "status = 'refunded'", "fulfillment_status = 'unfulfilled'"), 'complete', none],
    [change(order, "fulfillment_status = 'partial'", "fulfillment_status = 'complete'"), 'partial', none],
    [`delete from order_invoices where fulfillment_status = 'partial'`, none, none],
    [change(order, "status = 'paid', fulfillment_status = 'unfulfilled'"), 'unfulfilled', none],
    [serve(order, 'canceled'), none, none],
    [bill(subscription, 'paid', 'unfulfilled'), none, 'unfulfilled'],
    [serve(subscription, 'canceled'), none, 'unfulfilled'],
    [serve(order, 'completed'), 'unfulfilled', 'unfulfilled'],
    [`update order_invoices set fulfillment_status = 'complete'`, 'complete', 'complete'],
  ] as const) {
    const { rest } = await stateOf();
    await pool.query(sql);
    expect({ sql, ...(await stateOf()) }).toEqual({ sql, statuses: expected, rest });
  }
  expect(await countWrongFulfillmentStatuses(pool)).toBe(0);
});

test('what no trigger has kept is counted, and corrected by the statement that `doctor` prints', async () => {
  await dropFulfillmentTriggers(app);
  await pool.query(change(subscription, "fulfillment_status = 'unfulfilled'"));
  expect(await countWrongFulfillmentStatuses(pool)).toBe(1);
  await pool.query(CORRECT_FULFILLMENT_STATUSES);
  expect(await countWrongFulfillmentStatuses(pool)).toBe(0);
  const { rows } = await pool.query('select fulfillment_status as status from orders where id = $1', [
    subscription,
  ]);
  expect(rows).toEqual([{ status: 'unfulfilled' }]);
});
