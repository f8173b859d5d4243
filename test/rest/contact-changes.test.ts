// The life of contacts over REST: created, changed, upserted, deleted. A refused request changes nothing and leaves no record.
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;

const gateway = await sharedGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const member = (id: number) => `/api/v2/contacts/${id}`;
const TEXTS = [
  ...['first_name', 'last_name', 'phone_number', 'time_zone'],
  ...['fb_url', 'twitter_url', 'instagram_url', 'linkedin_url', 'website_url'],
];
const everything = () => Object.fromEntries(TEXTS.map((name) => [name, `their ${name}`]));

describe('creating', () => {
  test('answers 201 with the bytes of a later GET, its Location and its entity tag', async () => {
    const tagIds = [await client.tag('one'), await client.tag('two')];
    const given = { ...everything(), custom_attributes: { size: 'L', '10': 'x', a1: 'é "quoted" \u2028' } };
    const made = await client.create({ ...given, email_address: 'Ann@Example.com', tag_ids: tagIds });
    expect(made.body).toMatchObject({
      ...given,
      ...{ email_address: 'Ann@Example.com', anonymous: 0, workspace_id: Number(client.workspaceId) },
      tags: tagIds.map((id) => ({ id })),
    });
    const got = await client.send('GET', member(made.body.id));
    expect([got.text, got.tag]).toEqual([made.text, made.tag]);
    expect(made.headers.get('Location')).toBe(`http://localhost:4000${member(made.body.id)}`);
    const { actions, events } = await client.recordOf(made.body.id);
    expect(actions).toEqual(['contact.created']);
    expect(events).toEqual([
      'contact.created',
      'contact.identified',
      ...Array(2).fill('contacts/applied_tag.created'),
    ]);
  });

  test('creates an anonymous contact; an e-mail address or a phone number identifies it', async () => {
    for (const [given, anonymous] of [
      [{ tag_ids: [] }, 1],
      [{ first_name: 'Ann', email_address: null }, 1],
      [{ phone_number: '' }, 1],
      [{ phone_number: ' \t' }, 1],
      [{ email_address: 'a@example.com' }, 0],
      [{ phone_number: '+1 800' }, 0],
    ] as const) {
      const made = await client.send('POST', client.contacts, given);
      expect([made.status, made.body['anonymous']]).toEqual([201, anonymous]);
      expect((await client.recordOf(made.body.id)).events).toEqual([
        'contact.created',
        ...(anonymous === 1 ? [] : ['contact.identified']),
      ]);
    }
  });

  test('accepts bare and wrapped members, and ignores unknown members next to known ones', async () => {
    const ids = {
      id: 5,
      public_id: 'x',
      uuid: 'x',
      workspace_id: 1,
      anonymous: 0,
      created_at: 'x',
      nonsense: {},
    };
    for (const body of [
      { ...ids, first_name: 'B' },
      { contact: { ...ids, first_name: 'B' }, first_name: 'C' },
    ]) {
      const made = await client.send('POST', client.contacts, body);
      expect(made.body).toMatchObject({
        first_name: 'B',
        workspace_id: Number(client.workspaceId),
        anonymous: 1,
      });
    }
  });
});

describe.each(['PUT', 'PATCH'])('%s', (method) => {
  test('keeps absent members, clears null ones, and returns the bytes of a later GET', async () => {
    const made = await client.create({ ...everything(), custom_attributes: { a: '1' } });
    for (const name of TEXTS) {
      const changed = await client.send(method, member(made.body.id), { contact: { [name]: null } });
      expect([changed.status, changed.body[name]]).toEqual([200, null]);
      const got = await client.send('GET', member(made.body.id));
      expect([got.text, got.tag]).toEqual([changed.text, changed.tag]);
    }
    const last = (await client.send('GET', member(made.body.id))).body;
    expect(last).toEqual({
      ...made.body,
      ...Object.fromEntries(TEXTS.map((name) => [name, null])),
      updated_at: last['updated_at'],
    });
    expect(Date.parse(String(last['updated_at']))).toBeGreaterThan(
      Date.parse(String(made.body['updated_at'])),
    );
    expect((await client.recordOf(made.body.id)).actions).toEqual([
      'contact.created',
      ...TEXTS.map(() => 'contact.updated'),
    ]);
  });

  test('identifies a contact with the first e-mail address or phone number, for good', async () => {
    const { body } = await client.send('POST', client.contacts, { last_name: 'Lee' });
    for (const [given, anonymous] of [
      [{ first_name: 'Ann' }, 1],
      [{ phone_number: '' }, 1],
      [{ phone_number: '1' }, 0],
      [{ email_address: 'late@example.com' }, 0],
      [{ email_address: null, phone_number: null }, 0],
      [{ email_address: 'again@example.com' }, 0],
    ] as const)
      expect((await client.send(method, member(body.id), given)).body['anonymous']).toBe(anonymous);
    const { events } = await client.recordOf(body.id);
    expect(events.filter((type) => type === 'contact.identified')).toHaveLength(1);
  });
});

describe('an e-mail address', () => {
  test('is stored as written without surrounding white space, and compared without letter case', async () => {
    const { body } = await client.create({ email_address: ' \t\r\nAnn.Lee@Example.COM\u00a0\ufeff' });
    expect(body['email_address']).toBe('Ann.Lee@Example.COM');
    const other = await client.create();
    for (const same of [
      'ann.lee@example.com',
      'ANN.LEE@EXAMPLE.COM',
      '\n ann.lee@example.com \u3000',
      ' \tAnn.Lee@Example.COM\u00a0',
    ]) {
      expect(await client.refused(422, 'POST', client.contacts, { email_address: same })).toEqual([
        'email_address',
      ]);
      expect(await client.refused(422, 'PUT', member(other.body.id), { email_address: same })).toEqual([
        'email_address',
      ]);
      const own = await client.send('PATCH', member(body.id), { email_address: same });
      expect([own.status, own.body['email_address']]).toEqual([200, same.trim()]);
    }
  });

  test('has no white space in events and the audit trail, and at most 320 characters', async () => {
    const address = `${'a'.repeat(308)}@example.com`;
    const { body } = await client.create({ email_address: `${' '.repeat(100)}${address}\n` });
    expect(body['email_address']).toBe(address);
    const where = { workspaceId: client.workspaceId };
    const events = await prismaOf(gateway.app.store).event.findMany({ where });
    const entries = await prismaOf(gateway.app.store).auditEntry.findMany({ where });
    for (const held of [...events.map(({ data }) => data), ...entries.map(({ after }) => after)])
      expect(held).toMatchObject({ email_address: address });
    expect([events.length, entries.length]).toEqual([2, 1]);
    for (const email_address of [`a${address}`, ' ', ' @ ', 'a b@example.com', 'a@ example.com'])
      expect(await client.refused(422, 'POST', client.contacts, { email_address })).toEqual([
        'email_address',
      ]);
  });

  test('may be the same in another workspace, and may be reused when it is free', async () => {
    const email_address = 'ann@example.com';
    const { body } = await client.create({ email_address });
    const other = await createRestClient(gateway, client.teamId);
    await other.create({ email_address });
    await client.send('PUT', member(body.id), { email_address: null });
    const second = await client.create({ email_address });
    await client.send('DELETE', member(second.body.id));
    await client.create({ email_address });
  });
});

describe('tag_ids', () => {
  test('are numbers or digits, replace the set, and cause an event for each added or removed tag', async () => {
    const [a, b, c] = [await client.tag('a'), await client.tag('b'), await client.tag('c')];
    const { body } = await client.create({ tag_ids: [a, String(b), b] });
    expect(body.tags.map(({ id }) => id)).toEqual([a, b]);
    const change = async (tag_ids: unknown) =>
      (await client.send('PUT', member(body.id), { tag_ids })).body.tags.map(({ id }) => id);
    const { events } = await client.recordOf(body.id);
    expect(await change([String(c), b])).toEqual([b, c]);
    expect((await client.recordOf(body.id)).events.slice(events.length).sort()).toEqual([
      'contact.updated',
      'contacts/applied_tag.created',
      'contacts/applied_tag.deleted',
    ]);
    expect(await change([])).toEqual([]);
    expect(await change([a])).toEqual([a]);
    expect(await change(null)).toEqual([]);
  });

  test('keep the time at which a remaining tag was applied', async () => {
    const [a, b] = [await client.tag('a'), await client.tag('b')];
    const { body } = await client.create({ tag_ids: [a] });
    const { tags } = (await client.send('PATCH', member(body.id), { tag_ids: [a, b] })).body;
    expect(tags[0]).toEqual(body.tags[0]);
  });

  test('of other workspaces, invalid ones, or too many are refused', async () => {
    const { body } = await client.create();
    const { id } = await factories.tag(gateway.app, (await createRestClient(gateway)).workspaceId, 'theirs');
    const tooMany = Array.from({ length: 201 }, (_, i) => i + 1);
    for (const tag_ids of [
      [Number(id)],
      [0],
      [-1],
      [1.5],
      ['x'],
      ['1e3'],
      [''],
      [null],
      [{}],
      'x',
      5,
      {},
      tooMany,
      [2 ** 53],
    ])
      for (const [method, path] of [
        ['POST', client.contacts],
        ['PUT', member(body.id)],
      ] as const)
        expect([tag_ids, await client.refused(422, method, path, { tag_ids })]).toEqual([
          tag_ids,
          ['tag_ids'],
        ]);
  });
});

describe('custom_attributes', () => {
  test('are merged, with names in snake case, null as an empty text, and other values as text', async () => {
    const { body } = await client.create({
      custom_attributes: { 'Shoe Size': 42, favouriteColour: 'red', a: null },
    });
    expect(body['custom_attributes']).toEqual({ shoe_size: '42', favourite_colour: 'red', a: '' });
    const given = { shoe_size: '43', b: true };
    const changed = await client.send('PATCH', member(body.id), { custom_attributes: given });
    expect(changed.body['custom_attributes']).toEqual({
      shoe_size: '43',
      favourite_colour: 'red',
      a: '',
      b: 'true',
    });
    expect((await client.send('GET', member(body.id))).text).toBe(changed.text);
  });

  test('other than an object are ignored, and create no contact by themselves', async () => {
    const { body } = await client.create({ custom_attributes: { a: '1' } });
    for (const custom_attributes of [null, [], ['a'], 'a', 5, true]) {
      const alone = await client.refused(422, 'POST', client.contacts, { custom_attributes, nonsense: 1 });
      expect(alone).toEqual(['body']);
      const changed = await client.send('PUT', member(body.id), { custom_attributes, nonsense: 1 });
      expect([changed.status, changed.body['custom_attributes']]).toEqual([200, { a: '1' }]);
      const made = await client.create({ custom_attributes });
      expect(made.body['custom_attributes']).toEqual({});
    }
  });

  test('with an empty name get 400, with the name of a property or too much data 422', async () => {
    const { body } = await client.create();
    const refuse = (status: number, custom_attributes: unknown) =>
      client.refused(status, 'PUT', member(body.id), { custom_attributes });
    for (const name of ['', ' ', '__', '--']) await refuse(400, { [name]: 'x' });
    for (const name of [
      'email_address',
      'emailAddress',
      'First Name',
      'id',
      'tags',
      'tag_ids',
      'custom_attributes',
    ])
      expect(await refuse(422, { [name]: 'x' })).toHaveLength(1);
    const objects = [{}, [], { toString: 1, valueOf: 1 }, [{ toString: 1 }]].map((a) => ({ a }));
    const wrong = [...objects, { a: 'x'.repeat(2_001) }, { ['x'.repeat(101)]: 'x' }, { a: '\0' }];
    for (const one of wrong) expect(await refuse(422, one)).toHaveLength(1);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`a${i}`, 'x']));
    expect(await refuse(422, many)).toEqual(['custom_attributes']);
    const large = (from: number) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${from + i}`, 'x'.repeat(2_000)]));
    const first = await client.send('PUT', member(body.id), { custom_attributes: large(0) });
    expect(first.status).toBe(200);
    expect(await refuse(422, large(20))).toEqual(['custom_attributes']);
  });
});

describe('refused', () => {
  test('are members of a wrong form, each by its name, and nothing is changed', async () => {
    const { body } = await client.create({ first_name: 'Ann' });
    const wrong = {
      email_address: 'x',
      first_name: 5,
      last_name: 'x'.repeat(2_001),
      phone_number: '\0',
      fb_url: {},
    };
    for (const sent of [{ ...wrong, time_zone: 'Madrid' }, { contact: wrong }])
      for (const [method, path] of [
        ['POST', client.contacts],
        ['PUT', member(body.id)],
        ['PATCH', member(body.id)],
      ] as const)
        expect((await client.refused(422, method, path, sent)).sort()).toEqual(Object.keys(wrong).sort());
    expect((await client.send('GET', member(body.id))).body).toEqual(body);
  });
});

describe('deleting', () => {
  test('answers 204 without a body, once; then every request for it gets 404', async () => {
    const made = await client.create({ tag_ids: [await client.tag('a')] });
    const gone = await client.send('DELETE', member(made.body.id));
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      await client.refused(404, method, member(made.body.id), method === 'GET' ? undefined : {});
    await client.refused(404, 'POST', `${member(made.body.id)}/applied_tags`, { tag_id: 1 });
    const { actions, events } = await client.recordOf(made.body.id);
    expect([actions.at(-1), events.at(-1)]).toEqual(['contact.deleted', 'contact.deleted']);
    const list = await client.send('GET', client.contacts);
    expect(list.text).toBe('[]');
  });
});

describe('upserting', () => {
  const upsert = (contact: object, headers?: Record<string, string>) =>
    client.send('POST', `${client.contacts}/upsert`, { contact }, headers);

  test('creates with 201 and changes with 200, by the address in any spelling', async () => {
    const made = await upsert({ email_address: 'Up@Example.com', first_name: 'A', last_name: 'L' });
    expect([made.status, made.headers.get('Location')]).toEqual([
      201,
      `http://localhost:4000${member(made.body.id)}`,
    ]);
    const changed = await upsert({ email_address: ' uP@example.com ', last_name: 'M' });
    expect([changed.status, changed.headers.get('Location')]).toEqual([200, null]);
    expect(changed.body).toMatchObject({ id: made.body.id, first_name: 'A', last_name: 'M' });
    expect(changed.body['email_address']).toBe('Up@Example.com');
    for (const { tag, text } of [changed]) {
      const got = await client.send('GET', member(made.body.id));
      expect([got.tag, got.text]).toEqual([tag, text]);
    }
    expect((await client.recordOf(made.body.id)).actions).toEqual(['contact.created', 'contact.updated']);
  });

  test('keeps members that are null or an empty list', async () => {
    const tagId = await client.tag('a');
    const email_address = 'up@example.com';
    const attributes = { custom_attributes: { a: '1' } };
    const made = await upsert({ ...everything(), ...attributes, email_address, tag_ids: [tagId] });
    const nothing = Object.fromEntries(TEXTS.map((name) => [name, null]));
    for (const tag_ids of [null, []]) {
      const { body } = await upsert({ ...nothing, email_address, tag_ids, custom_attributes: tag_ids });
      expect(body).toEqual({ ...made.body, updated_at: body['updated_at'] });
    }
    const cleared = await upsert({ email_address, custom_attributes: { a: null } });
    expect(cleared.body['custom_attributes']).toEqual({ a: '' });
  });

  test('does not change the spelling of the address, even with no other member than unknown ones', async () => {
    const made = await upsert({ email_address: ' Foo@Example.com ' });
    expect([made.status, made.body['email_address']]).toEqual([201, 'Foo@Example.com']);
    for (const given of [{}, { nonsense: 1 }, { first_name: 'Foo', nonsense: 1 }]) {
      const changed = await upsert({ email_address: 'foo@example.COM', ...given });
      expect([changed.status, changed.body['email_address']]).toEqual([200, 'Foo@Example.com']);
    }
    const changed = await client.send('PATCH', member(made.body.id), { email_address: ' foo@example.com' });
    expect(changed.body).toMatchObject({ email_address: 'foo@example.com', first_name: 'Foo' });
  });

  test('is refused without a valid address', async () => {
    for (const body of [
      undefined,
      {},
      { email_address: null },
      { email_address: 'x' },
      { email_address: [] },
      { first_name: 'Ann' },
      { contact: { first_name: null } },
      { contacts: { last_name: 'Lee' } },
      { data: { email_address: 'a@example.com' } },
    ])
      expect(await client.refused(422, 'POST', `${client.contacts}/upsert`, body)).toEqual(['email_address']);
  });

  test('many concurrent ones of one address create one contact: one answers 201, the others 200', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => upsert({ email_address: 'race@example.com', first_name: `${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const { actions } = await client.recordOf(answers[0]?.body.id ?? 0);
    expect(actions).toEqual(['contact.created', ...Array(11).fill('contact.updated')]);
  });

  test('while others delete it, creates the contact anew, or answers 409 without creating it', async () => {
    const email_address = 'again@example.com';
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const answer = await upsert({ email_address });
        await client.send('DELETE', member(answer.body.id));
        return answer.status;
      }),
    );
    expect(answers).toContain(201);
    for (const status of answers) expect([200, 201, 409]).toContain(status);
  });
});
