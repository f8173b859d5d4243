// From a change to its receivers (src/jobs/): with real receivers, and the real queue.
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DeliveryWorker, startDeliveryWorker } from '../../src/jobs/delivery-worker.ts';
import { apiKey, WEBHOOK_SECRET, webhookEndpoint, workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { createReceiver, type Receiver } from '../support/webhook-receiver.ts';

let gateway: Gateway;
const workers: DeliveryWorker[] = [];
const receivers: Receiver[] = [];

beforeAll(async () => {
  gateway = await createGateway({
    env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', SHUTDOWN_TIMEOUT_MS: '1000' },
  });
});
afterAll(() => gateway.close());
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await gateway.app.store.pool.query("delete from pgboss.job; update webhook_deliveries set status = 'canceled', next_attempt_at = null where status = 'pending'");
});

function startWorker(options = {}): DeliveryWorker {
  const worker = startDeliveryWorker(gateway.app, options);
  workers.push(worker);
  return worker;
}

async function receiver(): Promise<Receiver> {
  const made = await createReceiver();
  receivers.push(made);
  return made;
}

/** A workspace with an endpoint for each receiver, and what makes contacts in it. */
async function setUp(urls: readonly string[], overrides: Parameters<typeof webhookEndpoint>[1] = {}) {
  const { app } = gateway;
  const { id: workspaceId, teamId } = await workspace(app);
  const caller = await apiKey(app, { teamId });
  const endpoints = [];
  for (const url of urls)
    endpoints.push(
      await webhookEndpoint(app, { workspaceId, url, eventTypeIds: ['contact.created'], ...overrides }),
    );
  const create = async (name: string) => {
    const response = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
      caller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ contact: { email_address: `${name}@example.com` } }),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as { id: number };
  };
  const deliveries = () =>
    app.store.prisma.webhookDelivery.findMany({ where: { workspaceId }, orderBy: { id: 'asc' } });
  return { workspaceId, endpoints, create, deliveries };
}

test('a change is delivered once, signed in both forms, with what REST shows', async () => {
  const to = await receiver();
  startWorker();
  const { create, deliveries, workspaceId } = await setUp([to.url]);
  const contact = await create('ann');
  await expect.poll(() => to.received.length).toBe(1);
  const [{ headers, body, payload }] = to.received as [Receiver['received'][0]];
  expect(Object.keys(payload)).toEqual([
    ...['event_id', 'event_type', 'subject_id', 'subject_type', 'data', 'page', 'funnel', 'workspace_id'],
    ...['api_version', 'created_at'],
  ]);
  expect(payload).toMatchObject({
    ...{ event_type: 'contact.created', subject_id: contact.id, subject_type: 'Contact', api_version: 2 },
    ...{ page: null, funnel: null, workspace_id: Number(workspaceId) },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  expect(payload.data).toEqual(contact);
  expect(headers['x-webhook-clickfunnels-id']).toBe(payload.event_id);
  expect(new Webhook(WEBHOOK_SECRET).verify(body, headers as Record<string, string>)).toEqual(payload);
  await expect.poll(async () => (await deliveries()).map(({ status }) => status)).toEqual(['delivered']);
  await sleep(300);
  expect(to.received).toHaveLength(1);
  const [attempt] = await gateway.app.store.prisma.webhookAttempt.findMany({ where: { workspaceId } });
  expect(attempt).toMatchObject({ number: 1, responseCode: 200, error: null, url: to.url });
});
