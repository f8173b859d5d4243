// The events of orders belong to the page of the order, and to its funnel. Endpoints can subscribe to those alone.
import { expect, test } from 'vitest';
import * as factories from '../../support/factories.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { anotherPrice, openTill } from '../../support/orders/money.ts';
import { offer } from '../../support/orders/shop.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const { pool } = app.store;
const till = await openTill(gateway);
const { client } = till;
const { workspaceId } = client;
const mug = await offer(app, workspaceId, { amount: '10.00' });
const plan = await offer(app, workspaceId, { amount: '10.00', paymentType: 'subscription' });
const dearer = await anotherPrice(app, { workspaceId, goods: plan, amount: '20.00' });
const alone = await factories.page(app, workspaceId, 'Alone');
const funnel = await factories.funnel(app, { workspaceId });
const steps = await factories.workflow(app, funnel, ['Shown']);
const shown = Number(steps.get('Shown')?.pageId);

const endpoint = (limits: object) =>
  factories.webhookEndpoint(app, { workspaceId, eventTypeIds: [], ...limits });
const ofShown = await endpoint({ pageIds: [BigInt(shown)] });
const ofAlone = await endpoint({ pageIds: [alone.id] });
const ofFunnel = await endpoint({ funnelIds: [funnel.id] });
const ofAll = await endpoint({});

interface Happened {
  readonly event_type: string;
  readonly page_id: bigint | null;
  readonly funnel_id: bigint | null;
  readonly endpoints: bigint[];
}

/** The events of what `work` does, and the endpoints that are notified of each. */
async function happening(work: () => Promise<unknown>): Promise<Happened[]> {
  const last = 'select coalesce(max(id), 0) as id from events where workspace_id = $1';
  const before = (await pool.query<{ id: bigint }>(last, [workspaceId])).rows[0]?.id;
  await work();
  const { rows } = await pool.query<Happened>(
    `select e.event_type, e.page_id, e.funnel_id, array(select d.endpoint_id from webhook_deliveries d
        where d.workspace_id = e.workspace_id and d.event_id = e.id order by d.endpoint_id) as endpoints
      from events e where e.workspace_id = $1 and e.id > $2 order by e.id`,
    [workspaceId, before],
  );
  return rows;
}

const places = (events: Happened[]) => [
  ...new Set(events.map(({ page_id, funnel_id, endpoints }) => [page_id, funnel_id, ...endpoints].join())),
];
const IN_FUNNEL = [shown, funnel.id, ofShown.id, ofFunnel.id, ofAll.id].join();
const subscription = { order_type: 'subscription-order', billing_status: 'paid', service_status: 'active' };

test('every event of an order happens on its page, and endpoints for this page or funnel are notified', async () => {
  const made: { id: number; invoiceId: number }[] = [];
  const steps: Record<string, () => Promise<unknown>> = {
    order: async () => made.push(await till.order([[mug, 1]], { page_id: shown })),
    payment: () => till.pay(made[0]?.id ?? 0, { amount: '4.00' }),
    async refund() {
      const { body } = await till.pay(made[0]?.id ?? 0, { amount: '6.00' });
      await till.refund(body['id'] as number);
    },
    change: () => client.send('PUT', `/api/v2/orders/${made[0]?.id}`, { order: { notes: 'By noon' } }),
    invoice: () =>
      client.send('PUT', `/api/v2/orders/invoices/${made[0]?.invoiceId}`, {
        orders_invoice: { due_at: '2030-01-01T00:00:00Z' },
      }),
    async restock() {
      const { line_items } = (await till.get(`orders/invoices/${made[0]?.invoiceId}`)) as {
        line_items: { id: number }[];
      };
      await till.restock(made[0]?.invoiceId ?? 0, [[line_items[0]?.id ?? 0, 1]]);
    },
    async abandonment() {
      const { invoiceId } = await till.order([[mug, 1]], { page_id: shown });
      await client.send('POST', `/api/v2/orders/invoices/${invoiceId}/abandon`);
    },
    async 'another price'() {
      const { id } = await till.order([[plan, 1]], { ...subscription, page_id: shown });
      const { line_items } = (await till.get(`orders/${id}`)) as { line_items: { id: number }[] };
      await client.send('POST', `/api/v2/orders/line_items/${line_items[0]?.id}/changes/perform`, {
        orders_line_items_change: { products_price_id: Number(dearer.priceId) },
      });
    },
  };
  for (const [name, work] of Object.entries(steps)) {
    const events = await happening(work);
    expect([name, events.length > 0, places(events)]).toEqual([name, true, [IN_FUNNEL]]);
  }
});

test('a page without a funnel leaves the funnel empty, and an order without a page both', async () => {
  const onAlone = await happening(() => till.order([[mug, 1]], { page_id: Number(alone.id) }));
  expect(places(onAlone)).toEqual([[alone.id, null, ofAlone.id, ofAll.id].join()]);
  const nowhere = await happening(() => till.order([[mug, 1]]));
  expect(places(nowhere)).toEqual([[null, null, ofAll.id].join()]);
});

test('a contact that an order creates is created on the page of the order', async () => {
  const attributes = { email_address: 'new@example.com' };
  const events = await happening(() =>
    till.order([[mug, 1]], { page_id: shown, contact_id: undefined, contact_attributes: attributes }),
  );
  expect(events.map(({ event_type }) => event_type)).toContain('contact.created');
  expect(places(events)).toEqual([IN_FUNNEL]);
});

test('an event has its page and funnel', async () => {
  await till.order([[mug, 1]], { page_id: shown });
  const path = `/api/v2/workspaces/${workspaceId}/webhooks/outgoing/events?sort_order=desc&per_page=1`;
  const [event] = JSON.parse((await client.send('GET', path)).text);
  expect(event).toMatchObject({
    page: { id: shown, name: 'Shown' },
    funnel: { id: Number(funnel.id), name: `Funnel ${funnel.id}` },
  });
});
