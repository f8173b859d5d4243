// Restocks over REST.
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { openTill, anotherPrice } from '../support/orders/money.ts';
import { offer } from '../support/orders/shop.ts';

const gateway = await sharedGateway();
const { app } = gateway;

test('restock', async () => {
  const till = await openTill(gateway);
  const goods = await offer(app, till.client.workspaceId, { stock: 5 });
  const { invoiceId } = await till.order([[goods, 3]]);
  const invoice = await till.get(`orders/invoices/${invoiceId}`);
  const [line] = invoice['line_items'] as { id: number }[];
  console.log((await till.restock(invoiceId, [[line?.id ?? 0, 2]])).text);
  console.log((await till.restock(invoiceId, [[line?.id ?? 0, 1], [line?.id ?? 0, 1]])).text);
  console.log((await till.restock(invoiceId, [[line?.id ?? 0, 1]])).text);
  console.log((await till.client.send('GET', `/api/v2/workspaces/${till.client.workspaceId}/orders/invoices/restocks`)).text);
  console.log((await till.get(`products/variants/${goods.variantId}`))['quantity']);
  console.log(await till.events());
  console.log((await till.client.send('POST', `/api/v2/orders/invoices/${invoiceId}/abandon`)).text.slice(0, 400));
  console.log(await till.events());
});

test('change', async () => {
  const till = await openTill(gateway);
  const goods = await offer(app, till.client.workspaceId, { amount: '10.00', paymentType: 'subscription' });
  const dearer = await anotherPrice(app, { workspaceId: till.client.workspaceId, goods, amount: '20.00' });
  const { id } = await till.order([[goods, 3]], { order_type: 'subscription-order', billing_status: 'paid', service_status: 'active' });
  const order = await till.get(`orders/${id}`);
  const [line] = order['line_items'] as { id: number }[];
  const body = { orders_line_items_change: { products_price_id: Number(dearer.priceId), prorate: true } };
  const path = `/api/v2/orders/line_items/${line?.id}/changes`;
  const p = await till.client.send('POST', path, body);
  console.log(p.status, p.text);
  const q = await till.client.send('POST', `${path}/perform`, body, { 'Idempotency-Key': 'one' });
  console.log(q.status, q.text);
  const r = await till.client.send('POST', `${path}/perform`, body, { 'Idempotency-Key': 'one' });
  expect(r.text).toBe(q.text);
  console.log((await till.client.send('GET', `/api/v2/orders/${id}/invoices`)).text);
  console.log(await till.events());
});
