// The demo's rows are data: files of rows of any table, which refer to each other by keys and have times before the start.
import { describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/store/connections/executor.ts';
import {
  type Fixture,
  type FixtureRow,
  type PlacedRow,
  readRows,
  toTime,
} from '../../src/store/demo/fixture.ts';
import { insertRows } from '../../src/store/demo/insert-rows.ts';
import { sortTables } from '../../src/store/demo/sort-tables.ts';
import { seedDemoKey } from '../support/demo.ts';
import { ownGateway } from '../support/gateway.ts';

const { app } = await ownGateway();
const START = new Date('2026-03-31T12:00:00.000Z');

/** Inserts rows of a workspace `shop`, and returns the result of a query. Everything is rolled back. */
async function seed(
  rows: Readonly<Record<string, readonly FixtureRow[]>>,
  query: string,
): Promise<unknown[]> {
  const fixture: Fixture = new Map<string, PlacedRow[]>([
    ['teams', [{ workspace: null, row: { name: 'Team', subdomain: 'team', created_at: '-9d' } }]],
    [
      'workspaces',
      [{ workspace: null, row: { $key: 'shop', name: 'Shop', subdomain: 'shop', team_id: '@teams/Team' } }],
    ],
    ...Object.entries(rows).map(
      ([table, all]) => [table, all.map((row) => ({ workspace: 'shop', row }))] as const,
    ),
  ]);
  let found: unknown[] = [];
  const rolledBack = new Error('rolled back');
  const seeding = inTransaction(app.store.pool, async (steps) => {
    await insertRows(steps, fixture, START, {});
    found = await steps.$queryRawUnsafe<unknown[]>(query);
    throw rolledBack;
  });
  await seeding.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  return found;
}

const tag = (name: string) => ({ name, color: '#000000' });

test.each([
  ['-3d', '2026-03-28T12:00:00.000Z'],
  ['-3d 14:05', '2026-03-27T21:55:00.000Z'],
  ['-0d 00:00:01.250', '2026-03-31T11:59:58.750Z'],
  ['+2d', '2026-04-02T12:00:00.000Z'],
  ['+1 month', '2026-04-30T12:00:00.000Z'],
])('%s is a time in relation to the start', (text, time) => {
  expect(toTime(text, START)?.toISOString()).toBe(time);
});

test.each(['3d', '-3', 'in -3d', '-3d 14', ''])('"%s" is a text, no time', (text) => {
  expect(toTime(text, START)).toBeNull();
});

describe('rows of any table', () => {
  test('refer to each other by keys, inside JSON and lists too, in any order of the tables', async () => {
    const refine_filters = [
      { name: 'Fans', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['@tags/Fan', '@tags/two'] }] },
    ];
    const tags = [tag('Fan'), { $key: 'two', ...tag('Two') }];
    const query = `select f.criteria #> '{0,value}' = jsonb_build_array(a.id, b.id) as same
      from refine_filters f join tags a using (workspace_id) join tags b using (workspace_id)
      where a.name = 'Fan' and b.name = 'Two'`;
    expect(await seed({ refine_filters, tags }, query)).toEqual([{ same: true }]);
  });

  test('may refer to each other in a circle if one of the references is nullable', async () => {
    const styles = [{ name: 'Light', theme_id: '@themes/Alpine' }];
    const themes = [{ name: 'Alpine', current_style_id: '@styles/Light' }];
    const query = `select s.theme_id = t.id and t.current_style_id = s.id as same
      from styles s join themes t using (workspace_id)`;
    expect(await seed({ styles, themes }, query)).toEqual([{ same: true }]);
  });

  test('have the given age, and were last changed at their creation unless they say otherwise', async () => {
    const tags = [
      { ...tag('Old'), created_at: '-2d' },
      { ...tag('Changed'), created_at: '-2d', updated_at: '-1d' },
    ];
    const created = new Date('2026-03-29T12:00:00.000Z');
    expect(
      await seed({ tags }, 'select created_at as created, updated_at as updated from tags order by id'),
    ).toEqual([
      { created, updated: created },
      { created, updated: new Date('2026-03-30T12:00:00.000Z') },
    ]);
  });

  test.each([
    ['nobody has', [], /no row "Fan" in tags.json/],
    [
      'several have',
      [
        { $key: 'Fan', ...tag('One') },
        { $key: 'Fan', ...tag('Two') },
      ],
      /several rows "Fan" in tags.json/,
    ],
  ])('are refused with a key that %s', async (_, tags, message) => {
    const refine_filters = [{ name: 'Fans', criteria: ['@tags/Fan'] }];
    await expect(seed({ tags, refine_filters }, 'select')).rejects.toThrow(message);
  });
});

test("the order in which tables are filled has every table of the demo's files", async () => {
  const rows = await readRows();
  const order = sortTables(rows, () => true);
  expect(order.toSorted()).toEqual([...rows.keys()].toSorted());
  for (const [before, after] of [
    ['teams', 'workspaces'],
    ['contacts', 'contact_tags'],
    ['orders', 'order_invoices'],
  ] as const)
    expect(order.indexOf(before)).toBeLessThan(order.indexOf(after));
});

test('the complete demo exists, with every row of the files, visits, sales and a history', async () => {
  await seedDemoKey(app);
  const { pool } = app.store;
  for (const [table, rows] of await readRows()) {
    const { rows: found } = await pool.query(`select count(*)::int as count from "${table}"`);
    // People may exist before any team.
    const least = table === 'users' ? expect.any(Number) : rows.length;
    expect({ table, count: found[0]?.count }).toEqual({ table, count: least });
  }
  const { rows: sums } = await pool.query(
    'select sum(views_all)::int as views, sum(sales_count)::int > 10 as sold from page_hours',
  );
  expect(sums).toEqual([{ views: 181, sold: true }]);
  const { rows: counts } = await pool.query(`select 'visits' as table, count(*)::int from visits
    union all select 'webhook_attempts', count(*)::int from webhook_attempts
    union all select 'audit_entries', count(*)::int from audit_entries`);
  expect(Object.fromEntries(counts.map(({ table, count }) => [table, count]))).toEqual({
    visits: 181,
    webhook_attempts: expect.toSatisfy((count) => count > 19),
    audit_entries: 11,
  });
});
