// Announced ids: while a transaction has an id that nobody else can see yet, a floor below it is in pg_locks.
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type PublicIdTable, TYPE_NUMBER } from '../../src/store/sql/public-ids.ts';
import { tableNamed } from '../../src/store/tables/tables.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';

const clients: pg.Client[] = [];

const gateway = await createGateway();
const workspaceId = (await factories.workspace(gateway.app)).id;
const observer = await connect();
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await gateway.close();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(gateway.app.store.connection);
  clients.push(client);
  await client.connect();
  return client;
}

/** The floors that are announced for a table in this database, lowest first. */
async function floorsOf(table: 'contacts' | 'tags'): Promise<number[]> {
  const { rows } = await observer.query<{ floor: string }>(
    `select objid as floor from pg_locks where locktype = 'advisory' and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and classid = 1179058176 + $1 and granted order by objid`,
    [TYPE_NUMBER[table]],
  );
  return rows.map(({ floor }) => Number(floor));
}

async function lastId(): Promise<number> {
  const { rows } = await observer.query(
    "select coalesce(pg_sequence_last_value('contacts_id_seq'), 0)::int as last",
  );
  return rows[0].last;
}

async function insertContact(client: pg.Client): Promise<number> {
  const { rows } = await client.query('insert into contacts (workspace_id) values ($1) returning id::int', [
    workspaceId,
  ]);
  return rows[0].id;
}

test('a floor is announced with the first id of a transaction, stays the only one of its table, and goes when it ends', async () => {
  const [one, two] = [await connect(), await connect()];
  expect(await floorsOf('contacts')).toEqual([]);
  const before = await lastId();
  await one.query('begin');
  expect(await insertContact(one)).toBe(before + 1);
  expect(await floorsOf('contacts')).toEqual([before]);
  await two.query('begin');
  expect(await insertContact(two)).toBe(before + 2);
  await insertContact(one);
  expect(await floorsOf('contacts')).toEqual([before, before + 1]);
  await one.query('commit');
  expect(await floorsOf('contacts')).toEqual([before + 1]);
  await two.query('rollback');
  expect(await floorsOf('contacts')).toEqual([]);
  // The same session, once more.
  await one.query('begin');
  await insertContact(one);
  expect(await floorsOf('contacts')).toEqual([before + 3]);
  await one.query('rollback');
});

test('each table is announced separately', async () => {
  const client = await connect();
  await client.query('begin');
  await insertContact(client);
  expect(await floorsOf('tags')).toEqual([]);
  await client.query("insert into tags (workspace_id, name) values ($1, 'x')", [workspaceId]);
  expect(await floorsOf('tags')).toHaveLength(1);
  await client.query('rollback');
});

test('a floor that was rolled back with a savepoint is announced anew at the next draw; one from before it stays', async () => {
  const client = await connect();
  await client.query('begin; savepoint a');
  const first = await insertContact(client);
  await client.query('rollback to a');
  expect(await floorsOf('contacts')).toEqual([]);
  await insertContact(client);
  expect(await floorsOf('contacts')).toEqual([first]);
  await client.query('savepoint b');
  await insertContact(client);
  await client.query('rollback to b');
  await insertContact(client);
  expect(await floorsOf('contacts')).toEqual([first]);
  await client.query('savepoint c; release c');
  await insertContact(client);
  await client.query('commit');
  expect(await floorsOf('contacts')).toEqual([]);
});

test('an id from a kept savepoint stays announced until the transaction ends', async () => {
  const client = await connect();
  await client.query('begin; savepoint a');
  const id = await insertContact(client);
  await client.query('release a');
  await insertContact(client);
  expect(await floorsOf('contacts')).toEqual([id - 1]);
  await client.query('rollback');
});

test('for any interleaving of draws and rollbacks, the least floor is below every uncommitted id', async () => {
  const sessions = await Promise.all([1, 2, 3, 4].map(connect));
  const step = fc.constantFrom('draw', 'draw', 'savepoint', 'rollback to', 'release', 'commit', 'rollback');
  const steps = fc.array(fc.tuple(fc.nat(sessions.length - 1), step), { minLength: 10, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      /** The uncommitted ids of each session, one list for each savepoint. */
      const open = sessions.map((): number[][] | null => null);
      for (const [index, what] of all) {
        const client = sessions[index] as pg.Client;
        const levels = open[index] ?? [[]];
        if (open[index] === null) await client.query('begin');
        open[index] = levels;
        if (what === 'draw') levels.at(-1)?.push(await insertContact(client));
        else if (what === 'savepoint') {
          await client.query('savepoint s');
          levels.push([]);
        } else if (what === 'rollback to' || what === 'release') {
          const inner = levels.length > 1 ? levels.pop() : undefined;
          if (inner === undefined) continue;
          // A savepoint that hides an outer one of the same name is released too, so that the next is found.
          await client.query(what === 'release' ? 'release s' : 'rollback to s; release s');
          if (what === 'release') levels.at(-1)?.push(...inner);
        } else {
          await client.query(what);
          open[index] = null;
        }
        const uncommitted = open.flatMap((session) => session?.flat() ?? []);
        const [least = Number.MAX_SAFE_INTEGER] = await floorsOf('contacts');
        expect(uncommitted.filter((id) => id <= least)).toEqual([]);
      }
      for (const client of sessions) await client.query('rollback');
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

test('every table that is listed by the time of changes takes these times announced, for creations and for changes', async () => {
  const { rows } = await observer.query<{ name: string }>(
    `select tgrelid::regclass::text || ' ' || tgtype || ' ' || encode(tgargs, 'escape') as name from pg_trigger
      where tgfoid in ('take_time'::regproc, 'take_time_of_endpoint'::regproc)`,
  );
  // Row triggers before insert (4) and before update (16).
  const expected = (Object.keys(TYPE_NUMBER) as PublicIdTable[])
    .filter((name) => tableNamed(name)?.resource.sorts?.includes('updatedAt'))
    .flatMap((name) => [19, 7].map((type) => `${name} ${type} ${TYPE_NUMBER[name]}\\000`));
  expect(expected.length).toBeGreaterThanOrEqual(12);
  expect(rows.map(({ name }) => name).sort()).toEqual(expected.sort());
});

test('sequences cache no ids, and every listed table announces its ids', async () => {
  const { rows } = await observer.query<{ name: string; cache: string; default: string }>(
    `select attrelid::regclass::text as name, seqcache as cache, pg_get_expr(adbin, adrelid) as default
      from pg_attribute join pg_attrdef on adrelid = attrelid and adnum = attnum
        join pg_sequence on seqrelid = pg_get_serial_sequence(attrelid::regclass::text, 'id')::regclass
      where attname = 'id' and attrelid::regclass::text = any($1) order by 1`,
    [Object.keys(TYPE_NUMBER)],
  );
  const expected = Object.entries(TYPE_NUMBER)
    .map(([name, number]) => ({
      name,
      cache: '1',
      default: `draw_id(${number}, '${name}_id_seq'::regclass)`,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(rows).toEqual(expected);
});
