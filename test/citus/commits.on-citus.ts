// Changes of a workspace are committed in one phase, for all of them is on one node: in two, what a node had prepared when it failed would
// appear up to a minute after its neighbours, behind those who walk through the list.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient } from '../support/rest-client.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

/** What workers have committed in two phases, which Citus notes on the coordinator until it has looked after it. */
async function inTwoPhases(): Promise<string[]> {
  const { rows } = await gateway.app.store.pool.query<{ gid: string }>(
    'select gid from pg_dist_transaction where groupid <> 0',
  );
  return rows.map(({ gid }) => gid);
}

test('creating, changing and deleting a contact with notifications uses no two-phase commit', async () => {
  const client = await createRestClient(gateway);
  const { workspaceId } = client;
  for (const eventTypeIds of [[], ['contact.created']])
    await factories.webhookEndpoint(gateway.app, { workspaceId, eventTypeIds });
  const tags = [await client.tag('one'), await client.tag('two')];
  const before = await inTwoPhases();
  // Teams are on every node.
  expect(before).not.toEqual([]);
  const key = { 'Idempotency-Key': 'one' };
  const { status, body } = await client.send(
    'POST',
    client.contacts,
    { first_name: 'A', tag_ids: tags },
    key,
  );
  const path = `/api/v2/contacts/${body.id}`;
  const changed = await client.send('PATCH', path, { first_name: 'B', tag_ids: [tags[0]] });
  const deleted = await client.send('DELETE', path);
  expect([status, changed.status, deleted.status]).toEqual([201, 200, 204]);
  expect((await inTwoPhases()).filter((gid) => !before.includes(gid))).toEqual([]);
  const count = await prismaOf(gateway.app.store).webhookDelivery.count({ where: { workspaceId } });
  expect(count).toBeGreaterThan(5);
});

test('a new row is found by its id on one shard, and a deleted one on none', async () => {
  const client = await createRestClient(gateway);
  const { body } = await client.send('POST', client.contacts, { first_name: 'A' });
  const known = { table: 'contacts', ids: [BigInt(body.id)] };
  const { placement } = gateway.app.store;
  await factories.workspace(gateway.app, { teamId: client.teamId });
  const reach = async () =>
    (await placement.nameWorkspaces({ teamId: client.teamId, workspaceIds: null }, known)).workspaceIds
      ?.length;
  expect(await reach()).toBe(1);
  await client.send('DELETE', `/api/v2/contacts/${body.id}`);
  expect(await reach()).toBe(2);
});
