// Reads from a streaming replica: which changes each client sees at which time, over two gateways on one primary.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { withSilentApp } from '../../../src/commands/doctor/connections.ts';
import { limitsOf } from '../../../src/commands/doctor/limits.ts';
import { checkReplicas } from '../../../src/commands/doctor/replicas.ts';
import { parseConfig, type Settings } from '../../../src/config/config.ts';
import { createPrometheus } from '../../../src/telemetry/prometheus.ts';
import * as factories from '../../support/factories.ts';
import { type Caller, type Gateway, openGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { contactsOf, createSessions } from '../../support/open-transactions.ts';
import { type Replicated, startReplicated } from '../../support/standby.ts';
import { allIds, idsOf, nextOf, walk } from '../../support/walk.ts';

let database: Replicated;
let gateways: Gateway[];
let one: Gateway;
let other: Gateway;
let teamId: bigint;
let workspaceId: bigint;
let writer: Caller;
let reader: Caller;
const sessions = createSessions(() => one);
const { insert, begin } = contactsOf(sessions, () => ({
  gateway: one,
  caller: { authorization: writer.authorization ?? '' },
  workspaceId,
}));

const LIST =
  'query ($id: ID!) { workspace(by: { id: $id }) { contacts(first: 50) { nodes { databaseId } } } }';

function open(replicaUrl: string, env: Record<string, string> = {}): Gateway {
  const gateway = openGateway({ databaseUrl: database.primaryUrl, replicaUrls: [replicaUrl] }, { env });
  gateways.push(gateway);
  gateway.app.store.watchDatabase();
  return gateway;
}

const stateOf = ({ app }: Gateway) => app.store.replicas?.readings()[0]?.state;
const requestsOf = ({ app }: Gateway) => app.store.replicas?.readings()[0]?.requests ?? 0;

/** Creates a contact over REST. */
async function create(gateway: Gateway, caller: Caller): Promise<{ id: number; token: string }> {
  const response = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
    ...{
      caller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"first_name":"Ann"}',
    },
  });
  expect(response.status).toBe(201);
  const { id } = (await response.json()) as { id: number };
  return { id, token: response.headers.get('consistency-token') ?? '' };
}

async function statusOf(
  gateway: Gateway,
  id: number | bigint,
  caller: Caller,
  token?: string,
): Promise<number> {
  const headers = token === undefined ? {} : { 'Consistency-Token': token };
  return (await gateway.send(`/api/v2/contacts/${id}`, { caller, headers })).status;
}

async function listOf(gateway: Gateway, caller: Caller): Promise<bigint[]> {
  return idsOf(await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, { caller }));
}

/** Waits until the replica has settled the present rows: until then a page may be the primary's, and the next one the replica's. */
async function untilSettledThere({ app }: Gateway): Promise<void> {
  const now = performance.now();
  await expect.poll(() => app.store.replicas?.pick(null)?.mark.at).toBeGreaterThan(now);
}

beforeAll(async () => {
  gateways = [];
  database = await startReplicated();
  one = open(database.replicaUrl, { REPLICA_MAX_LAG_MS: '29000' });
  other = open(database.replicaUrl, { REPLICA_MAX_LAG_MS: '29000' });
  teamId = (await factories.team(one.app)).id;
  writer = await factories.apiKey(one.app, { teamId });
  reader = await factories.apiKey(one.app, { teamId, scopes: ['read'] });
});
beforeEach(async () => {
  workspaceId = (await factories.workspace(one.app, { teamId })).id;
  await database.catchUp();
  for (const gateway of [one, other]) {
    await expect.poll(() => stateOf(gateway)).toBe('used');
  }
});
afterEach(async () => {
  await sessions.endAll();
  // The last test stopped it.
  await database.resume().catch(() => {});
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await database.clean();
});

test('reads are answered by the replica with its state', async () => {
  await database.pause();
  const { id } = await factories.contact(one.app, { workspaceId });
  await expect.poll(() => statusOf(one, id, reader)).toBe(404);
  await expect.poll(() => listOf(one, reader)).toEqual([]);
  await database.resume();
  await expect.poll(() => statusOf(one, id, reader)).toBe(200);
  await expect.poll(() => listOf(one, reader)).toEqual([id]);
});

test('a credential sees its own changes at once in its process; a client with the token, in every process', async () => {
  await database.pause();
  const { id, token } = await create(one, writer);
  expect(await statusOf(one, id, writer)).toBe(200);
  expect(await listOf(one, writer)).toEqual([BigInt(id)]);
  for (const gateway of [one, other]) {
    expect(await statusOf(gateway, id, reader, token)).toBe(200);
    await expect.poll(() => statusOf(gateway, id, reader)).toBe(404);
  }
});

test('over GraphQL the token is in the extensions, with the same effect', async () => {
  await database.pause();
  const workspace = Buffer.from(`Workspace:${workspaceId}`).toString('base64');
  const { extensions } = (await post(
    one,
    {
      query:
        'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { databaseId } } }',
      variables: { input: { workspaceId: workspace, firstName: 'Ada' } },
    },
    { caller: writer },
  )) as { extensions?: { consistencyToken?: string } };
  const token = extensions?.consistencyToken ?? '';
  const list = (caller: Caller, headers: Record<string, string> = {}, gateway = other) =>
    post<{ workspace: { contacts: { nodes: unknown[] } } }>(
      gateway,
      { query: LIST, variables: { id: workspace } },
      { caller, headers },
    ).then(({ data }) => data?.workspace?.contacts.nodes.length);
  // By Yoga first, then compiled.
  for (const _ of [1, 2]) {
    expect(await list(writer, {}, one)).toBe(1);
    expect(await list(reader, { 'Consistency-Token': token })).toBe(1);
    await expect.poll(() => list(reader)).toBe(0);
  }
});

test('a retry that gets the first answer is followed by reads that see the change', async () => {
  const { id } = await create(one, writer);
  const read = (gateway: Gateway) => gateway.send(`/api/v2/contacts/${id}`, { caller: writer });
  const tag = (await read(one)).headers.get('etag') ?? '';
  await database.pause();
  const change = (gateway: Gateway) =>
    gateway.send(`/api/v2/contacts/${id}`, {
      ...{ caller: writer, method: 'PATCH', body: '{"first_name":"Ada"}' },
      headers: { 'Content-Type': 'application/json', 'If-Match': tag, 'Idempotency-Key': 'once' },
    });
  expect((await change(one)).status).toBe(200);
  const retried = await change(other);
  expect(retried.status).toBe(200);
  expect(retried.headers.get('consistency-token')).toMatch(/^[\w-]{64}$/);
  expect(await (await read(other)).json()).toMatchObject({ first_name: 'Ada' });
});

test('once the replica has replayed a change, a client with its token reads there', async () => {
  const { id, token } = await create(one, writer);
  await expect
    .poll(async () => {
      const before = requestsOf(other);
      expect(await statusOf(other, id, reader, token)).toBe(200);
      return requestsOf(other) - before;
    })
    .toBe(1);
});

test('some seconds after its last change, a credential reads from replicas again', async () => {
  const quick = open(database.replicaUrl, { REPLICA_MAX_LAG_MS: '300' });
  await expect.poll(() => stateOf(quick)).toBe('used');
  const { id } = await create(quick, writer);
  expect(await statusOf(quick, id, writer)).toBe(200);
  expect(requestsOf(quick)).toBe(0);
  await expect.poll(() => statusOf(quick, id, writer).then(() => requestsOf(quick))).toBeGreaterThan(0);
});

test('a list ends before rows that an open transaction may still commit, on the replica too', async () => {
  const session = await sessions.connect();
  const first = await insert(session);
  const late = await begin();
  const second = await insert(session);
  await database.catchUp();
  await expect.poll(() => statusOf(one, second, reader)).toBe(200);
  await untilSettledThere(one);
  expect(await listOf(one, reader)).toEqual([first]);
  await late.client.query('commit');
  await expect.poll(() => listOf(one, reader)).toEqual([first, late.id, second]);
});

test('a walk continues from its position, also if that is ahead of the replica', async () => {
  const { id: replayed } = await factories.contact(one.app, { workspaceId });
  await database.catchUp();
  await expect.poll(() => statusOf(one, replayed, reader)).toBe(200);
  await database.pause();
  const { id: second } = await factories.contact(one.app, { workspaceId });
  const { id: third } = await factories.contact(one.app, { workspaceId });
  const { id: last, token } = await create(one, writer);
  const all = [replayed, second, third, BigInt(last)];
  for (const query of ['asc', 'desc', 'asc&sort_property=updated_at', 'desc&sort_property=updated_at']) {
    const isAscending = query.startsWith('asc');
    let next = `/api/v2/workspaces/${workspaceId}/contacts?per_page=1&sort_order=${query}`;
    // As if another replica, which is less far behind, had answered the first pages.
    for (let pages = isAscending ? 2 : 1; pages > 0; pages--) {
      const begun = await one.send(next, { caller: reader, headers: { 'Consistency-Token': token } });
      const { pathname, search } = new URL(nextOf(begun) ?? '');
      next = pathname + search;
    }
    const walked = allIds(await walk(one, next, { caller: reader }));
    expect(walked, query).toEqual(isAscending ? all.slice(2) : all.slice(0, 3).toReversed());
  }
  const behind = `/api/v2/workspaces/${workspaceId}/contacts?sort_property=updated_at&after=${third}`;
  expect(await idsOf(await one.send(behind, { caller: reader }))).toEqual([BigInt(last)]);
});

test('a forged token is refused; one of another cluster, or of the future, reads from the primary', async () => {
  await database.pause();
  const { id } = await factories.contact(one.app, { workspaceId });
  const response = await one.send(`/api/v2/contacts/${id}`, {
    ...{ caller: reader, headers: { 'Consistency-Token': 'yesterday' } },
  });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: [{ field: 'Consistency-Token' }] });
  const refused = await post(one, { query: '{ __typename }' }, { headers: { 'Consistency-Token': '1' } });
  expect(refused.errors?.[0]?.extensions.code).toBe('INVALID');
  const { token } = await create(one, writer);
  const SEALED_FOR = 'consistency tokens';
  const position = Buffer.from(one.app.keyring.open(SEALED_FOR, Buffer.from(token, 'base64url'))).toString(
    'hex',
  );
  expect(token).not.toContain(position);
  const [system, timeline, log] = [position.slice(0, 16), position.slice(16, 24), position.slice(24)];
  const sealed = (hex: string) =>
    Buffer.from(one.app.keyring.seal(SEALED_FOR, Buffer.from(hex, 'hex'))).toString('base64url');
  const tokens = [
    sealed(`${'0'.repeat(16)}${timeline}${log}`),
    sealed(`${system}ffffffff${log}`),
    sealed(`${system}${timeline}${'f'.repeat(16)}`),
    // With an unknown secret key.
    'A'.repeat(64),
  ];
  for (const each of tokens) expect(await statusOf(one, id, reader, each)).toBe(200);
  await expect.poll(() => statusOf(one, id, reader)).toBe(404);
});

test('new connections do not change where requests read', async () => {
  await database.pause();
  await factories.contact(one.app, { workspaceId });
  await expect.poll(() => listOf(one, reader)).toEqual([]);
  const { token } = await create(one, writer);
  const count = (caller: Caller, headers: Record<string, string>) => {
    const workspace = Buffer.from(`Workspace:${workspaceId}`).toString('base64');
    const text = 'query ($id: ID!) { workspace(by: { id: $id }) { contacts(first: 1) { totalCount } } }';
    return post<{ workspace: { contacts: { totalCount: number } } }>(
      one,
      { query: text, variables: { id: workspace } },
      { caller, headers },
    ).then(({ data }) => data?.workspace?.contacts.totalCount);
  };
  for (const [headers, expected] of [
    [{}, 0],
    [{ 'Consistency-Token': token }, 2],
  ] as const) {
    const { store } = one.app;
    const scans = () => store.scans.load().open ?? 0;
    const before = scans();
    expect(await count(reader, headers)).toBe(expected);
    expect(scans() - before).toBe(expected === 0 ? 0 : 1);
    expect(await listOf(one, reader)).toEqual([]);
  }
});

test('a replica that lags too far, and a server that is not a replica of this database, are left out', async () => {
  const strict = open(database.replicaUrl, { REPLICA_MAX_LAG_MS: '1000' });
  await expect.poll(() => stateOf(strict)).toBe('used');
  await database.pause();
  const { id } = await factories.contact(one.app, { workspaceId });
  await expect.poll(() => stateOf(strict)).toBe('lagging');
  expect(await statusOf(strict, id, reader)).toBe(200);
  await database.resume();
  await expect.poll(() => stateOf(strict)).toBe('used');

  const itself = open(database.primaryUrl);
  await expect.poll(() => stateOf(itself)).toBe('no_replica');
  const wrong = new URL(database.replicaUrl);
  wrong.pathname = '/postgres';
  const elsewhere = open(wrong.href);
  await expect.poll(() => stateOf(elsewhere)).toBe('other_database');
  for (const gateway of [itself, elsewhere]) expect(await statusOf(gateway, id, reader)).toBe(200);
});

test('doctor, /readyz and the metrics show which replicas are read', async () => {
  const env = { DATABASE_URL: database.primaryUrl, DATABASE_REPLICA_URLS: database.replicaUrl };
  const limits = limitsOf(15);
  const doctorOf = ({ config, secrets: { replicaUrls } }: Settings) =>
    withSilentApp(config, limits, { databaseUrl: database.primaryUrl, replicaUrls, secretKeys: [] }, (app) =>
      checkReplicas(app, replicaUrls, limits),
    );
  const found = await doctorOf(parseConfig(env, '/'));
  expect(found).toMatchObject([{ status: 'ok', message: expect.stringContaining('is read') }]);
  const elsewhere = new URL(database.primaryUrl);
  elsewhere.pathname = '/postgres';
  const wrong = { ...env, DATABASE_REPLICA_URLS: `${database.primaryUrl},${elsewhere.href}` };
  // One pooler may lead to several servers, by names of databases.
  expect(await doctorOf(parseConfig(wrong, '/'))).toMatchObject([
    { status: 'warn', message: expect.stringMatching(/\/funnel_gateway is not read: it is no standby/) },
    { status: 'warn', message: expect.stringMatching(/\/postgres is not read: it is no standby/) },
  ]);
  const ready = async () => ((await (await one.send('/readyz')).json()) as { replicas: unknown[] }).replicas;
  await expect.poll(ready).toMatchObject([{ state: 'used', lagMs: expect.any(Number) }]);
  const metrics = createPrometheus();
  metrics.watch('replica', 'a:1', () => ({ isUsed: false, lagSeconds: null, requests: 2, resent: 1 }));
  const text = await metrics.render();
  for (const line of [
    'used{replica="a:1"} 0',
    'requests_total{replica="a:1"} 2',
    'resent_total{replica="a:1"} 1',
  ])
    expect(text).toContain(`gateway_replica_${line}`);
  expect(text).not.toContain('gateway_replica_lag_seconds{');
});

test('no client notices the loss of the replica', async () => {
  const { id } = await factories.contact(one.app, { workspaceId });
  await untilSettledThere(one);
  let isOver = false;
  const stopping = database.stopReplica().finally(() => {
    isOver = true;
  });
  const statuses = new Set<number>();
  while (!isOver || stateOf(one) !== 'unreachable') {
    const found = await Promise.all(Array.from({ length: 20 }, () => statusOf(one, id, reader)));
    for (const status of found) statuses.add(status);
    expect(await listOf(one, reader)).toEqual([id]);
  }
  await stopping;
  expect([...statuses]).toEqual([200]);
});
