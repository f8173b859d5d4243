// The products of an automatic collection are kept in a table, whatever changes them: at random changes they are those that a search finds.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { createSessions } from '../support/open-transactions.ts';
import { changeAsOnShards } from '../support/placement.ts';
import { createRestClient } from '../support/rest-client.ts';

const CHANGES = 60;
const METHODS = ['manually', 'added_at', 'created_at', 'name', 'price'].flatMap((method) =>
  method === 'manually' ? [method] : [`${method}_asc`, `${method}_desc`],
);

/** The products of collections as a search finds them. */
const SEARCHED = `select c.id::int as id, array(select p.id::int from products p
    where p.workspace_id = c.workspace_id and p.tag_ids && array(select g.id from product_tags g where g.workspace_id = c.workspace_id and g.id = any(c.tag_ids))
    order by case c.sort_method when 'name_asc' then p.name end, case c.sort_method when 'name_desc' then p.name end desc nulls last,
      case c.sort_method when 'created_at_asc' then p.created_at end, case c.sort_method when 'created_at_desc' then p.created_at end desc nulls last,
      case c.sort_method when 'price_asc' then x.price end nulls last, case c.sort_method when 'price_desc' then x.price end desc nulls last,
      case c.sort_method when 'added_at_desc' then p.id end desc nulls last, p.id) as ids
  from product_collections c cross join lateral (select 1) one
  where c.workspace_id = $1 and c.collection_type = 'automatic' order by c.id`.replaceAll(
  'x.price',
  `(select min(r.amount) from product_prices r where r.workspace_id = p.workspace_id and r.product_id = p.id and r.visible and not r.archived)`,
);

let gateway: Gateway;
let client: Awaited<ReturnType<typeof createRestClient>>;
const sessions = createSessions(() => gateway);

beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await sessions.endAll();
  await gateway.close();
});

/** The same numbers each time. */
function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

/** Changes are made as in a distributed store, which has no triggers. */
async function distribute(): Promise<void> {
  const { pool } = gateway.app.store;
  const { rows } = await pool.query<{ drop: string }>(
    `select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop from pg_trigger where tgname like 'keep\\_tagged\\_products\\_%'`,
  );
  const { rowCount: citus } = await pool.query("select from pg_extension where extname = 'citus'");
  expect(rows).toHaveLength(citus === 0 ? 5 : 0);
  for (const { drop } of rows) await pool.query(drop);
  changeAsOnShards(gateway.app.store, client.workspaceId);
}

describe.each([
  ['a store on one PostgreSQL', false],
  ['a distributed store', true],
])('in %s', (_, isDistributed) => {
  beforeAll(async () => {
    client = await createRestClient(gateway);
    if (isDistributed) await distribute();
  });

  async function send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ id: number; default_variant_id: number }> {
    const { status, text, body: answer } = await client.send(method, path, body);
    expect([path, status, text]).toEqual([path, expect.toSatisfy((code: number) => code < 300), text]);
    return answer as never;
  }
  const inWorkspace = (rest: string) => `/api/v2/workspaces/${client.workspaceId}/${rest}`;
  async function graphql(query: string, variables: object): Promise<void> {
    const { errors } = await post(gateway, { query, variables }, client);
    expect(errors).toBeUndefined();
  }

  async function requireSame(): Promise<void> {
    const { rows } = await gateway.app.store.pool.query(SEARCHED, [client.workspaceId]);
    const { text } = await client.send('GET', `${inWorkspace('products/collections')}?per_page=100`);
    const shown = (JSON.parse(text) as { id: number; product_ids: number[] }[]).map(
      ({ id, product_ids }) => ({
        ...{ id, ids: product_ids },
      }),
    );
    expect(shown).toEqual(rows);
  }

  test('after any changes over both APIs, collections have the products of a search, in each order', async () => {
    const roll = dice(isDistributed ? 7 : 3);
    const tags = await Promise.all(
      ['a', 'b', 'c', 'd'].map(
        async (name) => (await send('POST', inWorkspace('products/tags'), { name })).id,
      ),
    );
    const some = <Value>(values: readonly Value[]) => values.filter(() => roll(2) === 0);
    const one = <Value>(values: readonly Value[]) => values[roll(values.length)] as Value;
    const products: { id: number; variant: number; prices: number[] }[] = [];
    const collections: number[] = [];
    for (const sort_method of METHODS)
      collections.push(
        (
          await send('POST', inWorkspace('products/collections'), {
            ...{ name: sort_method, collection_type: 'automatic', sort_method, tag_ids: some(tags) },
          })
        ).id,
      );
    const name = () => `${one(['Mug', 'mug', 'Cap', 'Äpfel', 'Zelt'])} ${roll(4)}`;
    const make = async () => {
      const { id, default_variant_id: variant } = await send('POST', inWorkspace('products'), {
        ...{ name: name(), tag_ids: some(tags) },
      });
      products.push({ id, variant, prices: [] });
    };
    for (let count = 0; count < 5; count++) await make();
    const global = (type: string, id: number) => btoa(`${type}:${id}`);
    const steps: (() => Promise<unknown>)[] = [
      make,
      () => send('PATCH', `/api/v2/products/${one(products).id}`, { tag_ids: some(tags) }),
      () => send('PUT', `/api/v2/products/${one(products).id}`, { name: name() }),
      () => send('POST', `/api/v2/products/${one(products).id}/${one(['archive', 'unarchive'])}`),
      () =>
        graphql(
          'mutation ($input: UpdateProductInput!) { updateProduct(input: $input) { product { id } } }',
          {
            input: {
              ...{ productId: global('Product', one(products).id), name: name() },
              tagIds: some(tags).map((id) => global('ProductTag', id)),
            },
          },
        ),
      async () => {
        const product = one(products);
        const price = {
          amount: String(roll(50)),
          payment_type: 'one_time',
          currency: 'EUR',
          visible: roll(3) > 0,
        };
        product.prices.push(
          (await send('POST', `/api/v2/products/variants/${product.variant}/prices`, price)).id,
        );
      },
      async () => {
        const { prices } = one(products);
        if (prices.length > 0)
          await send('PATCH', `/api/v2/products/prices/${one(prices)}`, {
            ...one([{ amount: String(roll(50)) }, { archived: roll(2) === 0 }, { visible: roll(2) === 0 }]),
          });
      },
      () =>
        send('PATCH', `/api/v2/products/collections/${one(collections)}`, {
          ...{ tag_ids: some(tags), sort_method: one(METHODS) },
        }),
      () =>
        graphql(
          'mutation ($input: UpdateCollectionInput!) { updateCollection(input: $input) { collection { id } } }',
          {
            input: {
              collectionId: global('Collection', one(collections)),
              tagIds: some(tags).map((id) => global('ProductTag', id)),
            },
          },
        ),
    ];
    for (let count = 0; count < CHANGES; count++) {
      await one(steps)();
      if (count % 4 === 0) await requireSame();
    }
    await send('DELETE', `/api/v2/products/tags/${tags.shift()}`);
    await requireSame();
    for (const method of METHODS) {
      await send('PATCH', `/api/v2/products/collections/${collections[0]}`, {
        tag_ids: tags,
        sort_method: method,
      });
      await requireSame();
    }
  });

  test('of concurrent changes of a product and its price, the later one sees both', async () => {
    const { pool } = gateway.app.store;
    const { id: tag } = await send('POST', inWorkspace('products/tags'), { name: 'both' });
    const { id, default_variant_id: variant } = await send('POST', inWorkspace('products'), { name: 'Both' });
    const other = await sessions.connect();
    await other.query('begin');
    await other.query('select from products where workspace_id = $1 and id = $2 for no key update', [
      client.workspaceId,
      id,
    ]);
    const changes = [
      send('POST', `/api/v2/products/variants/${variant}/prices`, {
        amount: '5',
        payment_type: 'one_time',
        currency: 'EUR',
      }),
      send('PATCH', `/api/v2/products/${id}`, { tag_ids: [tag] }),
    ];
    await untilWaiting(gateway.app, 2);
    await other.query('commit');
    await Promise.all(changes);
    const { rows } = await pool.query(
      'select tag_id::int, price::int, name from tagged_products where product_id = $1',
      [id],
    );
    expect(rows).toEqual([{ tag_id: tag, price: 5, name: 'Both' }]);
  });
});
