import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

test('an endpoint has its fields, and the list has the eleven of the specification', async () => {
  const endpoint = await factories.webhookEndpoint(gateway.app, {
    workspaceId,
    name: 'Orders',
    url: 'https://hooks.example.com/in?a=1&b=2',
    eventTypeIds: ['contact.identified', 'one-time-order.completed', 'orders/invoice.paid'],
    apiVersion: 1,
    pageIds: [7n, 2n ** 53n + 1n],
    funnelIds: [9n],
  });
  const one = await gateway.send(`/api/v2/webhooks/outgoing/endpoints/${endpoint.publicId}`, { caller });
  const text = await one.text();
  // Ids stay exact where JSON.parse would round them.
  expect(text).toContain('"page_ids":[7,9007199254740993]');
  expect(JSON.parse(text)).toMatchObject({
    url: 'https://hooks.example.com/in?a=1&b=2',
    name: 'Orders',
    event_type_ids: ['contact.identified', 'one-time-order.completed', 'orders/invoice.paid'],
    api_version: 1,
    funnel_ids: [9],
  });
  const list = await gateway.send(`/api/v2/workspaces/${workspaceId}/webhooks/outgoing/endpoints`, {
    caller,
  });
  // The rest stands behind them.
  expect(await list.text()).toBe(`[${text.replace(/,"strict_order":.*/, '}')}]`);
});

test('nothing empty is null', async () => {
  const { id } = await factories.webhookEndpoint(gateway.app, { workspaceId, eventTypeIds: [] });
  const endpoint = await json(await gateway.send(`/api/v2/webhooks/outgoing/endpoints/${id}`, { caller }));
  expect(endpoint).toMatchObject({ event_type_ids: [], page_ids: [], funnel_ids: [], api_version: 2 });
});
