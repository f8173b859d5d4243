// The result of an attempt is recorded, and counted for its endpoint, only as far as it is still true at that time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executorOf } from '../../src/store/connections/executor.ts';
import { eraseContact } from '../../src/store/erasure/contact-erasure.ts';
import { continueErasure, findUndoneOf } from '../../src/store/erasure/erasing.ts';
import { findDueEndpoint } from '../../src/store/webhooks/deliveries-due.ts';
import { cancelPending, type Outcome, recordOutcomes } from '../../src/store/webhooks/delivery-outcomes.ts';
import { deactivateBecause } from '../../src/store/webhooks/endpoint-deactivation.ts';
import { blankAll } from '../support/blanking.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { prismaOf } from '../support/prisma.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

async function setUp() {
  const { app } = gateway;
  const { store } = app;
  const { id: workspaceId, teamId } = await factories.workspace(app);
  const { id } = await factories.webhookEndpoint(app, { workspaceId });
  const contactId = 77n;
  const event = await factories.webhookEvent(app, { workspaceId, contactId });
  const delivery = await factories.webhookDelivery(
    app,
    { workspaceId, endpointId: id, eventId: event.id },
    { status: 'pending', nextAttemptAt: new Date(), attemptCount: 0, responseCode: null },
  );
  const endpoint = await findDueEndpoint(store, id);
  if (endpoint === null) throw new Error('It is not active');
  const read = () => prismaOf(store).webhookEndpoint.findFirstOrThrow({ where: { workspaceId, id } });
  const change = (data: object) =>
    prismaOf(store).webhookEndpoint.updateMany({ where: { workspaceId, id }, data });
  const outcome: Outcome = {
    ...{ workspaceId, endpointId: id, deliveryId: delivery.id, deliveryCreatedAt: delivery.createdAt },
    ...{ number: 1, startedAt: new Date(), durationMs: 1, url: endpoint.url, requestHeaders: {} },
    ...{ code: 500, error: null, responseStart: 'Who is Ann?', status: 'pending', waitMs: 1_000 },
  };
  return { store, teamId, workspaceId, contactId, delivery, endpoint, read, change, outcome };
}

for (const [what, data] of [
  ['its URL was changed', { url: 'https://other.example.com/in' }],
  ['somebody else stands behind it', { actorKind: 'api_key', actorId: 'another' }],
] as const)
  test(`an endpoint is not deactivated for the result of an attempt when ${what} since`, async () => {
    const { store, endpoint, read, change } = await setUp();
    await change(data);
    expect(await deactivateBecause(store, endpoint, 'gone')).toBe(null);
    expect(await deactivateBecause(store, endpoint, 'unauthorized')).toBe(null);
    expect((await read()).deactivatedAt).toBe(null);
  });

test('pending deliveries are not canceled for an endpoint that was activated again meanwhile', async () => {
  const { store, workspaceId, endpoint, change, delivery } = await setUp();
  expect(await deactivateBecause(store, endpoint, 'gone')).toEqual([]);
  await change({ deactivatedAt: null, deactivationReason: null });
  expect(await cancelPending(store, endpoint, 10)).toBe(0);
  const { status } = await prismaOf(store).webhookDelivery.findFirstOrThrow({
    where: { workspaceId, id: delivery.id },
  });
  expect(status).toBe('pending');
});

test('an answer that is written while the person is being erased is not kept', async () => {
  const { store, workspaceId, contactId, outcome } = await setUp();
  const client = await store.pool.connect();
  try {
    await client.query('begin');
    const tx = executorOf(client);
    await eraseContact(tx, workspaceId, contactId, null);
    const undone = await findUndoneOf(tx, workspaceId, contactId);
    if (undone === null) throw new Error('Nothing is left');
    await continueErasure(async (work) => work(tx), undone, 1);
    const written = recordOutcomes(store, [outcome]);
    await untilWaiting(gateway.app, 1);
    await client.query('commit');
    await written;
  } finally {
    client.release();
  }
  const attempts = await prismaOf(store).webhookAttempt.findMany({ where: { workspaceId } });
  expect(attempts).toMatchObject([{ number: 1, responseStart: null }]);
});

test('an answer that arrives twice is not kept if the person was erased in between', async () => {
  const { store, workspaceId, contactId, outcome } = await setUp();
  await recordOutcomes(store, [{ ...outcome, code: 200, status: 'delivered', waitMs: null }]);
  await eraseContact(executorOf(store.pool), workspaceId, contactId, null);
  await blankAll(gateway.app);
  await recordOutcomes(store, [{ ...outcome, startedAt: new Date(Date.now() + 1) }]);
  const attempts = await prismaOf(store).webhookAttempt.findMany({ where: { workspaceId } });
  expect(attempts.map(({ responseStart }) => responseStart)).toEqual([null, null]);
});
