// Tags on contacts over REST: applied once however often a client applies them, and returned with their contact.
import { beforeEach, expect, test } from 'vitest';
import { MAX_TAGS } from '../../src/resources/tags.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;

const gateway = await sharedGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const member = (id: number) => `/api/v2/contacts/${id}`;
const PERSON = { email_address: 'Ida@example.com', first_name: 'Ida', last_name: 'L', phone_number: '+1' };

const apply = (contactId: number, tag_id: number, headers = {}) =>
  client.send('POST', `${member(contactId)}/applied_tags`, { contacts_applied_tag: { tag_id } }, headers);

/** The data of the events of applied tags, the oldest first. */
async function told(): Promise<Record<string, unknown>[]> {
  const events = await prismaOf(gateway.app.store).event.findMany({
    where: { workspaceId: client.workspaceId, eventType: { startsWith: 'contacts/applied_tag.' } },
    orderBy: { id: 'asc' },
  });
  return events.map(({ data }) => data as Record<string, unknown>);
}

test('a tag that the contact already has is answered with 200, and nothing is changed', async () => {
  const tag = await client.tag('vip');
  const { body: contact } = await client.create();
  const made = await apply(contact.id, tag);
  expect([made.status, made.headers.get('Location')]).toEqual([
    201,
    `http://localhost:4000/api/v2/contacts/applied_tags/${made.body.id}`,
  ]);
  const before = await client.send('GET', member(contact.id));
  const record = await client.recordOf(contact.id);
  for (const key of [{}, { 'Idempotency-Key': 'again' }, { 'Idempotency-Key': 'again' }]) {
    const again = await apply(contact.id, tag, key);
    expect([again.status, again.text, again.tag]).toEqual([200, made.text, made.tag]);
    expect(again.headers.get('Location')).toBeNull();
  }
  expect((await client.send('GET', member(contact.id))).text).toBe(before.text);
  expect(await client.recordOf(contact.id)).toEqual(record);
});

test('one of many concurrent requests applies the tag, and all return the result', async () => {
  const tag = await client.tag('vip');
  const { body: contact } = await client.create();
  const answers = await Promise.all(Array.from({ length: 12 }, () => apply(contact.id, tag)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test('the tag can be applied again and again while others remove it, and is never refused', async () => {
  const tag = await client.tag('vip');
  const { body: contact } = await client.create();
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { status } = await apply(contact.id, tag);
      await client.send('DELETE', `${member(contact.id)}/applied_tags/${tag}`);
      return status;
    }),
  );
  for (const status of statuses) expect([200, 201]).toContain(status);
});

test('a removal waits for a change of the contact without holding what that change needs', async () => {
  const prisma = prismaOf(gateway.app.store);
  const tagId = await client.tag('vip');
  const { body: contact } = await client.create();
  await apply(contact.id, tagId);
  const failed: unknown[] = [];
  const stop = intercept(gateway, (_, send) =>
    send().catch((error) => {
      failed.push(error);
      throw error;
    }),
  );
  const of = { workspaceId: client.workspaceId, contactId: BigInt(contact.id) };
  const { removing } = await prisma.$transaction(async (tx) => {
    await tx.$queryRaw`select from contacts where workspace_id = ${of.workspaceId} and id = ${of.contactId} for update`;
    const removing = client.send('DELETE', `${member(contact.id)}/applied_tags/${tagId}`);
    await untilWaiting(gateway.app, 1);
    await tx.contactTag.deleteMany({ where: of });
    return { removing };
  });
  expect((await removing).status).toBe(404);
  stop();
  expect(failed).toEqual([]);
});

test('a caller who may change contacts but not read them gets the ids, the times and the sent tag', async () => {
  const tag = await client.tag('vip');
  const { body: contact } = await client.create();
  const made = await apply(contact.id, tag);
  const { teamId } = client;
  const caller = await factories.apiKey(gateway.app, { teamId, scopes: ['contacts:write'] });
  const response = await gateway.send(`${member(contact.id)}/applied_tags`, {
    ...{ caller, method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ tag_id: tag }),
  });
  const { id, public_id, contact_id, created_at, updated_at } = JSON.parse(made.text);
  const shown = { id, public_id, contact_id, created_at, updated_at, tag_id: tag };
  expect([response.status, await response.json()]).toEqual([200, shown]);
});

test('a contact with the maximum of tags still answers 200 for one of them, and 422 for another', async () => {
  const prisma = prismaOf(gateway.app.store);
  const { workspaceId } = client;
  const { body: contact } = await client.create();
  const names = Array.from({ length: MAX_TAGS }, (_, i) => ({ workspaceId, name: `t${i}` }));
  const tags = await prisma.tag.createManyAndReturn({ data: names });
  await prisma.contactTag.createMany({
    data: tags.map(({ id }) => ({ workspaceId, contactId: BigInt(contact.id), tagId: id })),
  });
  expect((await apply(contact.id, Number(tags[0]?.id))).status).toBe(200);
  const path = `${member(contact.id)}/applied_tags`;
  expect(await client.refused(422, 'POST', path, { tag_id: await client.tag('more') })).toEqual(['tag_id']);
});

test('an idempotency key of another request is refused also if the contact has the tag', async () => {
  const [a, b] = [await client.tag('a'), await client.tag('b')];
  const { body: contact } = await client.create();
  await apply(contact.id, a, { 'Idempotency-Key': 'one' });
  await apply(contact.id, b);
  const path = `${member(contact.id)}/applied_tags`;
  expect(await client.refused(422, 'POST', path, { tag_id: b }, { 'Idempotency-Key': 'one' })).toEqual([
    'Idempotency-Key',
  ]);
});

test('has a short form of its contact in every output, also in events and in the audit trail', async () => {
  const tag = await client.tag('vip');
  const { body: contact } = await client.create(PERSON);
  const made = await apply(contact.id, tag);
  const short = { id: contact.id, public_id: contact['public_id'], ...PERSON };
  expect(made.body['contact']).toEqual(short);
  const one = await client.send('GET', `/api/v2/contacts/applied_tags/${made.body.id}`);
  const list = await client.send('GET', `${member(contact.id)}/applied_tags`);
  expect([one.text, list.text]).toEqual([made.text, `[${made.text}]`]);
  await client.send('DELETE', `${member(contact.id)}/applied_tags/${tag}`);
  expect(await told()).toEqual([made.body, made.body]);
  const entries = await prismaOf(gateway.app.store).auditEntry.findMany({
    where: { workspaceId: client.workspaceId, subjectType: 'Contacts::AppliedTag' },
    orderBy: { id: 'asc' },
  });
  expect(entries.map(({ before, after }) => [before, after])).toEqual([
    [null, made.body],
    [made.body, null],
  ]);
});

test('an event of a tag that is created with its contact has the contact after that change', async () => {
  const [a, b] = [await client.tag('a'), await client.tag('b')];
  const { body: contact } = await client.create({ ...PERSON, tag_ids: [a] });
  await client.send('PATCH', member(contact.id), { first_name: 'Eva', tag_ids: [b] });
  const short = { id: contact.id, public_id: contact['public_id'], ...PERSON };
  const shown = (await told()).map((data) => [data['tag_id'], data['contact']]);
  const renamed = { ...short, first_name: 'Eva' };
  expect(shown[0]).toEqual([a, short]);
  expect(shown.slice(1)).toHaveLength(2);
  expect(shown.slice(1)).toEqual(
    expect.arrayContaining([
      [a, renamed],
      [b, renamed],
    ]),
  );
});

test('a tag that is removed during a change of its contact has the contact after that change', async () => {
  const tag = await client.tag('vip');
  const { body: contact } = await client.create(PERSON);
  await apply(contact.id, tag);
  const { removing } = await prismaOf(gateway.app.store).$transaction(async (tx) => {
    await tx.$executeRaw`update contacts set first_name = 'Eva', row_version = row_version + 1
      where workspace_id = ${client.workspaceId} and id = ${BigInt(contact.id)}`;
    const removing = client.send('DELETE', `${member(contact.id)}/applied_tags/${tag}`);
    await untilWaiting(gateway.app, 1);
    return { removing };
  });
  expect((await removing).status).toBe(204);
  expect((await told()).at(-1)).toMatchObject({ contact: { first_name: 'Eva' } });
});

test('an erasure leaves no personal data in events and audit entries of tags', async () => {
  const { body: contact } = await client.create({ ...PERSON, tag_ids: [await client.tag('a')] });
  await apply(contact.id, await client.tag('b'));
  expect((await client.send('DELETE', `${member(contact.id)}/gdpr_destroy`)).status).toBe(200);
  const prisma = prismaOf(gateway.app.store);
  const where = { workspaceId: client.workspaceId };
  const kept = [await prisma.event.findMany({ where }), await prisma.auditEntry.findMany({ where })];
  expect(JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(
    /Ida|example\.com/,
  );
});
