// Two versions of the gateway run on one database during an upgrade: a migration does nothing that breaks the previous version, unless
// its name says so.
import { parse } from 'libpg-query';
import { expect, test } from 'vitest';
import { PRISMA_FOLDER, readMigrations } from '../../src/store/migrations/folder.ts';
import { splitStatements } from '../../src/store/migrations/split.ts';
import { findHarm } from '../support/migration-rules.ts';

/** The last migration that is part of every release. Updated at a release. */
const LAST_BEFORE_RULES = '20261122193000_tenant_role';

test('no migration since the last release breaks a version that runs without it', async () => {
  const migrations = await readMigrations(PRISMA_FOLDER);
  const newer = migrations.filter(({ name }) => name > LAST_BEFORE_RULES);
  const harm = await Promise.all(newer.map(({ name, sql }) => findHarm(name, sql)));
  expect(harm.flat()).toEqual([]);
});

test.each([
  ['create table t (id int primary key); create unique index on t (id); alter table t drop column id'],
  ['alter table contacts add column score int'],
  ["alter table contacts add column score int not null default 0, alter column first_name set default ''"],
  ['create index concurrently on contacts (workspace_id, score)'],
  ['drop index concurrently contacts_score_idx'],
  ['alter table contacts validate constraint contacts_score_check'],
  ["create function f() returns int language sql as 'select 1'"],
  [
    '-- checked: written by no version before\nalter table contacts add constraint c check (score > 0) not valid',
  ],
])('%s is harmless', async (sql) => {
  expect(await findHarm('20270101000000_more', sql)).toEqual([]);
});

test.each([
  ['alter table contacts drop column first_name', ['breaks']],
  ['alter table contacts rename column first_name to name', ['breaks']],
  ['alter table contacts rename to people', ['breaks']],
  ['drop table tags', ['breaks']],
  ['alter table contacts add column score int not null', ['breaks']],
  ['alter table contacts add column seen timestamptz default clock_timestamp()', ['blocks']],
  ['alter table contacts add column n int generated always as (1) stored', ['blocks']],
  ['alter table contacts alter column first_name set not null', ['breaks', 'blocks']],
  ['alter table contacts alter column first_name type varchar(10)', ['breaks', 'blocks']],
  ['alter table contacts alter column created_at drop default', ['breaks']],
  ['alter table contacts add constraint c check (id > 0)', ['breaks', 'blocks']],
  ['alter table contacts add constraint c check (id > 0) not valid', ['breaks']],
  ['create index on contacts (first_name)', ['blocks']],
  ['create unique index concurrently on contacts (first_name)', ['breaks']],
  ['drop index contacts_first_name_idx', ['blocks']],
  ["create or replace function draw_id() returns int language sql as 'select 1'", ['breaks']],
  ["update contacts set first_name = ''", ['blocks']],
  ['do $$ begin end $$', ['breaks']],
  ['alter table contacts enable row level security', ['breaks']],
  ['create trigger t before insert on contacts for each row execute function f()', ['breaks']],
])('%s is refused', async (sql, harms) => {
  const found = await findHarm('20270101000000_more', sql);
  expect(found.map((text) => /\((breaks|blocks)\)/.exec(text)?.[1])).toEqual(harms);
});

test('the name of a migration declares that it breaks the previous version; blocking is not in the name', async () => {
  const sql = 'alter table contacts alter column first_name set not null';
  const found = await findHarm('20270101000000_required_incompatible', sql);
  expect(found).toEqual([expect.stringContaining('(blocks)')]);
});

test('an index is created concurrently in its own migration, because several statements are one transaction', async () => {
  const [found] = await findHarm(
    '20270101000000_more',
    'create table t (); create index concurrently on contacts (id)',
  );
  expect(found).toContain('the only statement');
});

test('scripts are split into the same statements as by PostgreSQL', async () => {
  for (const { name, sql } of await readMigrations(PRISMA_FOLDER)) {
    const { stmts = [] } = await parse(sql);
    const statements = splitStatements(sql);
    expect(statements.length, name).toBe(stmts.length);
    for (const statement of statements) expect((await parse(statement)).stmts?.length, statement).toBe(1);
  }
  expect(splitStatements(`select ';', E'\\';', "a;b", $x$ ; $y$ ; $x$; -- ;\n/* ; */ ; select 2`)).toEqual([
    `select ';', E'\\';', "a;b", $x$ ; $y$ ; $x$`,
    'select 2',
  ]);
});
