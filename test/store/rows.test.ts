// The handwritten reads compared with the plain Prisma client, on random data: same rows, same order, same counts.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Page, PageRequest } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import { conditionalSplit } from '../../src/resources/funnel-steps.ts';
import { funnel } from '../../src/resources/funnels.ts';
import { page } from '../../src/resources/pages.ts';
import { workspace } from '../../src/resources/workspaces.ts';
import { drawIds } from '../../src/store/changing/ids.ts';
import { countUnder, existsUnder } from '../../src/store/reading/counts.ts';
import { findPagesUnder, findPageUnder } from '../../src/store/reading/pages.ts';
import { findById, findByIds } from '../../src/store/reading/rows.ts';
import type { Tenancy } from '../../src/store/sql/tenancy.ts';
import type { Table } from '../../src/store/tables/table.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import * as factories from '../support/factories.ts';
import { type Gateway, sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

const CONTACTS = tableOf(contact);
const FUNNELS = tableOf(funnel);
const PAGES = tableOf(page);
const SPLITS = tableOf(conditionalSplit);
const WORKSPACES = tableOf(workspace);

/** A row of the model: its parent, its owner, and whether it is visible. */
interface ModelRow {
  readonly id: bigint;
  readonly parentId: bigint;
  readonly workspaceId: bigint;
  readonly visible: boolean;
}
type AnyTable = Table<{ id: bigint }>;

const PAGE_MARK = new Date('2026-01-01T00:00:00.000Z');
let gateway: Gateway;
/** Two teams, two workspaces each. */
let workspaces: { id: bigint; teamId: bigint }[];
let funnels: { id: bigint; workspaceId: bigint }[];

beforeAll(async () => {
  gateway = await sharedGateway();
  const prisma = prismaOf(gateway.app.store);
  const teams = [await factories.team(gateway.app), await factories.team(gateway.app)];
  workspaces = [];
  funnels = [];
  for (const team of [...teams, ...teams]) {
    const workspace = await factories.workspace(gateway.app, { teamId: team.id });
    workspaces.push(workspace);
    funnels.push(await factories.funnel(gateway.app, { workspaceId: workspace.id }));
  }
  const pick = (index: number) => workspaces[(index * 7 + (index % 3)) % 3] ?? { id: 0n };
  const contacts = await drawIds(prisma, 'contacts', 60);
  await prisma.contact.createMany({ data: contacts.map((id, i) => ({ id, workspaceId: pick(i).id })) });
  const pages = await drawIds(prisma, 'pages', 60);
  const discarded = { discardedAt: PAGE_MARK, discardReason: 'test' };
  await prisma.page.createMany({
    data: pages.map((id, i) => ({
      id,
      workspaceId: pick(i).id,
      name: 'P',
      currentPath: '/p',
      ...(i % 4 === 0 && discarded),
    })),
  });
  const steps = await drawIds(prisma, 'funnel_steps', 60);
  await prisma.funnelStep.createMany({
    data: steps.map((id, position) => {
      const funnel = funnels[(position * 5) % 3] ?? { id: 0n, workspaceId: 0n };
      const place = { funnelId: funnel.id, workspaceId: funnel.workspaceId, position, name: 'S' };
      const removed = position % 5 === 0 && { removedAt: PAGE_MARK, removalReason: 'test' };
      return { id, ...place, kind: 'conditional_split' as const, ...removed };
    }),
  });
});

/** Each table with its model rows, read by the plain client. */
const MODELS: Record<string, [AnyTable, () => Promise<ModelRow[]>]> = {
  workspaces: [
    WORKSPACES,
    async () =>
      (await prismaOf(gateway.app.store).workspace.findMany()).map((row) => ({
        ...row,
        parentId: row.teamId,
        workspaceId: row.id,
        visible: true,
      })),
  ],
  contacts: [
    CONTACTS,
    async () =>
      (await prismaOf(gateway.app.store).contact.findMany()).map((row) => ({
        ...row,
        parentId: row.workspaceId,
        visible: true,
      })),
  ],
  pages: [
    PAGES,
    async () =>
      (await prismaOf(gateway.app.store).page.findMany()).map((row) => ({
        ...row,
        parentId: row.workspaceId,
        visible: row.discardedAt === null,
      })),
  ],
  splits: [
    SPLITS,
    async () =>
      (await prismaOf(gateway.app.store).funnelStep.findMany()).map((row) => ({
        ...row,
        parentId: row.funnelId,
        visible: row.removedAt === null,
      })),
  ],
  funnels: [
    FUNNELS,
    async () =>
      (await prismaOf(gateway.app.store).funnel.findMany()).map((row) => ({
        ...row,
        parentId: row.workspaceId,
        visible: true,
      })),
  ],
};

const teamOf = (workspaceId: bigint) => workspaces.find(({ id }) => id === workspaceId)?.teamId;
const inReach = (row: ModelRow, tenancy: Tenancy) =>
  row.visible &&
  teamOf(row.workspaceId) === tenancy.teamId &&
  (tenancy.workspaceIds === null || tenancy.workspaceIds.includes(row.workspaceId));

/** Whether the parent itself is in tenancy: a team by its id, a workspace or funnel by its workspace. */
function parentInReach(table: AnyTable, id: bigint, tenancy: Tenancy): boolean {
  if (table.parent.table === 'teams') return id === tenancy.teamId;
  const workspaceId =
    table.parent.table === 'workspaces' ? id : funnels.find((row) => row.id === id)?.workspaceId;
  if (workspaceId === undefined || teamOf(workspaceId) !== tenancy.teamId) return false;
  return tenancy.workspaceIds === null || tenancy.workspaceIds.includes(workspaceId);
}

const parentsOf = (table: AnyTable) => {
  const teams = workspaces.map(({ teamId }) => ({ id: teamId }));
  const rows = { teams, workspaces, funnels }[table.parent.table as 'teams' | 'workspaces' | 'funnels'];
  return rows.map(({ id }) => id);
};

const anyReach = fc
  .record({ own: fc.nat(3), narrow: fc.option(fc.array(fc.nat(3), { maxLength: 3 }), { freq: 2 }) })
  .map(({ own, narrow }): Tenancy => {
    const teamId = workspaces[own]?.teamId ?? 0n;
    return { teamId, workspaceIds: narrow?.map((index) => workspaces[index]?.id ?? 0n) ?? null };
  });
const anyBound = fc.option(fc.bigInt({ min: 0n, max: 70n }), { freq: 2 });
const anyPage: fc.Arbitrary<PageRequest> = fc.record({
  order: fc.constantFrom('asc' as const, 'desc' as const),
  size: fc.integer({ min: 1, max: 25 }),
  after: anyBound,
  before: anyBound,
  backward: fc.boolean(),
});

/** The decoded columns of a row. */
function plainRow(columns: object, row: object): object {
  return Object.fromEntries(Object.keys(columns).map((property) => [property, Reflect.get(row, property)]));
}

/** A page of the model. */
function pageOf(rows: readonly ModelRow[], page: PageRequest): { ids: bigint[]; more: boolean } {
  const sign = page.order === 'asc' ? 1n : -1n;
  const between = rows
    .map(({ id }) => id)
    .filter((id) => page.after === null || sign * id > sign * page.after)
    .filter((id) => page.before === null || sign * id < sign * page.before)
    .sort((a, b) => Number(sign * (a - b)));
  const ids = page.backward ? between.slice(-page.size) : between.slice(0, page.size);
  return { ids, more: between.length > page.size };
}

describe.each(Object.entries(MODELS))('%s', (_, [table, readModel]) => {
  test('a page under many parents equals the plain client’s for each, and is null if the parent is not the caller’s', async () => {
    const model = await readModel();
    const parents = fc.array(fc.constantFrom(...parentsOf(table), 999n), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parents, anyReach, anyPage, async (ids, tenancy, page) => {
        const found = await findPagesUnder(gateway.app, table, tenancy, ids, page);
        const expected = ids.map((id) => {
          if (!parentInReach(table, id, tenancy)) return null;
          return pageOf(
            model.filter((row) => row.parentId === id && inReach(row, tenancy)),
            page,
          );
        });
        expect(found.map((one) => one && { ids: one.rows.map((row) => row.id), more: one.more })).toEqual(
          expected,
        );
      }),
      { numRuns: 200, endOnFailure: true },
    );
  });

  test.skipIf(table.parent.table === 'teams')('a page under one parent is its page among many', async () => {
    const named = table.parent.table === 'funnels' ? funnels : workspaces;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...named), anyReach, anyPage, async ({ id }, tenancy, page) => {
        const plain = (found: Page<{ id: bigint }> | null) =>
          found && { ...found, rows: found.rows.map((row) => plainRow(table.columns, row)) };
        const [among = null] = await findPagesUnder(gateway.app, table, tenancy, [id, 999n], page);
        expect(plain(await findPageUnder(gateway.app, table, tenancy, id, page))).toEqual(plain(among));
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test('counts and probes are those of the rows in tenancy, of many parents and of each alone', async () => {
    const model = await readModel();
    const side = fc.constantFrom('at_or_below' as const, 'at_or_above' as const);
    await fc.assert(
      fc.asyncProperty(anyReach, side, fc.bigInt({ min: 0n, max: 70n }), async (tenancy, which, id) => {
        const all = [...parentsOf(table), 999n];
        const under = (parent: bigint) =>
          model.filter(
            (row) =>
              row.parentId === parent && inReach(row, tenancy) && parentInReach(table, parent, tenancy),
          );
        for (const parents of [all, ...all.map((one) => [one])]) {
          expect(await countUnder(gateway.app, table, tenancy, parents)).toEqual(
            parents.map((one) => ({ count: under(one).length, isExact: true })),
          );
          expect(await existsUnder(gateway.app, table, tenancy, parents, { id, side: which })).toEqual(
            parents.map((one) =>
              under(one).some((row) => (which === 'at_or_below' ? row.id <= id : row.id >= id)),
            ),
          );
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test('rows by ids are in the order of the ids, null for rows outside the tenancy', async () => {
    const model = await readModel();
    const ids = fc.array(fc.oneof(fc.constantFrom(...model.map((row) => row.id)), fc.constant(9999n)));
    await fc.assert(
      fc.asyncProperty(anyReach, ids, async (tenancy, wanted) => {
        const found = await findByIds(gateway.app, table, tenancy, wanted);
        const expected = wanted.map(
          (id) => model.find((row) => row.id === id && inReach(row, tenancy))?.id ?? null,
        );
        expect(found.map((row) => row?.id ?? null)).toEqual(expected);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test('a row is found by its id alone if it is in tenancy', async () => {
    const model = await readModel();
    await fc.assert(
      fc.asyncProperty(anyReach, fc.constantFrom(...model), async (tenancy, row) => {
        const expected = inReach(row, tenancy) ? row.id : undefined;
        expect((await findById(gateway.app, table, tenancy, row.id))?.id).toBe(expected);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
