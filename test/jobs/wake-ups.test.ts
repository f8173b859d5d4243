// Reasons to wake the worker of a busy endpoint: its own due deliveries, and nothing that happens to others.
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type DeliveryWorker, startDeliveryWorker } from '../../src/jobs/delivery/delivery-worker.ts';
import { apiKey, webhookEndpoint, workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { createReceiver, type Receiver } from '../support/webhook-receiver.ts';

const TIMEOUT = { timeout: 60_000 };

let gateway: Gateway;
let worker: DeliveryWorker;
const receivers: Receiver[] = [];

beforeAll(async () => {
  gateway = await createGateway({
    env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', SHUTDOWN_TIMEOUT_MS: '100' },
  });
  worker = startDeliveryWorker(gateway.app);
});
afterAll(async () => {
  await worker.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await gateway.close();
});

/** A workspace whose one endpoint is a receiver, and what makes contacts in it. */
async function subscribe() {
  const { app } = gateway;
  const to = await createReceiver();
  receivers.push(to);
  const { id: workspaceId, teamId } = await workspace(app);
  const { id } = await webhookEndpoint(app, { workspaceId, url: to.url, eventTypeIds: ['contact.created'] });
  const caller = await apiKey(app, { teamId });
  const create = async () => {
    const path = `/api/v2/workspaces/${workspaceId}/contacts`;
    const headers = { 'Content-Type': 'application/json' };
    const response = await gateway.send(path, {
      caller,
      method: 'POST',
      headers,
      body: '{"first_name":"Ann"}',
    });
    expect(response.status).toBe(201);
  };
  return { id, to, create };
}

test('a delivery that becomes due is sent while an earlier one is in progress', async () => {
  const { to, create } = await subscribe();
  to.answer = (_, index) => (index === 0 ? null : 200);
  for (const count of [1, 2, 3]) {
    await create();
    await expect.poll(() => to.received.length, TIMEOUT).toBe(count);
  }
});

test('deliveries of other endpoints cause no look-ups for a busy endpoint', async () => {
  const [busy, other] = [await subscribe(), await subscribe()];
  busy.to.answer = () => null;
  await busy.create();
  await expect.poll(() => busy.to.received.length, TIMEOUT).toBe(1);
  // Notifications come in order: after this, those of the busy endpoint's delivery have come too.
  await other.create();
  await expect.poll(() => other.to.received.length, TIMEOUT).toBe(1);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const looks = (id: bigint) =>
    query.mock.calls.filter(([statement]) => {
      const { name, values } = statement as unknown as { name?: string; values?: unknown[] };
      return name === 'webhook_deliveries.next' && values?.[1] === id;
    }).length;
  for (let count = 2; count <= 6; count++) {
    await other.create();
    await expect.poll(() => other.to.received.length, TIMEOUT).toBe(count);
  }
  expect(looks(other.id)).toBeGreaterThan(0);
  expect(looks(busy.id)).toBe(0);
});
