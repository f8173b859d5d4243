// Erased events are not sent, even if they were loaded before.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeliveryContext, deliver } from '../../src/jobs/delivery/deliver.ts';
import { executorOf } from '../../src/store/connections/executor.ts';
import { eraseContact } from '../../src/store/erasure/contact-erasure.ts';
import {
  areErased,
  type ContactEvent,
  findDueDeliveries,
  findDueEndpoint,
} from '../../src/store/webhooks/deliveries-due.ts';
import { blankAll } from '../support/blanking.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

/** A loaded delivery of a contact's event, and its sender. */
async function setUp() {
  const { app } = gateway;
  const { store } = app;
  const { id: workspaceId } = await factories.workspace(app);
  const { id: endpointId } = await factories.webhookEndpoint(app, { workspaceId });
  const { id: contactId } = await factories.contact(app, { workspaceId });
  const event = await factories.webhookEvent(app, { workspaceId, contactId });
  const due = { status: 'pending', nextAttemptAt: new Date(0), attemptCount: 0, responseCode: null };
  await factories.webhookDelivery(app, { workspaceId, endpointId, eventId: event.id }, due);
  const endpoint = await findDueEndpoint(store, endpointId);
  if (endpoint === null) throw new Error('It is not active');
  const [delivery] = (await findDueDeliveries(store, endpoint, [], 10)).deliveries;
  if (delivery === undefined || delivery.event === null) throw new Error('Nothing is due');
  let sent = 0;
  const context = {
    ...{ app, db: store },
    sender: {
      async send() {
        sent++;
        const answer = { code: 500, error: null, responseStart: 'No', retryAfterMs: null };
        return { ...answer, startedAt: new Date(), durationMs: 1 };
      },
    },
    writeOutcome: async () => {},
    isErased: async (event: ContactEvent) => (await areErased(store, [event]))[0],
    ...{ stopping: new AbortController().signal, halt: new AbortController().signal },
  } as unknown as DeliveryContext;
  const secrets = { current: 'whsec_c2VjcmV0', previous: null };
  return {
    ...{ store, workspaceId, contactId },
    deliver: () => deliver(context, { endpoint, secrets }, delivery),
    count: () => sent,
    status: async () =>
      (await prismaOf(store).webhookDelivery.findFirstOrThrow({ where: { workspaceId } })).status,
  };
}

test('a delivery that was loaded before its contact was erased is not sent, and is canceled with the rest', async () => {
  const { store, workspaceId, contactId, deliver, count, status } = await setUp();
  expect([await deliver(), count()]).toEqual([expect.objectContaining({ kind: 'failed' }), 1]);
  await eraseContact(executorOf(store.pool), workspaceId, contactId, null);
  expect([await deliver(), count()]).toEqual([{ kind: 'skipped' }, 1]);
  await blankAll(gateway.app);
  expect(await status()).toBe('canceled');
});

test('a delivery of another contact, of another workspace or from after the erasure is sent', async () => {
  const { store, workspaceId, contactId, deliver, count } = await setUp();
  await eraseContact(executorOf(store.pool), workspaceId, contactId + 1n, null);
  const { id: other } = await factories.workspace(gateway.app);
  await eraseContact(executorOf(store.pool), other, contactId, null);
  await store.pool.query('insert into contact_erasures values ($1, $2, 0, 0, current_timestamp)', [
    workspaceId,
    contactId,
  ]);
  await deliver();
  expect(count()).toBe(1);
});
