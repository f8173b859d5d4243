// Specification §2: resources and their fields.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { json } from '../support/walk.ts';

type Field =
  | 'id'
  | 'public_id'
  | 'workspace_id'
  | 'url'
  | 'name'
  | 'event_type_ids'
  | 'api_version'
  | 'created_at'
  | 'updated_at'
  | 'page_ids'
  | 'funnel_ids'
  | 'email_address';
type Fields = Partial<Record<Field, unknown>>;

const ISO_UTC_MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });
await factories.contact(gateway.app, { workspaceId, emailAddress: 'jane@example.com' });
await factories.webhookEndpoint(gateway.app, {
  workspaceId,
  // A time without milliseconds of its own still shows them.
  createdAt: new Date('2026-03-04T05:06:07Z'),
  eventTypeIds: ['contact.identified', 'one-time-order.completed'],
  pageIds: [3n, 4n],
  funnelIds: [5n],
});
await factories.webhookEndpoint(gateway.app, { workspaceId, eventTypeIds: [] });
const read = async (path: string) => json<Fields[]>(await gateway.send(`/api/v2${path}`, { caller }));
const [team = {}] = await read('/teams');
const [contact = {}] = await read(`/workspaces/${workspaceId}/contacts`);
const endpoints = await read(`/workspaces/${workspaceId}/webhooks/outgoing/endpoints`);

test('spec §2 Team: id is an integer, name a string', () => {
  expect(team.id).toBeTypeOf('number');
  expect(Number.isSafeInteger(team.id)).toBe(true);
  expect(team.name).toMatch(/^Team \d+$/);
});

test('spec §2 Contact: id is an integer and the pagination cursor, email_address a string', async () => {
  expect(Number.isSafeInteger(contact.id)).toBe(true);
  expect(contact.email_address).toBe('jane@example.com');
  const list = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, { caller });
  expect(list.headers.get('Pagination-Next')).toBe(String(contact.id));
});

test('spec §2 Webhook endpoint: exactly the eleven fields', () => {
  const fields = [
    'id',
    'public_id',
    'workspace_id',
    'url',
    'name',
    'event_type_ids',
    'api_version',
    'created_at',
  ];
  expect(endpoints).toHaveLength(2);
  for (const endpoint of endpoints) {
    expect(Object.keys(endpoint).sort()).toEqual([...fields, 'updated_at', 'page_ids', 'funnel_ids'].sort());
  }
});

test.each(['id', 'workspace_id', 'api_version'] as const)(
  'spec §2 Webhook endpoint: %s is an integer',
  (field) => {
    for (const endpoint of endpoints) expect(Number.isSafeInteger(endpoint[field])).toBe(true);
  },
);

test('spec §2 Webhook endpoint: workspace_id is the owning workspace', () => {
  for (const endpoint of endpoints) expect(endpoint.workspace_id).toBe(Number(workspaceId));
});

test('spec §2 Webhook endpoint: public_id is a short public identifier', () => {
  for (const endpoint of endpoints) expect(endpoint.public_id).toMatch(/^[A-Za-z]{6,12}$/);
});

test('spec §2 Webhook endpoint: url and name are strings', () => {
  for (const endpoint of endpoints) {
    expect(endpoint.url).toBe('https://hooks.example.com/in');
    expect(endpoint.name).toMatch(/^Endpoint \d+$/);
  }
});

test('spec §2 Webhook endpoint: event_type_ids is an array of <resource>.<event>', () => {
  expect(endpoints[0]?.event_type_ids).toEqual(['contact.identified', 'one-time-order.completed']);
});

test('spec §2 Webhook endpoint: api_version is 2 unless the endpoint is an older one', () => {
  expect(endpoints.map((endpoint) => endpoint.api_version)).toEqual([2, 2]);
});

test.each(['created_at', 'updated_at'] as const)(
  'spec §2 Webhook endpoint: %s is ISO 8601 with milliseconds, UTC',
  (field) => {
    for (const endpoint of endpoints) expect(endpoint[field]).toMatch(ISO_UTC_MILLISECONDS);
    if (field === 'created_at') expect(endpoints[0]?.[field]).toBe('2026-03-04T05:06:07.000Z');
  },
);

test('spec §2 Webhook endpoint: page_ids and funnel_ids are arrays of ids, empty when there is no limit', () => {
  expect(endpoints.map(({ page_ids, funnel_ids }) => [page_ids, funnel_ids])).toEqual([
    [[3, 4], [5]],
    [[], []],
  ]);
});

test('spec §2 Funnel and conditional split step: strings name both in paths, and a split has the branches matched and unmatched', async () => {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const steps = await factories.workflow(gateway.app, funnel, [
    { split: 'S', matched: ['A'], unmatched: ['B'] },
  ]);
  const path = `/api/v2/funnels/${funnel.publicId}/conditional_split_steps/${steps.get('S')?.publicId}`;
  const split = await json<{ branches: { page: { name: string } }[] }>(await gateway.send(path, { caller }));
  expect(split.branches.map(({ page }) => page.name)).toEqual(['A', 'B']);
});
