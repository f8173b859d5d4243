// The life of contacts over REST: create, change, upsert, delete; what is refused changes nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let caller: Caller;
let workspaceId: bigint;
let otherWorkspaceId: bigint;

beforeAll(async () => {
  gateway = await createGateway();
  const { id: teamId } = await factories.team(gateway.app);
  caller = await factories.apiKey(gateway.app, { teamId });
  workspaceId = (await factories.workspace(gateway.app, { teamId })).id;
  otherWorkspaceId = (await factories.workspace(gateway.app, { teamId })).id;
});
afterAll(() => gateway.close());

interface Contact {
  readonly id: number;
  readonly tags: { readonly id: number }[];
  readonly [member: string]: unknown;
}

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await gateway.send(`/api/v2${path}`, {
    caller,
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text === '' ? null : JSON.parse(text)) as Contact,
  };
}

const contactsPath = () => `/workspaces/${workspaceId}/contacts`;
let count = 0;
const anAddress = () => `person${++count}@example.com`;
const createContact = (members: object = {}, headers?: Record<string, string>) =>
  send('POST', contactsPath(), { contact: { email_address: anAddress(), ...members } }, headers);
const eventsOf = async (id: number) =>
  (await gateway.app.store.prisma.event.findMany({ where: { contactId: id }, orderBy: { id: 'asc' } })).map(
    ({ eventType }) => eventType,
  );
const newTag = async (name: string) =>
  Number((await gateway.app.store.prisma.tag.create({ data: { workspaceId, name } })).id);

describe('creating', () => {
  test('answers 201 with what a later GET shows byte for byte, its Location and its entity tag', async () => {
    const tagId = await newTag('made');
    const made = await createContact({
      first_name: 'Ann',
      tag_ids: [String(tagId)],
      custom_attributes: { 'Shoe Size': 42, b: 'é "quoted"', a1: null, '10': 'x' },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      first_name: 'Ann',
      anonymous: 0,
      tags: [{ id: tagId }],
      custom_attributes: { shoe_size: '42', b: 'é "quoted"', a1: '' },
    });
    const got = await send('GET', `/contacts/${made.body.id}`);
    expect(got.text).toBe(made.text);
    expect(got.headers.get('etag')).toBe(made.headers.get('etag'));
    expect(made.headers.get('location')).toMatch(new RegExp(`/api/v2/contacts/${made.body.id}$`));
    expect(await eventsOf(made.body.id)).toEqual([
      'contact.created',
      'contact.identified',
      'contacts/applied_tag.created',
    ]);
  });

  test('takes an empty body, bare members, and ignores unknown ones', async () => {
    const empty = await send('POST', contactsPath());
    expect([empty.status, empty.body['anonymous'], await eventsOf(empty.body.id)]).toEqual([
      201,
      1,
      ['contact.created'],
    ]);
    const bare = await send('POST', contactsPath(), {
      first_name: 'B',
      id: 5,
      workspace_id: Number(otherWorkspaceId),
      nonsense: {},
    });
    expect(bare.body).toMatchObject({ first_name: 'B', workspace_id: Number(workspaceId) });
  });
  test('blames each wrong member', async () => {
    const refused = await send('POST', contactsPath(), {
      contact: { email_address: 'x', first_name: 5, tag_ids: ['a'] },
    });
    expect(refused.status).toBe(422);
    expect((refused.body['errors'] as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'email_address',
      'first_name',
      'tag_ids',
    ]);
  });

  test.each([
    ['an object', { toString: 1, valueOf: 1 }],
    ['a list', [{ toString: 1 }]],
  ])('blames a custom attribute that is %s, whatever its members are called', async (_, value) => {
    const refused = await createContact({ custom_attributes: { shoe: value } });
    expect([refused.status, refused.body['errors']]).toMatchObject([
      422,
      [{ field: 'custom_attributes.shoe' }],
    ]);
  });
});

describe('upsert', () => {
  test('creates with 201 and changes with 200 whoever has the address; null and an empty list leave things as they are', async () => {
    const upsert = (contact: object) => send('POST', `${contactsPath()}/upsert`, { contact });
    const made = await upsert({ email_address: 'Up@example.com', first_name: 'A', last_name: 'L' });
    const changed = await upsert({
      email_address: ' uP@example.com ',
      first_name: null,
      last_name: 'M',
      tag_ids: [],
    });
    expect([made.status, changed.status, changed.body.id]).toEqual([201, 200, made.body.id]);
    expect(changed.body).toMatchObject({ first_name: 'A', last_name: 'M' });
  });

  test('of many at once with one address makes one contact', async () => {
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send('POST', `${contactsPath()}/upsert`, {
          email_address: 'race@example.com',
          first_name: `${index}`,
        }),
      ),
    );
    expect(new Set(many.map(({ body }) => body.id)).size).toBe(1);
    expect(many.filter(({ status }) => status === 201)).toHaveLength(1);
  });
});

describe('a retry with its key', () => {
  test('is answered as the first request was, however many come at once', async () => {
    const address = anAddress();
    const create = () =>
      send('POST', contactsPath(), { email_address: address }, { 'Idempotency-Key': '"once"' });
    const answers = await Promise.all(Array.from({ length: 10 }, create));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    const other = await send(
      'POST',
      contactsPath(),
      { email_address: anAddress() },
      { 'Idempotency-Key': '"once"' },
    );
    expect(other.status).toBe(422);
  });

  test('of an upsert asks for the same in whatever order and form its members are', async () => {
    const tagId = await newTag('upserted');
    const upsert = (body: string) =>
      send('POST', `${contactsPath()}/upsert`, body, { 'Idempotency-Key': 'upserted' });
    const first = await upsert(`{"email_address":"same@example.com","tag_ids":["${tagId}"]}`);
    const retry = await upsert(`{"contact":{"tag_ids":[${tagId}],"email_address":"same@example.com"}}`);
    expect([first.status, retry.status, retry.text]).toEqual([201, 201, first.text]);
  });

  test('of a removal is 204 again, without it 404', async () => {
    const { body } = await createContact();
    const remove = (headers = {}) => send('DELETE', `/contacts/${body.id}`, undefined, headers);
    const key = { 'Idempotency-Key': 'removal' };
    const statuses = [await remove(key), await remove(key), await remove()].map(({ status }) => status);
    expect(statuses).toEqual([204, 204, 404]);
  });
});

test('If-Match names a state that nobody has changed since; the tag of a change is that of a read', async () => {
  const made = await createContact();
  const path = `/contacts/${made.body.id}`;
  const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? '';
  const first = await send('PUT', path, { first_name: 'x' }, { 'If-Match': tagOf(made) });
  const late = await send('PATCH', path, { first_name: 'y' }, { 'If-Match': tagOf(made) });
  const read = await send('GET', path, undefined, { 'If-None-Match': tagOf(first) });
  expect([first.status, late.status, read.status]).toEqual([200, 412, 304]);
});
