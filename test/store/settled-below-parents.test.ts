// Lists below one parent always have its rows, whatever other teams do meanwhile, because a row is created while its parent is locked.
// And a change that waits for a lock delays no other list, because it has taken neither ids nor times yet.
import type pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { NOUNS } from '../../src/resources/nouns.ts';
import { ANNOUNCEMENT_LOCKS } from '../../src/store/high-water-marks/high-water-marks.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../../src/store/sql/public-ids.ts';
import { tableNamed } from '../../src/store/tables/tables.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { untilDoneOrWaiting, untilWaiting } from '../support/lock-waits.ts';
import { createSessions } from '../support/open-transactions.ts';
import {
  createTenant,
  OPERATIONS,
  type Operation,
  requestOf,
  sampleOperations,
} from '../support/operations.ts';
import { anotherPrice, openTill } from '../support/orders/money.ts';
import { line, offer } from '../support/orders/shop.ts';
import { createRestClient } from '../support/rest-client.ts';
import { idsOf } from '../support/walk.ts';

const gateway = await ownGateway({ env: { POOL_SIZE: '12' } });
const { app } = gateway;
const sessions = createSessions(() => gateway);
afterEach(() => sessions.endAll());

/** Every list below a noun other than a workspace that has its own new rows, with the table. */
const CREATIONS = NOUNS.flatMap((noun) => {
  const table = noun.parent && tableNamed(noun.table);
  if (table === undefined || ['teams', 'workspaces'].includes(table.parent.table)) return [];
  const above = noun.parent?.members ?? noun.parent?.path;
  const path = noun.path ?? 'conditional_split_steps';
  const route = new RegExp(`^POST /api/v2/${above}/:\\w+_id/${path}$`);
  const operation = OPERATIONS.find((one) => route.test(one.route));
  return operation === undefined ? [] : [{ type: noun.type, table, operation }];
});

async function begin(text: string, values: readonly unknown[] = []): Promise<pg.Client> {
  const client = await sessions.connect();
  await client.query('begin');
  await client.query(text, [...values]);
  return client;
}

/** A transaction that has taken an id of the table, and stays open. */
const drawing = (table: PublicIdTable) =>
  begin('select draw_id($1::int, $2::regclass)', [TYPE_NUMBER[table], `${table}_id_seq`]);

/** A team whose objects exist, and its way to send an operation. */
async function openTenant() {
  const tenant = await createTenant(app, 'PARENTS');
  const caller = await factories.apiKey(app, { teamId: tenant.team.id });
  return {
    tenant,
    caller,
    send: (operation: Operation) =>
      gateway.send(operation.path(tenant), { ...requestOf(operation, tenant), caller }),
  };
}

test('such lists exist', () => {
  expect(CREATIONS.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'ConditionalSplitStep',
      'ContactAppliedTag',
      'FormSubmission',
      'Invoice',
      'Variant',
    ]),
  );
});

const TRIED = new Set(sampleOperations('settled', OPERATIONS));

describe.each(CREATIONS.filter(({ operation }) => TRIED.has(operation)))(
  'a new $type',
  ({ table, operation }) => {
    test('is in the list of its parent at once, while another transaction has drawn ids of the table', async () => {
      const { tenant, caller, send } = await openTenant();
      await drawing(table.name);
      const created = await send(operation);
      expect(created.status).toBe(201);
      const { id } = (await created.json()) as { id: number };
      const path = `${operation.path(tenant)}?per_page=100`;
      expect(await idsOf(await gateway.send(path, { caller }))).toContain(BigInt(id));
    });

    test('waits for a change of its parent', async () => {
      const { tenant, send } = await openTenant();
      const [, parentId] = /\/(\d+)\/\w+$/.exec(operation.path(tenant)) ?? [];
      const holder = await begin(
        `select from ${table.parent.table} where workspace_id = $1 and id = $2 for no key update`,
        [tenant.workspace.id, parentId],
      );
      let isDone = false;
      const sending = send(operation).finally(() => {
        isDone = true;
      });
      await untilDoneOrWaiting(app, sending);
      expect(isDone).toBe(false);
      await holder.query('commit');
      expect((await sending).status).toBe(201);
    });
  },
);

test('an object that is created with its parent is in its list at once', async () => {
  const client = await createRestClient(gateway);
  const below = `/api/v2/workspaces/${client.workspaceId}`;
  await Promise.all(
    (['shipping_location_groups', 'product_variants', 'product_prices'] as const).map(drawing),
  );
  const made = [
    ['shipping/profiles', { shipping_profile: { name: 'Letters' } }, 'shipping/profiles', 'location_groups'],
    ['products', { product: { name: 'Mug' } }, 'products', 'variants'],
  ] as const;
  for (const [path, body, member, list] of made) {
    const created = await client.send('POST', `${below}/${path}`, body);
    expect([created.status, created.text]).toEqual([201, created.text]);
    const { text } = await client.send('GET', `/api/v2/${member}/${created.body.id}/${list}`);
    expect([list, (JSON.parse(text) as object[]).length]).toEqual([list, 1]);
  }
});

test('each order’s list has its invoice at once, and in the end every list is complete, during eight concurrent writers of another team', async () => {
  const [ours, theirs] = await Promise.all([
    openTill(gateway).then(async (till) => ({ till, goods: await offer(app, till.client.workspaceId) })),
    openTill(gateway).then(async (till) => ({ till, goods: await offer(app, till.client.workspaceId) })),
  ]);
  let isOver = false;
  let others = 0;
  const keepOrdering = async () => {
    while (!isOver) {
      await theirs.till.order([[theirs.goods, 1]]);
      others++;
    }
  };
  const busy = Promise.all(Array.from({ length: 8 }, keepOrdering));
  try {
    await expect.poll(() => others, { timeout: 20_000 }).toBeGreaterThan(8);
    const made: { id: number; invoiceId: number }[] = [];
    for (let count = 0; count < 20; count++) {
      const order = await ours.till.order([[ours.goods, 1]]);
      made.push(order);
      const text = `{ order(by: { databaseId: "${order.id}" }) { invoices { nodes { databaseId } } } }`;
      const { data } = await post<{ order: { invoices: { nodes: object[] } } }>(
        gateway,
        { query: text },
        { caller: ours.till.client.caller },
      );
      expect(data?.order.invoices.nodes).toEqual([{ databaseId: order.invoiceId }]);
    }
    expect(made.map(({ invoiceId }) => invoiceId)).not.toContain(0);
    const { caller, workspaceId } = ours.till.client;
    const listed = async (path: string) =>
      idsOf(await gateway.send(`/api/v2/workspaces/${workspaceId}/${path}?per_page=100`, { caller }));
    await expect.poll(() => listed('orders'), { timeout: 20_000 }).toEqual(made.map(({ id }) => BigInt(id)));
    await expect
      .poll(() => listed('orders/invoices'), { timeout: 20_000 })
      .toEqual(made.map(({ invoiceId }) => BigInt(invoiceId)));
  } finally {
    isOver = true;
    await busy;
  }
});

/** The number of ids and times that open transactions have announced. */
async function announced(): Promise<number> {
  const { rows } = await app.store.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid::bigint between $1 and $2`,
    [ANNOUNCEMENT_LOCKS.first, ANNOUNCEMENT_LOCKS.last],
  );
  return rows[0]?.count ?? -1;
}

const NUMBERS = 'select from order_counters where workspace_id = $1 for update';
const VARIANTS = 'select from product_variants where workspace_id = $1 for update';

describe('delays no list while it waits:', () => {
  async function expectNothingHeld(
    till: Awaited<ReturnType<typeof openTill>>,
    lock: string,
    send: () => Promise<unknown>,
  ): Promise<void> {
    const holder = await begin(lock, [till.client.workspaceId]);
    const sending = send();
    try {
      await untilWaiting(app, 1);
      expect(await announced()).toBe(0);
    } finally {
      await holder.query('rollback');
      await sending;
    }
  }

  /** A shop with 9 mugs in stock, of which a customer has ordered 2. */
  async function openShop(given: object = {}) {
    const till = await openTill(gateway);
    const mugs = await offer(app, till.client.workspaceId, { stock: 9 });
    await app.store.pool.query(
      'update product_variants set fulfillment_required = true where workspace_id = $1',
      [till.client.workspaceId],
    );
    return { till, mugs, ordered: await till.order([[mugs, 2]], given) };
  }
  const inWorkspace = (till: Awaited<ReturnType<typeof openTill>>, rest: string) =>
    `/api/v2/workspaces/${till.client.workspaceId}/${rest}`;
  const invoiceBody = (mugs: Parameters<typeof line>[0], status: string) => ({
    orders_invoice: {
      ...{ status, invoice_type: 'renewal' },
      line_items_attributes: [{ ...line(mugs), amount: '1.00' }],
    },
  });

  test.each([
    ['the stock', VARIANTS],
    ['numbers', NUMBERS],
  ])('an order, for %s', async (_, lock) => {
    const { till, mugs } = await openShop();
    await expectNothingHeld(till, lock, () => till.order([[mugs, 1]]));
  });

  test('an invoice, for its number, when it is created and when it is no draft any more', async () => {
    const { till, mugs, ordered } = await openShop();
    const path = `/api/v2/orders/${ordered.id}/invoices`;
    await expectNothingHeld(till, NUMBERS, async () => {
      const { status, text } = await till.client.send('POST', path, invoiceBody(mugs, 'unpaid'));
      expect([status, text]).toEqual([201, text]);
    });
    const draft = await till.client.send('POST', path, invoiceBody(mugs, 'draft'));
    await expectNothingHeld(till, NUMBERS, async () => {
      const { status, text } = await till.client.send('PATCH', `/api/v2/orders/invoices/${draft.body.id}`, {
        orders_invoice: { status: 'unpaid' },
      });
      expect([status, text]).toEqual([200, text]);
    });
  });

  test('a restock, for the stock', async () => {
    const { till, ordered } = await openShop({ billing_status: 'paid' });
    const { line_items: lines } = (await till.get(`orders/invoices/${ordered.invoiceId}`)) as {
      line_items: { id: number }[];
    };
    await expectNothingHeld(till, VARIANTS, async () => {
      const { status, text } = await till.restock(ordered.invoiceId, [[lines[0]?.id ?? 0, 1]]);
      expect([status, text]).toEqual([201, text]);
    });
  });

  test('a fulfillment, for its number', async () => {
    const { till, ordered } = await openShop({ billing_status: 'paid', service_status: 'active' });
    const invoice = (await till.get(`orders/invoices/${ordered.invoiceId}`)) as {
      line_items: { id: number }[];
    };
    const { contact_id } = (await till.get(`orders/${ordered.id}`)) as { contact_id: number };
    const location = await till.client.send('POST', inWorkspace(till, 'fulfillments/locations'), {
      ...{ name: 'Home', address_name: 'Us', address: {}, email_address: 'us@example.com' },
    });
    await expectNothingHeld(till, NUMBERS, async () => {
      const { status, text } = await till.client.send('POST', inWorkspace(till, 'fulfillments'), {
        fulfillment: {
          ...{ contact_id, location_id: location.body.id },
          included_orders_invoices_line_items_attributes: [
            { invoices_line_item_id: invoice.line_items[0]?.id, quantity: 1 },
          ],
        },
      });
      expect([status, text]).toEqual([201, text]);
    });
  });

  test('a change of a line with immediate billing, for the number of its invoice', async () => {
    const till = await openTill(gateway);
    const { workspaceId } = till.client;
    const monthly = await offer(app, workspaceId, { paymentType: 'subscription', amount: '10.00' });
    const dearer = await anotherPrice(app, { workspaceId, goods: monthly, amount: '40.00' });
    const { id } = await till.order([[monthly, 1]], {
      ...{ order_type: 'subscription-order', billing_status: 'paid', service_status: 'active' },
    });
    await app.store.pool.query(
      "update orders set next_charge_at = now() + '10 days', created_at = now() - '20 days'::interval where id = $1",
      [id],
    );
    const { line_items: lines } = (await till.get(`orders/${id}`)) as { line_items: { id: number }[] };
    await expectNothingHeld(till, NUMBERS, async () => {
      const { status, text } = await till.client.send(
        'POST',
        `/api/v2/orders/line_items/${lines[0]?.id}/changes/perform`,
        { orders_line_items_change: { products_price_id: Number(dearer.priceId), prorate: true } },
      );
      expect([status, text]).toEqual([200, text]);
    });
  });
});
