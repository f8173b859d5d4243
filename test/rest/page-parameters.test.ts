// What `after`, `per_page` and `sort_order` may be, on every list (spec §4).
import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';
import { idsOf } from '../support/walk.ts';
import { createWorlds, LIST_NAMES, LISTS } from '../support/world.ts';

const BAD_PER_PAGE = [
  '0',
  '00',
  '-1',
  '1.5',
  '1.0',
  '',
  '%205',
  '5%20',
  '%2B5',
  '+5',
  '1e2',
  'ten',
  '0x10',
  '%D9%A3',
  '5%0A',
];
const BAD_AFTER = [
  '-1',
  '1.5',
  '',
  '%201',
  '%2B1',
  '1e2',
  'ten',
  'null',
  '9223372036854775808',
  '9'.repeat(400),
  '%D9%A3',
];
const BAD_SORT_ORDER = ['', 'ASC', 'ascending', 'asc,desc', '%20asc', '1', 'desc;'];

/** Lists without filters. On others an unknown filter is 400 (declared-lists.test.ts). */
const UNFILTERED: readonly string[] = ['teams', 'conditional_splits'];

const gateway = await sharedGateway();
const world = (await createWorlds(gateway.app, 105)).ours;

const list = (query: string, name: (typeof LIST_NAMES)[number] = 'contacts') =>
  gateway.send(`${LISTS[name](world)}?${query}`, { caller: world.key });

describe.each(LIST_NAMES)('%s', (name) => {
  test('every wrong parameter is reported, in one sentence each', async () => {
    const query = 'per_page=0&after=x&sort_order=up&after[a]=1&after[a]=2&SORT_PROPERTY=b';
    const { errors, detail } = await expectProblem(await list(query, name), 'invalid');
    expect(errors.map(({ field }) => field)).toEqual([
      ...['sort_order', 'per_page', 'after', 'after[a]', 'SORT_PROPERTY'],
    ]);
    expect(detail).toBe(errors.map(({ message }) => message).join(' '));
    const many = Array.from({ length: 300 }, (_, n) => `after[${n}]`).join('&');
    expect((await expectProblem(await list(many, name), 'invalid')).errors).toHaveLength(10);
  });

  test('an unknown filter is reported by its name', async () => {
    const query = 'per_page=0&filter[a]=1&filter[a]=2';
    const isFiltered = !UNFILTERED.includes(name);
    const { errors } = await expectProblem(await list(query, name), isFiltered ? 'bad_request' : 'invalid');
    expect(errors.map(({ field }) => field)).toEqual([...(isFiltered ? [] : ['per_page']), 'filter[a]']);
  });

  test.each([
    ...BAD_PER_PAGE.map((value) => ['per_page', value]),
    ...BAD_AFTER.map((value) => ['after', value]),
    ...BAD_SORT_ORDER.map((value) => ['sort_order', value]),
  ])('%s=%s is refused with 422 and blamed', async (field, value) => {
    const problem = await expectProblem(await list(`${field}=${value}`, name), 'invalid');
    expect(problem.errors.map((error) => error.field)).toEqual([field]);
  });
});

test.each(['9223372036854775807', `000${2n ** 63n - 1n}`])(
  'after=%s, the largest id there can be, is past the end',
  async (after) => {
    const response = await list(`after=${after}`);
    expect(response.status).toBe(200);
    expect(await idsOf(response)).toEqual([]);
    expect(response.headers.has('Link')).toBe(false);
  },
);

test('after the largest id, descending, is the complete list', async () => {
  const response = await list('after=9223372036854775807&sort_order=desc&per_page=100');
  expect(await idsOf(response)).toEqual(world.ids.contacts.toReversed().slice(0, 100));
});

test('after=0 is the start when ascending, and a cursor below everything when descending', async () => {
  expect(await idsOf(await list('after=0'))).toEqual(world.ids.contacts.slice(0, 20));
  expect(await idsOf(await list('after=0&sort_order=desc'))).toEqual([]);
});

test('a cursor between two rows continues at the next one, in either direction', async () => {
  const [first = 0n, second = 0n] = world.ids.contacts;
  expect(second - first).toBe(2n);
  expect((await idsOf(await list(`after=${first + 1n}`)))[0]).toBe(second);
  expect((await idsOf(await list(`after=${first + 1n}&sort_order=desc`)))[0]).toBe(first);
});

test.each([
  ['per_page=0&per_page=2', 2],
  ['per_page=50&per_page=3', 3],
])('of a repeated parameter the last one counts: %s', async (query, size) => {
  expect(await idsOf(await list(query))).toHaveLength(size);
});

test.each(['per_page=2&per_page=0', 'after=1&after=x', 'sort_order=asc&sort_order=up'])(
  'a bad last one of a repeated parameter is refused: %s',
  async (query) => {
    await expectProblem(await list(query), 'invalid');
  },
);

test('unknown parameters are ignored', async () => {
  const response = await list('page=1&offset=0&limit=1&page_size=1&PER_PAGE=0&email_address=x');
  expect(await idsOf(response)).toEqual(world.ids.contacts.slice(0, 20));
});
