// Filters and orders of lists over REST, on contacts: what they select, how a client walks through them, and what is refused.
import { beforeEach, describe, expect, test } from 'vitest';
import { toPublicId } from '../../src/store/sql/public-ids.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { idsOf, nextOf } from '../support/walk.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const workspace = await factories.workspace(app);
const workspaceId = workspace.id;
const caller = await factories.apiKey(app, { teamId: workspace.teamId });
const path = `/api/v2/workspaces/${workspaceId}/contacts`;
const at = (day: number) => ({ workspaceId, updatedAt: new Date(Date.UTC(2026, 0, day)) });
/** Ann is active, Bob has unsubscribed, Cy is anonymous. Ann and Bob are customers, Bob and Cy leads. */
const { id: ann } = await factories.contact(app, { ...at(3), emailAddress: ' Ann@Example.com\u00a0' });
const unsubscribed = { emailAddress: 'BOB@x.example', unsubscribedAt: new Date() };
const { id: bob } = await factories.contact(app, { ...at(1), ...unsubscribed });
const { id: cy } = await factories.contact(app, { ...at(2), emailAddress: null });
const { id: customer } = await factories.tag(app, workspaceId, 'customer');
const { id: lead } = await factories.tag(app, workspaceId, 'lead');
const applied: [bigint, bigint][] = [
  [ann, customer],
  [bob, customer],
  [bob, lead],
  [cy, lead],
];
await prismaOf(app.store).contactTag.createMany({
  data: applied.map(([contactId, tagId]) => ({ workspaceId, contactId, tagId })),
});
// The same in another workspace of the team, which a wrong read would find.
const neighbour = await factories.workspace(app, { teamId: workspace.teamId });
await factories.contact(app, { workspaceId: neighbour.id, emailAddress: 'ann@example.com' });

const list = (query: string) => gateway.send(`${path}?${query}`, { caller });

describe('chooses', () => {
  test.each<[string, () => string, () => bigint[]]>([
    [
      'an address, whatever its case and the white space around it',
      () => 'filter[email_address]=ann@EXAMPLE.com',
      () => [ann],
    ],
    [
      'the same, encoded, with white space',
      () => 'filter%5Bemail_address%5D=%09Ann%40Example.com%C2%A0',
      () => [ann],
    ],
    [
      'one of several addresses',
      () => 'filter[email_address]=bob@x.example,nobody@x.example,ann@example.com,ANN@example.com',
      () => [ann, bob],
    ],
    [
      'one of several ids, integer and public, in the order of ids',
      () => `filter[id]=${cy},${toPublicId('contacts', ann)},${cy}`,
      () => [ann, cy],
    ],
    [
      'one of several ids, each with its place, as PHP writes them',
      () => `filter[id][0]=${cy}&filter%5Bid%5D%5B1%5D=${ann}&filter[id][]=${ann}`,
      () => [ann, cy],
    ],
    ['a tag, with its place', () => `filter[tag_id][0]=${customer}`, () => [ann, bob]],
    ['a tag', () => `filter[tag_ids]=${customer}`, () => [ann, bob]],
    [
      'one of several tags, each contact once',
      () => `filter[tag_ids]=${toPublicId('tags', lead)},${customer}`,
      () => [ann, bob, cy],
    ],
    ['the active', () => 'filter[is_active]=true', () => [ann]],
    ['the others', () => 'filter[is_active]=0', () => [bob, cy]],
    ['either', () => 'filter[is_active]=1,false', () => [ann, bob, cy]],
    ['all of several filters', () => `filter[tag_ids]=${customer}&filter[is_active]=false`, () => [bob]],
    [
      'all of all filters',
      () =>
        `filter[tag_ids]=${customer}&filter[is_active]=false&filter[id]=${ann},${bob}&filter[email_address]=bob@x.example`,
      () => [bob],
    ],
    ['nothing', () => `filter[id]=${ann}&filter[email_address]=bob@x.example`, () => []],
    ['nothing by an id that nothing has', () => 'filter[id]=9223372036854775807', () => []],
  ])('%s', async (_, query, expected) => {
    const response = await list(query());
    expect(await idsOf(response)).toEqual(expected());
    for (const sort of ['id', 'updated_at']) {
      const byTime = expected().toSorted(
        (one, two) => [bob, cy, ann].indexOf(one) - [bob, cy, ann].indexOf(two),
      );
      const ordered = sort === 'id' ? expected() : byTime;
      for (const order of ['asc', 'desc']) {
        const sorted = await list(`${query()}&sort_property=${sort}&sort_order=${order}`);
        expect([sort, order, await idsOf(sorted)]).toEqual([
          sort,
          order,
          order === 'asc' ? ordered : ordered.toReversed(),
        ]);
      }
    }
  });

  test('an address as it was written', async () => {
    const [shown] = (await (await list('filter[email_address]=ann@example.com')).json()) as {
      email_address: string;
    }[];
    expect(shown?.email_address).toBe(' Ann@Example.com\u00a0');
  });
});

describe('walks', () => {
  let walked: bigint;
  let walkPath: string;
  let rows: { id: bigint; updatedAt: Date }[];

  beforeEach(async () => {
    const { app } = gateway;
    const workspace = await factories.workspace(app, {
      teamId: (await prismaOf(app.store).workspace.findUniqueOrThrow({ where: { id: workspaceId } })).teamId,
    });
    walked = workspace.id;
    walkPath = `/api/v2/workspaces/${walked}/contacts`;
    const ids = await factories.contacts(app, walked, 30);
    // Five contacts share each time.
    rows = ids.map((id, index) => ({ id, updatedAt: new Date(Date.UTC(2026, 1, 1 + ((index * 7) % 6))) }));
    for (const { id, updatedAt } of rows)
      await prismaOf(app.store).contact.updateMany({ where: { id }, data: { updatedAt } });
  });

  const byTime = () =>
    rows
      .toSorted((one, two) => one.updatedAt.getTime() - two.updatedAt.getTime() || Number(one.id - two.id))
      .map(({ id }) => id);

  async function walk(from: string, next: (response: Response, last: bigint) => string | null | undefined) {
    const seen: bigint[] = [];
    let url: string | null | undefined = `${walkPath}?${from}`;
    while (url != null) {
      const response: Response = await gateway.send(url.replace(/^https?:\/\/[^/]+/, ''), { caller });
      const ids: bigint[] = await idsOf(response);
      seen.push(...ids);
      const last = ids.at(-1);
      if (last !== undefined) expect(response.headers.get('Pagination-Next')).toBe(String(last));
      url = last === undefined ? null : next(response, last);
    }
    return seen;
  }

  test.each(['asc', 'desc'])(
    'by Link, by updated_at %s, pass every contact once at any page size',
    async (order) => {
      const expected = order === 'asc' ? byTime() : byTime().toReversed();
      for (const size of [1, 4, 7, 100]) {
        const query = `sort_property=updated_at&sort_order=${order}&per_page=${size}`;
        expect(await walk(query, (response) => nextOf(response))).toEqual(expected);
        const byId = (_: Response, last: bigint) => `${walkPath}?${query}&after=${last}`;
        expect(await walk(query, byId)).toEqual(expected);
      }
    },
  );

  test('continue by Link at the same position though the last contact has changed or is gone; by its id at its new one', async () => {
    const prisma = prismaOf(gateway.app.store);
    const [first = 0n, second = 0n, third = 0n] = byTime();
    const start = await gateway.send(`${walkPath}?sort_property=updated_at&per_page=1`, { caller });
    expect(await idsOf(start)).toEqual([first]);
    const link = (nextOf(start) ?? '').replace(/^https?:\/\/[^/]+/, '');
    expect(link).toMatch(
      /sort_property=updated_at&per_page=1&after=\d+&after_updated_at=2026-02-01T00:00:00.000Z$/,
    );
    await prisma.contact.updateMany({ where: { id: first }, data: { updatedAt: new Date() } });
    expect(await idsOf(await gateway.send(link, { caller }))).toEqual([second]);
    const byId = `${walkPath}?sort_property=updated_at&after=${first}`;
    expect(await idsOf(await gateway.send(byId, { caller }))).toEqual([]);
    await prisma.contact.deleteMany({ where: { id: first } });
    expect(await idsOf(await gateway.send(link, { caller }))).toEqual([second]);
    const { errors, detail } = await expectProblem(await gateway.send(byId, { caller }), 'invalid');
    expect(errors.map(({ field }) => field)).toEqual(['after']);
    expect(detail).toContain('Link');
    expect(third).not.toBe(0n);
  });

  test('keep their filter in the Link', async () => {
    const some = rows.filter((_, index) => index % 3 === 0).map(({ id }) => id);
    const query = `filter[id]=${some.join(',')}&per_page=3`;
    expect(await walk(query, (response) => nextOf(response))).toEqual(some);
    const changed = byTime().filter((id) => some.includes(id));
    expect(await walk(`${query}&sort_property=updated_at`, (response) => nextOf(response))).toEqual(changed);
  });

  test('do not start at a contact of another team', async () => {
    const theirs = await factories.contact(gateway.app);
    const query = `sort_property=updated_at&after=${theirs.id}`;
    await expectProblem(await gateway.send(`${walkPath}?${query}`, { caller }), 'invalid');
  });
});

describe('refuses', () => {
  const KNOWN = [
    'filter[id]',
    'filter[email_address]',
    'filter[tag_ids]',
    'filter[is_active]',
    'filter[anonymous]',
  ];

  test.each([
    ['filter=x', 'filter'],
    ['filter', 'filter'],
    ['filter[]=x', 'filter[]'],
    ['filter[a][b]=x', 'filter[a][b]'],
    ['filter[id][][]=1', 'filter[id][][]'],
    ['filter[name][]=x', 'filter[name][]'],
    ['filter[=x', 'filter['],
    ['filter[name]=x', 'filter[name]'],
    ['filter[name][0]=x', 'filter[name][0]'],
    ['filter[id][x]=1', 'filter[id][x]'],
    ['filter[id][0][1]=1', 'filter[id][0][1]'],
    ['filter[emailAddress]=x', 'filter[emailAddress]'],
    ['filter[constructor]=x', 'filter[constructor]'],
    ['filter[__proto__]=x', 'filter[__proto__]'],
    ['Filter[id]=1', 'Filter[id]'],
    ['filter%5Bname%5D=x&per_page=5', 'filter[name]'],
  ])('%s with 400, naming it and the filters that there are', async (query, field) => {
    const { errors, detail } = await expectProblem(await list(query), 'bad_request');
    expect(errors).toEqual([{ field, code: 'unknown_field', message: detail }]);
    for (const name of [field, ...KNOWN]) expect(detail).toContain(name);
  });

  test('a repeated filter with 400', async () => {
    const { errors } = await expectProblem(await list('filter[id]=1&filter[id]=2'), 'bad_request');
    expect(errors.map(({ field }) => field)).toEqual(['filter[id]']);
    await expectProblem(await list('filter[id]=1&filter[id][0]=2'), 'bad_request');
  });

  test.each([
    ['filter[id]=', 'filter[id]'],
    ['filter[id]=1,', 'filter[id]'],
    ['filter[id]=1,x', 'filter[id]'],
    ['filter[id]=-1', 'filter[id]'],
    ['filter[id]=9223372036854775808', 'filter[id]'],
    ['filter[tag_ids]=1%202', 'filter[tag_ids]'],
    [`filter[id]=${Array.from({ length: 101 }, (_, n) => n).join(',')}`, 'filter[id]'],
    ['filter[is_active]=yes', 'filter[is_active]'],
    ['filter[is_active]=TRUE', 'filter[is_active]'],
    ['filter[is_active]', 'filter[is_active]'],
    ['filter[email_address]=', 'filter[email_address]'],
    ['filter[id][0]=', 'filter[id]'],
    ['filter[id][0]=1&filter[id][1]=x', 'filter[id]'],
    ['filter[email_address]=%20', 'filter[email_address]'],
    ['filter[email_address]=a%00b', 'filter[email_address]'],
    [`filter[email_address]=${'x'.repeat(1_001)}`, 'filter[email_address]'],
    ['sort_property=first_name', 'sort_property'],
    ['sort_property=', 'sort_property'],
    ['sort_property[]=id', 'sort_property[]'],
    ['SORT_PROPERTY=id', 'SORT_PROPERTY'],
    ['after[id]=1', 'after[id]'],
    ['per_page[]=1', 'per_page[]'],
    ['Sort_Order[]=desc', 'Sort_Order[]'],
    ['after_updated_at=2026-01-01T00:00:00.000Z', 'after_updated_at'],
    ['after_updated_at=2026-01-01T00:00:00.000Z&after=1', 'after_updated_at'],
    ['after_updated_at=2026-01-01T00:00:00.000Z&sort_property=updated_at', 'after_updated_at'],
    ['sort_property=updated_at&after=1&after_updated_at=2026-01-01', 'after_updated_at'],
    ['sort_property=updated_at&after=1&after_updated_at=2026-02-30T00:00:00.000Z', 'after_updated_at'],
    ['sort_property=updated_at&after=1&after_updated_at=0000-01-01T00:00:00.000Z', 'after_updated_at'],
    ['sort_property=updated_at&after=1&after_updated_at=%2B010000-01-01T00:00:00.000Z', 'after_updated_at'],
    ['sort_property=updated_at&after=1&after_updated_at=infinity', 'after_updated_at'],
  ])('%s with 422, naming it', async (query, field) => {
    const { errors } = await expectProblem(await list(query), 'invalid');
    expect(errors.map((error) => error.field)).toEqual([field]);
  });

  test('several at once, each by its name', async () => {
    const query =
      'per_page=0&after=x&sort_order=up&filter[id]=x&filter[is_active]=x&sort_property=first_name&after_updated_at=x';
    const { errors } = await expectProblem(await list(query), 'invalid');
    expect(errors.map(({ field }) => field)).toEqual([
      ...[
        'sort_order',
        'per_page',
        'after',
        'sort_property',
        'after_updated_at',
        'filter[id]',
        'filter[is_active]',
      ],
    ]);
  });

  test('nothing that only resembles a filter', async () => {
    const response = await list('filters=x&my_filter[a]=x&filter_id=1&sort_property_x=1');
    expect(await idsOf(response)).toEqual([ann, bob, cy]);
  });
});

test('a hundred values are accepted, and the earliest possible time', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => BigInt(n));
  expect(await idsOf(await list(`filter[id]=${ids.join(',')}&per_page=100`))).toEqual(
    [ann, bob, cy].filter((id) => id < 100n),
  );
  const first = await list('sort_property=updated_at&after=1&after_updated_at=0001-01-01T00:00:00.000Z');
  expect(await idsOf(first)).toEqual([bob, cy, ann]);
});
