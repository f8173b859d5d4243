// An erasure is recorded in one short transaction, and what was written of the contact is blanked in batches behind it: from the answer on
// nothing of the person is shown or sent, and what a killed process leaves is blanked by whoever comes next.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startEraser } from '../../src/jobs/eraser.ts';
import { blankSome } from '../../src/services/contacts/erasures.ts';
import { type Executor, executorOf, inTransaction } from '../../src/store/connections/executor.ts';
import { eraseContact } from '../../src/store/erasure/contact-erasure.ts';
import { continueErasure, type Erasure, findUndone, findUndoneOf } from '../../src/store/erasure/erasing.ts';
import { ANNOUNCEMENT_LOCKS } from '../../src/store/high-water-marks/high-water-marks.ts';
import { TYPE_NUMBER } from '../../src/store/sql/public-ids.ts';
import { findDueDeliveries } from '../../src/store/webhooks/deliveries-due.ts';
import { blankAll } from '../support/blanking.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { createSessions } from '../support/open-transactions.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let gateway: Gateway;
let client: RestClient;
const sessions = createSessions(() => gateway);

beforeAll(async () => {
  gateway = await createGateway();
});
beforeEach(async () => {
  client = await createRestClient(gateway);
});
afterAll(async () => {
  await sessions.endAll();
  await gateway.close();
});

const pool = () => gateway.app.store.pool;
const run = <T>(work: (tx: Executor) => PromiseLike<T>) => inTransaction(pool(), work);

/** The places that still contain personal data, and how often. */
async function traces(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of ['contacts', 'audit_entries', 'events', 'webhook_attempts']) {
    const { rows } = await pool().query<{ count: number }>(
      `select count(*)::int as count from ${table} t where t.workspace_id = $1 and t::text like '%Conspicuous%'`,
      [client.workspaceId],
    );
    if (rows[0]?.count) found[table] = rows[0].count;
  }
  return found;
}

const pending = async () =>
  prismaOf(gateway.app.store).webhookDelivery.count({
    where: { workspaceId: client.workspaceId, status: 'pending' },
  });

/** A contact with this many events, each with a delivery that has been attempted once and is due again, and as many audit entries. */
async function somebody(count: number) {
  const { app } = gateway;
  const { workspaceId } = client;
  const made = await client.create({ first_name: 'Conspicuous' }, { 'Idempotency-Key': `first-${count}` });
  const id = BigInt(made.body.id);
  const endpoint = await factories.webhookEndpoint(app, { workspaceId, eventTypeIds: [] });
  await pool().query(
    `with event as (
      insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)
      select $1, 'contact.updated', 'Contact', $2, $2, '{"first_name":"Conspicuous"}' from generate_series(1, $4::int) returning id
    ), delivery as (
      insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type, attempt_count)
      select $1, $3, id, 'contact.updated', 1 from event returning id
    ), entry as (
      insert into audit_entries (workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, request_id, after)
      select $1, 'contact.updated', 'Contact', $2, $2, 'api_key', 'x', 'y', '{"first_name":"Conspicuous"}' from generate_series(1, $4::int)
    )
    insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, url, request_headers, response_code, response_start)
    select $1, id, 1, current_timestamp, 1, 'https://a.example', '{}', 500, 'Conspicuous' from delivery`,
    [workspaceId, id, endpoint.id, count],
  );
  return { id, made: made.body, endpoint };
}

/** Erases as the request's transaction does, without the work that follows it. */
async function record(id: bigint): Promise<Erasure> {
  await prismaOf(gateway.app.store).$transaction((tx) => eraseContact(tx, client.workspaceId, id, null));
  return undoneOf(id);
}

async function undoneOf(id: bigint): Promise<Erasure> {
  const undone = await findUndoneOf(executorOf(pool()), client.workspaceId, id);
  if (undone === null) throw new Error('Nothing is left');
  return undone;
}

const erase = (id: bigint) => client.send('DELETE', `/api/v2/contacts/${id}/gdpr_destroy`);

describe('from the record on, before anything is blanked,', () => {
  let at: Awaited<ReturnType<typeof somebody>>;
  beforeEach(async () => {
    at = await somebody(3);
    await record(at.id);
    expect(await traces()).toEqual({ audit_entries: 4, events: 5, webhook_attempts: 3 });
  });

  const shown = async (path: string) => (await client.send('GET', `/api/v2${path}`)).text;

  test('no event, audit entry or attempt returns personal data', async () => {
    const events = await shown(`/workspaces/${client.workspaceId}/webhooks/outgoing/events`);
    expect(events).toContain('contact.updated');
    expect(events).not.toContain('Conspicuous');
    const entries = JSON.parse(await shown(`/workspaces/${client.workspaceId}/audit_entries`)) as {
      before: unknown;
      after: unknown;
      erased_at: string | null;
    }[];
    expect(entries.length).toBe(4);
    for (const { before, after, erased_at } of entries)
      expect([before, after, erased_at]).toEqual([null, null, expect.any(String)]);
    const list = `/webhooks/outgoing/endpoints/${at.endpoint.id}/deliveries`;
    const [delivery] = JSON.parse(await shown(list)) as { id: number }[];
    const detail = await shown(`/webhooks/outgoing/deliveries/${delivery?.id}`);
    expect(detail).toContain('"response_start":null');
    expect(detail).not.toContain('Conspicuous');
  });

  test('GraphQL returns no personal data', async () => {
    const { body } = await client.send('POST', '/graphql', {
      query: `{ workspace(by: { databaseId: ${client.workspaceId} }) {
        auditEntries(first: 10) { nodes { before after erasedAt } }
        webhookEndpoints(first: 1) { nodes { deliveries(first: 10) { nodes { event { data } attempts { responseStart } } } } }
      } }`,
    });
    expect(JSON.stringify(body)).toContain('"erasedAt":"');
    expect(JSON.stringify(body)).not.toContain('Conspicuous');
  });

  test('the answer to a request with an idempotency key is gone', async () => {
    const contact = { email_address: at.made['email_address'], first_name: 'Conspicuous' };
    await client.refused(410, 'POST', client.contacts, { contact }, { 'Idempotency-Key': 'first-3' });
  });

  test('the answer to one without an effect is gone too', async () => {
    const { id } = await somebody(0);
    const again = () =>
      client.send(
        'PATCH',
        `/api/v2/contacts/${id}`,
        { first_name: 'Conspicuous' },
        { 'Idempotency-Key': 'same' },
      );
    expect((await again()).status).toBe(200);
    await client.send('PATCH', `/api/v2/contacts/${id}`, { first_name: 'Conspicuous B' });
    await record(id);
    const retried = await again();
    expect([retried.status, retried.text.includes('Conspicuous')]).toEqual([410, false]);
  });

  test('nothing is left to send, and nothing can be sent again', async () => {
    const { store } = gateway.app;
    const endpoint = { id: at.endpoint.id, workspaceId: client.workspaceId };
    for (const strictOrder of [false, true]) {
      const { deliveries } = await findDueDeliveries(store, { ...endpoint, strictOrder }, [], 10);
      expect(deliveries.map(({ event, isBeingErased }) => [event, isBeingErased])).toEqual(
        Array.from({ length: 3 }, () => [null, true]),
      );
    }
    await pool().query(
      `update webhook_deliveries set status = 'failed', next_attempt_at = null where workspace_id = $1`,
      [client.workspaceId],
    );
    const first = await prismaOf(store).webhookDelivery.findFirst({
      where: { workspaceId: client.workspaceId },
    });
    await client.refused(409, 'POST', `/api/v2/webhooks/outgoing/deliveries/${first?.id}/redeliver`);
    const since = new Date(0).toISOString();
    const path = `/api/v2/webhooks/outgoing/endpoints/${endpoint.id}/redeliver`;
    expect((await client.send('POST', path, { since })).body['count']).toBe(0);
  });

  test('later changes of the contact are visible, and stay', async () => {
    await client.send('PATCH', `/api/v2/contacts/${at.id}`, { first_name: 'Conspicuous' });
    const events = `/workspaces/${client.workspaceId}/webhooks/outgoing/events?sort_order=desc&per_page=1`;
    for (const _ of ['before', 'after']) {
      expect(await shown(events)).toContain('Conspicuous');
      expect(
        await shown(`/workspaces/${client.workspaceId}/audit_entries?sort_order=desc&per_page=1`),
      ).toContain('"first_name":"Conspicuous"');
      await blankAll(gateway.app);
      expect(await traces()).toEqual({ contacts: 1, audit_entries: 1, events: 1 });
    }
  });
});

test('a contact with little data is blanked before the answer', async () => {
  const { id } = await somebody(20);
  expect((await erase(id)).status).toBe(200);
  expect([await traces(), await pending()]).toEqual([{}, 1]);
});

test('a contact with much data is blanked further in the background', async () => {
  const { id } = await somebody(150);
  expect((await erase(id)).status).toBe(200);
  const left = await traces();
  expect(left).toMatchObject({ events: expect.any(Number), audit_entries: expect.any(Number) });
  const eraser = startEraser(gateway.app);
  await expect.poll(traces).toEqual({});
  await eraser.close();
  // Endpoints are notified of the erasure itself.
  expect(await pending()).toBe(1);
});

test('a batch of a killed process is blanked by the next one, once', async () => {
  const { id } = await somebody(60);
  const erasure = await record(id);
  const killed = new Error('killed');
  // In the second batch, in the third, in that one again, among the audit entries, and when it was to be said that all is done.
  for (const at of [4, 5, 3, 4, 4]) {
    let statements = 0;
    const dying = (work: (tx: Executor) => PromiseLike<unknown>) =>
      run((tx) =>
        work({
          $queryRawUnsafe: (...args) => tx.$queryRawUnsafe(...args),
          $executeRawUnsafe: async (...args) => {
            if (++statements === at) throw killed;
            return tx.$executeRawUnsafe(...args);
          },
        }),
      );
    const untilKilled = async () => {
      // The transaction of the one killed before ends with its connection, a moment after it.
      while ((await continueErasure(dying as typeof run, erasure, 100)) === 'busy') statements = 0;
    };
    await expect(untilKilled()).rejects.toThrow(killed);
    // Whole batches only: an event that still says something has all its deliveries, one that does not has none.
    const { rows } = await pool().query<{ data: boolean; pending: number; answered: number }>(
      `select e.data is not null as data, count(*) filter (where d.status = 'pending')::int as pending, count(a.response_start)::int as answered
        from events e join webhook_deliveries d on d.workspace_id = e.workspace_id and d.event_id = e.id
          join webhook_attempts a on a.workspace_id = d.workspace_id and a.delivery_id = d.id
        where e.workspace_id = $1 group by e.id, e.data is not null`,
      [client.workspaceId],
    );
    for (const { data, pending, answered } of rows)
      expect([pending, answered]).toEqual(data ? [1, 1] : [0, 0]);
  }
  await blankAll(gateway.app);
  expect([await traces(), await pending()]).toEqual([{}, 0]);
  const versions = async () =>
    (
      await pool().query('select sum(xmin::text::bigint) as sum from events where workspace_id = $1', [
        client.workspaceId,
      ])
    ).rows;
  const before = await versions();
  expect(await blankSome(gateway.app)).toBe(false);
  expect(await continueErasure(run, erasure, 100)).toBe('done');
  expect(await versions()).toEqual(before);
});

test('teams alternate, however many contacts of one have been erased', async () => {
  const others = await createRestClient(gateway);
  for (const of of [others, client])
    await pool().query(
      `insert into contact_erasures (workspace_id, contact_id, events_through, entries_through, erased_at, rows_left)
        select $1, n, 0, 0, current_timestamp - $2::interval, true from generate_series(1, 60) n`,
      [of.workspaceId, of === client ? '1 hour' : '2 hours'],
    );
  const found = await findUndone(gateway.app.store, 50);
  expect(found.filter(({ workspaceId }) => workspaceId === client.workspaceId)).toHaveLength(25);
  await blankAll(gateway.app);
  expect(await findUndone(gateway.app.store, 1)).toEqual([]);
});

test('a process leaves an erasure that another process blanks alone', async () => {
  const { id } = await somebody(3);
  const erasure = await record(id);
  const other = await sessions.connect();
  await other.query('begin');
  await other.query('select from contact_erasures where workspace_id = $1 for update', [client.workspaceId]);
  expect(await continueErasure(run, erasure, 100)).toBe('busy');
  expect(await blankSome(gateway.app)).toBe(false);
  await other.query('rollback');
  await blankAll(gateway.app);
  expect(await traces()).toEqual({});
});

test('a new erasure during the blanking of an earlier one is not considered done with it', async () => {
  const { id } = await somebody(3);
  const first = await record(id);
  await client.send('PATCH', `/api/v2/contacts/${id}`, { first_name: 'Conspicuous' });
  await record(id);
  expect(await continueErasure(run, first, 100)).toBe('done');
  expect(await traces()).toEqual({ audit_entries: 1, events: 1 });
  await blankAll(gateway.app);
  expect(await traces()).toEqual({});
});

test('rows with ids outside the sequence are erased too', async () => {
  const { id } = await somebody(1);
  await pool().query(
    `insert into events (id, workspace_id, event_type, subject_type, subject_id, contact_id, data)
      select pg_sequence_last_value('events_id_seq') + 100000, $1, 'contact.updated', 'Contact', $2, $2, '{"first_name":"Conspicuous"}'`,
    [client.workspaceId, id],
  );
  await record(id);
  await blankAll(gateway.app);
  expect(await traces()).toEqual({});
});

test('a waiting erasure delays no list, because it takes its time last', async () => {
  const { id } = await somebody(1);
  const tag = await client.tag('a tag');
  await client.send('PATCH', `/api/v2/contacts/${id}`, { tag_ids: [tag] });
  const other = await sessions.connect();
  await other.query('begin');
  await other.query('select from contact_tags where workspace_id = $1 for update', [client.workspaceId]);
  const erasing = erase(id);
  await untilWaiting(gateway.app, 1);
  const { rows } = await pool().query(
    `select classid::bigint as class from pg_locks where locktype = 'advisory' and classid::bigint between $1 and $2
      and database = (select oid from pg_database where datname = current_database())`,
    [
      ANNOUNCEMENT_LOCKS.first,
      ANNOUNCEMENT_LOCKS.first + ANNOUNCEMENT_LOCKS.ofTimes + Number(TYPE_NUMBER.contacts),
    ],
  );
  expect(rows).toEqual([]);
  await other.query('rollback');
  expect((await erasing).status).toBe(200);
});
