// The lists of objects below another one that they are paired with: a tag's objects, a product's collections, the pages of a theme and so on.
import { beforeAll, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { createTenant, type Tenant } from '../support/operations.ts';

const gateway = await ownGateway();
const { pool } = gateway.app.store;
const tenant = await createTenant(gateway.app, 'lists');
const theirs = await createTenant(gateway.app, 'theirs');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
const w = String(tenant.workspace.id);

const globalId = (type: string, id: bigint | string | undefined) => btoa(`${type}:${id}`);
const rowId = ({ rows }: Tenant, type: string) => rows[type]?.id ?? expect.fail(type);

/** By `Type.field`: the object that has the list, the scope of its type, and that of the list. */
const LISTS: Readonly<Record<string, { id: () => string; above: string; scope: string }>> = {
  'ContactTag.contacts': {
    id: () => globalId('ContactTag', tenant.appliedTag.tagId),
    ...{ above: 'contacts:read', scope: 'contacts:read' },
  },
  'OrderTag.orders': {
    id: () => globalId('OrderTag', rowId(tenant, 'OrderTag')),
    above: 'store:read',
    scope: 'store:read',
  },
  'ProductTag.products': {
    id: () => globalId('ProductTag', rowId(tenant, 'ProductTag')),
    ...{ above: 'store:read', scope: 'store:read' },
  },
  'FunnelTag.funnels': {
    id: () => globalId('FunnelTag', rowId(tenant, 'FunnelTag')),
    ...{ above: 'funnels:read', scope: 'funnels:read' },
  },
  'Theme.pages': {
    id: () => globalId('Theme', rowId(tenant, 'Theme')),
    above: 'funnels:read',
    scope: 'funnels:read',
  },
  'Product.collections': {
    id: () => globalId('Product', rowId(tenant, 'Product')),
    ...{ above: 'store:read', scope: 'store:read' },
  },
  'Collection.products': {
    id: () => globalId('Collection', rowId(tenant, 'Collection')),
    ...{ above: 'store:read', scope: 'store:read' },
  },
  'Contact.invoices': {
    id: () => globalId('Contact', tenant.contact.id),
    above: 'contacts:read',
    scope: 'store:read',
  },
  'Order.fulfillments': {
    id: () => globalId('Order', rowId(tenant, 'Order')),
    above: 'store:read',
    scope: 'store:read',
  },
  'ShippingProfile.variants': {
    id: () => globalId('ShippingProfile', rowId(tenant, 'ShippingProfile')),
    ...{ above: 'store:read', scope: 'store:read' },
  },
  'WebhookEndpoint.pages': {
    id: () => globalId('WebhookEndpoint', tenant.webhookEndpoint.id),
    ...{ above: 'webhooks:read', scope: 'funnels:read' },
  },
  'WebhookEndpoint.funnels': {
    id: () => globalId('WebhookEndpoint', tenant.webhookEndpoint.id),
    ...{ above: 'webhooks:read', scope: 'funnels:read' },
  },
};

/** Three more objects of a noun, copied from the tenant's. */
async function copies(
  type: string,
  table: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const { rows } = await pool.query(
    `select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and column_name not in ('id', 'uuid')`,
    [table],
  );
  const sqlOf = ({ name, type }: { name: string; type: string }) =>
    more[name] ??
    (['email_address', 'name', 'current_path', 'invoice_number'].includes(name)
      ? `t.${name} || n`
      : name.endsWith('_number') && type.startsWith('int')
        ? `t.${name} + n`
        : name === 'is_default'
          ? 'false'
          : `t.${name}`);
  const made = await pool.query(
    `insert into ${table} (${rows.map(({ name }) => name).join(', ')})
      select ${rows.map(sqlOf).join(', ')} from ${table} t, generate_series(11, 13) n where t.id = $1 returning id::text`,
    [tenant.rows[type]?.id],
  );
  return made.rows.map(({ id }) => id);
}

/** By `Type.field`: the ids of the list's objects, in its order. */
const expected: Record<string, string[]> = {};

beforeAll(async () => {
  const run = (sql: string, ...values: unknown[]) => pool.query(sql, [w, ...values]);
  const contacts = await copies('Contact', 'contacts');
  await run(
    'insert into contact_tags (workspace_id, contact_id, tag_id) select $1, unnest($2::bigint[]), $3 on conflict do nothing',
    contacts,
    tenant.appliedTag.tagId,
  );
  expected['ContactTag.contacts'] = [String(tenant.contact.id), ...contacts];
  const orders = await copies('Order', 'orders');
  await run('delete from order_applied_tags where workspace_id = $1');
  await run(
    'insert into order_applied_tags (workspace_id, order_id, tag_id) select $1, unnest($2::bigint[]), $3',
    orders.toReversed(),
    rowId(tenant, 'OrderTag'),
  );
  expected['OrderTag.orders'] = orders;
  const invoices = await copies('Invoice', 'order_invoices', { order_id: `${orders[0]} + n - 11` });
  expected['Contact.invoices'] = [String(rowId(tenant, 'Invoice')), ...invoices];
  const products = await copies('Product', 'products', { tag_ids: "'{}'" });
  await run(
    'update products set tag_ids = array[$3::bigint] where workspace_id = $1 and id = any($2)',
    products,
    rowId(tenant, 'ProductTag'),
  );
  expected['ProductTag.products'] = products;
  const funnels = await copies('Funnel', 'funnels', { tag_ids: `array[${rowId(tenant, 'FunnelTag')}]` });
  expected['FunnelTag.funnels'] = funnels;
  const pages = await copies('Page', 'pages', { theme_id: 'null' });
  await run(
    'update pages set theme_id = case when id = any($2) then $3::bigint end where workspace_id = $1',
    pages,
    rowId(tenant, 'Theme'),
  );
  expected['Theme.pages'] = pages;
  const product = String(rowId(tenant, 'Product'));
  const collections = await copies('Collection', 'product_collections', {
    collection_type: `case n when 13 then 'automatic' else 'manual' end`,
    product_ids: `case n when 12 then '{}' else array[${product}]::bigint[] end`,
    tag_ids: `'{}'`,
  });
  await run(
    `update product_collections set product_ids = $2, tag_ids = '{}', collection_type = 'manual', sort_method = 'manually'
      where workspace_id = $1 and id = $3`,
    products.toReversed(),
    rowId(tenant, 'Collection'),
  );
  // One by hand, and one by its tag. The list of an automatic collection says nothing.
  await run(
    'update products set tag_ids = array[$3::bigint] where workspace_id = $1 and id = $2',
    product,
    rowId(tenant, 'ProductTag'),
  );
  const byTag = await copies('Collection', 'product_collections', {
    collection_type: `'automatic'`,
    product_ids: `'{}'`,
    tag_ids: `array[${rowId(tenant, 'ProductTag')}]`,
  });
  expected['ProductTag.products'] = [product, ...products];
  expected['Product.collections'] = [collections[0] ?? '', ...byTag];
  expected['Collection.products'] = products.toReversed();
  const variants = await copies('Variant', 'product_variants');
  await run(
    'update shipping_profiles set variant_ids = $2 where workspace_id = $1 and id = $3',
    [...variants.toReversed(), '99999999'],
    rowId(tenant, 'ShippingProfile'),
  );
  expected['ShippingProfile.variants'] = variants;
  await run(
    'update webhook_endpoints set page_ids = $2, funnel_ids = $3 where workspace_id = $1 and id = $4',
    pages.toReversed(),
    funnels.toReversed(),
    tenant.webhookEndpoint.id,
  );
  expected['WebhookEndpoint.pages'] = pages;
  expected['WebhookEndpoint.funnels'] = funnels;
  expected['Order.fulfillments'] = [String(rowId(tenant, 'Fulfillment'))];
});

interface List {
  readonly totalCount: number;
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly edges: readonly { readonly cursor: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

describe.each(Object.entries(LISTS))('%s', (name, { id, above, scope }) => {
  const [type = '', field = ''] = name.split('.');
  const ask = async (args: string, by = caller) => {
    const query = `{ node(id: "${id()}") { id ... on ${type} { ${field}(${args}) {
      totalCount nodes { databaseId } edges { cursor } pageInfo { hasNextPage endCursor } } } } }`;
    const { data, errors } = await post<{ node: Record<string, List | null> | null }>(
      gateway,
      { query },
      { caller: by },
    );
    return { list: data?.node?.[field] ?? null, errors };
  };
  const read = async (args: string) => {
    const { list, errors } = await ask(args);
    expect([args, errors]).toEqual([args, undefined]);
    return list ?? expect.fail(name);
  };
  const idsOf = ({ nodes }: List) => nodes.map(({ databaseId }) => String(databaseId));

  test('has all objects in order, in pages in either direction, and their number', async () => {
    const all = expected[name] ?? expect.fail(name);
    const whole = await read('first: 50');
    expect([idsOf(whole), whole.totalCount, whole.pageInfo.hasNextPage]).toEqual([all, all.length, false]);
    const walked: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: List = await read(`first: 2${after === null ? '' : `, after: "${after}"`}`);
      walked.push(...idsOf(page));
      expect(page.totalCount).toBe(all.length);
      after = page.pageInfo.endCursor;
      expect(page.pageInfo.hasNextPage).toBe(walked.length < all.length);
      if (!page.pageInfo.hasNextPage) break;
    }
    expect(walked).toEqual(all);
    const last = await read('last: 1');
    expect(idsOf(last)).toEqual(all.slice(-1));
    const before = await read(`last: 1, before: "${last.edges[0]?.cursor}"`);
    expect(idsOf(before)).toEqual(all.slice(0, -1).slice(-1));
    if (name !== 'Collection.products')
      expect(idsOf(await read('first: 50, orderBy: { field: ID, direction: DESC }'))).toEqual(
        all.toReversed(),
      );
    const none = await read('first: 0');
    expect([idsOf(none), none.totalCount]).toEqual([[], all.length]);
  });

  test('needs its scope: it is null with one error if its parent can be read without it', async () => {
    const teamId = tenant.team.id;
    const reader = await factories.apiKey(gateway.app, { teamId, scopes: [above] });
    const { list, errors } = await ask('first: 1', reader);
    if (scope === above) {
      expect([list?.nodes.length, errors]).toEqual([1, undefined]);
      return;
    }
    expect(list).toBeNull();
    expect(errors?.map(({ path, extensions }) => [path, extensions.code, extensions.scope])).toEqual([
      [['node', field], 'INSUFFICIENT_SCOPE', scope],
    ]);
  });

  test('is one statement for any number of objects that have it', async () => {
    const ids = [...new Set([id(), ...(await others(type))])];
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ${type} { ${field}(first: 2) { nodes { id } } } } }`;
    const listed = async (some: string[]) => {
      const names = await statementsOf(gateway, async () => {
        const { errors } = await post(gateway, { query, variables: { ids: some } }, { caller });
        expect(errors).toBeUndefined();
      });
      // The objects themselves, and how far lists may be read, are known by other statements.
      return names.filter((name) => !/^(\w+\.ids|high_water_marks.*)$/.test(name));
    };
    if (ids.length > 1) expect(await listed(ids)).toHaveLength(1);
  });

  test('shows nothing of another tenant', async () => {
    const stranger = await factories.apiKey(gateway.app, { teamId: theirs.team.id });
    expect((await ask('first: 1', stranger)).list).toBeNull();
  });
});

/** Further objects of a type. */
async function others(type: string): Promise<string[]> {
  const tables: Readonly<Record<string, string>> = {
    ...{ ContactTag: 'tags', OrderTag: 'order_tags', ProductTag: 'product_tags', FunnelTag: 'funnel_labels' },
    ...{
      Theme: 'themes',
      Product: 'products',
      Collection: 'product_collections',
      Contact: 'contacts',
      Order: 'orders',
    },
    ...{ ShippingProfile: 'shipping_profiles', WebhookEndpoint: 'webhook_endpoints' },
  };
  const { rows } = await pool.query(
    `select id::text from ${tables[type]} where workspace_id = $1 order by id desc limit 5`,
    [w],
  );
  return rows.map(({ id }) => globalId(type, id));
}

test('the locations of a location group are those of the workspace that are not archived', async () => {
  const made = await copies('FulfillmentLocation', 'fulfillment_locations');
  await pool.query('update fulfillment_locations set archived_at = now() where id = $1', [made[1]]);
  const id = globalId('ShippingLocationGroup', rowId(tenant, 'ShippingLocationGroup'));
  const query = `{ node(id: "${id}") { ... on ShippingLocationGroup { fulfillmentLocations(last: 2) { nodes { databaseId } } } } }`;
  const { data } = await post<{ node: { fulfillmentLocations: List } }>(gateway, { query }, { caller });
  const ids = data?.node.fulfillmentLocations.nodes.map(({ databaseId }) => String(databaseId));
  expect(ids).toEqual([made[0], made[2]]);
});

test('a cursor of a collection’s products stays valid when its product leaves the collection', async () => {
  const id = rowId(tenant, 'Collection');
  const all = expected['Collection.products'] ?? expect.fail();
  const page = async (args: string) => {
    const query = `{ node(id: "${globalId('Collection', id)}") { ... on Collection { products(${args}) { nodes { databaseId } edges { cursor } } } } }`;
    const { data, errors } = await post<{ node: { products: List } }>(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
    const { nodes, edges } = data?.node.products ?? expect.fail();
    return {
      ids: nodes.map(({ databaseId }) => String(databaseId)),
      cursors: edges.map(({ cursor }) => cursor),
    };
  };
  const { cursors } = await page('first: 2');
  await pool.query(
    'update product_collections set product_ids = array_remove(product_ids, $2) where id = $1',
    [id, all[1]],
  );
  expect((await page(`first: 2, after: "${cursors[1]}"`)).ids).toEqual([all[2]]);
  expect((await page(`last: 2, before: "${cursors[1]}"`)).ids).toEqual([all[0]]);
  const query = `{ node(id: "${globalId('Collection', id)}") { ... on Collection { products(after: "x", first: -1) { totalCount } } } }`;
  const { errors } = await post(gateway, { query }, { caller });
  expect(errors?.[0]?.message).toContain('after is not a cursor of this list');
});

test('a filtered list of a tag has the objects that match the filter too', async () => {
  const [one = ''] = expected['ContactTag.contacts'] ?? [];
  const id = globalId('ContactTag', tenant.appliedTag.tagId);
  const query = `query ($ids: [ID!]) { node(id: "${id}") { ... on ContactTag { contacts(filter: { ids: $ids }, orderBy: { field: UPDATED_AT }) { totalCount nodes { databaseId } } } } }`;
  const other = await factories.contact(gateway.app, { workspaceId: tenant.workspace.id });
  const variables = { ids: [globalId('Contact', one), globalId('Contact', other.id)] };
  const { data, errors } = await post(gateway, { query, variables }, { caller });
  expect(errors).toBeUndefined();
  expect(data).toEqual({ node: { contacts: { totalCount: 1, nodes: [{ databaseId: Number(one) }] } } });
});
