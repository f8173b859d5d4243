// Visits to pages: accepted and refused input, visits in contacts, and what does not affect them.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { contactVisitorHash } from '../../src/store/changing/visits.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { countedAndRaw } from '../support/raw-visits.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await ownGateway();
const { app } = gateway;
const { pool } = app.store;
const client = await createRestClient(gateway);
const { workspaceId, caller } = client;
const page = await factories.page(app, workspaceId, 'Welcome');
const PATH = `/api/v2/pages/${page.id}/visits`;

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const visitOf = (contactId: number, members: object = {}) => ({
  uuid: randomUUID(),
  contact_id: contactId,
  ...members,
});

async function record(...visits: object[]): Promise<void> {
  const { status, text } = await client.send('POST', PATH, { visits });
  expect([status, text]).toEqual([202, '']);
}

async function rowsOf(contactId: number): Promise<Record<string, unknown>[]> {
  const text = 'select * from visits where workspace_id = $1 and contact_id = $2 order by started_at';
  return (await pool.query(text, [workspaceId, contactId])).rows;
}

test('a contact has its first and last visits, and is otherwise unchanged', async () => {
  const { body: contact } = await client.create();
  expect(contact['visits']).toEqual({ first_visit: null, last_visit: null, last_visit_with_utm: null });
  const before = await client.recordOf(contact.id);
  const first = visitOf(contact.id, {
    ...{
      utm_source: 'letter',
      utm_medium: 'email',
      utm_campaign: 'May',
      utm_term: 'tent',
      utm_content: 'top',
    },
    ...{ referrer: 'https://www.example.org/a?b=c', ip: '2001:db8::1', user_agent: FIREFOX },
    ...{ landing_page: 'https://shop.example/start', started_at: hoursAgo(3) },
  });
  await record(
    visitOf(contact.id, { started_at: hoursAgo(2) }),
    first,
    visitOf(contact.id, { started_at: hoursAgo(1) }),
  );
  const { body } = await client.send('GET', `/api/v2/contacts/${contact.id}`);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { contact_id: _, ...shown } = first as Record<string, unknown>;
  const known = {
    browser: 'Firefox',
    os: 'Linux',
    device_type: 'desktop',
    referring_domain: 'www.example.org',
  };
  const whole = { ...shown, ...known, created_at: at, updated_at: at };
  expect(body).toEqual({
    ...contact,
    visits: { first_visit: whole, last_visit: expect.any(Object), last_visit_with_utm: whole },
  });
  const { last_visit: last } = body['visits'] as { last_visit: Record<string, unknown> };
  expect(last).toMatchObject({
    ip: null,
    browser: null,
    os: null,
    device_type: null,
    referring_domain: null,
  });
  expect(await client.recordOf(contact.id)).toEqual(before);

  const query = `{ contact(by: { databaseId: ${contact.id} }) { updatedAt visits { firstVisit { uuid browser startedAt } lastVisitWithUtm { utmTerm } } } }`;
  const { data } = await post<{ contact: object }>(gateway, { query }, { caller });
  expect(data?.contact).toEqual({
    updatedAt: contact['updated_at'],
    visits: {
      firstVisit: { uuid: first.uuid, browser: 'Firefox', startedAt: shown['started_at'] },
      lastVisitWithUtm: { utmTerm: 'tent' },
    },
  });
});

test('the first 512 characters of a long user agent are evaluated', async () => {
  const { body } = await client.create();
  const last = async (user_agent: string) => {
    await record(visitOf(body.id, { user_agent }));
    const { visits } = (await client.send('GET', `/api/v2/contacts/${body.id}`)).body;
    return (visits as { last_visit: object }).last_visit;
  };
  expect(await last(`${FIREFOX.padEnd(512)} OPR/99`)).toMatchObject({ browser: 'Firefox', os: 'Linux' });
  const unread = `${'x '.repeat(256)}${FIREFOX}`;
  expect(await last(unread)).toMatchObject({ user_agent: unread, browser: null, os: null });
});

test('a uuid counts once on a page for 24 hours, and again on another page', async () => {
  const { body } = await client.create();
  const visit = visitOf(body.id, { started_at: hoursAgo(1) });
  await Promise.all(
    Array.from({ length: 8 }, () => record(visit, { ...visit, uuid: visit.uuid.toUpperCase() })),
  );
  expect(await rowsOf(body.id)).toHaveLength(1);
  const other = await factories.page(app, workspaceId, 'Other');
  await client.send('POST', `/api/v2/pages/${other.id}/visits`, { visit });
  expect(await rowsOf(body.id)).toHaveLength(2);
  await pool.query('update visits set created_at = $3 where workspace_id = $1 and contact_id = $2', [
    ...[workspaceId, body.id],
    hoursAgo(25),
  ]);
  await record(visit);
  expect(await rowsOf(body.id)).toHaveLength(3);
});

test('the pages that a contact visited are erased with it, and nobody else’s', async () => {
  const [one, two] = [(await client.create()).body.id, (await client.create()).body.id];
  await record(visitOf(one), visitOf(two));
  const other = await factories.page(app, workspaceId, 'Seen too');
  await client.send('POST', `/api/v2/pages/${other.id}/visits`, { visit: visitOf(one) });
  const seenBy = async (contactId: number) => {
    const text = 'select page_id from page_visitors where workspace_id = $1 and visitor = $2';
    return (await pool.query(text, [workspaceId, contactVisitorHash(BigInt(contactId))])).rows.length;
  };
  expect([await seenBy(one), await seenBy(two)]).toEqual([2, 1]);
  expect((await client.send('DELETE', `/api/v2/contacts/${one}/gdpr_destroy`)).status).toBe(200);
  expect([await seenBy(one), await seenBy(two)]).toEqual([0, 1]);
});

test('the pages that a contact visited are erased although a page was deleted', async () => {
  const { id } = (await client.create()).body;
  const gone = await factories.page(app, workspaceId, 'Deleted later');
  await client.send('POST', `/api/v2/pages/${gone.id}/visits`, { visit: visitOf(id) });
  expect((await client.send('DELETE', `/api/v2/pages/${gone.id}`)).status).toBe(204);
  const text = 'select from page_visitors where workspace_id = $1 and visitor = $2';
  const seen = async () =>
    (await pool.query(text, [workspaceId, contactVisitorHash(BigInt(id))])).rows.length;
  expect(await seen()).toBe(1);
  expect((await client.send('DELETE', `/api/v2/contacts/${id}/gdpr_destroy`)).status).toBe(200);
  expect(await seen()).toBe(0);
});

test('over GraphQL visits are recorded as well', async () => {
  const { body } = await client.create();
  const query = `mutation ($input: RecordVisitsInput!) { recordVisits(input: $input) { page { name } } }`;
  const input = {
    pageId: btoa(`Page:${page.id}`),
    visits: [{ uuid: randomUUID(), contactId: btoa(`Contact:${body.id}`), utmSource: 'feed' }],
  };
  const answer = await post(gateway, { query, variables: { input } }, { caller });
  expect(answer.data).toEqual({ recordVisits: { page: { name: 'Welcome' } } });
  expect(await rowsOf(body.id)).toMatchObject([{ utm_source: 'feed' }]);
});

const stranger = await createRestClient(gateway);
const foreign = (await stranger.create()).body.id;
const sibling = (
  await factories.contact(app, {
    workspaceId: (await factories.workspace(app, { teamId: client.teamId })).id,
  })
).id;
const uuid = randomUUID();

test.each([
  ['nothing', {}, ['body']],
  ['no visit', { visits: [] }, ['visits']],
  ['one, and several', { visit: { uuid, visitor_id: 'x' }, visits: [{ uuid, visitor_id: 'x' }] }, ['visits']],
  ['nobody', { visit: { uuid } }, ['visit.contact_id']],
  ['a visitor without a name', { visit: { uuid, visitor_id: '' } }, ['visit.contact_id']],
  ['two people', { visit: { uuid, visitor_id: 'x', contact_id: foreign } }, ['visit.contact_id']],
  ['no uuid', { visits: [{ visitor_id: 'x' }] }, ['visits[0].uuid']],
  ['another uuid', { visits: [{ uuid: 'x', visitor_id: 'x' }] }, ['visits[0].uuid']],
  ['an address that is none', { visit: { uuid, visitor_id: 'x', ip: '1.2.3' } }, ['visit.ip']],
  ['the future', { visit: { uuid, visitor_id: 'x', started_at: hoursAgo(-2) } }, ['visit.started_at']],
  ['long ago', { visit: { uuid, visitor_id: 'x', started_at: hoursAgo(31 * 24) } }, ['visit.started_at']],
  ['too many', { visits: Array.from({ length: 501 }, () => ({ uuid, visitor_id: 'x' })) }, ['visits']],
  [
    'another team’s contact',
    {
      visits: [
        { uuid, visitor_id: 'x' },
        { uuid, contact_id: foreign },
      ],
    },
    ['visits[1].contact_id'],
  ],
  ['another workspace’s contact', { visit: { uuid, contact_id: Number(sibling) } }, ['visit.contact_id']],
])('a body with %s is refused, and nothing is recorded', async (_, body, fields) => {
  expect(await client.refused(422, 'POST', PATH, body)).toEqual(fields);
  const { rows } = await pool.query('select from visits where uuid = $1', [uuid]);
  expect(rows).toEqual([]);
});

test('another team’s page, or a discarded one, is not found', async () => {
  expect((await stranger.send('POST', PATH, { visit: { uuid, visitor_id: 'x' } })).status).toBe(404);
  const gone = await factories.page(app, workspaceId, 'Gone');
  await pool.query(`update pages set discarded_at = now(), discard_reason = 'test' where id = $1`, [gone.id]);
  const { status } = await client.send('POST', `/api/v2/pages/${gone.id}/visits`, {
    visit: { uuid, visitor_id: 'x' },
  });
  expect(status).toBe(404);
});

test('If-Match has nothing to compare', async () => {
  const { status } = await client.send(
    'POST',
    PATH,
    { visit: { uuid, visitor_id: 'x' } },
    { 'If-Match': '*' },
  );
  expect(status).toBe(412);
});

/** The stored visits, by their uuids. */
async function keptOf(...visits: { uuid: string }[]): Promise<Record<string, unknown>[]> {
  const text = 'select * from visits where workspace_id = $1 and uuid = any($2) order by started_at';
  return (await pool.query(text, [workspaceId, visits.map((one) => one.uuid)])).rows;
}
const erase = (id: number) => client.send('DELETE', `/api/v2/contacts/${id}/gdpr_destroy`);
const NO_VISITS = { first_visit: null, last_visit: null, last_visit_with_utm: null };
const SECRET = {
  ...{ utm_source: 'ann', utm_medium: 'ann', utm_campaign: 'ann', utm_term: 'ann', utm_content: 'ann' },
  ...{ referrer: 'https://ann.example', ip: '192.0.2.7', user_agent: FIREFOX },
  landing_page: 'https://shop.example/ann',
};
const NOBODY = {
  ...Object.fromEntries(Object.keys(SECRET).map((name) => [name, null])),
  ...{ contact_id: null, visitor_id: null },
};

test('erasing a contact blanks its visits, and the counts stay', async () => {
  const { body } = await client.create();
  const visit = visitOf(body.id, SECRET);
  await record(visit);
  const { counted: before } = await countedAndRaw(app, workspaceId);
  const { body: erased } = await erase(body.id);
  expect(erased['visits']).toEqual(NO_VISITS);
  expect(await keptOf(visit)).toMatchObject([NOBODY]);
  const { counted: after } = await countedAndRaw(app, workspaceId);
  expect({ ...after, contacts: null }).toEqual({ ...before, contacts: null });
});

test('a deleted contact can still be erased, with its visits', async () => {
  const { body } = await client.create();
  const visit = visitOf(body.id, SECRET);
  await record(visit);
  expect((await client.send('DELETE', `/api/v2/contacts/${body.id}`)).status).toBe(204);
  const { body: erased, status } = await erase(body.id);
  expect([status, erased['visits']]).toEqual([200, NO_VISITS]);
  expect(await keptOf(visit)).toMatchObject([NOBODY]);
});

test('a visit of an erased contact is refused, and nothing is recorded or counted', async () => {
  const { body } = await client.create();
  await erase(body.id);
  const { counted: before } = await countedAndRaw(app, workspaceId);
  const visits = [{ uuid: randomUUID(), visitor_id: 'somebody else' }, visitOf(body.id, SECRET)];
  expect(await client.refused(422, 'POST', PATH, { visits })).toEqual(['visits[1].contact_id']);
  expect(await keptOf(...visits)).toEqual([]);
  expect((await countedAndRaw(app, workspaceId)).counted).toEqual(before);
});

test.each([
  [
    'after it was erased',
    `select from contacts where workspace_id = ${workspaceId} and id = $1 for update`,
    'contact',
    422,
  ],
  [
    'before it is erased',
    `select pg_advisory_xact_lock(hashtextextended('visits of page ' || $1, 0))`,
    'page',
    202,
  ],
] as const)(
  'a visit that comes to its contact %s, in the same moment, leaves nothing of the person',
  async (_, hold, held, status) => {
    const { body } = await client.create();
    const visit = visitOf(body.id, SECRET);
    const first = () => (held === 'contact' ? erase(body.id) : client.send('POST', PATH, { visit }));
    const second = () => (held === 'contact' ? client.send('POST', PATH, { visit }) : erase(body.id));
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query(hold, [held === 'contact' ? body.id : page.id]);
      const leading = first();
      await untilWaiting(app, 1);
      const following = second();
      await untilWaiting(app, 2);
      await holder.query('commit');
      const statuses = (await Promise.all([leading, following])).map((answer) => answer.status);
      expect(statuses).toEqual(held === 'contact' ? [200, status] : [status, 200]);
    } finally {
      holder.release();
    }
    const kept = await keptOf(visit);
    expect(kept).toMatchObject(kept.map(() => NOBODY));
    expect((await client.send('GET', `/api/v2/contacts/${body.id}`)).body['visits']).toEqual(NO_VISITS);
  },
);
