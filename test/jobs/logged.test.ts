// The log about deliveries, at the most detailed level: no secrets, no bodies, no answers.
import { afterAll, expect, test } from 'vitest';
import { startDeliveryWorker } from '../../src/jobs/delivery/delivery-worker.ts';
import { createLogger } from '../../src/output/log.ts';
import { apiKey, WEBHOOK_SECRET, webhookEndpoint, workspace } from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { createReceiver } from '../support/webhook-receiver.ts';

const lines: string[] = [];

const log = createLogger('trace', { write: (line) => lines.push(line) });
const gateway = await createGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, overrides: { log } });
const to = await createReceiver();
const worker = startDeliveryWorker(gateway.app);
afterAll(async () => {
  await worker.close();
  await to.close();
  await gateway.close();
});

test('no secret, no query of a URL, no body and no answer is in the log, whatever the result of a delivery', async () => {
  const { app } = gateway;
  const { id: workspaceId, teamId } = await workspace(app);
  const url = `${to.url}?token=in-the-query`;
  const { id } = await webhookEndpoint(app, { workspaceId, url, eventTypeIds: ['contact.created'] });
  to.answer = (_, index) => ({ status: [500, 410][index] ?? 200, body: 'in-the-answer' });
  await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
    ...{ caller: await apiKey(app, { teamId }), method: 'POST' },
    headers: { 'Content-Type': 'application/json' },
    body: '{"email_address": "in-the-body@example.com"}',
  });
  const said = () => lines.filter((line) => line.includes(`"endpoint":"${id}"`)).join('');
  await expect.poll(said, { timeout: 60_000 }).toContain('webhook endpoint deactivated');
  expect(said()).toContain('"code":500');
  expect(lines.join('')).not.toMatch(/in-the-(query|answer|body)/);
  const signature = to.received[0]?.headers['x-webhook-clickfunnels-signature'];
  for (const secret of [WEBHOOK_SECRET, String(signature)]) expect(lines.join('')).not.toContain(secret);
});
