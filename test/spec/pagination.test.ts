// Specification §4 "Pagination", rule by rule; §7 and §8 where they say the same again.
import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { allIds, idsOf, nextOf, walk } from '../support/walk.ts';
import { createWorlds, LIST_NAMES, LISTS } from '../support/world.ts';

const gateway = await sharedGateway();
const world = (await createWorlds(gateway.app, 120)).ours;

const PAGED = LIST_NAMES.filter((name) => name !== 'refine_filters');
const contacts = (query: string) => gateway.send(LISTS.contacts(world) + query, { caller: world.key });
const filters = (query: string) => gateway.send(LISTS.refine_filters(world) + query, { caller: world.key });

test.each(PAGED)(
  'spec §4 pagination rule 1: without parameters %s holds up to 20 objects ascending by id',
  async (name) => {
    const response = await gateway.send(LISTS[name](world), { caller: world.key });
    expect(await idsOf(response)).toEqual(world.ids[name].slice(0, 20));
  },
);

describe('spec §4 pagination rule 2: after=<last id> gives the next page', () => {
  test('in ascending order, which sort_order=asc asks for too', async () => {
    for (const query of ['', '&sort_order=asc']) {
      const response = await contacts(`?after=${world.ids.contacts[19]}${query}`);
      expect(await idsOf(response)).toEqual(world.ids.contacts.slice(20, 40));
    }
  });

  test('in descending order in the same way', async () => {
    const newestFirst = world.ids.contacts.toReversed();
    expect(await idsOf(await contacts('?sort_order=desc'))).toEqual(newestFirst.slice(0, 20));
    const response = await contacts(`?sort_order=desc&after=${newestFirst[19]}`);
    expect(await idsOf(response)).toEqual(newestFirst.slice(20, 40));
  });
});

test.each(PAGED)(
  'spec §4 pagination rule 3: Pagination-Next of %s is the id of the last object',
  async (name) => {
    for (const query of ['', '?per_page=1', '?sort_order=desc&per_page=5']) {
      const response = await gateway.send(LISTS[name](world) + query, { caller: world.key });
      const next = response.headers.get('Pagination-Next');
      expect(next).toBe(String((await idsOf(response)).at(-1)));
    }
  },
);

describe('spec §4 pagination rule 4: Link has the URL of the next page', () => {
  test('in the form <url with after=<id>>; rel="next"', async () => {
    const response = await contacts('');
    const url = `http://localhost:4000${LISTS.contacts(world)}?after=${world.ids.contacts[19]}`;
    expect(response.headers.get('Link')).toBe(`<${url}>; rel="next"`);
  });

  test('with the per_page that was sent, so that a client keeps its page size', async () => {
    const url = new URL(nextOf(await contacts('?per_page=7&sort_order=desc')) ?? '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ per_page: '7', sort_order: 'desc' });
    const pages = await walk(gateway, `${LISTS.contacts(world)}?per_page=50`, { caller: world.key });
    expect(pages.map((page) => page.ids.length)).toEqual([50, 50, 20, 0]);
  });
});

test.each([101, 120, 1_000_000])(
  'spec §4 pagination rule 5, §8: per_page=%i holds 100 records and the walk stays complete',
  async (size) => {
    const pages = await walk(gateway, `${LISTS.contacts(world)}?per_page=${size}`, { caller: world.key });
    expect(pages.map((page) => page.ids.length)).toEqual([100, 20, 0]);
    expect(allIds(pages)).toEqual(world.ids.contacts);
  },
);

test.each(['0', '-1', '-20', '1.5', 'ten', '', '1e1'])(
  'spec §4 pagination rule 6, §7: per_page=%s is status 422 on every list, with no fallback to 20',
  async (size) => {
    for (const name of LIST_NAMES) {
      const response = await gateway.send(`${LISTS[name](world)}?per_page=${size}`, { caller: world.key });
      expect([name, response.status]).toEqual([name, 422]);
    }
  },
);

describe('spec §4 pagination rule 7: the saved-filter list', () => {
  test('is complete in one payload without Pagination-Next when after and per_page are both omitted (§8, §9)', async () => {
    for (const [query, ids] of [
      ['', world.ids.refine_filters],
      ['?sort_order=desc', world.ids.refine_filters.toReversed()],
    ] as const) {
      const response = await filters(query);
      expect(response.headers.has('Pagination-Next')).toBe(false);
      expect(await idsOf(response)).toEqual(ids);
    }
  });

  test('is paged by after=0 on the first request, from the beginning', async () => {
    const response = await filters('?after=0');
    expect(response.headers.get('Pagination-Next')).toBe(String(world.ids.refine_filters[19]));
    expect(await idsOf(response)).toEqual(world.ids.refine_filters.slice(0, 20));
  });

  test('is paged by a per_page value on the first request', async () => {
    const response = await filters('?per_page=3');
    expect(response.headers.get('Pagination-Next')).toBe(String(world.ids.refine_filters[2]));
    expect(await idsOf(response)).toEqual(world.ids.refine_filters.slice(0, 3));
  });

  test('with after=0 and sort_order=desc walks newest first', async () => {
    const path = `${LISTS.refine_filters(world)}?after=0&sort_order=desc`;
    const pages = await walk(gateway, path, { caller: world.key });
    expect(allIds(pages)).toEqual(world.ids.refine_filters.toReversed());
    expect(pages[0]?.ids).toHaveLength(20);
  });

  test('after the first page follows Pagination-Next as rule 3 says', async () => {
    const seen: bigint[] = [];
    for (let after: string | null = '0'; after !== null; ) {
      const response = await filters(`?after=${after}&per_page=50`);
      after = response.headers.get('Pagination-Next');
      seen.push(...(await idsOf(response)));
    }
    expect(seen).toEqual(world.ids.refine_filters);
  });
});
