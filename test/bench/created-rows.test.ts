// What the bench takes for a contact that was created with all that belongs to it, tried on what the limit creates.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { clearCreated, readCreated, requireHistory, requireSnapshots } from './created-rows.ts';
import type { Manifest } from './dataset.ts';
import { createdIn, createRequest, newContacts } from './new-contacts.ts';
import { type Subject, startSubject } from './subject.ts';
import { SUBJECTS } from './subjects.ts';
import { ask } from './workloads.ts';

const CONTACTS = newContacts(3);

let gateway: Gateway;
let caller: Caller;
let manifest: Manifest;
let client: pg.Client;
let limit: Subject;
let logDir: string;
let answers: string[];
let ids: number[];

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  const workspace = await factories.workspace(app);
  caller = await factories.apiKey(app, { teamId: workspace.teamId });
  const [firstContactId] = await factories.contacts(app, workspace.id, 2);
  manifest = {
    rows: 2,
    orders: 0,
    teamId: Number(workspace.teamId),
    workspaceIds: [Number(workspace.id)],
    workspaceId: Number(workspace.id),
    firstContactId: Number(firstContactId),
    token: '',
  };
  const databaseUrl = app.store.connection.connectionString ?? '';
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  logDir = await mkdtemp(join(tmpdir(), 'fg-test-'));
  const settings = { databaseUrl, poolSize: 3, logDir, signal: new AbortController().signal };
  limit = await startSubject(SUBJECTS['limit-json'], settings);
});

afterAll(async () => {
  await limit.stop();
  await client.end();
  await rm(logDir, { recursive: true });
  await gateway.close();
});

beforeEach(async () => {
  await clearCreated(client, manifest);
  const replies = await Promise.all(
    CONTACTS.map((contact) => ask(limit, createRequest('limit-json', manifest, contact, 'test'))),
  );
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
  answers = replies.map(({ body }) => body);
  ids = await readCreated(client, manifest, CONTACTS);
});

test('the reference program creates the requested contacts, each with its audit entry, events and record', async () => {
  await requireHistory(client, manifest, ids);
  for (const [at, answer] of answers.entries()) {
    expect(createdIn(answer)).toEqual({ id: ids[at], emailAddress: CONTACTS[at]?.email_address });
    await requireSnapshots(client, ids[at] ?? 0, answer);
  }
});

test('the reference program answers with the bytes that the gateway lists', async () => {
  const path = `/api/v2/workspaces/${manifest.workspaceId}/contacts?after=${manifest.firstContactId + 1}`;
  const listed = await (await gateway.send(path, { caller })).text();
  const byId = answers.toSorted((a, b) => (createdIn(a)?.id ?? 0) - (createdIn(b)?.id ?? 0));
  expect(listed).toBe(`[${byId.join()}]`);
});

test.for([
  'delete from audit_entries where contact_id = $1',
  "delete from events where contact_id = $1 and event_type = 'contact.created'",
  "delete from events where contact_id = $1 and event_type = 'contact.identified'",
  'delete from idempotency_records r using audit_entries a where a.id = r.audit_entry_id and a.contact_id = $1',
  'update events set data = \'{"id":0}\' where contact_id = $1',
  'update audit_entries set after = \'{"id":0}\' where contact_id = $1',
])('without all that belongs to a contact it does not count: %s', async (statement) => {
  await client.query(statement, [ids[1]]);
  await expect(requireHistory(client, manifest, ids)).rejects.toThrow(' of 3');
});

test.for([
  ['delete from contacts where id = $1', '2 contacts are there, of 3'],
  ["update contacts set first_name = 'Somebody else' where id = $1", 'Somebody else'],
] as const)('a contact that is not as asked for does not count: %s', async ([statement, message]) => {
  await client.query(statement, [ids[1]]);
  await expect(readCreated(client, manifest, CONTACTS)).rejects.toThrow(message);
});

test('a snapshot that differs from the answer does not count', async () => {
  await client.query(
    "update events set data = '{}' where contact_id = $1 and event_type = 'contact.created'",
    [ids[1]],
  );
  await expect(requireSnapshots(client, ids[1] ?? 0, answers[1] ?? '')).rejects.toThrow('is kept');
});

test('clearing removes only the rows that the run added', async () => {
  await clearCreated(client, manifest);
  const { rows } = await client.query(
    `select (select count(*) from contacts) as contacts, (select count(*) from audit_entries) as entries,
      (select count(*) from events) as events, (select count(*) from idempotency_records) as records`,
  );
  expect(rows).toEqual([{ contacts: '2', entries: '0', events: '0', records: '0' }]);
});
