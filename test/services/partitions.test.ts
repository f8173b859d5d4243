// Partitions by time are created in advance and dropped by age without blocking anybody (src/services/partitions.ts).
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkPartitions } from '../../src/commands/doctor/partitions.ts';
import { keepPartitions, makePartitions, partitionHealth } from '../../src/services/partitions.ts';
import { executorOf } from '../../src/store/connections/executor.ts';
import { eraseContact } from '../../src/store/erasure/contact-erasure.ts';
import { readErasures } from '../../src/store/erasure/erasures.ts';
import { PARTITIONED_TABLES, type PartitionedTable } from '../../src/store/partitions/partitions.ts';
import { ERASED } from '../../src/store/sql/erased.ts';
import { apiKey, page, workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { createUser } from '../support/users.ts';

let gateway: Gateway;
let workspaceId: bigint;
let now: Date | null;
beforeEach(async () => {
  now = null;
  gateway = await createGateway({ overrides: { clock: () => now ?? new Date() } });
  workspaceId = (await workspace(gateway.app)).id;
});
afterEach(() => gateway.close());

const DAY_MS = 86_400_000;
const named = (name: string) => PARTITIONED_TABLES.find((table) => table.name === name) as PartitionedTable;
const EVENTS = named('events');
const midnight = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
const sql = async <Row extends object>(text: string) => (await gateway.app.store.pool.query<Row>(text)).rows;
const partitions = ({ name } = EVENTS) =>
  sql<{ name: string; fromMs: number; toMs: number }>(
    `select name, extract(epoch from from_time)::float8 * 1000 as "fromMs", extract(epoch from to_time)::float8 * 1000 as "toMs"
      from time_partitions('${name}') order by from_time`,
  );
const namesOf = async (table = EVENTS) => (await partitions(table)).map(({ name }) => name);
const keep = (table: PartitionedTable) => keepPartitions(gateway.app, table, { oldAt: gateway.app.clock() });
const checks = () => sql(`select conname from pg_constraint where conname ~ '_is_next$'`);

/** An event from this many days ago. @returns its partition */
async function addEvent(daysAgo: number): Promise<string> {
  const createdAt = new Date(midnight() - daysAgo * DAY_MS + 1_000);
  const subject = { eventType: 'contact.created', subjectType: 'Contact', subjectId: 7n };
  const { id } = await prismaOf(gateway.app.store).event.create({
    data: { workspaceId, ...subject, data: {}, createdAt },
  });
  const [row] = await sql<{ name: string }>(
    `select tableoid::regclass::text as name from events where id = ${id}`,
  );
  // Of a distributed table it is the shard, whose number stands behind the name.
  return (row?.name ?? '').replace(/_1\d{5}$/, '');
}

/** A partition of days ago. */
async function addPartition(table: PartitionedTable, fromDaysAgo: number, days = 3): Promise<void> {
  const [from, to] = [fromDaysAgo, fromDaysAgo - days].map((ago) =>
    new Date(midnight() - ago * DAY_MS).toISOString(),
  );
  await sql(
    `create table ${table.name}_${fromDaysAgo} partition of ${table.name} for values from ('${from}') to ('${to}')`,
  );
}

async function dropAll(): Promise<void> {
  for (const name of await namesOf()) await sql(`drop table ${name}`);
}

describe('partitions are created', () => {
  test('before the first row, for at least a week, so that the default partition stays empty', async () => {
    expect(await addEvent(0)).toMatch(/^events_\d{8}$/);
    for (const { coveredMs, nowMs, strayMs } of await partitionHealth(gateway.app)) {
      expect(coveredMs - nowMs).toBeGreaterThan(7 * DAY_MS);
      expect(strayMs).toBeNull();
    }
    expect(await makePartitions(gateway.app)).toEqual([]);
  });

  test('by one process if several try at once, and none fails', async () => {
    await dropAll();
    const made = await Promise.all([1, 2, 3].map(() => keepPartitions(gateway.app, EVENTS)));
    const names = made.flatMap((kept) => kept.made);
    expect(names.toSorted()).toEqual(await namesOf());
    expect(new Set(names).size).toBe(names.length);
  });

  test('without a gap or an overlap, whatever partitions existed before', async () => {
    await dropAll();
    for (const [ago, days] of [
      [1, 2],
      [-3, 1],
      [-5, 4],
    ] as const)
      await sql(
        `create table p${days} partition of events for values from (current_date + ${-ago}) to (current_date + ${days - ago})`,
      );
    await keep(EVENTS);
    const made = await partitions();
    for (const [index, { toMs }] of made.slice(0, -1).entries()) expect(made[index + 1]?.fromMs).toBe(toMs);
    expect(made[0]?.fromMs).toBeLessThanOrEqual(midnight());
    expect(made.at(-1)?.toMs).toBeGreaterThan(Date.now() + 7 * DAY_MS);
  });

  test('after the next day if the default partition is large: its rows are read first, without a lock', async () => {
    await dropAll();
    const said: string[] = [];
    const client = await gateway.app.store.pool.connect();
    client.on('notice', ({ message }) => said.push(message ?? ''));
    await client.query('set client_min_messages = debug1');
    let more = true;
    while (more) {
      const { rows } = await client.query<{ more: boolean }>(
        "select more from keep_partitions('events', 30, large_bytes => -1)",
      );
      more = rows[0]?.more === true;
    }
    client.release(true);
    const made = await partitions();
    expect(made[0]?.fromMs).toBe(midnight() + 2 * DAY_MS);
    expect(made.at(-1)?.toMs).toBeGreaterThan(Date.now() + 7 * DAY_MS);
    const implied = said.filter((text) => text.includes('default partition "events_default" is implied'));
    expect(implied).toHaveLength(made.length);
    expect(await checks()).toEqual([]);
  });

  test('if the default partition is large, by several processes at once and after one was killed', async () => {
    await dropAll();
    // The first step only: from then on no row of that time can be written.
    await sql("select keep_partitions('events', 30, large_bytes => -1)");
    expect(await checks()).toHaveLength(1);
    await Promise.all([1, 2].map(() => keepPartitions(gateway.app, EVENTS, { largeBytes: -1 })));
    expect(await checks()).toEqual([]);
    await sql(
      `alter table events_default add constraint events_20000101_is_next check (created_at < '2000-01-01') not valid`,
    );
    await keep(EVENTS);
    expect(await checks()).toEqual([]);
  });

  test('from the next midnight on if the default partition has rows of today, which stay there', async () => {
    await dropAll();
    expect(await addEvent(0)).toBe('events_default');
    await keep(EVENTS);
    const [first] = await partitions();
    expect(first?.fromMs).toBe(midnight() + DAY_MS);
    expect(await addEvent(0)).toBe('events_default');
    expect(await addEvent(-1)).toBe(first?.name);
  });

  test('after rows in the default partition that a wrong clock dated days ahead', async () => {
    await dropAll();
    expect(await addEvent(-4)).toBe('events_default');
    await keep(EVENTS);
    const until = midnight() + 5 * DAY_MS;
    for (const { fromMs, toMs } of await partitions())
      expect(toMs <= midnight() + 4 * DAY_MS || fromMs >= until).toBe(true);
  });

  test('for the complete retention time before the rows of a backup', async () => {
    await keepPartitions(gateway.app, EVENTS, { isBehind: true });
    expect((await partitions())[0]?.fromMs).toBeLessThanOrEqual(Date.now() - 30 * DAY_MS);
    expect(await addEvent(29)).toMatch(/^events_\d{8}$/);
    expect((await keep(EVENTS)).dropped).toBeNull();
  });
});

describe('a partition is dropped', () => {
  test('when all of it is older than the retention time, one at a time, with old rows elsewhere', async () => {
    for (const daysAgo of [39, 36, 32]) await addPartition(EVENTS, daysAgo);
    expect(await addEvent(70)).toBe('events_default');
    for (const daysAgo of [38, 35, 32, 30]) await addEvent(daysAgo);
    const before = await namesOf();
    expect(await keep(EVENTS)).toMatchObject({ made: [], dropped: before[0] });
    expect((await keep(EVENTS)).dropped).toBe(before[1]);
    // Its last day is kept.
    expect(await keep(EVENTS)).toMatchObject({ dropped: null, hasMore: false });
    expect(await namesOf()).toEqual(before.slice(2));
    expect(await prismaOf(gateway.app.store).event.count()).toBe(2);
  });

  test('of audit entries without those of erasures: who was erased, when and by whom stays for ever', async () => {
    const AUDIT = named('audit_entries');
    await addPartition(AUDIT, 450);
    const recorded = { actor_kind: 'api_key', actor_id: 'K', client_id: null, request_id: 'R' } as const;
    await eraseContact(executorOf(gateway.app.store.pool), workspaceId, 1n, recorded);
    const entry = (daysAgo: number) => ({
      ...{ workspaceId, action: ERASED, subjectType: 'Contact', subjectId: 1n, contactId: 1n },
      ...{ actorKind: 'api_key', actorId: 'K', requestId: 'R' },
      createdAt: new Date(midnight() - daysAgo * DAY_MS + 1_000),
    });
    await prismaOf(gateway.app.store).auditEntry.createMany({ data: [entry(450), entry(600), entry(399)] });
    const known = await readErasures(gateway.app.store.pool);
    expect(known.map((line) => JSON.parse(line))).toMatchObject([
      { contact_id: 1, actor_id: 'K', request_id: 'R' },
    ]);
    expect((await keep(AUDIT)).dropped).toMatch(/^audit_entries_/);
    await keep(AUDIT);
    expect(await prismaOf(gateway.app.store).auditEntry.count()).toBe(1);
    expect(await readErasures(gateway.app.store.pool)).toEqual(known);
  });

  test('of visits after VISITS_KEEP_DAYS, and their counts stay', async () => {
    await gateway.close();
    gateway = await createGateway({ env: { VISITS_KEEP_DAYS: '10' } });
    const { id: shopId, teamId } = await workspace(gateway.app);
    const caller = await apiKey(gateway.app, { teamId });
    const { id: pageId } = await page(gateway.app, shopId, 'Seen');
    const ages = [20, 13, 8, 0];
    const visits = ages.map((daysAgo) => ({ uuid: randomUUID(), visitor_id: `of ${daysAgo} days` }));
    const { status } = await gateway.send(`/api/v2/pages/${pageId}/visits`, {
      ...{ caller, method: 'POST', body: JSON.stringify({ visits }) },
      headers: { 'Content-Type': 'application/json' },
    });
    expect(status).toBe(202);
    const VISITS = named('visits');
    await addPartition(VISITS, 15);
    // That of 20 days ago has no partition.
    for (const [index, daysAgo] of ages.entries()) {
      const then = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
      await sql(`update visits set created_at = '${then}' where uuid = '${visits[index]?.uuid}'`);
    }
    const counted = () => sql('select * from page_hours');
    const before = await counted();
    expect(before).toMatchObject([{ views_all: 4, views_unique: 4 }]);
    expect((await keep(VISITS)).dropped).toBe('visits_15');
    expect((await keep(VISITS)).dropped).toBeNull();
    const kept = await sql<{ visitor_id: string }>('select visitor_id from visits order by created_at');
    expect(kept.map((visit) => visit.visitor_id)).toEqual(['of 8 days', 'of 0 days']);
    expect(await counted()).toEqual(before);
  });

  test('by the earlier of two clocks, and not at all if one is not trusted', async () => {
    await addPartition(EVENTS, 39);
    expect((await keepPartitions(gateway.app, EVENTS)).dropped).toBeNull();
    now = new Date(Date.now() - 10 * DAY_MS);
    expect((await keep(EVENTS)).dropped).toBeNull();
    now = new Date(Date.now() + 1_000 * DAY_MS);
    expect((await keep(EVENTS)).dropped).not.toBeNull();
    expect((await keep(EVENTS)).dropped).toBeNull();
  });

  test('never while a transaction reads it: that one ends normally, and nobody behind it waits for long', async () => {
    await addPartition(EVENTS, 39);
    const reader = await gateway.app.store.pool.connect();
    await reader.query('begin');
    await reader.query('select count(*) from events');
    const dropping = keep(EVENTS);
    expect(await addEvent(0)).toMatch(/^events_\d/);
    expect((await dropping).dropped).toBeNull();
    await reader.query('select count(*) from events');
    await reader.query('commit');
    reader.release();
    expect((await keep(EVENTS)).dropped).not.toBeNull();
  });
});

test('a user who does not own the tables creates and drops partitions only with a grant of the owner', async () => {
  const keeper = await createUser(
    gateway.app.store.connection.connectionString ?? '',
    (name) => `grant usage on schema public to ${name};
      grant select, insert, update, delete on all tables in schema public to ${name}`,
  );
  const pool = new pg.Pool({ ...gateway.app.store.connection, connectionString: keeper.url });
  // Its connections may still be closing when the database is gone.
  pool.on('error', () => {});
  try {
    await addEvent(70);
    const made = await namesOf();
    await dropAll();
    const { config, clock } = gateway.app;
    const keeping = () => keepPartitions({ config, store: { pool } }, EVENTS, { oldAt: clock() });
    await expect(keeping()).rejects.toMatchObject({ code: '42501' });
    await expect(
      sql(`set role funnel_gateway_tenant; select keep_partitions('events', 30)`),
    ).rejects.toMatchObject({ code: '42501' });
    await sql(`grant execute on function keep_partitions to ${keeper.user}`);
    expect((await keeping()).made).toEqual(made);
    expect(await prismaOf(gateway.app.store).event.count()).toBe(0);
  } finally {
    await pool.end();
    await keeper.drop();
  }
});

describe('doctor', () => {
  test('reports ok for partitions for the days ahead', async () => {
    expect(await checkPartitions(gateway.app)).toMatchObject([{ status: 'ok' }]);
  });

  test('reports the table without its next partition, and rows in its default partition', async () => {
    // The template may have been made before midnight: of a day that is over there is a partition too.
    const [today, ...later] = (await partitions()).filter(({ toMs }) => toMs > Date.now());
    for (const { name } of later) await sql(`drop table ${name}`);
    expect(await checkPartitions(gateway.app)).toMatchObject([
      {
        status: 'warn',
        message: expect.stringMatching(/^the next one of events is missing: it has them until \d{4}-/),
      },
    ]);
    await addEvent(-4);
    expect((await checkPartitions(gateway.app)).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the next one of events/),
      expect.stringMatching(/^events_default has rows, the last one of/),
    ]);
    await sql(`drop table ${today?.name}`);
    expect(await checkPartitions(gateway.app)).toMatchObject([
      { status: 'warn', message: 'events has none for today: rows go into events_default' },
    ]);
  });
});
