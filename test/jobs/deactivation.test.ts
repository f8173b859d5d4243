// The effects of delivery results on an endpoint (src/jobs/delivery/deliver.ts), and a backlog for a dead receiver.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Prisma } from '#prisma';
import { startDeliveryWorker } from '../../src/jobs/delivery/delivery-worker.ts';
import { nextAttempt } from '../../src/jobs/delivery/retries.ts';
import { apiKey, webhookDelivery, webhookEndpoint, webhookEvent, workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { createReceiver, type Receiver } from '../support/webhook-receiver.ts';

/** Busy machines are slow. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });

let gateway: Gateway;
let close: () => Promise<void>;
let dead: Receiver;
let owner: Receiver;
beforeAll(async () => {
  gateway = await createGateway({
    env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', SHUTDOWN_TIMEOUT_MS: '100' },
  });
  [dead, owner] = [await createReceiver(), await createReceiver()];
  const worker = startDeliveryWorker(gateway.app);
  close = async () => {
    await worker.close();
    await Promise.all([dead.close(), owner.close()]);
    await gateway.close();
  };
});
afterAll(() => close());

const DEACTIVATED = 'webhooks/outgoing/endpoint.deactivated';

/** An endpoint for events of contacts, and another one of its owner for events of endpoints. */
async function setUp(overrides: Parameters<typeof webhookEndpoint>[1] = {}) {
  const { app } = gateway;
  const { id: workspaceId, teamId } = await workspace(app);
  const caller = await apiKey(app, { teamId });
  const endpoint = await webhookEndpoint(app, {
    ...{ workspaceId, url: dead.url, eventTypeIds: ['contact.created'] },
    ...overrides,
  });
  await webhookEndpoint(app, { workspaceId, url: owner.url, eventTypeIds: [DEACTIVATED] });
  [dead.received.length, owner.received.length] = [0, 0];
  const create = async (name: string) => {
    const response = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
      ...{ caller, method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ contact: { email_address: `${name}@example.com` } }),
    });
    expect(response.status).toBe(201);
  };
  const read = async () => {
    const prisma = prismaOf(app.store);
    const [row] = await prisma.webhookEndpoint.findMany({ where: { workspaceId, id: endpoint.id } });
    const deliveries = await prisma.webhookDelivery.findMany({
      where: { workspaceId, endpointId: endpoint.id },
      orderBy: { id: 'asc' },
    });
    return { row, deliveries };
  };
  return { workspaceId, teamId, caller, endpoint, create, read };
}

test('410 ends the subscription: nothing more is sent, and the owner is notified', async () => {
  const { create, read, endpoint } = await setUp({ strictOrder: true });
  const created = Promise.all(['ann', 'bob', 'cy'].map(create));
  // A change after the deactivation creates no delivery.
  dead.answer = async () => {
    await created;
    return 410;
  };
  await created;
  await eventually(() => owner.received.length).toBe(1);
  expect(owner.received[0]?.payload).toMatchObject({
    ...{
      event_type: DEACTIVATED,
      subject_type: 'Webhooks::Outgoing::Endpoint',
      subject_id: Number(endpoint.id),
    },
    data: { id: Number(endpoint.id), deactivation_reason: 'gone', deactivated_at: expect.any(String) },
  });
  expect(owner.received[0]?.payload.data).not.toHaveProperty('webhook_secret');
  expect(dead.received).toHaveLength(1);
  await eventually(async () => (await read()).deliveries.map(({ status }) => status)).toEqual([
    'canceled',
    'canceled',
    'canceled',
  ]);
  await create('dee');
  expect((await read()).deliveries).toHaveLength(3);
});

test('a delivery that is committed after 410, by a change that saw the endpoint active, is canceled too', async () => {
  dead.answer = () => 410;
  const { create, read, workspaceId, endpoint } = await setUp();
  const event = await webhookEvent(gateway.app, { workspaceId });
  const change = await gateway.app.store.pool.connect();
  await change.query('begin');
  await change.query(
    `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type) values ($1, $2, $3, $4)`,
    [workspaceId, endpoint.id, event.id, event.eventType],
  );
  await create('ann');
  await eventually(async () => (await read()).deliveries.map(({ status }) => status)).toEqual(['canceled']);
  await change.query('commit');
  change.release();
  await eventually(async () => (await read()).deliveries.map(({ status }) => status)).toEqual([
    'canceled',
    'canceled',
  ]);
  expect(dead.received).toHaveLength(1);
});

test('a pending delivery stays pending when its owner deactivates the endpoint', async () => {
  dead.answer = () => 200;
  const { read, workspaceId, endpoint } = await setUp({
    deactivatedAt: new Date(),
    deactivationReason: 'requested',
  });
  const event = await webhookEvent(gateway.app, { workspaceId });
  const due = { status: 'pending', nextAttemptAt: new Date() };
  await webhookDelivery(gateway.app, { workspaceId, endpointId: endpoint.id, eventId: event.id }, due);
  // A worker that finds it leaves it alone.
  gateway.app.store.deliveries.notify([endpoint.id]);
  const other = await setUp();
  await other.create('ann');
  await eventually(() => dead.received.length).toBe(1);
  expect((await read()).deliveries).toMatchObject([{ status: 'pending' }]);
});

test('an endpoint that has failed for three days is deactivated, and keeps its pending deliveries', async () => {
  dead.answer = () => 500;
  const long = new Date(Date.now() - 73 * 3_600_000);
  const { create, read, workspaceId, endpoint } = await setUp({ failingSince: long });
  await create('ann');
  await eventually(() => dead.received.length).toBe(1);
  // It has not failed often enough.
  await eventually(async () => (await read()).deliveries[0]?.attemptCount).toBe(1);
  expect((await read()).row?.deactivatedAt).toBe(null);
  const [delivery] = (await read()).deliveries;
  const attempts = Array.from({ length: 20 }, (_, index) => ({
    ...{ workspaceId, deliveryId: delivery?.id ?? 0n, number: index + 2, durationMs: 1, url: dead.url },
    ...{ startedAt: new Date(long.getTime() + index + 1), requestHeaders: {}, error: 'x' },
  }));
  await prismaOf(gateway.app.store).webhookAttempt.createMany({ data: attempts });
  await eventually(async () => {
    // It ends the pause that an endpoint gets which fails.
    await gateway.app.store.pool.query('update webhook_leases set leased_until = now() where holder is null');
    return owner.received.length;
  }).toBe(1);
  expect((await read()).row).toMatchObject({ deactivationReason: 'failing' });
  expect((await read()).deliveries.every(({ status }) => status === 'pending')).toBe(true);
  const sent = dead.received.length;
  // Long enough for an attempt: nothing shows that none comes.
  await sleep(700);
  expect(dead.received).toHaveLength(sent);
  expect(endpoint.failingSince).toEqual(long);
});

test('nothing more is sent once the subscriber has lost the right', async () => {
  dead.answer = () => 200;
  const { caller, create, read, workspaceId, endpoint, teamId } = await setUp();
  const key = await apiKey(gateway.app, { teamId });
  const prisma = prismaOf(gateway.app.store);
  const { publicId } = await prisma.apiKey.findFirstOrThrow({ where: { id: key.id } });
  await prisma.webhookEndpoint.updateMany({
    where: { workspaceId, id: endpoint.id },
    data: { actorKind: 'api_key', actorId: publicId },
  });
  await create('ann');
  await eventually(() => dead.received.length).toBe(1);
  await prisma.apiKey.updateMany({ where: { id: key.id }, data: { revokedAt: new Date() } });
  await create('bob');
  await eventually(() => owner.received.length).toBe(1);
  expect(dead.received).toHaveLength(1);
  expect((await read()).row).toMatchObject({ deactivationReason: 'unauthorized' });
  expect((await read()).deliveries.map(({ status }) => status)).toEqual(['delivered', 'canceled']);
  expect(caller).toBeDefined();
});

test('a delivery whose last attempt failed has failed', async () => {
  dead.answer = () => 500;
  let last = 1;
  while (nextAttempt(last, null) !== null) last += 1;
  const { read, workspaceId, endpoint } = await setUp();
  const event = await webhookEvent(gateway.app, { workspaceId });
  const due = { status: 'pending', nextAttemptAt: new Date(), attemptCount: last - 1 };
  await webhookDelivery(gateway.app, { workspaceId, endpointId: endpoint.id, eventId: event.id }, due);
  await eventually(async () => (await read()).deliveries).toMatchObject([
    { status: 'failed', attemptCount: last, nextAttemptAt: null, responseCode: 500 },
  ]);
  await eventually(async () => (await read()).row?.failingSince).not.toBe(null);
});

test('a backlog keeps its attempts while the receiver is down, and is delivered afterwards', async () => {
  dead.answer = () => 503;
  const since = new Date(Date.now() - 20_000);
  const { create, read } = await setUp({ failingSince: since });
  await Promise.all(Array.from({ length: 40 }, (_, index) => create(`person-${index}`)));
  // Time itself is tested: two seconds of pause after each attempt, and more with the time.
  await sleep(1_500);
  expect(dead.received.length).toBeLessThan(4);
  expect(dead.maxUnderWay()).toBeLessThan(3);
  dead.answer = () => 200;
  // Those that were tried meanwhile have their own waits.
  await eventually(
    async () => (await read()).deliveries.filter(({ status }) => status === 'delivered').length,
  ).toBeGreaterThan(36);
  expect((await read()).row?.failingSince).toBe(null);
});

test('an erased event is not sent', async () => {
  dead.answer = () => 200;
  const { read, workspaceId, endpoint } = await setUp();
  const event = await webhookEvent(gateway.app, { workspaceId, data: Prisma.DbNull, erasedAt: new Date() });
  const due = { status: 'pending', nextAttemptAt: new Date() };
  await webhookDelivery(gateway.app, { workspaceId, endpointId: endpoint.id, eventId: event.id }, due);
  await eventually(async () => (await read()).deliveries.map(({ status }) => status)).toEqual(['canceled']);
  expect(dead.received).toHaveLength(0);
});
