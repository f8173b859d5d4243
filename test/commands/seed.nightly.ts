// `seed`: the content of the demo, and contacts in bulk.
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_PASSWORD_FILE, fileOf, findDemoKey, KEY_FILE } from '../../src/commands/demo.ts';
import { MAX_ATTEMPTS } from '../../src/jobs/delivery/retries.ts';
import type { Field } from '../../src/resources/description/fields.ts';
import { graphqlTypeNameOf, uncapitalize } from '../../src/resources/description/names.ts';
import { NOUNS, type Noun } from '../../src/resources/nouns.ts';
import { membershipsOf } from '../../src/services/accounts/users.ts';
import { signIn } from '../../src/services/sign-in/sign-in.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';
import { databaseUrlOf, type Env, runHere, runJson, runJsonHere, start, temporaryFolder } from './cli.ts';

let gateway: Gateway;
let env: Env;
/** With the key of the demo's first team, once it is seeded. */
let caller: Caller;

beforeAll(async () => {
  gateway = await createGateway();
  env = { DATABASE_URL: databaseUrlOf(gateway), DATA_DIR: '/dev/null/data' };
});
afterAll(() => gateway.close());

interface Seeded {
  seeded: boolean;
  teams?: number[];
  demoKey?: string;
  demoEmail?: string;
  demoPassword?: string;
}

const db = () => prismaOf(gateway.app.store);

test('of several concurrent runs on an empty store, one seeds; the teams have ids 1 and 2', async () => {
  const results = await Promise.all([1, 2].map(() => runJson<Seeded>(['seed'], env)));
  const [done, ...others] = results.filter(({ seeded }) => seeded);
  expect(others).toEqual([]);
  expect(done).toMatchObject({ teams: [1, 2], demoKey: expect.stringMatching(/^fgw_/) });
  expect(results).toContainEqual({ seeded: false });
  caller = { authorization: `Bearer ${done?.demoKey}` };
  const answer = await gateway.send('/api/v2/teams', { caller });
  expect(await answer.json()).toMatchObject([{ id: 1 }]);
  const person = await signIn(gateway.app, {
    email: done?.demoEmail ?? '',
    password: done?.demoPassword ?? '',
    address: undefined,
  });
  expect(await membershipsOf(gateway.app, person.id)).toMatchObject([
    { teamId: 1n, role: 'owner', workspaces: [{ id: 1n }, { id: 2n }] },
    { teamId: 2n, role: 'owner' },
  ]);
});

test('a person who already has the demo address keeps it, and the demo has no person', async () => {
  const other = await createGateway();
  const { id } = await factories.user(other.app, { email: 'Ada@Example.com' });
  const own = { DATABASE_URL: databaseUrlOf(other), DATA_DIR: '/dev/null/data' };
  const seeded = await runJsonHere<Seeded>(['seed'], own);
  expect(seeded).toMatchObject({ seeded: true, demoKey: expect.any(String) });
  expect(seeded).not.toHaveProperty('demoPassword');
  expect(await membershipsOf(other.app, id)).toEqual([]);
  await other.close();
});

test('secrets of the demo are neither written to nor read from a folder where others may write', async () => {
  const folder = await temporaryFolder();
  const dataDir = join(folder.path, 'open');
  await mkdir(dataDir);
  await chmod(dataDir, 0o1777);
  const target = join(folder.path, 'target');
  const other = await createGateway({ env: { DATA_DIR: dataDir } });
  const database = { app: other.app, embedded: null };
  const files = [KEY_FILE, DEMO_PASSWORD_FILE].map((name) => fileOf(name, database));
  for (const name of files) await symlink(target, join(dataDir, `${name}.new`));
  const own = { DATABASE_URL: databaseUrlOf(other), DATA_DIR: dataDir };
  const { demoKey } = await runJsonHere<Seeded>(['seed'], own);
  expect(await readdir(folder.path)).toEqual(['open']);
  await writeFile(join(dataDir, files[0] ?? ''), demoKey ?? '');
  expect(await findDemoKey(database)).toBeNull();
  await other.close();
  await folder.remove();
});

test('the demo is a shop: workspaces, hosts, filters over a page, nested splits, endpoints', async () => {
  const workspaces = await db().workspace.findMany({
    orderBy: { id: 'asc' },
    include: { customDomains: true },
  });
  expect(workspaces.map(({ id, teamId, subdomain }) => [id, teamId, subdomain])).toEqual([
    [1n, 1n, 'acme'],
    [2n, 1n, 'trail-club'],
    [3n, 2n, 'kohi'],
  ]);
  expect(workspaces[0]?.customDomains).toMatchObject([{ host: 'shop.acme.example' }]);
  expect(await db().refineFilter.count({ where: { workspaceId: 1n } })).toBeGreaterThan(20);
  expect(await db().contact.count()).toBeGreaterThan(300);
  for (const where of [
    { anonymous: true },
    { unsubscribedAt: { not: null } },
    { emailSuppressionReason: { not: null } },
  ])
    expect(await db().contact.count({ where })).toBeGreaterThan(3);
  const splits = await db().funnelStep.findMany({ where: { kind: 'conditional_split' } });
  expect(splits.some((split) => split.parentId !== null)).toBe(true);
  expect(splits.some((split) => split.filterId === null)).toBe(true);
  const endpoints = await db().webhookEndpoint.findMany();
  const events = new Set(endpoints.flatMap((endpoint) => endpoint.eventTypeIds));
  expect([...events]).toEqual(expect.arrayContaining(['contact.identified', 'one-time-order.completed']));
  expect(endpoints.some((endpoint) => endpoint.pageIds.length > 0 && endpoint.funnelIds.length > 0)).toBe(
    true,
  );
  expect(await db().apiKey.count({ where: { isDefault: true, scopes: { equals: ['read', 'write'] } } })).toBe(
    2,
  );
});

/**
 * The objects of a noun below some of its parent, as the demo's key finds them over GraphQL: by their global ids. They are a connection,
 * a list of children, or the one that each parent has.
 */
async function listBelow(noun: Noun, parentIds: readonly string[]): Promise<string[]> {
  const { plural, parent, title } = noun;
  const [field = uncapitalize(graphqlTypeNameOf(noun))] =
    Object.entries<Field>(parent?.fields ?? {}).find(([, { children }]) => children?.title === title) ?? [];
  const found = plural === undefined ? `${field} { id }` : `${plural}(first: 100) { nodes { id } }`;
  const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ${parent && graphqlTypeNameOf(parent)} { found: ${found} } } }`;
  type Found = { readonly id: string };
  const { data, errors } = await post<{ nodes: { found: Found | Found[] | { nodes: Found[] } }[] }>(
    gateway,
    { query, variables: { ids: parentIds.slice(0, 100) } },
    { caller },
  );
  expect([title, errors]).toEqual([title, undefined]);
  return (data?.nodes ?? []).flatMap(({ found }) =>
    ('nodes' in found ? found.nodes : [found].flat()).map(({ id }) => id),
  );
}

test('its first workspace and team have rows of every noun, as their key finds them', async () => {
  const people = (await (await gateway.send('/api/v2/users', { caller })).json()) as { id: number }[];
  const found = new Map([
    ['Team', [btoa('Team:1')]],
    ['User', people.map(({ id }) => btoa(`User:${id}`))],
    ['Workspace', [btoa('Workspace:1')]],
  ]);
  const shown = (NOUNS as readonly Noun[]).filter(({ graphql }) => graphql !== false);
  for (const noun of shown)
    if (!found.has(noun.type))
      found.set(noun.type, await listBelow(noun, found.get(noun.parent?.type ?? '') ?? []));
  expect(shown.map(({ type }) => type).filter((type) => !found.get(type)?.length)).toEqual([]);
});

/** The body of a GET that the demo's key sends. */
async function read<Body>(path: string): Promise<Body> {
  const answer = await gateway.send(`/api/v2${path}`, { caller });
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as Body;
}

test('its recent changes have complete records, as every change has', async () => {
  type Event = { event_type_id: string; subject_id: number; created_at: string; data: unknown };
  type Entry = {
    readonly action: string;
    readonly subject_id: number;
    readonly created_at: string;
    readonly before: Readonly<Record<string, unknown>> | null;
    readonly after: Readonly<Record<string, unknown>> | null;
  };
  const events = await read<Event[]>('/workspaces/1/webhooks/outgoing/events?per_page=100');
  const entries = await read<Entry[]>('/workspaces/1/audit_entries?per_page=100');
  const times = entries.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted());
  expect(Date.parse(times.at(-1) ?? '')).toBeLessThan(Date.now());
  for (const { created_at } of events) expect(times).toContain(created_at);

  const { subject_id, before, after } = entries.find(({ action }) => action === 'contact.updated') as Entry;
  expect(await read(`/contacts/${subject_id}`)).toEqual(after);
  const changed = Object.keys(after ?? {}).filter((name) => before?.[name] !== after?.[name]);
  expect(changed).toEqual(expect.arrayContaining(['phone_number', 'updated_at']));
  const dataOf = (type: string) =>
    events.find((event) => event.event_type_id === type && event.subject_id === subject_id)?.data;
  expect([dataOf('contact.created'), dataOf('contact.updated')]).toEqual([before, after]);
});

test('its endpoints have received their events, one refused an event for good, and nothing is left to send', async () => {
  interface Delivery {
    readonly id: number;
    readonly status: string;
    readonly response_code: number;
    readonly updated_at: string;
  }
  const endpoints = '/webhooks/outgoing/endpoints';
  const found: Delivery[] = [];
  for (const { id } of await read<{ id: number }[]>(`/workspaces/1${endpoints}`)) {
    const { deactivated_at } = await read<{ deactivated_at: string }>(`${endpoints}/${id}`);
    const deliveries = await read<Delivery[]>(`${endpoints}/${id}/deliveries?per_page=100`);
    for (const { updated_at } of deliveries) expect(updated_at < deactivated_at).toBe(true);
    found.push(...deliveries);
  }
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['delivered', 'failed']));
  const refused = found.find(({ status }) => status === 'failed') as Delivery;
  const { attempts } = await read<{ attempts: object[] }>(`/webhooks/outgoing/deliveries/${refused.id}`);
  expect(attempts).toHaveLength(MAX_ATTEMPTS);
  expect(attempts.at(-1)).toMatchObject({
    response_code: refused.response_code,
    response_start: expect.stringContaining('error'),
  });
  expect(await db().webhookDelivery.count({ where: { status: 'pending' } })).toBe(0);
  const could = { OR: [{ deactivatedAt: null }, { secret: { not: null } }] };
  expect(await db().webhookEndpoint.count({ where: could })).toBe(0);
});

test('an erased person is in none of its rows any more', async () => {
  const { contactId } = await db().event.findFirstOrThrow({ where: { eventType: 'contact.updated' } });
  const { email_address } = await read<{ email_address: string }>(`/contacts/${contactId}`);
  const heldIn = async (table: string) => {
    const held = await gateway.app.store.pool.query(
      `select from ${table} t where strpos(t::text, $1) > 0 limit 1`,
      [email_address],
    );
    return held.rowCount === 1;
  };
  const answered = async () => {
    const events = await db().event.findMany({ where: { contactId } });
    const deliveries = await db().webhookDelivery.findMany({
      where: { eventId: { in: events.map(({ id }) => id) } },
    });
    const deliveryId = { in: deliveries.map(({ id }) => id) };
    return db().webhookAttempt.count({ where: { deliveryId, responseStart: { not: null } } });
  };
  const tables = ['events', 'audit_entries'];
  expect(await Promise.all(tables.map(heldIn))).toEqual([true, true]);
  expect(await answered()).toBeGreaterThan(0);
  const path = `/api/v2/contacts/${contactId}/gdpr_destroy`;
  expect((await gateway.send(path, { caller, method: 'DELETE' })).status).toBe(200);
  expect(await Promise.all([...tables.map(heldIn), answered()])).toEqual([false, false, 0]);
});

test('its person has granted access to a client without a secret, a code or a token', async () => {
  expect(await db().oauthGrant.findMany({ include: { client: true } })).toMatchObject([
    { scopes: expect.arrayContaining(['contacts:read']), teamId: 1n, client: { secretHash: null } },
  ]);
  expect([await db().oauthAccessToken.count(), await db().oauthState.count()]).toEqual([0, 0]);
});

test('it has steps of every kind, and visits', async () => {
  const isThere = async (table: string, where = 'true') => {
    const { rows } = await gateway.app.store.pool.query<{ found: boolean }>(
      `select exists (select from ${table} t where t.workspace_id = 1 and ${where}) as found`,
    );
    return rows[0]?.found;
  };
  for (const kind of ['page', 'conditional_split', 'split_test'])
    expect([kind, await isThere('funnel_steps', `kind = '${kind}'`)]).toEqual([kind, true]);
  for (const table of ['visits', 'page_hours']) expect([table, await isThere(table)]).toEqual([table, true]);
});

test('--contacts adds exactly that many to one workspace, again and again', async () => {
  const countsBefore = await countByWorkspace();
  for (const args of [
    ['--contacts', '1234', '--workspace', '2'],
    ['--contacts', '1', '--workspace', '2'],
  ])
    await runJson(['seed', ...args], env);
  const [first] = await db().workspace.findMany({ orderBy: { id: 'asc' }, take: 1 });
  await runJson(['seed', '--contacts', '7'], env);
  expect(first?.id).toBe(1n);
  expect(await countByWorkspace()).toEqual({
    ...countsBefore,
    1: (countsBefore[1] ?? 0) + 7,
    2: (countsBefore[2] ?? 0) + 1235,
  });
  const bulk = await db().contact.findMany({ where: { workspaceId: 2n }, orderBy: { id: 'asc' } });
  const times = bulk.slice(-1235, -1).map(({ createdAt }) => createdAt.getTime());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(Math.max(...bulk.map(({ unsubscribedAt }) => unsubscribedAt?.getTime() ?? 0))).toBeLessThan(
    Date.now(),
  );
});

test('--orders adds exactly that many, whose sums are those of their lines, with numbers that count on', async () => {
  const wanted = { workspaceId: 2n };
  const before = await db().order.count({ where: wanted });
  expect(await runJson(['seed', '--orders', '30', '--workspace', '2'], env)).toMatchObject({ orders: 30 });
  expect(await runJson(['seed', '--orders', '12', '--workspace', '2'], env)).toMatchObject({ orders: 12 });
  expect(await db().order.count({ where: wanted })).toBe(before + 42);
  const wrong = await db().$queryRaw<unknown[]>`
    select o.id from orders o where o.workspace_id = 2 and (
      o.total_amount <> (select sum(l.first_amount * l.quantity + l.setup_amount) from order_line_items l where l.workspace_id = 2 and l.order_id = o.id)
      or o.total_amount <> (select sum(i.total_amount) from order_invoices i where i.workspace_id = 2 and i.order_id = o.id)
      or exists (select from order_invoices i where i.workspace_id = 2 and i.order_id = o.id and i.subtotal_amount <>
        (select sum(l.amount * l.quantity) from order_invoice_line_items l where l.workspace_id = 2 and l.invoice_id = i.id)))`;
  expect(wrong).toEqual([]);
  const numbers = await db().$queryRaw<{ last: number; numbers: number; counted: number }[]>`
    select max(o.order_number)::int as last, count(distinct o.order_number)::int as numbers, max(c.last_order_number) as counted
    from orders o join order_counters c using (workspace_id) where o.workspace_id = 2`;
  const count = before + 42;
  expect(numbers).toEqual([{ last: count, numbers: count, counted: count }]);
  const times = await db().order.findMany({ where: wanted, orderBy: { id: 'asc' } });
  expect(new Set(times.map(({ contactId }) => contactId)).size).toBeGreaterThan(5);
  expect(Date.now() - Math.min(...times.map(({ createdAt }) => createdAt.getTime()))).toBeGreaterThan(
    300 * 86_400_000,
  );
});

test('Ctrl-C keeps complete batches, prints their number, and leaves nothing in between', async () => {
  const before = await db().contact.count();
  const running = start(['seed', '--contacts', '3000000', '--json'], env);
  const adding = () => db().$queryRaw<unknown[]>`
    select from pg_stat_activity where datname = current_database() and state = 'active' and query like 'insert into contacts%'`;
  while ((await adding()).length === 0) await sleep(20);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.result;
  expect(code).toBe(1);
  const kept = Number(
    /([\d,]+) of 3,000,000/.exec(JSON.parse(stderr).error.message)?.[1]?.replaceAll(',', ''),
  );
  expect(kept % 25_000).toBe(0);
  expect(await db().contact.count()).toBe(before + kept);
});

test.concurrent.each([
  [['--contacts', 'many'], 'whole number'],
  [['--contacts', '0'], 'whole number'],
  [['--contacts', '5', '--workspace', '99'], 'Workspace not found'],
  [['--workspace', '1'], '--contacts'],
  [['--orders', '-1'], 'whole number'],
  [['--orders', '1', '--contacts', '1'], 'one at a time'],
])('seed %j is refused', async (args, message) => {
  const { code, stderr } = await runHere(['seed', ...args], env);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
});

async function countByWorkspace(): Promise<Record<number, number>> {
  const groups = await db().contact.groupBy({ by: ['workspaceId'], _count: true });
  return Object.fromEntries(groups.map(({ workspaceId, _count }) => [Number(workspaceId), _count]));
}
