// Which endpoints a change makes deliveries for, in its own transaction (src/store/changing/record.ts).
import { beforeEach, expect, test } from 'vitest';
import { IS_SUBSCRIBED } from '../../src/store/changing/record.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;
const gateway = await ownGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
});

type Overrides = Parameters<typeof factories.webhookEndpoint>[1];

/** An endpoint of the client's workspace that is called so, and told of everything unless limited. */
const endpoint = (name: string, overrides: Overrides = {}) =>
  factories.webhookEndpoint(gateway.app, {
    ...{ workspaceId: client.workspaceId, name, eventTypeIds: [] },
    ...overrides,
  });

/** The types of event that each endpoint is to be told of, by its name, in the order in which it is told. */
async function told(workspaceId = client.workspaceId): Promise<Record<string, string[]>> {
  const { rows } = await gateway.app.store.pool.query(
    `select e.name, array(select d.event_type from webhook_deliveries d
        where d.workspace_id = e.workspace_id and d.endpoint_id = e.id order by d.id) as types
      from webhook_endpoints e where e.workspace_id = $1`,
    [workspaceId],
  );
  return Object.fromEntries(rows.map(({ name, types }) => [name, types]));
}

test('an endpoint gets its chosen event types, or all, in its own workspace and version', async () => {
  const other = await factories.workspace(gateway.app, { teamId: client.teamId });
  await endpoint('all');
  await endpoint('one', { eventTypeIds: ['contact.identified', 'order.created'] });
  await endpoint('another', { eventTypeIds: ['contact.deleted'] });
  await endpoint('older', { apiVersion: 1 });
  await endpoint('elsewhere', { workspaceId: other.id });
  await client.create();
  expect(await told()).toEqual({
    all: ['contact.created', 'contact.identified'],
    one: ['contact.identified'],
    another: [],
    older: [],
  });
  expect(await told(other.id)).toEqual({ elsewhere: [] });
});

test('events arrive in the order in which they happened', async () => {
  await endpoint('all');
  for (let index = 0; index < 5; index++) await client.create();
  expect((await told())['all']).toEqual(
    Array.from({ length: 5 }, () => ['contact.created', 'contact.identified']).flat(),
  );
});

test('an endpoint with pages or funnels gets only events there, and both must match', async () => {
  const limits: Record<string, Overrides> = {
    none: {},
    page: { pageIds: [6n, 7n] },
    funnel: { funnelIds: [9n] },
    both: { pageIds: [7n], funnelIds: [9n] },
    'page only': { pageIds: [7n], funnelIds: [10n] },
    'other page': { pageIds: [8n] },
  };
  for (const [name, limit] of Object.entries(limits))
    await endpoint(name, { ...limit, eventTypeIds: ['contact.created'] });
  await client.create();
  expect(await told()).toEqual({
    none: ['contact.created'],
    page: [],
    funnel: [],
    both: [],
    'page only': [],
    'other page': [],
  });
  // No noun says yet where its events happen: the condition by which all endpoints are chosen is asked of an event that says it.
  const { rows } = await gateway.app.store.pool.query<{ name: string }>(
    `select e.name from webhook_endpoints e,
      (select 'contact.created' as event_type, 2 as api_version, 7::bigint as page_id, 9::bigint as funnel_id) o
      where e.workspace_id = $1 and ${IS_SUBSCRIBED} order by 1`,
    [client.workspaceId],
  );
  expect(rows.map(({ name }) => name)).toEqual(['both', 'funnel', 'none', 'page']);
});

test('a change that is rolled back after its events were recorded leaves nothing', async () => {
  await endpoint('all');
  const { pool } = gateway.app.store;
  const prisma = prismaOf(gateway.app.store);
  // Refuses at the commit, when all else of the change is written and its deliveries were counted.
  await pool.query(`create function refuse_late() returns trigger language plpgsql as $$ begin
      if (select count(*) from webhook_deliveries where workspace_id = new.workspace_id) > 0
      then raise exception 'refused at the commit'; end if; return null; end $$;
    create constraint trigger refuse_late after insert on contacts deferrable initially deferred
      for each row when (new.first_name = 'Late') execute function refuse_late()`);
  try {
    const refused = await client.send('POST', client.contacts, {
      contact: { email_address: 'late@example.com', first_name: 'Late' },
    });
    expect(refused.status).toBeGreaterThanOrEqual(500);
  } finally {
    await pool.query('drop trigger refuse_late on contacts; drop function refuse_late()');
  }
  expect(await told()).toEqual({ all: [] });
  expect(await prisma.event.count({ where: { workspaceId: client.workspaceId } })).toBe(0);
  await client.create();
  expect(await told()).toEqual({ all: ['contact.created', 'contact.identified'] });
});
