// Referenced rows are joined only if that is cheap: computed values, long texts and lists are read separately, once, however many rows
// refer to them.
import { expect, test, vi } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { offer } from '../support/orders/shop.ts';

const gateway = await ownGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const { id: contactId } = await factories.contact(app, { workspaceId });
const { productId, variantId, priceId } = await offer(app, workspaceId);
for (const sql of [
  `insert into variant_properties (workspace_id, product_id, name) values (${workspaceId}, ${productId}, 'Size')`,
  `insert into orders (workspace_id, order_number, live_mode, tax_amount, currency, contact_id, billing_status, service_status, order_type, total_amount)
    select ${workspaceId}, n, true, 0, 'EUR', ${contactId}, 'paid', 'active', 'one-time-order', 1 from generate_series(1, 2) n`,
  `insert into order_line_items (workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount, setup_amount, original_product, products_price, products_variant)
    select workspace_id, id, ${productId}, ${variantId}, ${priceId}, 1, 'EUR', 1, 1, 0, '{}', '{}', '{}' from orders, generate_series(1, 2) where workspace_id = ${workspaceId}`,
])
  await app.store.pool.query(sql);

/** The output for each order, and the statements that read orders. */
async function ask(selection: string) {
  const reads = [vi.spyOn(app.store.readers, 'read'), vi.spyOn(app.store.scans, 'read')];
  const query = `query ($no: Boolean = false) { __typename @include(if: $no)
    workspace(by: { databaseId: ${workspaceId} }) { orders(first: 2) { nodes { ${selection} } } } }`;
  const { data, errors } = await post<{ workspace: { orders: { nodes: unknown[] } } }>(
    gateway,
    { query },
    { caller },
  );
  expect(errors).toBeUndefined();
  const texts = reads.flatMap((read) => read.mock.calls.map(([{ text }]) => text));
  for (const read of reads) read.mockRestore();
  return {
    nodes: data?.workspace.orders.nodes,
    ofOrders: texts.filter((text) => /from orders\b/.test(text)),
  };
}

test('the children of an object that a row refers to', async () => {
  const { nodes } = await ask('lineItems { product { variantProperties { name } } }');
  const line = { product: { variantProperties: [{ name: 'Size' }] } };
  expect(nodes).toEqual(Array(2).fill({ lineItems: [line, line] }));
});

test.each([
  ['short columns', 'lineItems { product { name } }', 'from products '],
  ['short columns of who ordered', 'contact { firstName }', 'from contacts '],
])('%s are read together with the rows', async (_, selection, table) => {
  const { ofOrders } = await ask(selection);
  expect(ofOrders).toHaveLength(1);
  expect(ofOrders[0]).toContain(table);
});

test.each([
  ['a list', 'lineItems { product { images { name } } }', 'from product'],
  ['a list, not asked for', 'lineItems { product @include(if: $no) { images { name } } }', 'from product'],
  ['a long text', 'lineItems { variant { description } }', 'from product_variants'],
  ['JSON', 'contact { customAttributes { name } }', 'from contacts'],
])('%s is read apart', async (_, selection, table) => {
  const { ofOrders } = await ask(selection);
  expect(ofOrders).toHaveLength(1);
  expect(ofOrders[0]).not.toContain(table);
});
