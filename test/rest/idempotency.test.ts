// Safe retries over REST: a second request with an idempotency key gets the first answer, and changes nothing.
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { createTenant, requestOf, sampleOperations, type Tenant, UNSAFE } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;

const gateway = await ownGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const member = (id: number) => `/api/v2/contacts/${id}`;
const key = (value = 'a-key') => ({ 'Idempotency-Key': value });
const records = () => prismaOf(gateway.app.store).idempotencyRecord.count();
const contactsIn = () =>
  prismaOf(gateway.app.store).contact.count({ where: { workspaceId: client.workspaceId } });

/** Callers that all operations are tried with, each in a tenant of its own. */
const ours = await createRestClient(gateway);
const weak = await factories.apiKey(gateway.app, { teamId: ours.teamId, scopes: ['read'] });
const second = await factories.apiKey(gateway.app, { teamId: ours.teamId });
const stranger = await createRestClient(gateway);

describe.each(sampleOperations('retried', UNSAFE))('$route', (operation) => {
  /** The changes in a tenant, as a number of entries. */
  const changes = ({ workspace }: Tenant) =>
    prismaOf(gateway.app.store).auditEntry.count({ where: { requestId: `counted-${workspace.id}` } });

  async function attempt(tenant: Tenant, caller = ours.caller) {
    const { headers, ...request } = requestOf(operation, tenant);
    const response = await gateway.send(operation.path(tenant), {
      ...{ caller, ...request },
      headers: {
        ...headers,
        ...key(`key-${tenant.workspace.id}`),
        'X-Request-Id': `counted-${tenant.workspace.id}`,
      },
    });
    const { status } = response;
    return {
      status,
      text: await response.text(),
      location: response.headers.get('Location'),
      tag: response.headers.get('ETag'),
    };
  }

  test('one after the other and four at once: one change and one answer; keys of other credentials and of refused requests are free', async () => {
    const tenant = await createTenant(gateway.app, 'retried', ours.teamId);
    const kept = await records();
    expect((await attempt(tenant, weak)).status).toBe(403);
    expect((await attempt(tenant, stranger.caller)).status).toBe(404);
    expect(await records()).toBe(kept);
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => attempt(tenant)));
    expect(first?.status).toBe(operation.success);
    for (const other of [...others, await attempt(tenant)]) expect(other).toEqual(first);
    expect(await changes(tenant)).toBe(operation.entries ?? 1);
    // It is the same request of somebody else: done on its own, though it may change nothing more, or refused as any second one is.
    const { status } = await attempt(tenant, second);
    const isRefused = [404, 409, 422].includes(status);
    // A repeated application of a tag is not kept.
    const isOnce = isRefused || (status === 200 && operation.route.endsWith('/applied_tags'));
    expect(await records()).toBe(kept + (isOnce ? 1 : 2));
  });
});

describe('another request with the key', () => {
  test('gets 422, whatever differs, and whatever became of the first', async () => {
    const made = await client.create({ email_address: 'a@example.com' }, key());
    const path = client.contacts;
    expect(await client.refused(422, 'POST', path, { email_address: 'b@example.com' }, key())).toEqual([
      'Idempotency-Key',
    ]);
    expect(await client.refused(422, 'POST', path, { last_name: 'Lee' }, key())).toEqual(['Idempotency-Key']);
    await client.send('DELETE', member(made.body.id));
    expect(await client.refused(422, 'POST', path, { last_name: 'Lee' }, key())).toEqual(['Idempotency-Key']);
  });

  test('counts as the same if only its form differs: wrapped or bare, unknown members, order, white space', async () => {
    const first = await client.send(
      'POST',
      client.contacts,
      { contact: { first_name: 'A', last_name: 'B' } },
      key(),
    );
    for (const body of [
      '{"last_name":"B", "first_name":"A"}',
      { first_name: 'A', last_name: 'B', nonsense: 1 },
    ]) {
      const again = await client.send('POST', client.contacts, body, key('"a-key"'));
      expect([again.status, again.text]).toEqual([201, first.text]);
    }
    expect(await contactsIn()).toBe(1);
  });

  test('at another path, or with another method, counts as different', async () => {
    const [a, b] = [await client.create(), await client.create()];
    for (const method of ['PUT', 'PATCH'])
      for (const { body } of [a, b]) {
        const changed = await client.send(method, member(body.id), { first_name: method }, key());
        expect([changed.status, changed.body['first_name']]).toEqual([200, method]);
      }
  });
});

test('a refusal is not stored: the same key works for the corrected request', async () => {
  const wrong = { email_address: 'x' };
  expect(await client.refused(422, 'POST', client.contacts, wrong, key())).toEqual(['email_address']);
  await client.create({ email_address: 'taken@example.com' });
  await client.refused(422, 'POST', client.contacts, { email_address: 'taken@example.com' }, key());
  await client.refused(404, 'PUT', member(999_999), {}, key());
  expect((await client.send('POST', client.contacts, { email_address: 'x@example.com' }, key())).status).toBe(
    201,
  );
});

test.each(['', ' ', 'a b', 'é', 'x'.repeat(256), '"'.repeat(300)])('the key %j is refused', async (value) => {
  expect(await client.refused(422, 'POST', client.contacts, {}, key(value))).toEqual(['Idempotency-Key']);
});

test('a retry gets the first answer, whatever has happened since', async () => {
  const tagId = await client.tag('a');
  const made = await client.create({ email_address: 'a@example.com', tag_ids: [tagId] }, key());
  const change = () => client.send('PUT', member(made.body.id), { first_name: 'B' }, key());
  const changed = await change();
  await client.send('PATCH', member(made.body.id), { first_name: 'C', tag_ids: [] });
  await client.send('PUT', `/api/v2/contacts/tags/${tagId}`, { name: 'renamed' });
  const create = () => client.create({ email_address: 'a@example.com', tag_ids: [tagId] }, key());
  expect([(await create()).text, (await change()).text]).toEqual([made.text, changed.text]);
  const remove = () => client.send('DELETE', member(made.body.id), undefined, key());
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
  const again = await create();
  expect([again.status, again.text, again.tag]).toEqual([201, made.text, made.tag]);
  expect((await change()).text).toBe(changed.text);
  await client.refused(404, 'DELETE', member(made.body.id));
});

test('a retry whose If-Match is out of date gets the first answer', async () => {
  const made = await client.create();
  const change = (idempotencyKey: string) =>
    client.send(
      'PUT',
      member(made.body.id),
      { first_name: 'B' },
      { ...key(idempotencyKey), 'If-Match': made.tag },
    );
  const changed = await change('one');
  expect(changed.status).toBe(200);
  expect((await change('one')).text).toBe(changed.text);
  expect((await change('two')).status).toBe(412);
});

test('after 24 hours a key is free for another request', async () => {
  const made = await client.create({ email_address: 'a@example.com' }, key());
  await gateway.app.store.pool.query(
    "update idempotency_records set created_at = current_timestamp - interval '24 hours' where workspace_id = $1",
    [client.workspaceId],
  );
  const other = await client.create({ email_address: 'b@example.com' }, key());
  expect(other.body.id).not.toBe(made.body.id);
  expect((await client.create({ email_address: 'b@example.com' }, key())).text).toBe(other.text);
  expect(
    await client.refused(422, 'POST', client.contacts, { email_address: 'a@example.com' }, key()),
  ).toEqual(['Idempotency-Key']);
  expect(await contactsIn()).toBe(2);
});

test('an erased first answer gets 410, and the deletion of an erased contact still 204', async () => {
  const made = await client.create({ first_name: 'Ann' }, key());
  const change = () => client.send('PUT', member(made.body.id), { first_name: 'Bea' }, key());
  await change();
  const remove = () => client.send('DELETE', member(made.body.id), undefined, key());
  await remove();
  const erase = () => client.send('DELETE', `${member(made.body.id)}/gdpr_destroy`, undefined, key());
  const erased = await erase();
  expect(erased.status).toBe(200);
  await client.refused(410, 'PUT', member(made.body.id), { first_name: 'Bea' }, key());
  const email_address = made.body['email_address'];
  await client.refused(410, 'POST', client.contacts, { email_address, first_name: 'Ann' }, key());
  expect((await remove()).status).toBe(204);
  expect((await erase()).text).toBe(erased.text);
});

test('a record contains only hashes of what the client sent', async () => {
  await client.create({ first_name: 'Conspicuous' }, key('conspicuous-key'));
  const { rows } = await gateway.app.store.pool.query('select t::text as row from idempotency_records t');
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) expect(row).not.toMatch(/conspicuous/i);
});

test('a retry of an upsert is recognized in any form, whether it created or changed', async () => {
  const upsert = (contact: string, idempotencyKey: string) =>
    client.send('POST', `${client.contacts}/upsert`, contact, key(idempotencyKey));
  const forms = [
    '{"email_address":"a@example.com","first_name":"A"}',
    '{"contact":{"first_name":"A","last_name":null,"nonsense":1,"email_address":"a@example.com"}}',
  ];
  for (const [idempotencyKey, status] of [
    ['one', 201],
    ['two', 200],
  ] as const) {
    const answers = await Promise.all(forms.map((form) => upsert(form, idempotencyKey)));
    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
  }
  expect((await upsert('{"email_address":"A@example.com","first_name":"A"}', 'one')).status).toBe(422);
});

test('a key from another workspace is refused on the host of one, without its first answer', async () => {
  const { id, subdomain } = await factories.workspace(gateway.app, { teamId: client.teamId });
  const other = await prismaOf(gateway.app.store).contact.create({
    data: { workspaceId: id, firstName: 'Ann' },
  });
  const request = {
    caller: client.caller,
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'elsewhere' },
    body: '{"first_name":"Bea"}',
  };
  const first = await gateway.send(`/api/v2/contacts/${other.id}`, request);
  const { subdomain: narrowed } = await prismaOf(gateway.app.store).workspace.findUniqueOrThrow({
    where: { id: client.workspaceId },
  });
  const again = (host: string) => gateway.send(`/api/v2/contacts/${other.id}`, { ...request, host });
  const elsewhere = await again(`${narrowed}.localhost:4000`);
  expect([first.status, elsewhere.status, (await again(`${subdomain}.localhost:4000`)).status]).toEqual([
    200, 422, 200,
  ]);
  expect(await elsewhere.text()).not.toContain('Bea');
});
