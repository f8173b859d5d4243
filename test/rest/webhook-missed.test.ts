// The events that an endpoint misses while it is deactivated: nothing is written for it, and the client that activates it may have them
// sent.
import { beforeEach, expect, test } from 'vitest';
import { MAX_MISSED } from '../../src/resources/webhook-endpoints.ts';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { dataOf } from '../support/graphql.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;
const gateway = await ownGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const HOUR_MS = 3_600_000;
const member = (id: bigint, verb: string) => `/api/v2/webhooks/outgoing/endpoints/${id}/${verb}`;

/** An endpoint of the client's workspace that has been deactivated for an hour, and was made long before. */
const deactivated = (overrides: Parameters<typeof factories.webhookEndpoint>[1] = {}) =>
  factories.webhookEndpoint(gateway.app, {
    ...{ workspaceId: client.workspaceId, eventTypeIds: ['contact.created'] },
    ...{ deactivatedAt: new Date(Date.now() - HOUR_MS), deactivationReason: 'requested' },
    createdAt: new Date(Date.now() - 30 * 24 * HOUR_MS),
    ...overrides,
  });

/** The events for an endpoint, in the order of delivery. */
async function told(endpointId: bigint): Promise<{ eventId: bigint; status: string; eventType: string }[]> {
  const where = { workspaceId: client.workspaceId, endpointId };
  const select = { eventId: true, status: true, eventType: true };
  return prismaOf(gateway.app.store).webhookDelivery.findMany({ where, select, orderBy: { id: 'asc' } });
}

/** Events of new contacts, this many hours ago. */
async function happened(hours: number, count = 1, type = 'contact.created'): Promise<bigint[]> {
  const { rows } = await gateway.app.store.pool.query(
    `insert into events (workspace_id, event_type, subject_type, subject_id, data, created_at)
      select $1, $4, 'Contact', n, json_build_object('id', n), now() - $2 * interval '1 hour' from generate_series(1, $3::int) n
      returning id`,
    [client.workspaceId, hours, count, type],
  );
  return rows.map(({ id }) => BigInt(id));
}

const ids = (list: readonly { eventId: bigint }[]) => list.map(({ eventId }) => eventId);

test('nothing is written for a deactivated endpoint, whatever the reason', async () => {
  for (const deactivationReason of ['requested', 'failing', 'gone', 'unauthorized'])
    await deactivated({ deactivationReason });
  await client.create();
  const prisma = prismaOf(gateway.app.store);
  const { workspaceId } = client;
  expect(await prisma.webhookDelivery.count({ where: { workspaceId } })).toBe(0);
  expect(await prisma.event.count({ where: { workspaceId } })).toBe(2);
});

test('missed events are sent at activation, once and in order; other kinds of events are not', async () => {
  const { id } = await deactivated();
  const [before, first] = [await happened(3), await happened(0.5, 3)];
  await happened(0.5, 2, 'contact.deleted');
  await client.create();
  const answer = await client.send('POST', member(id, 'activate'));
  expect(answer.body).toMatchObject({ deactivated_at: null, deactivation_reason: null });
  const sent = await told(id);
  expect(sent.slice(0, 3).map(({ eventId }) => eventId)).toEqual(first);
  expect(sent).toHaveLength(4);
  expect(sent.every(({ status, eventType }) => status === 'pending' && eventType === 'contact.created')).toBe(
    true,
  );
  expect(ids(sent)).not.toContain(before[0]);
  await client.send('POST', member(id, 'deactivate'));
  await client.send('POST', member(id, 'activate'));
  expect(await told(id)).toEqual(sent);
});

test.each([
  ['requested', undefined, 1],
  ['failing', undefined, 1],
  ['gone', undefined, 0],
  ['unauthorized', undefined, 0],
  ['requested', false, 0],
  ['gone', true, 1],
] as const)(
  'of one that was %s, with send_missed %s, %s is sent',
  async (deactivationReason, given, count) => {
    const { id } = await deactivated({ deactivationReason });
    await happened(0.5);
    const answer = await client.send('POST', member(id, 'activate'), { send_missed: given });
    expect(answer.status).toBe(200);
    expect(await told(id)).toHaveLength(count);
  },
);

test('the option exists over GraphQL too, for activation and afterwards', async () => {
  const { id } = await deactivated();
  const missed = await happened(0.5, 2);
  const of = { caller: client.caller };
  const nodeId = btoa(`WebhookEndpoint:${id}`);
  await dataOf(
    gateway,
    graphql(`
      mutation ActivateAlone($id: ID!) {
        activateWebhookEndpoint(input: { webhookEndpointId: $id, sendMissed: false }) { webhookEndpoint { deactivatedAt } }
      }
    `),
    { id: nodeId },
    of,
  );
  expect(await told(id)).toEqual([]);
  const redeliver = async (isMissed: boolean) => {
    const { redeliverFailedWebhookDeliveries: redelivered } = await dataOf(
      gateway,
      graphql(`
        mutation RedeliverMissed($id: ID!, $since: DateTime!, $missed: Boolean) {
          redeliverFailedWebhookDeliveries(input: { webhookEndpointId: $id, since: $since, sendMissed: $missed }) { count hasMore }
        }
      `),
      { id: nodeId, since: new Date(Date.now() - HOUR_MS).toISOString(), missed: isMissed },
      of,
    );
    return redelivered;
  };
  expect(await redeliver(false)).toEqual({ count: 0, hasMore: false });
  expect(await redeliver(true)).toEqual({ count: 2, hasMore: false });
  expect(ids(await told(id))).toEqual(missed);
});

test('events that were erased, are older than a week or than the endpoint, or are another endpoint’s own, are not sent', async () => {
  const { pool } = gateway.app.store;
  const long = new Date(Date.now() - 20 * 24 * HOUR_MS);
  const { id } = await deactivated({ deactivatedAt: long, eventTypeIds: [] });
  const [erased] = await happened(2);
  await pool.query('update events set data = null, erased_at = now() where id = $1', [erased]);
  await happened(8 * 24);
  await happened(2, 1, 'webhooks/outgoing/endpoint.tested');
  const [recent] = await happened(6 * 24);
  await client.send('POST', member(id, 'activate'));
  expect(ids(await told(id))).toEqual([recent]);
  const young = await deactivated({ createdAt: new Date(Date.now() - HOUR_MS), deactivatedAt: new Date() });
  await client.send('POST', member(young.id, 'activate'));
  expect(await told(young.id)).toEqual([]);
});

test('a limited number is sent at once, the oldest first, and the rest on request', async () => {
  const { id } = await deactivated();
  const missed = await happened(0.5, MAX_MISSED + 2);
  expect((await client.send('POST', member(id, 'activate'))).status).toBe(200);
  const first = ids(await told(id));
  expect([first.length, first[0], first.at(-1)]).toEqual([MAX_MISSED, missed[0], missed[MAX_MISSED - 1]]);
  const since = new Date(Date.now() - HOUR_MS).toISOString();
  const rest = await client.send('POST', member(id, 'redeliver'), { since, missed: true });
  expect(rest.body).toEqual({ count: 2, has_more: false });
  expect(ids(await told(id)).slice(-2)).toEqual(missed.slice(-2));
});

test('a change in progress during the activation of an endpoint is not missed', async () => {
  const { pool } = gateway.app.store;
  const contact = await client.create();
  const { id } = await deactivated({ eventTypeIds: ['contact.updated'] });
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from contacts where workspace_id = $1 and id = $2 for update', [
      client.workspaceId,
      contact.body.id,
    ]);
    const changing = client.send('PATCH', `/api/v2/contacts/${contact.body.id}`, { first_name: 'Late' });
    await untilWaiting(gateway.app, 1);
    const activating = client.send('POST', member(id, 'activate'));
    const isActive = 'select deactivated_at is null as active from webhook_endpoints where id = $1';
    await expect.poll(async () => (await pool.query(isActive, [id])).rows[0].active).toBe(true);
    await holder.query('rollback');
    expect([(await changing).status, (await activating).status]).toEqual([200, 200]);
  } finally {
    holder.release();
  }
  expect(await told(id)).toMatchObject([{ eventType: 'contact.updated' }]);
});
