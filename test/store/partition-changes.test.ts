// Changes of partitions are one process's at a time, and read a large default partition under no lock (src/store/partitions/change.ts).
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addCheck,
  dropLeftCheck,
  dropOldest,
  hasLeftCheck,
  LOCK,
  makePartition,
  openChanges,
  type PartitionChanges,
  validateCheck,
} from '../../src/store/partitions/change.ts';
import { DAY_MS } from '../../src/store/partitions/ranges.ts';
import { AGING_TABLES, type AgingTable, readPartitions } from '../../src/store/partitions/tables.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

const EVENTS = AGING_TABLES.find(({ name }) => name === 'events') as AgingTable;
const today = Math.floor(Date.now() / DAY_MS);
const daysFromNow = (from: number) => ({
  fromMs: (today + from) * DAY_MS,
  toMs: (today + from + 3) * DAY_MS,
});

let gateway: Gateway;
let client: PartitionChanges;
let other: PartitionChanges;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());
beforeEach(async () => {
  [client, other] = [await openChanges(gateway.app.store), await openChanges(gateway.app.store)];
});
afterEach(async () => {
  await Promise.all([client.end(), other.end()]);
});

const namesOf = async () =>
  (await readPartitions(gateway.app.store, EVENTS)).partitions.map(({ name }) => name);
const hasCheck = () => hasLeftCheck(gateway.app.store, EVENTS);

test('while one process works, others change nothing and do not wait for it', async () => {
  expect(await makePartition(client, EVENTS, daysFromNow(-60), false)).toBe('done');
  const before = await namesOf();
  const changes = [
    () => makePartition(client, EVENTS, daysFromNow(60), false),
    () => addCheck(client, EVENTS, daysFromNow(60)),
    () => dropLeftCheck(client, EVENTS),
    async () => (await dropOldest(client, EVENTS, today * DAY_MS, false)).outcome,
  ];
  await other.query(`begin; select pg_advisory_xact_lock(${LOCK})`);
  for (const work of changes) expect(await work()).toBe('busy');
  expect([await namesOf(), await hasCheck()]).toEqual([before, false]);
  await other.query('commit');
  for (const work of changes) expect(await work()).toBe('done');
  expect(await namesOf()).toEqual([...before.slice(1), expect.stringMatching(/^events_/)]);
});

test('a default partition that was read before is not read under the lock', async () => {
  const said: string[] = [];
  client.on('notice', ({ message }) => said.push(message ?? ''));
  await client.query('set client_min_messages = debug1');
  expect(await addCheck(client, EVENTS, daysFromNow(70))).toBe('done');
  expect(await validateCheck(client, EVENTS)).toBe('done');
  expect(await makePartition(client, EVENTS, daysFromNow(70), true)).toBe('done');
  expect(said.join('\n')).toMatch(/default partition "events_default" is implied by existing constraints/);
  expect(await hasCheck()).toBe(false);
});

test('the check of one process is not that of another; one whose check is gone begins anew', async () => {
  const before = await namesOf();
  expect(await addCheck(client, EVENTS, daysFromNow(80))).toBe('done');
  expect(await addCheck(other, EVENTS, daysFromNow(80))).toBe('busy');
  expect(await hasCheck()).toBe(true);
  expect(await dropLeftCheck(other, EVENTS)).toBe('done');
  expect(await validateCheck(client, EVENTS)).toBe('busy');
  expect(await makePartition(client, EVENTS, daysFromNow(80), true)).toBe('busy');
  expect(await namesOf()).toEqual(before);
});
