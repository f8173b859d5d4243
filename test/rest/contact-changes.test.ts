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
});
describe('x', () => {
  test('upsert', async () => {
    const a = await send('POST', `${contactsPath()}/upsert`, {
      contact: { email_address: 'Up@x.com', first_name: 'A', last_name: 'L' },
    });
    const b = await send('POST', `${contactsPath()}/upsert`, {
      contact: { email_address: ' uP@x.com ', first_name: null, last_name: 'M', tag_ids: [] },
    });
    expect([a.status, b.status, b.body['first_name'], b.body['last_name'], b.body.id]).toEqual([
      201,
      200,
      'A',
      'M',
      a.body.id,
    ]);
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        send('POST', `${contactsPath()}/upsert`, { email_address: 'race@x.com', first_name: `${i}` }),
      ),
    );
    expect(new Set(many.map((m) => m.body.id)).size).toBe(1);
    expect(many.filter((m) => m.status === 201)).toHaveLength(1);
  });
  test('idem', async () => {
    const email = anAddress();
    const again = () => send('POST', contactsPath(), { email_address: email }, { 'Idempotency-Key': '"k1"' });
    const all = await Promise.all(Array.from({ length: 10 }, again));
    console.log(
      all.map((a) => a.status),
      new Set(all.map((a) => a.text)).size,
    );
    const [first] = all;
    const del = await send('DELETE', `/contacts/${first!.body.id}`, undefined, { 'Idempotency-Key': 'd' });
    const del2 = await send('DELETE', `/contacts/${first!.body.id}`, undefined, { 'Idempotency-Key': 'd' });
    const del3 = await send('DELETE', `/contacts/${first!.body.id}`);
    console.log(
      del.status,
      del2.status,
      del3.status,
      (await again()).status,
      (await send('POST', contactsPath(), { email_address: anAddress() }, { 'Idempotency-Key': '"k1"' }))
        .text,
    );
  });
  test('ifmatch', async () => {
    const made = await createContact();
    const tag = made.headers.get('etag')!;
    const up = await send('PUT', `/contacts/${made.body.id}`, { first_name: 'x' }, { 'If-Match': tag });
    const up2 = await send('PATCH', `/contacts/${made.body.id}`, { first_name: 'y' }, { 'If-Match': tag });
    console.log(up.status, up.headers.get('etag'), up2.status, up2.text);
    const nm = await send('GET', `/contacts/${made.body.id}`, undefined, {
      'If-None-Match': up.headers.get('etag')!,
    });
    expect(nm.status).toBe(304);
  });
});
