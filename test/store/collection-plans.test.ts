// A page of an automatic collection reads only the products that it returns: in each order a range of an index for each tag.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collection, MAX_PRODUCTS } from '../../src/resources/product-collections.ts';
import { findPageUnder } from '../../src/store/reading/pages.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const COLLECTIONS = tableOf(collection);
const PRODUCTS = 2_500;
const METHODS = collection.fields.sortMethod.values;

const gateway = await ownGateway();
const { pool } = gateway.app.store;
const { id: teamId } = await factories.team(gateway.app);
const { id: workspaceId } = await factories.workspace(gateway.app, { teamId });
let client: pg.Client;

beforeAll(async () => {
  await pool.query(
    `with tag as (insert into product_tags (workspace_id, name) select $1, 'Tag ' || n from generate_series(1, 2) n returning id)
      insert into products (workspace_id, name, tag_ids)
      select $1, 'Product ' || n % 97, array(select id from tag) from generate_series(1, $2::int) n`,
    [workspaceId, PRODUCTS],
  );
  await pool.query(
    `with variant as (
        insert into product_variants (workspace_id, product_id, name, is_default)
        select workspace_id, id, name, true from products where workspace_id = $1 and id % 2 = 0 returning *)
      insert into product_prices (workspace_id, product_id, variant_id, amount, currency)
      select workspace_id, product_id, id, id % 97, 'EUR' from variant`,
    [workspaceId],
  );
  await pool.query(
    `insert into product_collections (workspace_id, name, collection_type, sort_method, tag_ids)
      select $1, m, 'automatic', m, array(select id from product_tags where workspace_id = $1) from unnest($2::text[]) m`,
    [workspaceId, METHODS],
  );
  client = await planningClient(gateway);
});
afterAll(() => client.end());

describe.each([
  ['before the tables were ever analyzed', async () => {}],
  ['with statistics', () => client.query('analyze')],
])('%s', (_, prepare) => {
  beforeAll(async () => void (await prepare()));

  test('a page of collections reads only as many products of each tag as it returns', async () => {
    const page = { order: 'asc', size: 100, after: null, before: null, backward: false } as const;
    const plans = await plansOf(gateway, client, (store) =>
      findPageUnder({ store }, COLLECTIONS, { teamId, workspaceIds: null }, workspaceId, page),
    );
    const read = (table: string) =>
      (plans.at(-1) ?? [])
        .filter((node) => node['Relation Name'] === table)
        .reduce(
          (sum, node) =>
            sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
          0,
        );
    // More may be read of products with the same place in an order, such as those without a price.
    const most = METHODS.length * 2 * (MAX_PRODUCTS + 100);
    expect(read('tagged_products')).toBeGreaterThan(0);
    expect(read('tagged_products')).toBeLessThanOrEqual(most);
    expect(read('products')).toBe(0);
    expect(read('product_prices')).toBe(0);
  });
});
