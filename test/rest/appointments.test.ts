// Appointments: they are made, moved and canceled, each with its event, and what a contact has written goes with the contact.
import { beforeEach, expect, test } from 'vitest';
import { blankAll } from '../support/blanking.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient, type RestClient, type Shown } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
let contactId: number;
/** The path of the workspace's appointments. */
let list: string;

const API = '/api/v2';
const MEMBERS = `${API}/appointments/scheduled_events`;
const NAME = 'appointments_scheduled_event';

/** Sends a request that must succeed. */
async function done(method: string, path: string, body?: object): Promise<Shown> {
  const { status, text, body: shown } = await client.send(method, path, body);
  expect([status, text]).toEqual([expect.toBeOneOf([200, 201, 204]), text]);
  return shown;
}
const listOf = async (query = '') => (await done('GET', `${list}${query}`)) as unknown as Shown[];
const create = (members: object = {}) =>
  done('POST', list, {
    [NAME]: {
      ...{ primary_contact_id: contactId, start_on: '2026-12-01T09:00:00Z', end_on: '2026-12-01T09:30:00Z' },
      ...members,
    },
  });
const reschedule = (id: number, members: object) =>
  client.send('POST', `${MEMBERS}/${id}/reschedule`, { [NAME]: members });

async function eventsOf(): Promise<{ type: string; data: Shown }[]> {
  const { rows } = await app.store.pool.query(
    `select event_type as type, data from events where workspace_id = $1 and event_type like 'appointments/%' order by id`,
    [client.workspaceId],
  );
  return rows as { type: string; data: Shown }[];
}
const typesOf = async () =>
  (await eventsOf()).map(({ type }) => type.replace('appointments/scheduled_event.', ''));

beforeEach(async () => {
  client = await createRestClient(gateway);
  contactId = (await client.create({ email_address: 'mia@example.com', first_name: 'Mia' })).body.id;
  list = `${API}/workspaces/${client.workspaceId}/appointments/scheduled_events`;
});

test('have the members of the public API', async () => {
  const made = await create({ event_type: { name: 'First call' }, tzid: 'Europe/Madrid', max_invitees: 3 });
  expect(made).toMatchObject({
    ...{ status: 'scheduled', event_type: { name: 'First call' }, tzid: 'Europe/Madrid', max_invitees: 3 },
    ...{ start_on: '2026-12-01T09:00:00.000Z', end_on: '2026-12-01T09:30:00.000Z', comments: null },
    ...{ order_id: null, workspace_id: Number(client.workspaceId) },
    primary_contact: { id: contactId, email_address: 'mia@example.com', first_name: 'Mia', last_name: null },
  });
  expect(await listOf()).toEqual([made]);
  const bare = await create({ end_on: null });
  expect(bare).toMatchObject({ end_on: null, event_type: null, tzid: null, max_invitees: null });
  const later = await create({ start_on: '2026-12-03T09:00:00Z', end_on: null });
  expect(await listOf('?filter[start_on][from]=2026-12-02')).toEqual([later]);
  expect(await listOf('?filter[start_on][to]=2026-12-02')).toEqual([made, bare]);
});

test('the kind of an appointment is set, cleared with null, and set again', async () => {
  const { id } = await create({ event_type: { name: 'First call' } });
  const changed = async (members: object) =>
    (await done('PATCH', `${MEMBERS}/${id}`, { [NAME]: members }))['event_type'];
  expect(await changed({ comments: 'Soon.' })).toEqual({ name: 'First call' });
  expect(await changed({ event_type: null })).toBeNull();
  expect(await changed({ comments: 'Later.' })).toBeNull();
  expect(await changed({ event_type: { name: 'Second call' } })).toEqual({ name: 'Second call' });
  expect(await changed({ event_type: {} })).toEqual({ name: 'Second call' });
});

test('an appointment ends after it begins, and is with a contact of the workspace', async () => {
  const refused = (members: object) =>
    client.refused(422, 'POST', list, {
      [NAME]: { primary_contact_id: contactId, start_on: '2026-12-01T09:00:00Z', ...members },
    });
  expect(await refused({ end_on: '2026-12-01T09:00:00Z' })).toEqual(['end_on']);
  expect(await refused({ max_invitees: 0 })).toEqual(['max_invitees']);
  expect(await refused({ primary_contact_id: null })).toEqual(['primary_contact_id']);
  const other = await createRestClient(gateway);
  const { id } = (await other.create()).body;
  expect(await refused({ primary_contact_id: id })).toEqual(['primary_contact_id']);
});

test('moving one keeps its length, unless the end is given, and is an event if the time is another one', async () => {
  const { id } = await create();
  const moved = await reschedule(id, { start_on: '2026-12-02T10:00:00Z' });
  expect(moved.body).toMatchObject({
    ...{ start_on: '2026-12-02T10:00:00.000Z', end_on: '2026-12-02T10:30:00.000Z', status: 'scheduled' },
  });
  expect((await reschedule(id, { start_on: '2026-12-02T10:00:00Z' })).status).toBe(200);
  expect(await typesOf()).toEqual(['created', 'rescheduled']);
  const longer = { start_on: '2026-12-02T10:00:00Z', end_on: '2026-12-02T12:00:00Z', tzid: 'Europe/Paris' };
  expect((await reschedule(id, longer)).body).toMatchObject({
    ...{ end_on: '2026-12-02T12:00:00.000Z', tzid: 'Europe/Paris' },
  });
  expect(await typesOf()).toEqual(['created', 'rescheduled', 'rescheduled']);
  expect((await eventsOf()).at(-1)?.data).toEqual(await done('GET', `${MEMBERS}/${id}`));
  const refused = (members: object) =>
    client.refused(422, 'POST', `${MEMBERS}/${id}/reschedule`, { [NAME]: members });
  expect(await refused({ end_on: '2026-12-02T12:00:00Z' })).toEqual(['start_on']);
  expect(await refused({ start_on: '2026-12-03T10:00:00Z', end_on: '2026-12-02T12:00:00Z' })).toEqual([
    'end_on',
  ]);
});

test('moving one does not move its end beyond the last time that there is', async () => {
  const { id } = await create({ start_on: '2030-01-01T00:00:00Z', end_on: '2040-01-01T00:00:00Z' });
  const body = { [NAME]: { start_on: '9995-01-01T00:00:00Z' } };
  expect(await client.refused(422, 'POST', `${MEMBERS}/${id}/reschedule`, body)).toEqual(['end_on']);
});

test('canceling one is final, and an event once', async () => {
  const { id } = await create();
  const path = `${MEMBERS}/${id}/cancel`;
  expect(await done('POST', path)).toMatchObject({ status: 'canceled' });
  expect(await done('POST', path)).toMatchObject({ status: 'canceled' });
  expect(await typesOf()).toEqual(['created', 'canceled']);
  const answer = await reschedule(id, { start_on: '2026-12-02T10:00:00Z' });
  expect([answer.status, answer.body['errors']]).toEqual([
    409,
    [expect.objectContaining({ code: 'not_allowed_now', field: 'status' })],
  ]);
  expect(await done('PATCH', `${MEMBERS}/${id}`, { [NAME]: { comments: 'A pity.' } })).toMatchObject({
    comments: 'A pity.',
  });
  expect(await typesOf()).toEqual(['created', 'canceled']);
});

test('what the contact has written is blanked when the contact is erased', async () => {
  const { id } = await create({ comments: 'My knee hurts.' });
  await done('DELETE', `${API}/contacts/${contactId}/gdpr_destroy`);
  const blank = { comments: null, primary_contact: { id: contactId, email_address: null, first_name: null } };
  expect(await done('GET', `${MEMBERS}/${id}`)).toMatchObject(blank);
  await blankAll(app);
  expect(await done('GET', `${MEMBERS}/${id}`)).toMatchObject(blank);
  const { rowCount } = await app.store.pool.query(
    `select from appointments t where t.workspace_id = $1 and t.comments is not null
     union all select from audit_entries t where t.workspace_id = $1 and t::text ~ 'knee'
     union all select from events t where t.workspace_id = $1 and t::text ~ 'knee'`,
    [client.workspaceId],
  );
  expect(rowCount).toBe(0);
});

test('over GraphQL they are moved and canceled, and a contact has its own', async () => {
  const { id } = await create();
  const caller = { caller: client.caller };
  const input = { appointmentId: btoa(`Appointment:${id}`) };
  const move = `mutation ($input: RescheduleAppointmentInput!) { rescheduleAppointment(input: $input) {
    appointment { startsAt endsAt status } userErrors { code path } } }`;
  const startsAt = '2026-12-02T10:00:00.000Z';
  const moved = await post(gateway, { query: move, variables: { input: { ...input, startsAt } } }, caller);
  expect(moved.data).toEqual({
    rescheduleAppointment: {
      appointment: { startsAt, endsAt: '2026-12-02T10:30:00.000Z', status: 'SCHEDULED' },
      userErrors: [],
    },
  });
  const cancel = `mutation ($input: CancelAppointmentInput!) { cancelAppointment(input: $input) {
    appointment { status primaryContact { appointments { nodes { status startsAt } } } } } }`;
  const canceled = await post(gateway, { query: cancel, variables: { input } }, caller);
  expect(canceled.data).toEqual({
    cancelAppointment: {
      appointment: {
        status: 'CANCELED',
        primaryContact: { appointments: { nodes: [{ status: 'CANCELED', startsAt }] } },
      },
    },
  });
  const again = await post(gateway, { query: move, variables: { input: { ...input, startsAt } } }, caller);
  expect(again.data).toMatchObject({
    rescheduleAppointment: { appointment: null, userErrors: [{ code: 'NOT_ALLOWED_NOW' }] },
  });
});
