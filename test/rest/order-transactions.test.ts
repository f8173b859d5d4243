// Payments and refunds of orders over REST: what they do to invoice and order, and what is refused.
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { line, offer } from '../support/orders/shop.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
let contactId: number;

beforeEach(async () => {
  client = await createRestClient(gateway);
  contactId = Number((await factories.contact(app, { workspaceId: client.workspaceId })).id);
});

async function makeOrder(amount = '10.00', given: object = {}) {
  const goods = await offer(app, client.workspaceId, { amount });
  const { status, body } = await client.send('POST', `/api/v2/workspaces/${client.workspaceId}/orders`, {
    order: {
      ...{ contact_id: contactId, live_mode: true, order_type: 'one-time-order' },
      line_items_attributes: [line(goods, 3)],
      ...given,
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const pay = (orderId: unknown, given: object) =>
  client.send('POST', `/api/v2/orders/${orderId}/transactions`, {
    orders_transaction: { external_id: 'ch_1', ...given },
  });

describe('payments', () => {
  test('in parts, then in full', async () => {
    const order = await makeOrder();
    const first = await pay(order['id'], { amount: '10' });
    console.log(first.text);
    expect(first.status).toBe(201);
    const { text } = await client.send('GET', `/api/v2/orders/${order['id']}/invoices`);
    console.log(text);
    const second = await pay(order['id'], { amount: '20.01' });
    console.log(second.text);
    const third = await pay(order['id'], { amount: '20.00' });
    console.log(third.text);
    const back = await client.send('POST', `/api/v2/orders/transactions/${third.body['id']}/refund`, {
      amount: '5',
    });
    console.log(back.text);
    const rest = await client.send('POST', `/api/v2/orders/transactions/${third.body['id']}/refund`);
    console.log(rest.text);
    console.log((await client.send('GET', `/api/v2/orders/${order['id']}/transactions`)).text);
    console.log((await client.send('GET', `/api/v2/orders/${order['id']}/invoices`)).text);
  });
});
