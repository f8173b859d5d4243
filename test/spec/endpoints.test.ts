// Specification §4: the endpoints, and that lists are arrays of objects. §6 and §9 where they speak of them.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { createTenant, type Tenant } from '../support/operations.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

test.each<[string, (tenant: Tenant) => [string, bigint]]>([
  ['/api/v2/teams', ({ team }) => ['/api/v2/teams', team.id]],
  [
    '/api/v2/workspaces/{workspace_id}/contacts',
    ({ workspace, contact }) => [`/api/v2/workspaces/${workspace.id}/contacts`, contact.id],
  ],
  [
    '/api/v2/workspaces/{workspace_id}/refine_filters',
    ({ workspace, refineFilter }) => [`/api/v2/workspaces/${workspace.id}/refine_filters`, refineFilter.id],
  ],
  [
    '/api/v2/workspaces/{workspace_id}/webhooks/outgoing/endpoints',
    ({ workspace, webhookEndpoint }) => [
      `/api/v2/workspaces/${workspace.id}/webhooks/outgoing/endpoints`,
      webhookEndpoint.id,
    ],
  ],
])('spec §4: GET %s answers a JSON array of objects', async (_, where) => {
  const [path, id] = where(tenant);
  const response = await gateway.send(path, { caller, headers: { accept: 'application/json' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(await json(response)).toContainEqual(expect.objectContaining({ id: Number(id) }));
});

test('spec §4: DELETE /funnels/{funnel_id}/conditional_split_steps/{id}, the path as printed, removes the step', async () => {
  const path = `/funnels/${tenant.funnel.id}/conditional_split_steps/${tenant.split.id}`;
  expect((await gateway.send(path, { caller, method: 'DELETE' })).status).toBe(204);
});

test.each(['application/json', '*/*', 'text/html', 'application/xml', ''])(
  'spec §4 List webhook endpoints: the answer is JSON whatever the accept header, here "%s"',
  async (accept) => {
    const path = `/api/v2/workspaces/${tenant.workspace.id}/webhooks/outgoing/endpoints`;
    const response = await gateway.send(path, { caller, headers: { accept } });
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(await json(response)).toHaveLength(1);
  },
);

test('spec §6: endpoints subscribe to event types, optionally limited to pages and funnels', async () => {
  const eventTypeIds = ['contact.identified', 'one-time-order.completed'];
  const workspace = await factories.workspace(gateway.app, { teamId: tenant.team.id });
  const limits = { pageIds: [1n], funnelIds: [tenant.funnel.id] };
  await factories.webhookEndpoint(gateway.app, { workspaceId: workspace.id, eventTypeIds, ...limits });
  const path = `/api/v2/workspaces/${workspace.id}/webhooks/outgoing/endpoints`;
  expect(await json(await gateway.send(path, { caller }))).toMatchObject([
    { event_type_ids: eventTypeIds, page_ids: [1], funnel_ids: [Number(tenant.funnel.id)] },
  ]);
});

test('spec §9: webhook endpoints carry an integer api_version, and older ones show theirs', async () => {
  const { id } = await factories.webhookEndpoint(gateway.app, {
    workspaceId: tenant.workspace.id,
    apiVersion: 1,
  });
  const response = await gateway.send(`/api/v2/webhooks/outgoing/endpoints/${id}`, { caller });
  expect(await json(response)).toMatchObject({ api_version: 1 });
});
