// The life of a saved filter: refused input, which changes nothing; deletion; its use by lists, and lists that it cannot select.
import { beforeAll, describe, expect, test } from 'vitest';
import { toPublicId } from '../../src/store/sql/public-ids.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { createRestClient } from '../support/rest-client.ts';
import { sendMutation } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const client = await createRestClient(gateway);
const { app } = gateway;
const { workspaceId, teamId } = client;
const filters = `/api/v2/workspaces/${workspaceId}/refine_filters`;
const tag = await client.tag('Customer');
const { id: neighbour } = await factories.workspace(app, { teamId });
const foreignTag = (await factories.tag(app, neighbour, 'Foreign')).id;

const EMAIL = { attribute: 'email_address', clause: 'sw', value: 'a' };
const body = (members: object) => ({ refine_filter: { criteria: [EMAIL], ...members } });
const one = (attribute: string, clause: string, value?: unknown) => ({
  criteria: [EMAIL, { attribute, clause, ...(value !== undefined && { value }) }],
});
const AGO = { days: '30', modifier: 'ago' };

const REFUSED: [string, object, string][] = [
  ['an attribute that there is not', one('shoe_size', 'eq', 'x'), 'criteria[1].attribute'],
  ['one of every object', one('constructor', 'eq', 'x'), 'criteria[1].attribute'],
  ['a clause that there is not', one('email_address', 'cont', 'x'), 'criteria[1].clause'],
  ['one of other attributes', one('first_name', 'in', ['x']), 'criteria[1].clause'],
  ['text that is none', one('first_name', 'eq', 3), 'criteria[1].value'],
  ['blank text', one('first_name', 'sw', '  '), 'criteria[1].value'],
  ['no value', one('first_name', 'eq'), 'criteria[1].value'],
  ['a value that is not wanted', one('unsubscribed_at', 'st', 'x'), 'criteria[1].value'],
  ['a day that there is not', one('created_at', 'gte', '2026-02-30'), 'criteria[1].value'],
  ['a time without an offset', one('created_at', 'gte', '2026-02-03T10:00:00'), 'criteria[1].value'],
  ['days where a day is wanted', one('created_at', 'eq', AGO), 'criteria[1].value'],
  ['a day where days are wanted', one('created_at', 'exct', '2026-02-03'), 'criteria[1].value'],
  ['days without a direction', one('created_at', 'lt', { days: '30' }), 'criteria[1].value'],
  ['negative days', one('created_at', 'lt', { days: -1, modifier: 'ago' }), 'criteria[1].value'],
  ['the later day first', one('created_at', 'btwn', ['2026-02-03', '2026-02-02']), 'criteria[1].value'],
  ['three days', one('created_at', 'btwn', ['2026-02-01', '2026-02-02', '2026-02-03']), 'criteria[1].value'],
  ['what is neither true nor false', one('anonymous', 'eq', 'perhaps'), 'criteria[1].value'],
  ['no id', one('tags.id', 'eq', 'x'), 'criteria[1].value'],
  ['no ids', one('tags.id', 'in', []), 'criteria[1].value'],
  ['a hundred and one ids', one('tags.id', 'in', Array(101).fill(tag)), 'criteria[1].value'],
  ['several where one is wanted', one('tags.id', 'eq', [tag, tag]), 'criteria[1].value'],
  ['a tag of another workspace', one('tags.id', 'in', [tag, Number(foreignTag)]), 'criteria[1].value'],
  ['a broadcast that is not named', one('received_broadcast', 'in', []), 'criteria[1].value'],
  ['an attribute that is no text', { criteria: [{ ...EMAIL, attribute: 1 }] }, 'criteria[0].attribute'],
  ['a criterion that is no object', { criteria: ['x'] }, 'criteria[0]'],
  ['a criterion without clause', { criteria: [{ attribute: 'email_address' }] }, 'criteria[0].clause'],
  ['no criteria', { criteria: [] }, 'criteria'],
  ['criteria that are no list', { criteria: EMAIL }, 'criteria'],
  ['fifty-one criteria', { criteria: Array(51).fill(EMAIL) }, 'criteria'],
  ['another conjunction', { conjunction: 'xor' }, 'conjunction'],
  ['a blank name', { name: ' ' }, 'name'],
];

let existing: { id: number };
beforeAll(async () => {
  existing = (await client.send('POST', filters, body({ name: 'Existing' }))).body;
});

test('an empty filter_class counts as absent', async () => {
  const made = await client.send('POST', filters, body({ filter_class: '', conjunction: '' }));
  expect([made.status, made.body]).toMatchObject([
    201,
    { filter_class: 'ContactsFilter', conjunction: 'and' },
  ]);
});

describe('creation and change refuse, and change nothing:', () => {
  test.each(REFUSED)('%s', async (_, members, field) => {
    expect(await client.refused(422, 'POST', filters, body(members))).toEqual([field]);
    for (const method of ['PUT', 'PATCH'])
      expect(
        await client.refused(422, method, `/api/v2/refine_filters/${existing.id}`, body(members)),
      ).toEqual([field]);
  });

  test('every wrong criterion is reported, over GraphQL too', async () => {
    const criteria = [{ ...EMAIL, clause: 'ew' }, EMAIL, { attribute: 'anonymous', clause: 'eq' }];
    const blamed = ['criteria[0].clause', 'criteria[2].value'];
    expect(await client.refused(422, 'POST', filters, body({ criteria }))).toEqual(blamed);
    const address = { attribute: 'EMAIL_ADDRESS', clause: 'EQUALS', value: { text: 'a' } };
    const wrong = [{ ...address, clause: 'IN' }, address, { attribute: 'IS_ANONYMOUS', clause: 'EQUALS' }];
    const input = { workspaceId: btoa(`Workspace:${workspaceId}`), criteria: wrong };
    const { data } = await sendMutation(gateway, 'createSavedFilter', input, client);
    expect(data?.['createSavedFilter']?.userErrors.map(({ path }) => path)).toEqual([
      ['criteria', '0', 'clause'],
      ['criteria', '2', 'value'],
    ]);
  });

  test('a blank name', async () => {
    expect(await client.refused(422, 'POST', filters, body({ name: '' }))).toEqual(['name']);
  });

  test('a class without a list, and a taken name', async () => {
    expect(await client.refused(422, 'POST', filters, body({ filter_class: 'FunnelsFilter' }))).toEqual([
      'filter_class',
    ]);
    expect(await client.refused(422, 'POST', filters, body({ name: 'Existing' }))).toEqual(['name']);
  });
});

test('missing criteria are refused in the words of the public API', async () => {
  for (const [method, path] of [
    ['POST', filters],
    ['PATCH', `/api/v2/refine_filters/${existing.id}`],
  ] as const) {
    const { body: problem } = await client.send(method, path, body({ criteria: [] }));
    expect(problem.errors).toEqual([
      { field: 'criteria', code: 'required', message: 'criteria must have at least one item.' },
    ]);
  }
});

test('a span may end with the last possible day', async () => {
  const ids = async (clause: string, value: unknown) => {
    const criteria = [{ attribute: 'created_at', clause, value }];
    const { body: filter } = await client.send('POST', filters, body({ criteria }));
    const { text } = await client.send('GET', `${client.contacts}?filter[refine_filter_id]=${filter.id}`);
    return (JSON.parse(text) as { id: number }[]).map(({ id }) => id);
  };
  const { body: contact } = await client.create();
  const everybody = await ids('gte', '0001-01-01');
  expect(everybody).toContain(contact.id);
  for (const last of ['9999-12-31', '9999-12-31T23:59:59.999Z']) {
    expect(await ids('lte', last)).toEqual(everybody);
    expect(await ids('btwn', ['2020-01-01', last])).toEqual(everybody);
    expect(await ids('dne', last)).toEqual(everybody);
    for (const clause of ['eq', 'gt', 'gte']) expect([clause, await ids(clause, last)]).toEqual([clause, []]);
    expect(await ids('nbtwn', ['2020-01-01', last])).toEqual([]);
  }
});

test('several filters may have no name, and a change keeps absent members', async () => {
  const made = [
    await client.send('POST', filters, body({})),
    await client.send('POST', filters, body({ name: null })),
  ];
  expect(made.map(({ status, body: { name } }) => [status, name])).toEqual([
    [201, null],
    [201, null],
  ]);
  const [{ body: filter }] = made as [(typeof made)[0]];
  const changed = await client.send('PATCH', `/api/v2/refine_filters/${filter.id}`, {
    refine_filter: { conjunction: 'or' },
  });
  expect(changed.body).toEqual({ ...filter, conjunction: 'or', updated_at: changed.body['updated_at'] });
  expect(changed.tag).not.toBe(made[0]?.tag);
});

test('a filter cannot be deleted while a split uses it; the refusal has the split', async () => {
  const { body: filter } = await client.send('POST', filters, body({}));
  const funnel = await factories.funnel(app, { workspaceId });
  const steps = await factories.workflow(app, funnel, [{ split: 'S', matched: ['m'], unmatched: ['u'] }]);
  const split = steps.get('S');
  const others = await factories.workflow(
    app,
    await factories.funnel(app, { workspaceId }),
    Array.from({ length: 101 }, (_, index) => ({ split: `Split ${index}`, matched: [], unmatched: [] })),
  );
  const use = (filterId: number | null, ids: readonly (bigint | undefined)[]) =>
    app.store.pool.query('update funnel_steps set filter_id = $1 where workspace_id = $2 and id = any($3)', [
      ...[filterId, workspaceId, ids],
    ]);
  const path = `/api/v2/refine_filters/${filter.id}`;
  const many = [...others.values()];
  await use(
    filter.id,
    many.map(({ id }) => id),
  );
  const detail = String((await client.send('DELETE', path)).body['detail']);
  expect(many.filter(({ publicId }) => detail.includes(publicId))).toEqual(many.slice(0, 100));
  expect(detail).toContain(' and others ');
  await use(
    null,
    many.map(({ id }) => id),
  );
  await use(filter.id, [split?.id]);
  const refused = await client.send('DELETE', path);
  expect([refused.status, refused.body['detail']]).toEqual([
    409,
    `The saved filter is used by the conditional splits ${split?.publicId} of the funnel ${funnel.publicId} and was not deleted.`,
  ]);
  await client.send(
    'DELETE',
    `/api/v2/funnels/${funnel.id}/conditional_split_steps/${split?.id}?branch=matched`,
  );
  expect((await client.send('DELETE', path)).status).toBe(204);
  expect((await client.send('GET', path)).status).toBe(404);
});

describe('a list is filtered by a saved filter', () => {
  const ann = async () =>
    (await client.send('POST', client.contacts, { contact: { email_address: 'ann@example.com' } })).body.id;
  let contact: number;
  beforeAll(async () => {
    contact = await ann();
    await client.send('POST', client.contacts, { contact: { email_address: 'bob@example.com' } });
  });
  const list = async (query: string) => client.send('GET', `${client.contacts}?${query}`);
  const publicId = () => toPublicId('refine_filters', BigInt(existing.id));

  test('under each name of the parameter, with integer or public id, which its links keep', async () => {
    for (const query of [
      `filter[refine_filter_id]=${existing.id}`,
      `filter%5Brefine_filter_id%5D=${publicId()}`,
      `stored_filter_id=${existing.id}`,
      `stored_filter_id=${publicId()}`,
      `stable_id=${publicId()}`,
      `stable_id=${publicId()}&stored_filter_id=${existing.id}`,
    ]) {
      const { status, body: rows, headers } = await list(query);
      expect([query, status, (rows as unknown as { id: number }[]).map(({ id }) => id)]).toEqual([
        query,
        200,
        [contact],
      ]);
      expect(headers.get('Link')).toContain(query.split('=')[0]);
    }
  });

  test('together with other filters', async () => {
    const query = `filter[refine_filter_id]=${existing.id}&filter[is_active]=`;
    expect((await list(`${query}true`)).body).toMatchObject([{ id: contact }]);
    expect((await list(`${query}false`)).body).toEqual([]);
  });

  test('but not by anything else', async () => {
    const other = (await client.send('POST', filters, body({}))).body.id;
    const foreign = (await factories.refineFilter(app, { workspaceId: neighbour })).id;
    for (const [query, field] of [
      ['filter[refine_filter_id]=x', 'filter[refine_filter_id]'],
      ['filter[refine_filter_id]=', 'filter[refine_filter_id]'],
      ['filter[refine_filter_id]=999999999', 'filter[refine_filter_id]'],
      [`filter[refine_filter_id]=${foreign}`, 'filter[refine_filter_id]'],
      [`stable_id=${existing.id}`, 'stable_id'],
      [
        `stored_filter_id=${existing.id}&stable_id=${toPublicId('refine_filters', BigInt(other))}`,
        'stable_id',
      ],
      [`filter[refine_filter_id]=${existing.id},${other}`, 'filter[refine_filter_id]'],
    ] as const)
      expect([query, await client.refused(422, 'GET', `${client.contacts}?${query}`)]).toEqual([
        query,
        [field],
      ]);
    // Names that others would have given it: everybody would be listed.
    for (const name of [
      ...[
        'refine_filter_id',
        'storedFilterId',
        'refineFilterId',
        'stableId',
        'refine-filter-id',
        'refine_filter',
      ],
      ...['refine_filters_id', 'refine_filter_ids[]', 'saved_filter_id', 'filter.email'],
    ])
      expect(await client.refused(422, 'GET', `${client.contacts}?${name}=${existing.id}`)).toEqual([name]);
    const tags = await client.send(
      'GET',
      `/api/v2/workspaces/${workspaceId}/contacts/tags?stored_filter_id=${existing.id}`,
    );
    expect(tags.status).toBe(422);
    const elsewhere = await client.send(
      'GET',
      `/api/v2/workspaces/999999999/contacts?filter[refine_filter_id]=${existing.id}`,
    );
    expect(elsewhere.status).toBe(404);
  });

  test('but not by one that was saved before its criteria were checked', async () => {
    const criteria = [{ attribute: 'shoe_size', clause: 'eq', value: 'x' }];
    const old = await factories.refineFilter(app, { workspaceId, criteria });
    const { status, body: problem } = await list(`filter[refine_filter_id]=${old.id}`);
    expect([status, problem['detail']]).toEqual([422, expect.stringContaining('criteria[0].attribute')]);
  });
});
