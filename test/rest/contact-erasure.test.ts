// Erasing a contact over REST: a present one, a deleted one, one that was erased before.
import { beforeEach, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;

const gateway = await sharedGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const member = (id: number) => `/api/v2/contacts/${id}`;
const erase = (id: number, headers = {}) =>
  client.send('DELETE', `${member(id)}/gdpr_destroy`, undefined, headers);

/** A contact with a value in every possible member. */
async function somebody() {
  const names = ['first_name', 'last_name', 'phone_number', 'time_zone', 'fb_url', 'website_url'];
  return client.create({
    ...Object.fromEntries(names.map((name) => [name, 'Conspicuous'])),
    custom_attributes: { conspicuous: 'Conspicuous' },
    tag_ids: [await client.tag(`tag ${names.length}`)],
  });
}

/** The occurrences in the workspace, in any table. */
async function traces(): Promise<string[]> {
  const tables = ['contacts', 'contact_tags', 'audit_entries', 'events', 'idempotency_records'];
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await gateway.app.store.pool.query(
        `select t::text as row from ${table} t where workspace_id = $1 and t::text ~* 'conspicuous|somebody-'`,
        [client.workspaceId],
      );
      return rows.map(() => table);
    }),
  );
  return found.flat();
}

test('an existing contact is blanked, and returned as in a later GET', async () => {
  const made = await somebody();
  expect(new Set(await traces())).toEqual(new Set(['contacts', 'audit_entries', 'events']));
  const erased = await erase(made.body.id);
  expect(erased.status).toBe(200);
  const { id, public_id, uuid, workspace_id, created_at } = made.body;
  expect(erased.body).toEqual({
    ...Object.fromEntries(Object.keys(made.body).map((name) => [name, null])),
    ...{ id, public_id, uuid, workspace_id, created_at },
    ...{ anonymous: 1, is_active: false, tags: [], custom_attributes: {} },
    visits: { first_visit: null, last_visit: null, last_visit_with_utm: null },
    updated_at: erased.body['updated_at'],
  });
  const got = await client.send('GET', member(made.body.id));
  expect([got.text, got.tag]).toEqual([erased.text, erased.tag]);
  expect(await traces()).toEqual([]);
  const { actions, events } = await client.recordOf(made.body.id);
  expect(actions).toEqual(['contact.created', 'contact.erased']);
  expect(events.at(-1)).toBe('contact.updated');
});

test('a deleted contact is erased too, and returned blank with its ids', async () => {
  const made = await somebody();
  await client.send('DELETE', member(made.body.id));
  expect(await traces()).toContain('audit_entries');
  const erased = await erase(made.body.id);
  const { id, public_id, uuid, workspace_id } = made.body;
  expect([erased.status, erased.body]).toEqual([
    200,
    expect.objectContaining({
      ...{ id, public_id, uuid, workspace_id, email_address: null, first_name: null },
      ...{ anonymous: 1, is_active: false, tags: [], custom_attributes: {} },
    }),
  ]);
  expect(Object.keys(erased.body)).toEqual(Object.keys(made.body));
  expect(await traces()).toEqual([]);
  await client.refused(404, 'GET', member(made.body.id));
  expect((await client.recordOf(made.body.id)).actions).toEqual([
    'contact.created',
    'contact.deleted',
    'contact.erased',
  ]);
});

test('an erased contact is erased again, with data that was written since', async () => {
  for (const isDeleted of [false, true]) {
    const made = await somebody();
    if (isDeleted) await client.send('DELETE', member(made.body.id));
    const first = await erase(made.body.id);
    if (!isDeleted) await client.send('PUT', member(made.body.id), { first_name: 'Conspicuous' });
    const second = await erase(made.body.id);
    expect([second.status, { ...second.body, updated_at: null }]).toEqual([
      200,
      { ...first.body, updated_at: null },
    ]);
    expect(await traces()).toEqual([]);
    const { actions } = await client.recordOf(made.body.id);
    expect(actions.filter((action) => action === 'contact.erased')).toHaveLength(2);
    await client.send('DELETE', `/api/v2/contacts/tags/${made.body.tags[0]?.id}`);
  }
});

test('the public id and If-Match with the current tag work', async () => {
  const made = await somebody();
  await client.refused(412, 'DELETE', `${member(made.body.id)}/gdpr_destroy`, undefined, {
    'If-Match': '"x"',
  });
  const path = `/api/v2/contacts/${made.body['public_id']}/gdpr_destroy`;
  const erased = await client.send('DELETE', path, undefined, { 'If-Match': made.tag });
  expect([erased.status, erased.body['first_name']]).toEqual([200, null]);
});

test('an unknown contact, or another team’s, gets 404', async () => {
  const other = await createRestClient(gateway);
  const { body } = await other.create();
  await other.send('DELETE', member(body.id));
  for (const id of [body.id, 999_999, 'x'])
    await client.refused(404, 'DELETE', `/api/v2/contacts/${id}/gdpr_destroy`);
});

test('many concurrent ones, with changes and a deletion, leave no personal data', async () => {
  const made = await somebody();
  const path = member(made.body.id);
  await Promise.all([
    ...Array.from({ length: 4 }, () => client.send('PATCH', path, { last_name: 'Conspicuous again' })),
    ...Array.from({ length: 4 }, () => erase(made.body.id)),
    client.send('DELETE', path),
  ]);
  expect((await erase(made.body.id)).status).toBe(200);
  expect(await traces()).toEqual([]);
});
