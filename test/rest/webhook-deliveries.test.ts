// Events and deliveries: who sees which part of them, and what clients can do about deliveries.
import { beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '#prisma';
import { isEventType } from '../../src/resources/event-types.ts';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { type Caller, sharedGateway } from '../support/gateway.ts';
import { dataOf } from '../support/graphql.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, requestOf, sampleOperations, type Tenant, UNSAFE } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';

const EVENTS = '/api/v2/webhooks/outgoing/events';
const DELIVERIES = '/api/v2/webhooks/outgoing/deliveries';
const ENDPOINTS = '/api/v2/webhooks/outgoing/endpoints';

let tenant: Tenant;
let caller: Caller;
let narrow: Caller;

const gateway = await sharedGateway();
beforeEach(async () => {
  tenant = await createTenant(gateway.app, 'told');
  const teamId = tenant.team.id;
  caller = await factories.apiKey(gateway.app, { teamId });
  narrow = await factories.apiKey(gateway.app, { teamId, scopes: ['webhooks:read', 'webhooks:write'] });
});

async function ask(method: string, path: string, body?: object, by = caller) {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await gateway.send(path, { caller: by, method, headers, ...text });
  return { status: response.status, body: (await response.json()) as never as Record<string, never> };
}

async function isDeactivated(): Promise<void> {
  await prismaOf(gateway.app.store).webhookEndpoint.updateMany({
    where: { id: tenant.webhookEndpoint.id },
    data: { deactivatedAt: new Date(), deactivationReason: 'requested' },
  });
}

test('every event that an operation records has a type in the catalogue', async () => {
  // parity-changes.test.ts tests more of them.
  for (const operation of sampleAt('event types', sampleOperations('events', UNSAFE), 3)) {
    const own = await createTenant(gateway.app, 'records', tenant.team.id);
    await gateway.send(operation.path(own), { caller, ...requestOf(operation, own) });
  }
  const recorded = await prismaOf(gateway.app.store).event.groupBy({ by: ['eventType'] });
  expect(recorded.length).toBeGreaterThan(5);
  expect(recorded.map(({ eventType }) => eventType).filter((type) => !isEventType(type))).toEqual([]);
});

describe('the data of an event', () => {
  test('is only for callers who may read its subject', async () => {
    const path = `${EVENTS}/${tenant.webhookEvent.id}`;
    expect((await ask('GET', path)).body['data']).toEqual({ first_name: 'told contact' });
    expect(await ask('GET', path, undefined, narrow)).toMatchObject({
      status: 200,
      body: { data: null, subject_type: 'Contact' },
    });
    const list = await gateway.send(`/api/v2/workspaces/${tenant.workspace.id}/webhooks/outgoing/events`, {
      caller: narrow,
    });
    expect(((await list.json()) as { data: unknown }[]).map(({ data }) => data)).toEqual([null, null]);
  });

  test('is hidden over GraphQL too, whatever else is selected', async () => {
    const query = graphql(`
      query EventData($id: BigInt!) {
        workspace(by: { databaseId: $id }) { webhookEvents { nodes { data } } }
      }
    `);
    const reader = await factories.apiKey(gateway.app, {
      teamId: tenant.team.id,
      scopes: ['webhooks:read', 'account:read'],
    });
    const { workspace } = await dataOf(
      gateway,
      query,
      { id: Number(tenant.workspace.id) },
      { caller: reader },
    );
    expect(workspace?.webhookEvents?.nodes.map(({ data }) => data)).toEqual([null, null]);
  });

  test('contains its page and funnel', async () => {
    const page = await factories.page(gateway.app, tenant.workspace.id, 'Landing');
    const { funnel } = tenant;
    const event = await factories.webhookEvent(gateway.app, {
      workspaceId: tenant.workspace.id,
      pageId: page.id,
      funnelId: funnel.id,
    });
    expect((await ask('GET', `${EVENTS}/${event.id}`)).body).toMatchObject({
      page: { id: Number(page.id), public_id: page.publicId, name: 'Landing' },
      funnel: { id: Number(funnel.id), public_id: funnel.publicId, name: 'told funnel' },
    });
    expect((await ask('GET', `${EVENTS}/${event.id}`, undefined, narrow)).body).toMatchObject({
      page: null,
      funnel: null,
    });
  });
});

describe('the attempts of a delivery', () => {
  test('are returned with it; the bodies only for callers who may read the subject', async () => {
    const path = `${DELIVERIES}/${tenant.webhookDelivery.id}`;
    const attempt = {
      number: 1,
      started_at: '2026-03-01T10:00:00.123Z',
      duration_ms: 45,
      response_code: 500,
      error: null,
    };
    const request = { url: 'https://hooks.example.com/in', headers: { 'content-type': 'application/json' } };
    expect((await ask('GET', path)).body['attempts']).toEqual([
      { ...attempt, response_start: 'told answer', request },
    ]);
    expect((await ask('GET', path, undefined, narrow)).body['attempts']).toEqual([
      { ...attempt, response_start: null, request: null },
    ]);
  });

  test('are the last 20 of many, in their order, over both APIs', async () => {
    const { workspace, webhookDelivery } = tenant;
    const on = { workspaceId: workspace.id, id: webhookDelivery.id };
    for (let number = 2; number <= 25; number++) await factories.webhookAttempt(gateway.app, on, { number });
    await prismaOf(gateway.app.store).webhookDelivery.updateMany({
      where: { id: webhookDelivery.id },
      data: { attemptCount: 25 },
    });
    const last = Array.from({ length: 20 }, (_, index) => index + 6);
    const { body } = await ask('GET', `${DELIVERIES}/${webhookDelivery.id}`);
    expect((body['attempts'] as unknown as { number: number }[]).map(({ number }) => number)).toEqual(last);
    const query = graphql(`
      query Attempts($id: ID!) {
        node(id: $id) { ... on WebhookDelivery { attempts { number responseStart request { url headers } } event { uuid } endpoint { name } } }
      }
    `);
    const id = btoa(`WebhookDelivery:${webhookDelivery.id}`);
    const { node } = await dataOf(gateway, query, { id }, { caller });
    expect(node).toMatchObject({ event: { uuid: expect.any(String) }, endpoint: { name: 'told endpoint' } });
    expect((node as { attempts: { number: number }[] }).attempts.map(({ number }) => number)).toEqual(last);
  });
});

test('deliveries are filtered by status and by event; those of a deleted endpoint are not found', async () => {
  const list = `${ENDPOINTS}/${tenant.webhookEndpoint.id}/deliveries`;
  const idsOf = async (query: string) => {
    const response = await gateway.send(`${list}?${query}`, { caller });
    return ((await response.json()) as { id: number }[]).map(({ id }) => BigInt(id));
  };
  const { webhookDelivery, pendingDelivery, webhookEvent } = tenant;
  expect(await idsOf('')).toEqual([webhookDelivery.id, pendingDelivery.id]);
  expect(await idsOf('filter[status]=failed')).toEqual([webhookDelivery.id]);
  expect(await idsOf('filter[status]=pending,delivered')).toEqual([pendingDelivery.id]);
  expect(await idsOf(`filter[event_id]=${webhookEvent.publicId}`)).toEqual([webhookDelivery.id]);
  const misspelt = await ask('GET', `${list}?filter[status]=failed,fail`);
  expect([misspelt.status, misspelt.body]).toMatchObject([
    422,
    {
      error: 'Each value of filter[status] must be pending, delivered, failed or canceled.',
      errors: [{ field: 'filter[status]' }],
    },
  ]);
  await prismaOf(gateway.app.store).webhookEndpoint.deleteMany({ where: { id: tenant.webhookEndpoint.id } });
  for (const path of [list, `${DELIVERIES}/${webhookDelivery.id}`])
    expect((await ask('GET', path)).status).toBe(404);
  expect((await ask('POST', `${DELIVERIES}/${webhookDelivery.id}/redeliver`)).status).toBe(404);
});

describe('a delivery', () => {
  test('that has failed can be requeued, and its waits start anew', async () => {
    const { webhookDelivery } = tenant;
    const { status, body } = await ask('POST', `${DELIVERIES}/${webhookDelivery.id}/redeliver`);
    expect([status, body]).toMatchObject([
      200,
      { status: 'pending', attempt_count: 1, next_attempt_at: expect.any(String) },
    ]);
    const row = await prismaOf(gateway.app.store).webhookDelivery.findFirstOrThrow({
      where: { id: webhookDelivery.id },
    });
    expect([row.attemptCount, row.attemptsBefore]).toEqual([1, 1]);
  });

  test('that was delivered can be delivered again; a pending one cannot', async () => {
    const { webhookDelivery, pendingDelivery } = tenant;
    await prismaOf(gateway.app.store).webhookDelivery.updateMany({
      where: { id: webhookDelivery.id },
      data: { status: 'delivered', deliveredAt: new Date() },
    });
    expect((await ask('POST', `${DELIVERIES}/${webhookDelivery.id}/redeliver`)).body).toMatchObject({
      status: 'pending',
      delivered_at: null,
    });
    expect(await ask('POST', `${DELIVERIES}/${pendingDelivery.id}/redeliver`)).toMatchObject({
      status: 409,
      body: { detail: 'The delivery is pending and will be attempted anyway.' },
    });
  });

  test('of an erased event, or of a deactivated endpoint, cannot be requeued', async () => {
    const path = `${DELIVERIES}/${tenant.webhookDelivery.id}/redeliver`;
    await prismaOf(gateway.app.store).event.updateMany({
      where: { id: tenant.webhookEvent.id },
      data: { data: Prisma.DbNull, erasedAt: new Date() },
    });
    const erased = await ask('POST', path);
    expect([erased.status, erased.body['detail']]).toEqual([409, expect.stringContaining('erased')]);
    await isDeactivated();
    const inactive = await ask('POST', path);
    expect([inactive.status, inactive.body['detail']]).toEqual([409, expect.stringContaining('activate')]);
  });

  test('can be canceled only while it is pending', async () => {
    const path = `${DELIVERIES}/${tenant.pendingDelivery.id}/cancel`;
    expect((await ask('POST', path)).body).toMatchObject({ status: 'canceled', next_attempt_at: null });
    expect(await ask('POST', path)).toMatchObject({
      status: 409,
      body: { detail: 'The delivery is canceled: only one that is pending can be canceled.' },
    });
  });

  test('that a key may change but not read is returned as its ids and times', async () => {
    const writer = await factories.apiKey(gateway.app, {
      teamId: tenant.team.id,
      scopes: ['webhooks:write'],
    });
    const { status, body } = await ask(
      'POST',
      `${DELIVERIES}/${tenant.webhookDelivery.id}/redeliver`,
      undefined,
      writer,
    );
    expect([status, body['id']]).toEqual([200, Number(tenant.webhookDelivery.id)]);
    const known = ['id', 'public_id', 'created_at', 'updated_at', 'endpoint_id', 'webhook_endpoint_id'];
    expect(Object.keys(body).filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('all failed deliveries of an endpoint', () => {
  test('since a given time can be requeued, except those of erased events', async () => {
    const { workspace, webhookEndpoint } = tenant;
    const on = { workspaceId: workspace.id, endpointId: webhookEndpoint.id };
    const erased = await factories.webhookEvent(gateway.app, {
      workspaceId: workspace.id,
      data: Prisma.DbNull,
      erasedAt: new Date(),
    });
    await factories.webhookDelivery(gateway.app, { ...on, eventId: erased.id });
    const early = await factories.webhookDelivery(
      gateway.app,
      { ...on, eventId: tenant.webhookEvent.id },
      { updatedAt: new Date('2026-01-01T00:00:00Z') },
    );
    const path = `${ENDPOINTS}/${webhookEndpoint.id}/redeliver`;
    const since = '2026-01-02T00:00:00Z';
    expect(await ask('POST', path, { since })).toEqual({ status: 200, body: { count: 1, has_more: false } });
    expect(await ask('POST', path, { since })).toEqual({ status: 200, body: { count: 0, has_more: false } });
    const { status } = await prismaOf(gateway.app.store).webhookDelivery.findFirstOrThrow({
      where: { id: early.id },
    });
    expect(status).toBe('failed');
  });

  test('need a time, and an active endpoint', async () => {
    const path = `${ENDPOINTS}/${tenant.webhookEndpoint.id}/redeliver`;
    for (const body of [{}, { since: 'yesterday' }, { since: null }])
      expect(await ask('POST', path, body)).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'since' }] },
      });
    await isDeactivated();
    expect((await ask('POST', path, { since: '2026-01-01T00:00:00Z' })).status).toBe(409);
  });
});

test('a test event is for one endpoint alone, and contains it without its secret', async () => {
  const { workspace, webhookEndpoint } = tenant;
  const everything = { workspaceId: workspace.id, eventTypeIds: [] };
  const other = await factories.webhookEndpoint(gateway.app, everything);
  const { status, body } = await ask('POST', `${ENDPOINTS}/${webhookEndpoint.id}/test`);
  expect([status, body]).toMatchObject([
    201,
    {
      endpoint_id: Number(webhookEndpoint.id),
      status: 'pending',
      attempts: [],
      event_type_id: 'webhooks/outgoing/endpoint.tested',
    },
  ]);
  const event = await ask('GET', `${EVENTS}/${body['event_id']}`);
  const shown = await ask('GET', `${ENDPOINTS}/${webhookEndpoint.id}`);
  expect(event.body).toMatchObject({ subject_type: 'Webhooks::Outgoing::Endpoint', data: shown.body });
  const told = await prismaOf(gateway.app.store).webhookDelivery.count({ where: { endpointId: other.id } });
  expect(told).toBe(0);
  await isDeactivated();
  expect((await ask('POST', `${ENDPOINTS}/${webhookEndpoint.id}/test`)).status).toBe(409);
});
