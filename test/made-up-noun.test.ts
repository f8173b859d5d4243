// A noun with only a description and a table works completely over both APIs: with all types of fields, and with references.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createServer } from '../src/http/server.ts';
import type { Described } from '../src/resources/nouns.ts';
import { nounRoutes } from '../src/rest/noun-routes.ts';
import { toOpenApi } from '../src/rest/openapi/openapi.ts';
import { defineService } from '../src/services/service.ts';
import * as factories from './support/factories.ts';
import { ownGateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { createOffers, offer } from './support/made-up/offer.ts';
import { changeAsOnShards } from './support/placement.ts';
import type { Problem } from './support/problem.ts';
import { refusalOf } from './support/user-errors.ts';

vi.mock('../src/resources/nouns.ts', async (original) => {
  const { NOUNS, ...rest } = await original<typeof import('../src/resources/nouns.ts')>();
  const { offer } = await import('./support/made-up/offer.ts');
  return { ...rest, NOUNS: [...NOUNS, offer] };
});

const gateway = await ownGateway();
const server = createServer(gateway.app);
await createOffers(gateway.app.store.pool);
const workspace = await factories.workspace(gateway.app);
const workspaceId = workspace.id;
const theirs = (await factories.workspace(gateway.app)).id;
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });

interface Shown {
  readonly id: number;
  readonly [member: string]: unknown;
}

async function fetched(method: string, path: string, body?: object, more: Record<string, string> = {}) {
  // By the server itself: openapi.json does not describe its answers.
  const request = new Request(`http://localhost:4000${path}`, {
    method,
    headers: { Authorization: caller.authorization ?? '', 'Content-Type': 'application/json', ...more },
    ...(body && { body: JSON.stringify(body) }),
  });
  return server.fetch(request);
}
const tagOf = async (path: string) => (await fetched('GET', path)).headers.get('ETag') ?? '';

async function send(method: string, path: string, body?: object, more: Record<string, string> = {}) {
  const response = await fetched(method, path, body, more);
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? null : JSON.parse(text)) as Shown & Shown[] & Problem,
  };
}
const create = (offer: object) =>
  send('POST', `/api/v2/workspaces/${workspaceId}/offers`, { name: 'An offer', amount: '1', ...offer });
const change = (id: number, offer: object) => send('PATCH', `/api/v2/offers/${id}`, offer);
const listed = async (query: string) => {
  const { body } = await send('GET', `/api/v2/workspaces/${workspaceId}/offers?per_page=100&${query}`);
  return body.map(({ id }) => id);
};
const ask = async (query: string, variables: object = {}) => post(gateway, { query, variables }, { caller });

test('decimals, currencies, dates and values are stored and returned as they were sent', async () => {
  const given = {
    kind: 'trial',
    currency: 'KWD',
    amount: '0012.5',
    setup_amount: '0',
    weight: '0.000000001',
    starts_on: '2024-02-29',
    months: 12,
    height: 1.5,
  };
  const shown = { ...given, amount: '12.500', setup_amount: '0.000', months: '12' };
  const { status, body } = await create(given);
  expect([status, body]).toMatchObject([201, shown]);
  expect((await send('GET', `/api/v2/offers/${body.id}`)).body).toEqual(body);
  expect((await change(body.id, { name: 'Another' })).body).toMatchObject({ ...shown, name: 'Another' });
  const { data } = await ask(
    'query ($id: BigInt!) { offer(by: { databaseId: $id }) { kind amount { amount currency } setupAmount { amount } weight startsOn height ... on TrialOffer { months } ... on SingleOffer { __typename } } }',
    { id: body.id },
  );
  expect(data).toEqual({
    offer: {
      kind: 'TRIAL',
      amount: { amount: '12.500', currency: 'KWD' },
      setupAmount: { amount: '0.000' },
      weight: '0.000000001',
      startsOn: '2024-02-29',
      months: 12,
      height: 1.5,
    },
  });
  expect(await listed('filter[kind]=trial')).toContain(body.id);
  expect(await listed('filter[starts_on]=2024-02-29')).toContain(body.id);
  expect(await listed('filter[starts_on]=2024-03-01')).toEqual([]);
});

describe('an amount', () => {
  test('has the decimal places of its currency, also by default', async () => {
    const { body } = await create({ amount: '7' });
    expect(body).toMatchObject({ currency: 'EUR', amount: '7.00', setup_amount: null });
    expect((await change(body.id, { amount: '7.5' })).body).toMatchObject({ amount: '7.50' });
    expect((await change(body.id, { currency: 'KWD' })).body).toMatchObject({ amount: '7.500' });
    expect((await change(body.id, { currency: 'JPY' })).body).toMatchObject({
      status: 422,
      errors: [{ field: 'amount' }],
    });
    expect((await change(body.id, { currency: 'JPY', amount: '8' })).body).toMatchObject({ amount: '8' });
    expect((await change(body.id, { amount: '8.0' })).body.errors).toMatchObject([{ field: 'amount' }]);
  });

  test('fits a currency that another change sets at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { body } = await create({ amount: '5' });
      await Promise.all([change(body.id, { amount: '5.25' }), change(body.id, { currency: 'JPY' })]);
      const { amount, currency } = (await send('GET', `/api/v2/offers/${body.id}`)).body;
      expect(['JPY 5', 'EUR 5.25']).toContain(`${String(currency)} ${String(amount)}`);
    }
  });
});

test.each([
  ['amount', { amount: 12.5 }, 'a decimal number as text'],
  ['amount', { amount: '1e3' }, 'a decimal number as text'],
  ['amount', { amount: null }, 'is required'],
  ['amount', { amount: '1.005' }, 'can have at most 2 digits after the decimal point in EUR'],
  ['weight', { weight: '1,5' }, 'a decimal number as text'],
  ['currency', { currency: 'EURO' }, 'the code of a currency (ISO 4217), such as USD'],
  ['starts_on', { starts_on: '2026-02-29' }, 'a date such as 2026-01-31'],
  ['starts_on', { starts_on: '2026-01-31T00:00:00Z' }, 'a date such as 2026-01-31'],
  ['kind', { kind: 'free' }, 'single, recurring or trial'],
  ['contact_id', { contact_id: 'x' }, 'a whole number'],
  ['funnel_ids', { funnel_ids: [1, 'x'] }, 'a list where each item is a whole number'],
])('%s: %j is refused', async (field, given, expected) => {
  const { status, body } = await create(given);
  expect([status, body.errors.map((error) => error.field)]).toEqual([422, [field]]);
  expect(body.errors[0]?.message).toContain(/^(can|is) /.test(expected) ? expected : `must be ${expected}`);
});

test('an integer is accepted as text too, and a measure keeps exactly its digits', async () => {
  const { body } = await create({ months: '07', height: 2.5 });
  expect(body).toMatchObject({ months: '7', height: 2.5 });
  await gateway.app.store.pool.query('update offers set height = 2.500 where id = $1', [body.id]);
  const path = `/api/v2/offers/${body.id}`;
  expect((await send('GET', path)).body).toMatchObject({ height: 2.5 });
  expect(await (await fetched('GET', path)).text()).toContain('"height":2.5,');
  for (const given of [
    { months: -1 },
    { months: '1.5' },
    { months: 2 ** 31 },
    { height: '1e1' },
    { height: 1e-7 },
  ])
    expect([given, (await change(body.id, given)).status]).toEqual([given, 422]);
});

describe('a value with transitions', () => {
  test('changes as its description says, over both APIs; the same value again is no change', async () => {
    const { body } = await create({});
    expect(body).toMatchObject({ status: 'draft' });
    expect((await change(body.id, { status: 'draft', name: 'B' })).status).toBe(200);
    expect((await change(body.id, { status: 'open' })).body).toMatchObject({ status: 'open', name: 'B' });
    const { updated_at } = (await change(body.id, { status: 'open' })).body;
    expect((await change(body.id, { status: 'open' })).body['updated_at']).toBe(updated_at);
    const message = 'status cannot change from open to draft. It can become over.';
    expect(await change(body.id, { status: 'draft', name: 'C' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', errors: [{ field: 'status', code: 'not_allowed_now', message }] },
    });
    const input = { offerId: btoa(`Offer:${body.id}`), status: 'DRAFT' };
    const query =
      'mutation ($input: UpdateOfferInput!) { updateOffer(input: $input) { offer { status } userErrors { code path message } } }';
    const refused = await ask(query, { input });
    const named = 'cannot change from OPEN to DRAFT. It can become OVER';
    expect(refusalOf(refused)).toEqual({ code: 'NOT_ALLOWED_NOW', field: 'status', message: named });
    expect((await ask(query, { input: { ...input, status: 'OVER' } })).data).toEqual({
      updateOffer: { offer: { status: 'OVER' }, userErrors: [] },
    });
    expect((await change(body.id, { status: 'open' })).body.errors[0]?.message).toBe(
      'status cannot change from over to open: `over` is final.',
    );
    expect((await send('GET', `/api/v2/offers/${body.id}`)).body).toMatchObject({
      status: 'over',
      name: 'B',
    });
  });

  test('changes once if two changes ask at the same moment', async () => {
    const { body } = await create({});
    const answers = await Promise.all(['open', 'over'].map((status) => change(body.id, { status })));
    const statuses = answers.map(({ status }) => status);
    expect([
      [200, 200],
      [200, 409],
      [409, 200],
    ]).toContainEqual(statuses);
    const { status } = (await send('GET', `/api/v2/offers/${body.id}`)).body;
    expect(status).toBe(statuses[1] === 409 ? 'open' : 'over');
  });

  test('has its transitions in the descriptions of inputs', () => {
    const { components } = toOpenApi(nounRoutes(defineService(offer as unknown as Described)), '2') as {
      components: { schemas: Record<string, { properties: Record<string, { description: string }> }> };
    };
    expect(components.schemas['OfferChange']?.properties['status']?.description).toBe(
      'How far it is. It can change from draft to open or over; from open to over.',
    );
  });
});

describe('a list other than that of the parent', () => {
  const idsOf = (list: readonly Shown[]) => list.map(({ id }) => id);

  test('has the objects that refer to its owner, in pages, with filters where there are indexes', async () => {
    const contact = await factories.contact(gateway.app, { workspaceId });
    const other = await factories.contact(gateway.app, { workspaceId });
    const contact_id = Number(contact.id);
    const [one, two, three] = [
      (await create({ contact_id })).body,
      (await create({ contact_id, kind: 'trial' })).body,
      (await create({ contact_id })).body,
    ];
    const path = `/api/v2/contacts/${contact.publicId}/offers`;
    expect(idsOf((await send('GET', path)).body)).toEqual([one.id, two.id, three.id]);
    expect(idsOf((await send('GET', `${path}?per_page=1&after=${one.id}`)).body)).toEqual([two.id]);
    expect(idsOf((await send('GET', `${path}?filter[kind]=trial`)).body)).toEqual([two.id]);
    expect(idsOf((await send('GET', `${path}?sort_property=updated_at&sort_order=desc`)).body)).toEqual([
      three.id,
      two.id,
      one.id,
    ]);
    expect((await send('GET', `/api/v2/contacts/${other.id}/offers`)).body).toEqual([]);
    expect((await send('GET', '/api/v2/contacts/99999/offers')).status).toBe(404);
    const foreign = await factories.contact(gateway.app, { workspaceId: theirs });
    expect((await send('GET', `/api/v2/contacts/${foreign.id}/offers`)).status).toBe(404);
    const { data } = await ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Contact {
        offers(first: 2, filter: { kinds: [SINGLE] }) { nodes { databaseId } pageInfo { hasNextPage } totalCount } } } }`,
      { ids: [contact, other].map(({ id }) => btoa(`Contact:${id}`)) },
    );
    expect(data).toEqual({
      nodes: [
        {
          offers: {
            nodes: [{ databaseId: one.id }, { databaseId: three.id }],
            pageInfo: { hasNextPage: false },
            totalCount: 2,
          },
        },
        { offers: { nodes: [], pageInfo: { hasNextPage: false }, totalCount: 0 } },
      ],
    });
  });

  test('exists only over GraphQL if it has no path, and without filters if no index serves them', async () => {
    const page = await factories.page(gateway.app, workspaceId, 'A page');
    const { body } = await create({ page_id: Number(page.id) });
    expect((await send('GET', `/api/v2/pages/${page.id}/offers`)).status).toBe(404);
    const query = 'query ($id: ID!) { node(id: $id) { ... on Page { offers { nodes { databaseId } } } } }';
    expect((await ask(query, { id: btoa(`Page:${page.id}`) })).data).toEqual({
      node: { offers: { nodes: [{ databaseId: body.id }] } },
    });
    const filtered = query.replace('offers {', 'offers(filter: { kinds: [TRIAL] }) {');
    expect((await ask(filtered, { id: btoa(`Page:${page.id}`) })).errors?.[0]?.message).toContain('filter');
  });
});

describe('a reference', () => {
  test('is an object over GraphQL, which is loaded together with those of other rows', async () => {
    const page = await factories.page(gateway.app, workspaceId, 'A page');
    const contact = await factories.contact(gateway.app, { workspaceId });
    const funnels = [
      await factories.funnel(gateway.app, { workspaceId }),
      await factories.funnel(gateway.app, { workspaceId }),
    ];
    const ids = funnels.map(({ id }) => Number(id));
    const { body } = await create({
      page_id: Number(page.id),
      contact_id: Number(contact.id),
      funnel_ids: ids,
    });
    expect(body).toMatchObject({ page_id: Number(page.id), contact_id: Number(contact.id), funnel_ids: ids });
    expect(await listed(`filter[contact_id]=${contact.publicId}`)).toEqual([body.id]);
    const query =
      'query ($id: BigInt!) { offer(by: { databaseId: $id }) { page { databaseId } contact { databaseId } ... on SingleOffer { funnels { databaseId } } } }';
    expect((await ask(query, { id: body.id })).data).toEqual({
      offer: {
        page: { databaseId: Number(page.id) },
        contact: { databaseId: Number(contact.id) },
        funnels: ids.map((databaseId) => ({ databaseId })),
      },
    });
    await gateway.app.store.pool.query(
      "update pages set discarded_at = now(), discard_reason = 'test' where id = $1",
      [page.id],
    );
    expect((await ask(query, { id: body.id })).data).toMatchObject({ offer: { page: null } });
  });

  test('is set over GraphQL by a global id of its own type only', async () => {
    const { id } = await factories.page(gateway.app, workspaceId, 'A page');
    const input = (pageId: string) => ({
      input: {
        workspaceId: btoa(`Workspace:${workspaceId}`),
        name: 'A',
        amount: { amount: '1.5', currency: 'EUR' },
        pageId,
      },
    });
    const query = `mutation ($input: CreateOfferInput!) { createOffer(input: $input) { offer { amount { amount } setupAmount { amount } page { id } } } }`;
    const made = await ask(query, input(btoa(`Page:${id}`)));
    expect(made.data).toEqual({
      createOffer: {
        offer: { amount: { amount: '1.50' }, setupAmount: null, page: { id: btoa(`Page:${id}`) } },
      },
    });
    const { errors } = await ask(query, input(btoa(`Funnel:${id}`)));
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID', field: 'pageId' });
  });

  test('to a missing object, or to another workspace, is a field error, in a change too', async () => {
    const { body } = await create({});
    const elsewhere = {
      contact_id: (await factories.contact(gateway.app, { workspaceId: theirs })).id,
      page_id: (await factories.page(gateway.app, theirs, 'A page')).id,
      funnel_ids: (await factories.funnel(gateway.app, { workspaceId: theirs })).id,
    };
    for (const [field, id] of Object.entries(elsewhere))
      for (const given of [Number(id), 99_999]) {
        const value = { [field]: field.endsWith('s') ? [given] : given };
        for (const refused of [await create(value), await change(body.id, value)]) {
          expect([field, refused.status, refused.body.errors.map((error) => error.field)]).toEqual([
            field,
            422,
            [field],
          ]);
          expect(refused.body.errors[0]?.message).toContain(': there is no such ');
        }
      }
    expect((await send('GET', `/api/v2/offers/${body.id}`)).body).toEqual(body);
  });

  test('to a hidden object is refused like one to a deleted object', async () => {
    const page = await factories.page(gateway.app, workspaceId, 'A page');
    await gateway.app.store.pool.query(
      "update pages set discarded_at = now(), discard_reason = 'test' where id = $1",
      [page.id],
    );
    expect((await create({ page_id: Number(page.id) })).status).toBe(422);
  });
});

test('an object that a row requires is not deleted, and 409 says so', async () => {
  const { id } = await factories.contact(gateway.app, { workspaceId });
  const { pool } = gateway.app.store;
  await pool.query(`create table stays (workspace_id bigint, contact_id bigint,
    constraint stays_workspace_id_contact_id_fkey foreign key (workspace_id, contact_id)
      references contacts (workspace_id, id) on delete restrict)`);
  await pool.query('insert into stays values ($1, $2)', [workspaceId, id]);
  expect(await send('DELETE', `/api/v2/contacts/${id}`)).toMatchObject({
    status: 409,
    body: { detail: 'The contact is used by something else and was not deleted.' },
  });
  await pool.query('drop table stays');
  expect((await send('DELETE', `/api/v2/contacts/${id}`)).status).toBe(204);
});

/** The types of the events of an object, in the order in which they happened. */
const eventsOf = async (id: number) => {
  const { rows } = await gateway.app.store.pool.query<{ event_type: string }>(
    "select event_type from events where subject_type = 'Offer' and subject_id = $1 order by id",
    [id],
  );
  return rows.map((row) => row.event_type);
};
const entriesOf = async (id: number) => {
  const { rows } = await gateway.app.store.pool.query(
    `select action, before ->> 'archived' as was, after ->> 'archived' as is from audit_entries
      where subject_type = 'Offer' and subject_id = $1 order by id`,
    [id],
  );
  return rows as { action: string; was: string | null; is: string | null }[];
};

describe.each([
  ['one statement', false],
  ['steps, as in a distributed store', true],
])('archiving in %s', (_, inSteps) => {
  beforeAll(() => {
    if (inSteps) changeAsOnShards(gateway.app.store, workspaceId);
  });
  afterAll(() => vi.restoreAllMocks());
  const archive = (id: number, headers?: Record<string, string>, verb = 'archive', body?: object) =>
    send('POST', `/api/v2/offers/${id}/${verb}`, body, headers);

  test('archives and unarchives the object; a repetition changes nothing', async () => {
    const { body: made } = await create({ archived: true });
    expect(made).toMatchObject({ archived: false, archived_at: null });
    for (const [verb, archived] of [
      ['archive', true],
      ['unarchive', false],
    ] as const) {
      const { status, body } = await archive(made.id, {}, verb);
      expect([status, body]).toEqual([
        200,
        {
          ...made,
          archived,
          archived_at: archived ? expect.any(String) : null,
          updated_at: expect.any(String),
        },
      ]);
      expect(body['updated_at']).not.toBe(made['updated_at']);
      for (const again of [undefined, {}, []])
        expect(await archive(made.id, {}, verb, again)).toEqual({ status, body });
      expect(await listed(`filter[archived]=${archived}`)).toContain(made.id);
      expect(await listed(`filter[archived]=${!archived}`)).not.toContain(made.id);
    }
    expect(await eventsOf(made.id)).toEqual([
      'offer.created',
      ...['offer.updated', 'offer.archived'],
      ...['offer.updated', 'offer.unarchived'],
    ]);
    expect(await entriesOf(made.id)).toEqual([
      { action: 'offer.created', was: null, is: 'false' },
      { action: 'offer.updated', was: 'false', is: 'true' },
      { action: 'offer.updated', was: 'true', is: 'false' },
    ]);
  });

  test('is a separate request: a change with such a member ignores it', async () => {
    const { body } = await create({});
    expect((await change(body.id, { archived: true })).status).toBe(422);
    await archive(body.id);
    expect((await change(body.id, { archived: false, name: 'B' })).body).toMatchObject({
      archived: true,
      name: 'B',
    });
  });

  test('obeys If-Match and Idempotency-Key', async () => {
    const { body } = await create({});
    expect((await archive(body.id, { 'If-Match': '"other"' })).status).toBe(412);
    expect((await send('GET', `/api/v2/offers/${body.id}`)).body).toEqual(body);
    const key = { 'Idempotency-Key': `archive-${inSteps}` };
    const first = await archive(body.id, key);
    expect(first.body).toMatchObject({ archived: true });
    await archive(body.id, {}, 'unarchive');
    expect(await archive(body.id, key)).toEqual(first);
    expect((await send('GET', `/api/v2/offers/${body.id}`)).body).toMatchObject({ archived: false });
    expect((await archive((await create({})).body.id, { ...key })).status).toBe(200);
  });

  test('is 404 for an unknown object', async () => {
    expect((await archive(99_999)).status).toBe(404);
    expect((await archive(99_999, {}, 'unarchive')).status).toBe(404);
  });

  test('is a mutation over GraphQL', async () => {
    const { body } = await create({});
    for (const [verb, archived] of [
      ['archive', true],
      ['archive', true],
      ['unarchive', false],
    ] as const) {
      const { data } = await ask(
        `mutation ($id: ID!) { ${verb}Offer(input: { offerId: $id }) { offer { databaseId archived: isArchived } } }`,
        { id: btoa(`Offer:${body.id}`) },
      );
      expect(data).toEqual({ [`${verb}Offer`]: { offer: { databaseId: body.id, archived } } });
    }
    const { data } = await ask(
      'query ($id: ID!) { node(id: $id) { ... on Workspace { offers(filter: { isArchived: true }) { nodes { archived: isArchived } } } } }',
      { id: btoa(`Workspace:${workspaceId}`) },
    );
    const { nodes } = (data as { node: { offers: { nodes: { archived: boolean }[] } } }).node.offers;
    expect(new Set(nodes.map((offer) => offer.archived))).toEqual(new Set([true]));
  });
});

describe.each([
  ['one statement', false],
  ['steps, as in a distributed store', true],
])('a field that is shown on request, changed in %s', (_, inSteps) => {
  beforeAll(() => {
    if (inSteps) changeAsOnShards(gateway.app.store, workspaceId);
  });
  afterAll(() => vi.restoreAllMocks());
  const given = { full_text: 'A "long" {text}, [1]', terms: { b: ['x', { c: 2 }], 1: '}' } };
  const both = 'expand[]=full_text&expand=terms';

  test('is in an answer only if the query lists it', async () => {
    const { body: plain } = await create(given);
    expect(plain).not.toHaveProperty('full_text');
    expect(plain).not.toHaveProperty('terms');
    const path = `/api/v2/offers/${plain.id}`;
    expect((await send('GET', path)).body).toEqual(plain);
    expect((await send('GET', `${path}?expand[]=full_text`)).body).toEqual({
      ...plain,
      full_text: given.full_text,
    });
    expect((await send('GET', `${path}?${both}&expand[]=terms`)).body).toEqual({ ...plain, ...given });
    const one = (found: Shown[]) => found.find(({ id }) => id === plain.id);
    const list = `/api/v2/workspaces/${workspaceId}/offers?per_page=100&sort_order=desc`;
    expect(one((await send('GET', list)).body)).toEqual(plain);
    expect(one((await send('GET', `${list}&${both}`)).body)).toEqual({ ...plain, ...given });
    const made = await send('POST', `/api/v2/workspaces/${workspaceId}/offers?${both}`, {
      name: 'B',
      amount: '1',
      ...given,
    });
    expect(made.body).toMatchObject(given);
    for (const [method, to] of [
      ['PATCH', path],
      ['POST', `${path}/archive`],
    ] as const) {
      expect((await send(method, `${to}?${both}`, {})).body).toMatchObject(given);
      const without = (await send(method, to, {})).body;
      expect(Object.keys(without)).toEqual(Object.keys(plain));
    }
  });

  test('with an unknown name is refused before any change', async () => {
    const { body } = await create({});
    for (const [query, field] of [
      ['expand[]=name', 'expand[]'],
      ['expand=full_text,terms', 'expand'],
      ['expand[]=', 'expand[]'],
      [`${both}&expand[]=fullText`, 'expand[]'],
    ] as const) {
      const refused = await send('PATCH', `/api/v2/offers/${body.id}?${query}`, { name: 'Other' });
      expect([refused.status, refused.body.errors]).toMatchObject([422, [{ field }]]);
      const list = `/api/v2/workspaces/${workspaceId}/offers?${query}`;
      expect((await send('GET', list)).status).toBe(422);
    }
    expect((await send('GET', `/api/v2/offers/${body.id}`)).body).toEqual(body);
  });

  test('is part of the entity tag if it is in the answer', async () => {
    const { body } = await create(given);
    const path = `/api/v2/offers/${body.id}`;
    const [plain, shown] = [await tagOf(path), await tagOf(`${path}?${both}`)];
    expect(shown).not.toBe(plain);
    const changed = (query: string, tag: string, name: string) =>
      send('PATCH', `${path}?${query}`, { name }, { 'If-Match': tag });
    expect((await changed('', shown, 'B')).status).toBe(412);
    expect((await changed(both, shown, 'B')).status).toBe(200);
    expect((await changed('', await tagOf(path), 'C')).status).toBe(200);
  });

  test('is never in events, and always in audit entries', async () => {
    const { body } = await create(given);
    const { pool } = gateway.app.store;
    const { rows } = await pool.query<{ data: object; after: object }>(
      `select e.data, a.after from events e join audit_entries a on a.subject_id = e.subject_id and a.subject_type = e.subject_type
        where e.subject_type = 'Offer' and e.subject_id = $1`,
      [body.id],
    );
    expect(rows).toEqual([{ data: body, after: { ...body, ...given } }]);
  });

  test('is an ordinary field over GraphQL, also in the answer to a retry', async () => {
    const query = `mutation ($input: CreateOfferInput!) { createOffer(input: $input) { offer { databaseId fullText terms } } }`;
    const { full_text: fullText, terms } = given;
    const input = {
      workspaceId: btoa(`Workspace:${workspaceId}`),
      name: 'A',
      amount: { amount: '1', currency: 'EUR' },
      fullText,
      terms,
      idempotencyKey: `expanded-${inSteps}`,
    };
    const first = await ask(query, { input });
    expect(first.data).toMatchObject({ createOffer: { offer: { fullText, terms } } });
    expect(await ask(query, { input })).toEqual(first);
  });
});

test('the parameter that adds it is described', () => {
  const { paths, components } = toOpenApi(nounRoutes(defineService(offer as unknown as Described)), '2') as {
    paths: Record<string, Record<string, { parameters: { name?: string; $ref?: string }[] }>>;
    components: { schemas: Record<string, { required: string[]; properties: Record<string, object> }> };
  };
  const taking = Object.values(paths).flatMap((methods) =>
    Object.entries(methods)
      .filter(([, { parameters }]) =>
        parameters.some(({ name, $ref }) => name === 'expand[]' || $ref?.endsWith('/Expand')),
      )
      .map(([method]) => method),
  );
  expect(taking.toSorted()).toEqual(['get', 'get', 'get', 'patch', 'post', 'post', 'post', 'put']);
  const { required, properties } = components.schemas['Offer'] ?? { required: [], properties: {} };
  expect(required).not.toContain('full_text');
  expect(properties['full_text']).toMatchObject({
    description: 'All that there is to read of it. Only with `expand[]=full_text`.',
  });
});
