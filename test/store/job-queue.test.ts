// The tables of the job queue are made by a migration of ours: they are those that the installed pg-boss wants.
import pg from 'pg';
import { getConstructionPlans } from 'pg-boss';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';

let database: Awaited<ReturnType<typeof cloneTemplate>>;
let client: pg.Client;

beforeAll(async () => {
  database = await cloneTemplate();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** What is in the schema, by kind: a sorted list of texts. */
async function catalog(): Promise<Record<string, string[]>> {
  const lists = {
    columns: `select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' ||
        coalesce(pg_get_expr(d.adbin, d.adrelid), '') as text
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'funnel_gateway_jobs'::regnamespace and c.relkind in ('r', 'p')`,
    indexes: `select indexdef as text from pg_indexes where schemaname = 'funnel_gateway_jobs'`,
    constraints: `select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
      where connamespace = 'funnel_gateway_jobs'::regnamespace`,
    functions: `select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'funnel_gateway_jobs'::regnamespace`,
    states: `select enumlabel as text from pg_enum where enumtypid = 'funnel_gateway_jobs.job_state'::regtype`,
    version: 'select version::text as text from funnel_gateway_jobs.version',
  };
  const found: Record<string, string[]> = {};
  for (const [name, sql] of Object.entries(lists)) {
    const { rows } = await client.query<{ text: string }>(sql);
    // Partitions are those of the day that they were made on.
    const texts = rows.map(({ text }) => text).filter((text) => !/queue_stats_\d{8}/.test(text));
    found[name] = texts.map((text) => text.replaceAll(/[ \t]+$/gm, '')).sort();
  }
  return found;
}

test('the migration makes what the installed version of pg-boss makes', async () => {
  const ours = await catalog();
  await client.query('drop schema funnel_gateway_jobs cascade');
  await client.query(getConstructionPlans('funnel_gateway_jobs'));
  expect(ours).toEqual(await catalog());
  expect(ours['columns']?.length).toBeGreaterThan(50);
});
