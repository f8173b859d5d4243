// Deliveries that end during a delivery to their endpoint are not sent any more: at most those in progress, and those that start within a
// second.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DeliveryWorker, startDeliveryWorker } from '../../src/jobs/delivery/delivery-worker.ts';
import { apiKey, webhookEndpoint, workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { createReceiver, type Receiver } from '../support/webhook-receiver.ts';

/** Busy machines are slow. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });

let gateway: Gateway;
let worker: DeliveryWorker;
let to: Receiver;
beforeAll(async () => {
  gateway = await createGateway({
    env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', SHUTDOWN_TIMEOUT_MS: '100' },
  });
  worker = startDeliveryWorker(gateway.app);
  to = await createReceiver();
});
afterAll(async () => {
  await worker.close();
  await to.close();
  await gateway.close();
});
beforeEach(() => {
  to.received.length = 0;
  to.answer = () => 200;
});

/** A workspace and its team. @param id of an existing one */
async function placeOf(id: bigint | number | undefined): Promise<{ id: bigint; teamId: bigint }> {
  const prisma = prismaOf(gateway.app.store);
  return id === undefined ? workspace(gateway.app) : prisma.workspace.findUniqueOrThrow({ where: { id } });
}

/** An endpoint with this many due deliveries. */
async function setUp(count: number, overrides: Parameters<typeof webhookEndpoint>[1] = {}) {
  const { app } = gateway;
  const { id: workspaceId, teamId } = await placeOf(overrides.workspaceId);
  const caller = await apiKey(app, { teamId });
  const endpoint = await webhookEndpoint(app, {
    ...{ workspaceId, url: to.url, eventTypeIds: ['contact.created'] },
    ...overrides,
  });
  const post = async (path: string, body: object = {}) => {
    const response = await gateway.send(`/api/v2${path}`, {
      ...{ caller, method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify(body),
    });
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as { id: number };
  };
  await app.store.pool.query(
    `with event as (
      insert into events (workspace_id, event_type, subject_type, subject_id, data)
      select $1, 'contact.created', 'Contact', n, json_build_object('id', n) from generate_series(1, $3::int) n returning id
    ) insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)
    select $1, $2, id, 'contact.created' from event order by id`,
    [workspaceId, endpoint.id, count],
  );
  const deliveries = () =>
    prismaOf(app.store).webhookDelivery.findMany({ where: { workspaceId }, orderBy: { id: 'asc' } });
  return { workspaceId, endpoint, post, deliveries };
}

for (const strictOrder of [false, true]) {
  const which = strictOrder ? 'in strict order' : 'at once';

  test(`an endpoint that is deactivated gets nothing more, ${which}`, async () => {
    const { endpoint, post } = await setUp(40, { strictOrder, maxDeliveriesPerSecond: 4 });
    await eventually(() => to.received.length).toBe(2);
    await post(`/webhooks/outgoing/endpoints/${endpoint.id}/deactivate`);
    const before = to.received.length;
    const { pool } = gateway.app.store;
    await eventually(
      async () => (await pool.query('select from webhook_leases where holder is not null')).rowCount,
    ).toBe(0);
    expect(to.received.length - before).toBeLessThan(8);
  });

  test(`an endpoint whose subscriber lost the right to read the events gets nothing more, ${which}`, async () => {
    const prisma = prismaOf(gateway.app.store);
    const team = await workspace(gateway.app);
    const key = await apiKey(gateway.app, { teamId: team.teamId });
    const { publicId: actorId } = await prisma.apiKey.findUniqueOrThrow({ where: { id: key.id } });
    const subscriber = { workspaceId: team.id, actorKind: 'api_key', actorId };
    const { deliveries } = await setUp(40, { ...subscriber, strictOrder, maxDeliveriesPerSecond: 4 });
    await eventually(() => to.received.length).toBe(2);
    await prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } });
    const isPending = ({ status }: { status: string }) => status === 'pending';
    await eventually(async () => (await deliveries()).filter(isPending)).toEqual([]);
    expect(to.received.length).toBeLessThan(10);
  });

  test(`a delivery that is canceled is not sent, ${which}`, async () => {
    const { post, deliveries } = await setUp(8, { strictOrder, maxDeliveriesPerSecond: 2 });
    await eventually(() => to.received.length).toBe(1);
    const last = (await deliveries()).at(-1);
    await post(`/webhooks/outgoing/deliveries/${last?.id}/cancel`);
    await eventually(async () => (await deliveries()).map(({ status }) => status)).toEqual([
      ...Array.from({ length: 7 }, () => 'delivered'),
      'canceled',
    ]);
    expect(to.received.map(({ payload }) => payload.subject_id).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
}

test('a slow endpoint gets nothing more once it is deactivated', async () => {
  const answers: ((status: number) => void)[] = [];
  to.answer = () => new Promise((resolve) => answers.push(resolve));
  const { endpoint, post } = await setUp(40);
  await eventually(() => to.received.length).toBe(10);
  // What the worker has read counts as current for a second: time itself is tested.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await post(`/webhooks/outgoing/endpoints/${endpoint.id}/deactivate`);
  for (const answer of answers) answer(200);
  const { pool } = gateway.app.store;
  await eventually(
    async () => (await pool.query('select from webhook_leases where holder is not null')).rowCount,
  ).toBe(0);
  expect(to.received).toHaveLength(10);
});
