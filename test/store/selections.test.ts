// Filtered and ordered lists compared with a plain model, on random selections: same rows, same order, same counts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FilterValues, PageRequest } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import { drawIds } from '../../src/store/changing/ids.ts';
import { countUnder, existsUnder } from '../../src/store/reading/counts.ts';
import { findPagesUnder, findPageUnder } from '../../src/store/reading/pages.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

const CONTACTS = tableOf(contact);

interface ModelRow {
  readonly id: bigint;
  readonly workspaceId: bigint;
  readonly emailAddress: string | null;
  readonly updatedAt: Date;
  readonly isActive: boolean;
  readonly tagIds: readonly bigint[];
}

const ROWS = 48;

const gateway = await sharedGateway();
const { app } = gateway;
const first = await factories.workspace(app);
const second = await factories.workspace(app, { teamId: first.teamId });
const theirs = await factories.workspace(app);
const tenancy = { teamId: first.teamId, workspaceIds: null };
/** Two of the caller's, and one of another team. */
const workspaces = [first.id, second.id, theirs.id];
const tags: bigint[] = [];
for (const workspaceId of [first.id, first.id, first.id, second.id, theirs.id])
  tags.push((await factories.tag(app, workspaceId, `T${tags.length}`)).id);
const prisma = prismaOf(app.store);
const ids = await drawIds(prisma, 'contacts', ROWS);
const model = ids.map((id, index) => {
  const workspaceId = workspaces[(index * 7) % 3] ?? 0n;
  const own = [[tags[0], tags[1], tags[2]], [tags[3]], [tags[4]]][(index * 7) % 3] ?? [];
  return {
    id,
    workspaceId,
    emailAddress: index % 5 === 0 ? null : ` P${index % 9}-${Math.floor(index / 9)}@X.example`,
    // Many share a time.
    updatedAt: new Date(Date.UTC(2026, 0, 1 + ((index * 11) % 5))),
    isActive: index % 5 !== 0 && index % 4 !== 0,
    tagIds: own.filter((tag, position) => tag !== undefined && (index + position) % 3 !== 0) as bigint[],
  };
});
await prisma.contact.createMany({
  data: model.map(({ id, workspaceId, emailAddress, updatedAt }, index) => ({
    ...{ id, workspaceId, emailAddress, updatedAt },
    unsubscribedAt: index % 4 === 0 ? updatedAt : null,
  })),
});
await prisma.contactTag.createMany({
  data: model.flatMap(({ id, workspaceId, tagIds }) =>
    tagIds.map((tagId) => ({ workspaceId, contactId: id, tagId })),
  ),
});

const some = <T>(values: fc.Arbitrary<T>) =>
  fc.option(fc.uniqueArray(values, { maxLength: 6 }), { nil: undefined, freq: 1 });
const anyRow = () => fc.constantFrom(...model);
const anyFilter = (): fc.Arbitrary<FilterValues> =>
  fc
    .record({
      id: fc.option(
        fc.uniqueArray(
          anyRow().map(({ id }) => id),
          { maxLength: 30 },
        ),
        { nil: undefined, freq: 2 },
      ),
      emailAddress: some(
        anyRow().map(({ emailAddress }) => emailAddress?.toLowerCase().trim() ?? 'nobody@x.example'),
      ),
      tagIds: some(fc.constantFrom(...tags, 999n)),
      isActive: some(fc.boolean()),
    })
    .map((filter) =>
      Object.fromEntries(Object.entries(filter).filter(([, values]) => values !== undefined)),
    ) as never;
/** The position of a row, or where it would be. */
const anyPosition = () =>
  fc.option(
    fc
      .record({ row: anyRow(), shift: fc.constantFrom(0n, 1n, -1n) })
      .map(({ row, shift }) => ({ id: row.id + shift, time: row.updatedAt })),
    { freq: 2 },
  );

interface Asked {
  readonly filter: FilterValues;
  readonly request: PageRequest;
}
const anyAsked = (): fc.Arbitrary<Asked> =>
  fc
    .record({
      filter: anyFilter(),
      sort: fc.constantFrom('id' as const, 'updatedAt' as const),
      order: fc.constantFrom('asc' as const, 'desc' as const),
      size: fc.integer({ min: 1, max: 12 }),
      after: anyPosition(),
      before: anyPosition(),
      backward: fc.boolean(),
    })
    .map(({ filter, after, before, ...rest }) => ({
      filter,
      request: {
        ...rest,
        filter,
        after: after?.id ?? null,
        before: before?.id ?? null,
        ...(rest.sort === 'updatedAt' && { afterValue: after?.time, beforeValue: before?.time }),
      },
    }));

const isOurs = (workspaceId: bigint) => workspaceId !== workspaces[2];

function matching(workspaceId: bigint, { id, emailAddress, tagIds, isActive }: FilterValues): ModelRow[] {
  return model.filter(
    (row) =>
      row.workspaceId === workspaceId &&
      (id?.includes(row.id) ?? true) &&
      (emailAddress?.includes(row.emailAddress?.toLowerCase().trim() ?? '') ?? true) &&
      (tagIds?.some((tag) => row.tagIds.includes(tag as bigint)) ?? true) &&
      (isActive?.includes(row.isActive) ?? true),
  );
}

const compare = (
  sort: PageRequest['sort'],
  one: { id: bigint; time: number },
  two: { id: bigint; time: number },
) => (sort === 'updatedAt' ? one.time - two.time : 0) || Number(one.id - two.id);
const placeOf = ({ id, updatedAt }: ModelRow) => ({ id, time: updatedAt.getTime() });

function pageOf(rows: readonly ModelRow[], request: PageRequest) {
  const { sort, order, size, backward, after, before } = request;
  const sign = order === 'asc' ? 1 : -1;
  const to = (row: ModelRow, id: bigint, time: Date | null | undefined) =>
    sign * compare(sort, placeOf(row), { id, time: time?.getTime() ?? 0 });
  const between = rows
    .filter((row) => after === null || to(row, after, request.afterValue as Date) > 0)
    .filter((row) => before === null || to(row, before, request.beforeValue as Date) < 0)
    .toSorted((one, two) => sign * compare(sort, placeOf(one), placeOf(two)))
    .map(({ id }) => id);
  return { ids: backward ? between.slice(-size) : between.slice(0, size), more: between.length > size };
}

test('a page under one parent and under many equals the model’s, null if the parent is not the caller’s', async () => {
  await fc.assert(
    fc.asyncProperty(anyAsked(), async ({ filter, request }) => {
      const expected = workspaces.map((id) => (isOurs(id) ? pageOf(matching(id, filter), request) : null));
      const found = await findPagesUnder(gateway.app, CONTACTS, tenancy, workspaces, request);
      const plain = (page: (typeof found)[number]) =>
        page && { ids: page.rows.map(({ id }) => id), more: page.more };
      expect(found.map(plain)).toEqual(expected);
      for (const [index, id] of workspaces.entries())
        expect(plain(await findPageUnder(gateway.app, CONTACTS, tenancy, id, request))).toEqual(
          expected[index],
        );
    }),
    { numRuns: 150, endOnFailure: true },
  );
});

test('counts and probes equal the model’s, of many parents and of each alone', async () => {
  const side = fc.constantFrom('at_or_below' as const, 'at_or_above' as const);
  await fc.assert(
    fc.asyncProperty(anyAsked(), anyRow(), side, async ({ filter, request }, row, which) => {
      const sort = request.sort ?? 'id';
      const probe = { sort, filter, id: row.id, value: row.updatedAt, side: which };
      const under = (id: bigint) => (isOurs(id) ? matching(id, filter) : []);
      for (const parents of [workspaces, ...workspaces.map((one) => [one])]) {
        expect(await countUnder(gateway.app, CONTACTS, tenancy, parents, { filter })).toEqual(
          parents.map((id) => ({ count: under(id).length, isExact: true })),
        );
        const sign = which === 'at_or_below' ? -1 : 1;
        expect(await existsUnder(gateway.app, CONTACTS, tenancy, parents, probe)).toEqual(
          parents.map((id) => under(id).some((one) => sign * compare(sort, placeOf(one), placeOf(row)) >= 0)),
        );
      }
    }),
    { numRuns: 80, endOnFailure: true },
  );
});
