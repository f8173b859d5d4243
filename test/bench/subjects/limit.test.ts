// The limits of the bench: what they answer, and over which connections.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { READERS } from '../../../src/store/connections/connection-counts.ts';
import { PLAN_SETTINGS } from '../../../src/store/pipelining/session.ts';
import { query } from '../../support/cluster.ts';
import * as factories from '../../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../../support/gateway.ts';
import { DOCUMENTS } from '../documents.ts';
import { type Subject, startSubject } from '../subject.ts';
import { SUBJECTS } from '../subjects.ts';

const LIMITS = ['limit-json', 'limit-rows', 'limit-pipelined'] as const;
const CONTACTS = 90;

let gateway: Gateway;
let caller: Caller;
let workspaceId: bigint;
let contactIds: bigint[];
let databaseUrl: string;
let logDir: string;
const limits = new Map<string, Subject>();

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  const workspace = await factories.workspace(app);
  workspaceId = workspace.id;
  caller = await factories.apiKey(app, { teamId: workspace.teamId });
  contactIds = await factories.contacts(app, workspaceId, CONTACTS);
  databaseUrl = app.store.connection.connectionString ?? '';
  logDir = await mkdtemp(join(tmpdir(), 'fg-test-'));
  const settings = { databaseUrl, poolSize: 3, logDir, signal: new AbortController().signal };
  for (const name of LIMITS) limits.set(name, await startSubject(SUBJECTS[name], settings));
});

afterAll(async () => {
  for (const limit of limits.values()) await limit.stop();
  await rm(logDir, { recursive: true });
  await gateway.close();
});

const urlOf = (name: string, path: string) => `http://127.0.0.1:${limits.get(name)?.port}${path}`;

test.for(LIMITS)('%s: many concurrent pages are byte for byte the gateway’s', async (name) => {
  const paths = contactIds.map(
    (id, index) => `/api/v2/workspaces/${workspaceId}/contacts?per_page=${1 + (index % 30)}&after=${id}`,
  );
  const bodies = await Promise.all(paths.map(async (path) => (await fetch(urlOf(name, path))).text()));
  const expected = await Promise.all(
    paths.map(async (path) => (await gateway.send(path, { caller })).text()),
  );
  expect(bodies).toEqual(expected);
});

test.for(LIMITS)('%s: a connection is byte for byte the gateway’s', async (name) => {
  const variables = { workspace: Number(workspaceId), after: null };
  const post = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: DOCUMENTS[name].connection, variables }),
  };
  const body = await (await fetch(urlOf(name, '/graphql'), post)).text();
  expect(body).toBe(await (await gateway.send('/graphql', { ...post, caller })).text());
});

test('limit-pipelined has as many connections as the gateway’s reads, and their plan settings', async () => {
  const settings = { databaseUrl, poolSize: 3, logDir, signal: new AbortController().signal };
  const backends = `select pid, query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  const before = new Set((await query(databaseUrl, backends)).map(({ pid }) => pid));
  const fresh = await startSubject({ ...SUBJECTS['limit-pipelined'], name: 'fresh' }, settings);
  try {
    const opened = (await query(databaseUrl, backends)).filter(({ pid }) => !before.has(pid));
    expect(opened.map((backend) => backend['query'])).toEqual(Array(READERS).fill(PLAN_SETTINGS));
  } finally {
    await fresh.stop();
  }
});
