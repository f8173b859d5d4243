import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a shop: a jacket is sold, paid, sent, refunded in part, and taken back', async () => {
  const client = await newClient();
  const { workspace } = client;

  const product = await client.post(`${workspace}/products`, { product: { name: 'Trail jacket' } });
  const jacket = product.default_variant_id;
  await client.patch(`/products/variants/${jacket}`, {
    products_variant: { track_quantity: true, quantity: 5 },
  });
  const price = await client.post(`/products/${product.id}/prices`, {
    products_price: { amount: '129.90', currency: 'EUR' },
  });

  const order = await client.post(`${workspace}/orders`, {
    order: {
      order_type: 'one-time-order',
      live_mode: true,
      contact_attributes: { email_address: 'mia@example.com' },
      line_items_attributes: [{ variant_id: jacket, products_price_id: price.id, quantity: 2 }],
    },
  });
  expect(order).toMatchObject({
    total_amount: '259.80',
    billing_status: 'pending',
    service_status: 'pending',
  });
  const [invoice] = await client.get(`/orders/${order.id}/invoices`);

  const payment = await client.post(`/orders/${order.id}/transactions`, {
    orders_transaction: { invoice_id: invoice.id, amount: '259.80', currency: 'EUR', external_id: 'pay_1' },
  });
  expect(await client.get(`/orders/${order.id}`)).toMatchObject({
    billing_status: 'paid',
    service_status: 'completed',
  });

  const location = await client.post(`${workspace}/fulfillments/locations`, {
    fulfillments_location: { name: 'Warehouse', address_name: 'Acme', email_address: 'ship@example.com' },
  });
  const line = { invoices_line_item_id: invoice.line_items[0].id, quantity: 1 };
  await client.post(`${workspace}/fulfillments`, {
    fulfillment: {
      contact_id: order.contact_id,
      location_id: location.id,
      included_orders_invoices_line_items_attributes: [line],
    },
  });
  await client.post(`/orders/transactions/${payment.id}/refund`, {
    orders_transaction: { amount: '129.90', partial: true },
  });
  await client.post(`/orders/invoices/${invoice.id}/restocks`, {
    orders_invoices_restock: {
      included_invoices_line_items_attributes: [line],
    },
  });
  expect(await client.get(`/products/variants/${jacket}`)).toMatchObject({ quantity: 4 });
  expect(await client.get(`/orders/${order.id}`)).toMatchObject({ billing_status: 'partially-refunded' });
});
