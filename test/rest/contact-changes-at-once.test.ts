// Concurrent changes of one contact: each waits for the one before it before it decides anything.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { untilDoneOrWaiting, untilWaiting } from '../support/lock-waits.ts';
import { prismaOf } from '../support/prisma.ts';

let gateway: Gateway;
let caller: Caller;
let contact: { id: bigint; workspaceId: bigint };
/** Its transactions meet those of the gateway. */
let other: pg.Client;

beforeAll(async () => {
  gateway = await createGateway();
  other = new pg.Client(gateway.app.store.connection);
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await gateway.close();
});
beforeEach(async () => {
  const workspace = await factories.workspace(gateway.app);
  caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
  contact = await factories.contact(gateway.app, { workspaceId: workspace.id });
});

const waiting = (count: number) => untilWaiting(gateway.app, count);

test('a change whose contact is removed while it waits for its turn is 404', async () => {
  await other.query('begin');
  await other.query('delete from contacts where workspace_id = $1 and id = $2', [
    contact.workspaceId,
    contact.id,
  ]);
  const changing = gateway.send(`/api/v2/contacts/${contact.id}`, {
    ...{ caller, method: 'PUT', headers: { 'Content-Type': 'application/json' } },
    body: '{"first_name":"Ann"}',
  });
  await waiting(1);
  await other.query('commit');
  expect((await changing).status).toBe(404);
});

test.each([null, 'moved@example.com'])(
  'an upsert whose contact has lost its address while it waited makes another one: of %s nothing is overwritten',
  async (address) => {
    const before = 'person@example.com';
    const give = (text: string, values: unknown[]) =>
      other.query(
        `update contacts set ${text}, row_version = row_version + 1 where workspace_id = ${contact.workspaceId} and id = $1`,
        values,
      );
    await give('email_address = $2', [contact.id, before]);
    await other.query('begin');
    await give('email_address = $2, first_name = null', [contact.id, address]);
    const upserting = gateway.send(`/api/v2/workspaces/${contact.workspaceId}/contacts/upsert`, {
      ...{ caller, method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ email_address: before, first_name: 'Ann' }),
    });
    await waiting(1);
    await other.query('commit');
    const response = await upserting;
    expect(response.status).toBe(201);
    expect(((await response.json()) as { id: number }).id).not.toBe(Number(contact.id));
    const left = await gateway.send(`/api/v2/contacts/${contact.id}`, { caller });
    expect(await left.json()).toMatchObject({ email_address: address, first_name: null });
  },
);

test('removing a tag takes an id only after the lock of its contact, so that events are in the order of the changes', async () => {
  const { app } = gateway;
  const { id: tagId } = await factories.tag(app, contact.workspaceId, 'vip');
  await prismaOf(app.store).contactTag.create({
    data: { workspaceId: contact.workspaceId, contactId: contact.id, tagId },
  });
  const drawn = async () => {
    const ofTable = (table: string) => `select last_value, is_called from ${table}_id_seq`;
    return (await app.store.pool.query(`${ofTable('audit_entries')} union all ${ofTable('events')}`)).rows;
  };
  const before = await drawn();
  await other.query('begin');
  await other.query('select from contacts where workspace_id = $1 and id = $2 for update', [
    contact.workspaceId,
    contact.id,
  ]);
  const removing = gateway.send(`/api/v2/contacts/${contact.id}/applied_tags/${tagId}`, {
    caller,
    method: 'DELETE',
  });
  await waiting(1);
  expect(await drawn()).toEqual(before);
  await other.query('commit');
  expect((await removing).status).toBe(204);
});

/** Runs `work` before a change sends its nth message to PostgreSQL. Returns a function that stops this, and returns how many it sent. */
function beforeMessage(nth: number, work: () => Promise<unknown>): () => number {
  const { pool } = gateway.app.store;
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const { connect: own } = pool;
  const clients = new Set<object>();
  let count = 0;
  pool.connect = (async () => {
    const client = await connect();
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const watched = async (...args: unknown[]) => {
      if (++count === nth) await work();
      return query(...args);
    };
    clients.add(client);
    return Object.assign(client, { query: watched });
  }) as typeof own;
  return () => {
    pool.connect = own;
    for (const client of clients) Reflect.deleteProperty(client, 'query');
    return count;
  };
}

test('a tag that is deleted during a change of its contact has either an event of its own or none', async () => {
  const { app } = gateway;
  const put = (body: object) =>
    gateway.send(`/api/v2/contacts/${contact.id}`, {
      ...{ caller, method: 'PUT', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify(body),
    });
  const eventsOf = (tagId: number) =>
    prismaOf(app.store).event.findMany({
      where: { eventType: 'contacts/applied_tag.deleted', data: { path: ['tag_id'], equals: tagId } },
    });
  for (let nth = 1, sent = nth; nth <= sent; nth++) {
    const tags = ['deleted', 'left'].map((name) => factories.tag(app, contact.workspaceId, `${name} ${nth}`));
    const [deleted = 0, left = 0] = (await Promise.all(tags)).map(({ id }) => Number(id));
    expect((await put({ tag_ids: [deleted, left] })).status).toBe(200);
    let deleting: Promise<unknown> = Promise.resolve();
    const stop = beforeMessage(nth, () => {
      const ofTag = [contact.workspaceId, deleted];
      deleting = other.query('delete from tags where workspace_id = $1 and id = $2', ofTag);
      // Once the change has removed it from the contact, that waits for the change.
      return untilDoneOrWaiting(app, deleting);
    });
    const response = await put({ tag_ids: [], first_name: `name ${nth}` });
    sent = stop();
    await deleting;
    expect([nth, response.status, await response.json()]).toMatchObject([nth, 200, { tags: [] }]);
    const [ofLeft, ofDeleted] = [await eventsOf(left), await eventsOf(deleted)];
    expect([ofLeft.length, ofDeleted.length <= 1]).toEqual([1, true]);
    for (const { subjectId, data } of [...ofLeft, ...ofDeleted])
      expect(data).toMatchObject({ id: Number(subjectId) });
  }
});
