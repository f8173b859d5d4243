// Partitions by time are made ahead, dropped by age, and nobody is held up by it (src/services/partitions.ts).
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkPartitions } from '../../src/commands/doctor/partitions.ts';
import { keepPartitions, makePartitions, partitionHealth } from '../../src/services/partitions.ts';
import { readErasures } from '../../src/store/erasure/erasures.ts';
import { addCheck, hasLeftCheck, makePartition, openChanges } from '../../src/store/partitions/change.ts';
import { DAY_MS } from '../../src/store/partitions/ranges.ts';
import { AGING_TABLES, type AgingTable, readPartitions } from '../../src/store/partitions/tables.ts';
import { ERASED } from '../../src/store/sql/erased.ts';
import { workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let workspaceId: bigint;
let now: Date | null;
beforeEach(async () => {
  now = null;
  gateway = await createGateway({ overrides: { clock: () => now ?? new Date() } });
  workspaceId = (await workspace(gateway.app)).id;
});
afterEach(() => gateway.close());

const named = (name: string) => AGING_TABLES.find((table) => table.name === name) as AgingTable;
const [EVENTS, AUDIT] = [named('events'), named('audit_entries')];
const midnight = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
const sql = async <Row extends object>(text: string) => (await gateway.app.store.pool.query<Row>(text)).rows;
const namesOf = async (table = EVENTS) =>
  (await readPartitions(gateway.app.store, table)).partitions.map(({ name }) => name);
const keep = (table: AgingTable, drops = true) => keepPartitions(gateway.app, table, { drops });

/** An event of so many days ago. @returns where it stands */
async function addEvent(daysAgo: number): Promise<string> {
  const createdAt = new Date(midnight() - daysAgo * DAY_MS + 1_000);
  const subject = { eventType: 'contact.created', subjectType: 'Contact', subjectId: 7n };
  const { id } = await gateway.app.store.prisma.event.create({
    data: { workspaceId, ...subject, data: {}, createdAt },
  });
  const [row] = await sql<{ name: string }>(
    `select tableoid::regclass::text as name from events where id = ${id}`,
  );
  // Of a distributed table it is the shard, whose number stands behind the name.
  return (row?.name ?? '').replace(/_1\d{5}$/, '');
}

/** A partition of days ago. */
async function addPartition(table: AgingTable, fromDaysAgo: number, days = 3): Promise<void> {
  const client = await openChanges(gateway.app.store);
  const fromMs = midnight() - fromDaysAgo * DAY_MS;
  expect(await makePartition(client, table, { fromMs, toMs: fromMs + days * DAY_MS }, false)).toBe('done');
  await client.end();
}

describe('partitions are made', () => {
  test('before the first row, for at least a week, so that none stands in the default one', async () => {
    expect(await addEvent(0)).toMatch(/^events_\d{8}$/);
    for (const { coveredMs, nowMs, strayMs } of await partitionHealth(gateway.app)) {
      expect(coveredMs - nowMs).toBeGreaterThan(7 * DAY_MS);
      expect(strayMs).toBeNull();
    }
    expect(await makePartitions(gateway.app)).toEqual([]);
  });

  test('by one process when two do it at once, and neither fails', async () => {
    for (const name of await namesOf()) await sql(`drop table ${name}`);
    const made = await Promise.all([keep(EVENTS, false), keep(EVENTS, false)]);
    const names = made.flatMap((kept) => kept.made);
    expect(names.toSorted()).toEqual(await namesOf());
    expect(new Set(names).size).toBe(names.length);
  });

  test('behind the next day where the default one is large, and by one process when several do it at once, none of which fails', async () => {
    for (const name of await namesOf()) await sql(`drop table ${name}`);
    const large = { drops: false, largeBytes: -1 };
    const made = await Promise.all([1, 2, 3].map(() => keepPartitions(gateway.app, EVENTS, large)));
    await keepPartitions(gateway.app, EVENTS, large);
    const { partitions, nowMs } = await readPartitions(gateway.app.store, EVENTS);
    const names = made.flatMap((kept) => kept.made);
    expect(new Set(names).size).toBe(names.length);
    expect(partitions[0]?.fromMs).toBe(midnight() + 2 * DAY_MS);
    expect(partitions.at(-1)?.toMs).toBeGreaterThan(nowMs + 7 * DAY_MS);
    expect(await hasLeftCheck(gateway.app.store, EVENTS)).toBe(false);
  });

  test('from the next midnight on where rows of today stand in the default one; these stay where they are', async () => {
    for (const name of await namesOf()) await sql(`drop table ${name}`);
    expect(await addEvent(0)).toBe('events_default');
    await keep(EVENTS);
    const [first] = (await readPartitions(gateway.app.store, EVENTS)).partitions;
    expect(first?.fromMs).toBe(midnight() + DAY_MS);
    expect(await addEvent(0)).toBe('events_default');
    expect(await addEvent(-1)).toBe(first?.name);
  });

  test('by rows that stand in the default one for days ahead, after a clock that was wrong: behind these', async () => {
    for (const name of await namesOf()) await sql(`drop table ${name}`);
    expect(await addEvent(-4)).toBe('events_default');
    await keep(EVENTS);
    const until = midnight() + 5 * DAY_MS;
    for (const { fromMs, toMs } of (await readPartitions(gateway.app.store, EVENTS)).partitions)
      expect(toMs <= midnight() + 4 * DAY_MS || fromMs >= until).toBe(true);
  });

  test('after what a process has left that was killed meanwhile is gone: rows of that time can be written', async () => {
    const client = await openChanges(gateway.app.store);
    const range = { fromMs: midnight() + 60 * DAY_MS, toMs: midnight() + 63 * DAY_MS };
    await addCheck(client, EVENTS, range);
    await client.end();
    await expect(addEvent(-61)).rejects.toThrow(/events_default_until_partition/);
    await keep(EVENTS);
    expect(await addEvent(-61)).toBe('events_default');
  });
});

describe('a partition is dropped', () => {
  test('when all of it is older than rows are kept for, one at a time, with what is old beside it', async () => {
    for (const daysAgo of [39, 36, 32]) await addPartition(EVENTS, daysAgo);
    expect(await addEvent(70)).toBe('events_default');
    for (const daysAgo of [38, 35, 32, 30]) await addEvent(daysAgo);
    const before = await namesOf();
    const first = await keep(EVENTS);
    expect(first).toMatchObject({ made: [], dropped: before[0], hasMore: false });
    expect((await keep(EVENTS)).dropped).toBe(before[1]);
    // Its last day is kept.
    expect((await keep(EVENTS)).dropped).toBeNull();
    expect(await namesOf()).toEqual(before.slice(2));
    expect(await gateway.app.store.prisma.event.count()).toBe(2);
  });

  test('of audit entries, but for who has been erased: that is known for ever, and can be restored', async () => {
    await addPartition(AUDIT, 450);
    const entry = (action: string, daysAgo: number, contactId: bigint) => ({
      ...{
        workspaceId,
        action,
        subjectType: 'Contact',
        subjectId: contactId,
        contactId,
        actorKind: 'api_key',
      },
      ...{ actorId: 'K', requestId: 'R', createdAt: new Date(midnight() - daysAgo * DAY_MS + 1_000) },
    });
    await gateway.app.store.prisma.auditEntry.createMany({
      data: [
        entry('contact.created', 450, 1n),
        entry(ERASED, 450, 1n),
        entry(ERASED, 600, 2n),
        entry('contact.created', 600, 2n),
        entry('contact.created', 399, 3n),
      ],
    });
    const known = await readErasures(gateway.app.store.pool);
    expect((await keep(AUDIT)).dropped).toMatch(/^audit_entries_/);
    const left = await gateway.app.store.prisma.auditEntry.findMany({ orderBy: { contactId: 'asc' } });
    expect(left.map(({ contactId, action }) => [contactId, action])).toEqual([
      [1n, ERASED],
      [2n, ERASED],
      [3n, 'contact.created'],
    ]);
    expect(await readErasures(gateway.app.store.pool)).toEqual(known);
    expect(await checkPartitions(gateway.app)).toMatchObject([{ status: 'ok' }]);
  });

  test('by the earlier of two clocks, and not at all where one is not trusted', async () => {
    await addPartition(EVENTS, 39);
    expect((await keep(EVENTS, false)).dropped).toBeNull();
    now = new Date(Date.now() - 10 * DAY_MS);
    expect((await keep(EVENTS)).dropped).toBeNull();
    now = new Date(Date.now() + 1_000 * DAY_MS);
    expect((await keep(EVENTS)).dropped).not.toBeNull();
    expect((await keep(EVENTS)).dropped).toBeNull();
  });

  test('never while a transaction reads it: that one ends as it began, and nobody behind it is held up for long', async () => {
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

test('a user who does not own the tables makes none and says so; old rows are deleted all the same', async () => {
  const role = `keeper_${process.pid}_${Date.now()}`;
  await sql(`create role ${role}; grant usage on schema public to ${role};
    grant select, insert, update, delete on all tables in schema public to ${role}`);
  const connection = { ...gateway.app.store.connection, options: `-c role=${role}` };
  const pool = new pg.Pool(connection);
  // Its connections may still be closing when the database is gone.
  pool.on('error', () => {});
  try {
    await addEvent(70);
    for (const name of await namesOf()) await sql(`drop table ${name}`);
    const { config, clock } = gateway.app;
    const app = { config, clock, store: { pool, connection } };
    await expect(keepPartitions(app, EVENTS, { drops: true })).rejects.toMatchObject({ code: '42501' });
    expect(await gateway.app.store.prisma.event.count()).toBe(0);
  } finally {
    await pool.end();
    await sql(`drop owned by ${role}; drop role ${role}`);
  }
});

describe('doctor', () => {
  test('is content with partitions for the days ahead', async () => {
    expect(await checkPartitions(gateway.app)).toMatchObject([{ status: 'ok' }]);
  });

  test('names the table whose next one is missing, or which has none, and what then stands in the default one', async () => {
    const { partitions, nowMs } = await readPartitions(gateway.app.store, EVENTS);
    // The template may have been made before midnight: of a day that is over there is a partition too.
    const [today, ...later] = partitions.filter(({ toMs }) => toMs > nowMs);
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
