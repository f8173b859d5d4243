// Orders under random changes over both faces, one after the other and at once: money is never off by the smallest unit, what was sold plus
// what is on the shelf is what there was, no piece is sent that went back to the shelf, no transition is skipped, and each event happens once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Transitions } from '../src/resources/description/fields.ts';
import {
  BILLING_STATUSES,
  BILLING_TRANSITIONS,
  INVOICE_STATUSES,
  INVOICE_TRANSITIONS,
  SERVICE_STATUSES,
  SERVICE_TRANSITIONS,
} from '../src/resources/orders/order-statuses.ts';
import * as factories from './support/factories.ts';
import { ownGateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { inputOf } from './support/graphql-input.ts';
import { dropFulfillmentTriggers } from './support/orders/fulfillment-triggers.ts';
import { type Goods, offer } from './support/orders/shop.ts';
import { requireSound } from './support/orders/soundness.ts';
import { refusalOf } from './support/user-errors.ts';

const TIMEOUT_MS = 120_000;
const gateway = await ownGateway({ env: { POOL_SIZE: '8' } });
const { app } = gateway;
const { id: teamId } = await factories.team(app);
const caller = await factories.apiKey(app, { teamId });

// As in a distributed store, which has no triggers: each change sets the fulfillment status of its order itself.
await dropFulfillmentTriggers(app);

const face = fc.constantFrom('rest', 'graphql');
const at = fc.nat(7);
const moves = [
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('ship' as const), face, at, quantity: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('unship' as const), face, at }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('restock' as const), face, at, quantity: fc.nat(3) }),
  },
] as const;
const step = fc.oneof(
  ...moves,
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('create' as const),
      face,
      lines: fc.array(fc.record({ goods: fc.nat(4), quantity: fc.integer({ min: 0, max: 4 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      isOnce: fc.boolean(),
      billing: fc.constantFrom(...BILLING_STATUSES),
      service: fc.option(fc.constantFrom(...SERVICE_STATUSES), { nil: undefined }),
    }),
  },
  fc.record({ what: fc.constant('billing' as const), face, at, to: fc.constantFrom(...BILLING_STATUSES) }),
  fc.record({ what: fc.constant('service' as const), face, at, to: fc.constantFrom(...SERVICE_STATUSES) }),
  fc.record({ what: fc.constant('invoice' as const), face, at, to: fc.constantFrom(...INVOICE_STATUSES) }),
  fc.record({ what: fc.constant('cancel' as const), face, at }),
  fc.record({
    what: fc.constant('bill' as const),
    face,
    at,
    cents: fc.nat(999),
    quantity: fc.integer({ min: 1, max: 3 }),
    to: fc.constantFrom('unpaid', 'paid', 'draft'),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const globalId = (type: string, id: bigint) => btoa(`${type}:${id}`);

async function openShop() {
  const { id: workspaceId } = await factories.workspace(app, { teamId });
  const { id: contactId } = await factories.contact(app, { workspaceId });
  const goods: Goods[] = [
    await offer(app, workspaceId, { amount: '0.07', stock: 9 }),
    await offer(app, workspaceId, { amount: '12.10', setup: '0.99', stock: 9 }),
    await offer(app, workspaceId, { amount: '30.00', trial: '1.01', paymentType: 'subscription' }),
    await offer(app, workspaceId, { amount: '999999999.99' }),
    await offer(app, workspaceId, { amount: '2.50', stock: 5, outOfStockSales: true }),
  ];
  const stock = new Map(goods.map(({ variantId }, index) => [variantId, index === 4 ? 5 : 9]));
  const { pool } = app.store;
  await pool.query('update product_variants set fulfillment_required = true where workspace_id = $1', [
    workspaceId,
  ]);
  const made = await pool.query<{ id: string }>(
    `insert into fulfillment_locations (workspace_id, name, address_name, email_address) values ($1, 'Home', 'Us', 'us@example.com')
      returning id::text`,
    [workspaceId],
  );
  const locationId = BigInt(made.rows[0]?.id ?? 0);
  /** By the line of an invoice: how many are in the house for it, and how many are out. */
  const pieces = new Map<string, { here: number; out: number }>();

  const send = async (method: string, path: string, body: object) => {
    const response = await gateway.send(path, {
      caller,
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const shown = JSON.parse(await response.text()) as { code?: string };
    return response.status < 300 ? 'done' : (shown.code ?? '');
  };
  const mutate = async (name: string, type: string, members: Record<string, unknown>) => {
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { userErrors { code path message } } }`;
    const variables = { input: inputOf(name, members) };
    const refused = refusalOf(await post(gateway, { query, variables }, { caller }));
    if (refused === null) return 'done';
    // As REST says it: the state of the object is a conflict, that of what a line names is invalid.
    const isConflict = refused.code === 'NOT_ALLOWED_NOW' && refused.field?.startsWith('lineItems') !== true;
    return isConflict ? 'conflict' : 'invalid';
  };
  const rows = async <Row extends object>(text: string) =>
    (await app.store.pool.query<Row>(text, [workspaceId])).rows;
  const orders = () =>
    rows<{ id: bigint; type: string; billing: string; service: string }>(
      'select id::text, order_type as type, billing_status as billing, service_status as service from orders where workspace_id = $1 order by orders.id',
    );
  const invoices = () =>
    rows<{ id: bigint; status: string }>(
      'select id::text, status from order_invoices where workspace_id = $1 order by order_invoices.id',
    );

  /** The lines that bill what was ordered, without what is paid once. */
  const lines = () =>
    rows<{ id: string; invoice: string; quantity: number; mayBeSent: boolean }>(
      `select l.id::text, l.invoice_id::text as invoice, l.quantity, i.status not in ('voided', 'abandoned', 'refunded')
          and not (o.order_type = 'one-time-order' and o.service_status in ('canceled', 'abandoned', 'voided')) as "mayBeSent"
        from order_invoice_line_items l join order_invoices i on i.workspace_id = l.workspace_id and i.id = l.invoice_id
          join orders o on o.workspace_id = i.workspace_id and o.id = i.order_id
        where l.workspace_id = $1 and l.order_line_item_id is not null and l.description is null order by l.id`,
    );
  const fulfillments = () =>
    rows<{ id: string; status: string; line: string; quantity: number }>(
      `select f.id::text, f.status, l.invoices_line_item_id::text as line, l.quantity
        from fulfillments f join fulfillment_line_items l on l.workspace_id = f.workspace_id and l.fulfillment_id = f.id
        where f.workspace_id = $1 order by f.id`,
    );

  /** Sends a piece, takes it back, or puts it on the shelf. @returns what has to be answered, if nothing else happens at once */
  async function move(
    one: Extract<Step, { what: 'ship' | 'unship' | 'restock' }>,
  ): Promise<{ expected: string; answer: string } | null> {
    const isRest = one.face === 'rest';
    if (one.what === 'unship') {
      const all = await fulfillments();
      const found = all[one.at % Math.max(all.length, 1)];
      if (found === undefined) return null;
      const held = pieces.get(found.line);
      if (found.status === 'fulfilled' && held !== undefined) {
        // Those that are out no more went to the shelf.
        const back = Math.min(found.quantity, held.out);
        pieces.set(found.line, { here: held.here + back, out: held.out - back });
      }
      const answer = isRest
        ? await send('POST', `/api/v2/fulfillments/${found.id}/cancel`, {})
        : await mutate('cancelFulfillment', 'CancelFulfillmentInput', {
            fulfillmentId: globalId('Fulfillment', BigInt(found.id)),
          });
      return { expected: 'done', answer };
    }
    const all = await lines();
    const line = all[one.at % Math.max(all.length, 1)];
    if (line === undefined) return null;
    const { quantity } = one;
    const held = pieces.get(line.id) ?? { here: line.quantity, out: 0 };
    const invoiceLineItemId = globalId('InvoiceLineItem', BigInt(line.id));
    if (one.what === 'ship') {
      const isPossible = line.mayBeSent && quantity >= 1 && quantity <= held.here;
      if (isPossible) pieces.set(line.id, { here: held.here - quantity, out: held.out + quantity });
      const answer = isRest
        ? await send('POST', `/api/v2/workspaces/${workspaceId}/fulfillments`, {
            ...{ contact_id: Number(contactId), location_id: Number(locationId) },
            included_orders_invoices_line_items_attributes: [
              { invoices_line_item_id: Number(line.id), quantity },
            ],
          })
        : await mutate('createFulfillment', 'CreateFulfillmentInput', {
            ...{
              workspaceId: globalId('Workspace', workspaceId),
              contactId: globalId('Contact', contactId),
              locationId: globalId('FulfillmentLocation', locationId),
            },
            lineItems: [{ invoiceLineItemId, quantity }],
          });
      return { expected: isPossible ? 'done' : 'invalid', answer };
    }
    const isPossible = quantity >= 1 && quantity <= held.here + held.out;
    if (isPossible) {
      const fromOut = Math.min(quantity, held.out);
      pieces.set(line.id, { here: held.here - quantity + fromOut, out: held.out - fromOut });
    }
    const answer = isRest
      ? await send('POST', `/api/v2/orders/invoices/${line.invoice}/restocks`, {
          included_invoices_line_items_attributes: [{ invoices_line_item_id: Number(line.id), quantity }],
        })
      : await mutate('createRestock', 'CreateRestockInput', {
          invoiceId: globalId('Invoice', BigInt(line.invoice)),
          lineItems: [{ invoiceLineItemId, quantity }],
        });
    return { expected: isPossible ? 'done' : 'invalid', answer };
  }

  const onOrder = async (one: Extract<Step, { at: number }>) => {
    const all = await orders();
    return all[one.at % Math.max(all.length, 1)];
  };

  /** Does one step. @returns what was found before, and how it was answered; null where there is nothing to do it to */
  async function run(
    one: Step,
  ): Promise<{ was?: string; table?: Transitions; to?: string; expected?: string; answer: string } | null> {
    if (one.what === 'ship' || one.what === 'unship' || one.what === 'restock') return move(one);
    const isRest = one.face === 'rest';
    if (one.what === 'create') {
      const type = one.isOnce ? 'one-time-order' : 'subscription-order';
      const lines = one.lines.map((line) => ({ ...line, goods: goods[line.goods] as Goods }));
      return {
        answer: isRest
          ? await send('POST', `/api/v2/workspaces/${workspaceId}/orders`, {
              order: {
                ...{ contact_id: `${contactId}`, live_mode: true, order_type: type },
                ...{ billing_status: one.billing, service_status: one.service },
                line_items_attributes: lines.map(({ goods: { variantId, priceId }, quantity }) => ({
                  ...{ variant_id: `${variantId}`, products_price_id: `${priceId}`, quantity },
                })),
              },
            })
          : await mutate('createOrder', 'CreateOrderInput', {
              ...{
                workspaceId: globalId('Workspace', workspaceId),
                contact: { id: globalId('Contact', contactId) },
              },
              ...{ isLive: true, type, billingStatus: one.billing, serviceStatus: one.service },
              lineItems: lines.map(({ goods: { priceId }, quantity }) => ({
                ...{ priceId: globalId('ProductPrice', priceId), quantity },
              })),
            }),
      };
    }
    if (one.what === 'invoice') {
      const all = await invoices();
      const found = all[one.at % Math.max(all.length, 1)];
      if (found === undefined) return null;
      const answer = isRest
        ? await send('PUT', `/api/v2/orders/invoices/${found.id}`, { orders_invoice: { status: one.to } })
        : await mutate('updateInvoice', 'UpdateInvoiceInput', {
            ...{ invoiceId: globalId('Invoice', found.id), status: one.to },
          });
      return { was: found.status, table: INVOICE_TRANSITIONS, to: one.to, answer };
    }
    const found = await onOrder(one);
    if (found === undefined) return null;
    const orderId = globalId('Order', found.id);
    const path = `/api/v2/orders/${found.id}`;
    if (one.what === 'cancel')
      return {
        ...(found.type === 'one-time-order'
          ? { expected: 'invalid' }
          : { was: found.service, table: SERVICE_TRANSITIONS, to: 'canceled' }),
        answer: isRest
          ? await send('POST', `${path}/cancel`, {})
          : await mutate('cancelOrder', 'CancelOrderInput', { orderId }),
      };
    if (one.what === 'service')
      return {
        ...{ was: found.service, table: SERVICE_TRANSITIONS, to: one.to },
        answer: isRest
          ? await send('PUT', path, { order: { service_status: one.to } })
          : await mutate('updateOrder', 'UpdateOrderInput', { orderId, serviceStatus: one.to }),
      };
    if (one.what === 'billing')
      return {
        ...{ was: found.billing, table: BILLING_TRANSITIONS, to: one.to },
        answer: isRest
          ? await send('PUT', path, { order: { billing_status: one.to } })
          : await mutate('updateOrder', 'UpdateOrderInput', { orderId, billingStatus: one.to }),
      };
    const { variantId, priceId } = goods[3] as Goods;
    const amount = `${Math.floor(one.cents / 100)}.${String(one.cents % 100).padStart(2, '0')}`;
    const answer = isRest
      ? await send('POST', `${path}/invoices`, {
          orders_invoice: {
            ...{ status: one.to, external_id: 'x', invoice_type: 'renewal' },
            line_items_attributes: [
              { amount, quantity: one.quantity, variant_id: `${variantId}`, products_price_id: `${priceId}` },
            ],
          },
        })
      : await mutate('createInvoice', 'CreateInvoiceInput', {
          ...{ orderId, status: one.to, type: 'renewal' },
          lineItems: [
            { unitPrice: amount, quantity: one.quantity, priceId: globalId('ProductPrice', priceId) },
          ],
        });
    return { answer };
  }
  return {
    run,
    check: () => requireSound(app, workspaceId, stock),
    answers: ['done', 'conflict', 'invalid'],
  };
}

test(
  'sequential changes: transitions outside the table are refused, all others succeed',
  async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
      const shop = await openShop();
      for (const one of steps) {
        const done = await shop.run(one);
        if (done === null) continue;
        const { was, table, to = '', expected, answer } = done;
        expect(shop.answers, JSON.stringify(one)).toContain(answer);
        if (expected !== undefined) expect([one, answer]).toEqual([one, expected]);
        if (table === undefined || was === undefined) continue;
        const may = was === to || table[was]?.includes(to) === true;
        // With several invoices an order may not be called what only one of them is.
        if (one.what !== 'billing' || !may)
          expect([one, was, answer]).toEqual([one, was, may ? 'done' : 'conflict']);
      }
      await shop.check();
    });
    await fc.assert(property, { numRuns: 6, endOnFailure: true });
  },
  TIMEOUT_MS,
);

test(
  'sequential shipments of one line: no piece is both sent and in stock, and none is lost',
  async () => {
    const property = fc.asyncProperty(
      fc.array(fc.oneof(...moves), { minLength: 10, maxLength: 16 }),
      async (steps) => {
        const shop = await openShop();
        const lines = [{ goods: 1, quantity: 5 }];
        const order = {
          what: 'create',
          face: 'rest',
          lines,
          isOnce: true,
          billing: 'paid',
          service: 'active',
        } as const;
        expect(await shop.run(order)).toEqual({ answer: 'done' });
        for (const one of steps) {
          const done = await shop.run(one);
          if (done !== null) expect([one, done.answer]).toEqual([one, done.expected]);
        }
        await shop.check();
      },
    );
    await fc.assert(property, { numRuns: 6, endOnFailure: true });
  },
  TIMEOUT_MS,
);

test(
  'concurrent changes',
  async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const shop = await openShop();
      for (let from = 0; from < steps.length; from += 4) {
        const done = await Promise.all(steps.slice(from, from + 4).map(shop.run));
        for (const one of done) if (one !== null) expect(shop.answers).toContain(one.answer);
      }
      await shop.check();
    });
    await fc.assert(property, { numRuns: 5, endOnFailure: true });
  },
  TIMEOUT_MS,
);
