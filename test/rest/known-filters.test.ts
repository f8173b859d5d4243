// A list by a cached saved filter: the second request gets the same answer as the first, however the filter is stored.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await ownGateway();
const client = await createRestClient(gateway);
const { workspaceId } = client;
const { pool } = gateway.app.store;
const tagId = Number(await client.tag('one'));
const name = { firstName: 'Ann', lastName: 'Ü\u2028"\\' };
const { id } = await factories.contact(gateway.app, {
  workspaceId,
  ...name,
  emailAddress: 'ann@example.com',
});
await pool.query('insert into contact_tags (workspace_id, contact_id, tag_id) values ($1, $2, $3)', [
  ...[workspaceId, id, tagId],
]);

/** The statuses of three requests for the contacts that a filter selects, and how many each shows. */
async function listThrice(filterId: unknown): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let request = 0; request < 3; request++) {
    const path = `/api/v2/workspaces/${workspaceId}/contacts?stored_filter_id=${filterId}`;
    const { status, body } = await client.send('GET', path);
    seen.push([status, Array.isArray(body) ? body.length : body]);
  }
  return seen;
}

let saved = 0;

async function save(criteria: object[], conjunction = 'and') {
  const filter = { name: `filter ${++saved}`, filter_class: 'ContactsFilter', conjunction, criteria };
  const { status, body } = await client.send('POST', `/api/v2/workspaces/${workspaceId}/refine_filters`, {
    refine_filter: filter,
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return (body as { readonly id: number }).id;
}

test.each<[string, object[], string?]>([
  ['text', [{ attribute: 'first_name', clause: 'eq', value: 'ann' }]],
  ['text that is escaped', [{ attribute: 'last_name', clause: 'eq', value: name.lastName }]],
  ['no value', [{ attribute: 'email_suppression', clause: 'nst' }]],
  ['null', [{ attribute: 'email_suppression', clause: 'nst', value: null }]],
  ['members of no meaning', [{ attribute: 'first_name', clause: 'eq', value: 'ann', extra: { a: [1] } }]],
  ['days', [{ attribute: 'created_at', clause: 'lt', value: { days: 3, modifier: 'ago' } }]],
  ['an id', [{ attribute: 'tags.id', clause: 'in', value: [tagId] }]],
  [
    'any of two',
    [
      { attribute: 'tags.id', clause: 'in', value: [tagId] },
      { attribute: 'anonymous', clause: 'eq', value: true },
    ],
    'or',
  ],
])('with %s', async (_, criteria, conjunction) => {
  const filterId = await save(criteria, conjunction);
  expect(await listThrice(filterId)).toEqual(Array(3).fill([200, 1]));
});

test.each([
  ['an id that JavaScript rounds', '[{"attribute":"tags.id","clause":"nin","value":9007199254740993}]'],
  [
    'a number that JavaScript rounds',
    '[{"attribute":"first_name","clause":"eq","value":"ann","extra":12345678901234567890}]',
  ],
  [
    'members of an old version',
    '[{"attribute":"first_name","clause":"eq","value":"ann","uid":"x","extra":{"a":1}}]',
  ],
])('that was stored by others with %s', async (about, criteria) => {
  const { rows } = await pool.query(
    `insert into refine_filters (workspace_id, name, filter_class, conjunction, criteria) values ($1, $3, 'ContactsFilter', 'and', $2::jsonb) returning id`,
    [workspaceId, criteria, about],
  );
  expect(await listThrice(rows[0].id)).toEqual(Array(3).fill([200, 1]));
});

test('with a number that JavaScript cannot represent exactly', async () => {
  const filterId = await save([{ attribute: 'received_broadcast', clause: 'eq', value: 2 ** 53 }]);
  expect(await listThrice(filterId)).toEqual(Array(3).fill([200, 0]));
});
