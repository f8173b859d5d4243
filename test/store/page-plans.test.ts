// How PostgreSQL runs the handwritten reads: a page is one range of one index at any length of the list, wherever it begins and whatever
// statistics the planner has; a row by its id is one probe of a hash index.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageRequest } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import { conditionalSplit } from '../../src/resources/funnel-steps.ts';
import { funnel } from '../../src/resources/funnels.ts';
import { page } from '../../src/resources/pages.ts';
import { refineFilter } from '../../src/resources/refine-filters.ts';
import { webhookEndpoint } from '../../src/resources/webhook-endpoints.ts';
import { drawIds } from '../../src/store/changing/ids.ts';
import { countUnder, existsUnder } from '../../src/store/reading/counts.ts';
import { findSteps, findStepsAround } from '../../src/store/reading/funnel-steps.ts';
import { findPagesUnder, findPageUnder } from '../../src/store/reading/pages.ts';
import { findById, findByIds } from '../../src/store/reading/rows.ts';
import type { Tenancy } from '../../src/store/sql/tenancy.ts';
import type { Store } from '../../src/store/store.ts';
import type { Table } from '../../src/store/tables/table.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { type Node, planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

const CONTACTS = tableOf(contact);
const FUNNELS = tableOf(funnel);
const PAGES = tableOf(page);
const REFINE_FILTERS = tableOf(refineFilter);
const SPLITS = tableOf(conditionalSplit);
const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

const ROWS = 2_000;
const SIZE = 10;
const TABLES: [string, Table<{ id: bigint }>][] = [
  ['contacts', CONTACTS],
  ['refine_filters', REFINE_FILTERS],
  ['webhook_endpoints', WEBHOOK_ENDPOINTS],
  ['funnels', FUNNELS],
  ['pages', PAGES],
  ['conditional splits', SPLITS],
];

let gateway: Gateway;
let client: pg.Client;
let tenancy: Tenancy;
/** For each kind of parent: one with many rows of everything, one with one, one with none. */
let parents: Record<'workspaces' | 'funnels', [bigint, bigint, bigint]>;
let ids: Record<string, bigint[]>;

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  const { id: teamId } = await factories.team(app);
  tenancy = { teamId, workspaceIds: null };
  const workspaces = await Promise.all([1, 2, 3].map(() => factories.workspace(app, { teamId })));
  // Other workspaces of the team, which a plan must not walk through.
  for (let index = 0; index < 20; index++) await factories.workspace(app, { teamId });
  const [many = 0n, one = 0n, none = 0n] = workspaces.map(({ id }) => id);
  ids = {};
  const prisma = prismaOf(app.store);
  const below = async (table: 'contacts' | 'refine_filters' | 'webhook_endpoints' | 'funnels' | 'pages') => {
    ids[table] = await drawIds(prisma, table, ROWS + 1);
    return ids[table].map((id, index) => ({ id, workspaceId: index < ROWS ? many : one, name: `N ${id}` }));
  };
  await prisma.contact.createMany({ data: (await below('contacts')).map(({ name: _, ...row }) => row) });
  await prisma.refineFilter.createMany({ data: await below('refine_filters') });
  const endpoints = await below('webhook_endpoints');
  await prisma.webhookEndpoint.createMany({
    data: endpoints.map((row) => ({
      ...row,
      url: 'https://a.example',
      secret: Buffer.from('sealed'),
      secretChangedAt: new Date(),
    })),
  });
  const funnels = await below('funnels');
  await prisma.funnel.createMany({ data: funnels.map((row) => ({ ...row, currentPath: `/${row.id}` })) });
  await prisma.page.createMany({
    data: (await below('pages')).map((row) => ({ ...row, currentPath: '/p' })),
  });
  const [full, lone, empty] = [funnels[0], funnels[ROWS], funnels[1]].map((funnel) => funnel?.id ?? 0n) as [
    bigint,
    bigint,
    bigint,
  ];
  parents = { workspaces: [many, one, none], funnels: [full, lone, empty] };
  ids['conditional splits'] = await drawIds(prisma, 'funnel_steps', ROWS + 1);
  await prisma.funnelStep.createMany({
    data: ids['conditional splits'].map((id, position) => ({
      id,
      workspaceId: position < ROWS ? many : one,
      funnelId: position < ROWS ? full : lone,
      kind: 'conditional_split' as const,
      name: 'S',
      position,
    })),
  });
  // The index skips removed steps, not a filter.
  await prisma.funnelStep.updateMany({
    where: { id: { in: ids['conditional splits'].slice(0, ROWS / 2) } },
    data: { removedAt: new Date(), removalReason: 'test' },
  });
  client = await planningClient(gateway);
});
afterAll(async () => {
  await client.end();
  await gateway.close();
});

/** Faults in the plan of a page on one table; none if it is one range of an index that ends with the page. */
function faultsOf(nodes: Node[], table: string, rows: number, ranges = 1): string[] {
  const scans = nodes.filter((node) => node['Relation Name'] === table);
  return scans.flatMap((node) => {
    const about = `${node['Node Type']} using ${node['Index Name']}`;
    const total = node['Actual Rows'] * node['Actual Loops'];
    return [
      ...(/^Index (Only )?Scan$/.test(node['Node Type']) ? [] : [about]),
      ...(node['Rows Removed by Filter']
        ? [`${about} passes over ${node['Rows Removed by Filter']} rows`]
        : []),
      ...(total > rows ? [`${about} reads ${total} rows`] : []),
      ...(node['Actual Loops'] > ranges ? [`${about} is repeated ${node['Actual Loops']} times`] : []),
    ];
  });
}

/** Whether a node reads a table, itself or through others. */
function isOver(node: Node, table: string): boolean {
  return node['Relation Name'] === table || (node.Plans ?? []).some((below) => isOver(below, table));
}

describe.each([
  ['before the tables were ever analyzed', async () => {}],
  ['with statistics', () => client.query('analyze')],
])('%s', (_, prepare) => {
  beforeAll(async () => void (await prepare()));

  describe.each(TABLES)('%s', (name, table) => {
    const [kind, own] = [table.parent.table as 'workspaces' | 'funnels', table.name];
    const deep = () => ids[name]?.[ROWS - 2 * SIZE] ?? 0n;
    const anyPage = { order: 'asc', size: SIZE, after: null, before: null, backward: false } as const;
    const pages: [string, () => PageRequest][] = [
      ['first', () => anyPage],
      ['deep', () => ({ ...anyPage, after: deep() })],
      ['descending', () => ({ ...anyPage, order: 'desc' })],
      ['last, read backward', () => ({ ...anyPage, backward: true, before: deep() })],
    ];

    test.each(pages)(
      'the %s page of a long, a short and an empty list is one range that ends with it',
      async (__, page) => {
        for (const parent of parents[kind]) {
          const plans = await plansOf(gateway, client, (store) =>
            findPageUnder({ store }, table, tenancy, parent, page()),
          );
          for (const nodes of plans) {
            expect(faultsOf(nodes, own, SIZE + 1)).toEqual([]);
            expect(nodes.filter((node) => node['Node Type'] === 'Sort' && isOver(node, own))).toEqual([]);
          }
        }
      },
    );

    test('pages of several parents are one range for each', async () => {
      const all = parents[kind];
      const [nodes = []] = await plansOf(gateway, client, (store) =>
        findPagesUnder({ store }, table, tenancy, all, { ...anyPage, after: deep() }),
      );
      expect(nodes.length).toBeGreaterThan(0);
      expect(faultsOf(nodes, own, all.length * (SIZE + 1), all.length)).toEqual([]);
    });

    test('a probe on a side of an id reads one row of one range; a count reads its own list alone', async () => {
      const [many, one] = parents[kind];
      const probe = { id: deep(), side: 'at_or_above' } as const;
      for (const some of [[many], [many, one]]) {
        const [nodes = []] = await plansOf(gateway, client, (store) =>
          existsUnder({ store }, table, tenancy, some, probe),
        );
        expect(faultsOf(nodes, own, some.length, some.length)).toEqual([]);
        const [counted = []] = await plansOf(gateway, client, (store) =>
          countUnder({ store }, table, tenancy, some),
        );
        expect(faultsOf(counted, own, ROWS + 1, some.length)).toEqual([]);
      }
    });

    test('each row by its id is a probe of the hash index, be it one id or a hundred', async () => {
      const some = (ids[name] ?? []).filter((__, index) => index > ROWS / 2 && index % 9 === 0);
      expect(some.length).toBeGreaterThan(99);
      for (const [expected, read] of [
        [1, (store: Store) => findById({ store }, table, tenancy, some[0] ?? 0n)],
        [some.length, (store: Store) => findByIds({ store }, table, tenancy, some)],
      ] as const) {
        const [nodes = []] = await plansOf(gateway, client, read);
        const scans = nodes.filter((node) => node['Index Name'] === `${own}_id_idx`);
        expect(scans.map((node) => node['Actual Rows'] * node['Actual Loops'])).toEqual([expected]);
        expect(nodes.filter((node) => node['Relation Name'] === own)).toHaveLength(1);
      }
    });
  });

  test('the steps of funnels are found through the funnels, without reading others', async () => {
    const [full, lone] = parents.funnels;
    const step = ids['conditional splits']?.[ROWS] ?? 0n;
    for (const [expected, read] of [
      [ROWS / 2 + 1, (store: Store) => findSteps({ store }, tenancy, [full, lone])],
      [1, (store: Store) => findSteps({ store }, tenancy, [lone])],
      [2, (store: Store) => findStepsAround({ store }, tenancy, [step])],
    ] as const) {
      const [nodes = []] = await plansOf(gateway, client, read);
      expect(faultsOf(nodes, 'funnel_steps', expected, 2)).toEqual([]);
      expect(faultsOf(nodes, 'funnels', 2, 2)).toEqual([]);
    }
  });

  test('funnels together with their steps are one range of each list, and read no other steps', async () => {
    const [many, one] = parents.workspaces;
    const page = { order: 'asc', size: SIZE, after: null, before: null, backward: false } as const;
    for (const [some, steps] of [
      [[many], ROWS / 2],
      [[many, one], ROWS / 2 + 1],
    ] as const) {
      const [nodes = []] = await plansOf(gateway, client, (store) =>
        findPagesUnder({ store }, FUNNELS, tenancy, some, page, ['name', 'steps(name)']),
      );
      const funnels = some.length * (SIZE + 1);
      expect(nodes.length).toBeGreaterThan(0);
      expect(faultsOf(nodes, 'funnels', funnels, some.length)).toEqual([]);
      // The number of rows is a rounded average of loops.
      expect(faultsOf(nodes, 'funnel_steps', steps + 1, funnels)).toEqual([]);
    }
  });
});
