// Every list, walked completely with many page sizes, in both directions.
import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import { allIds, nextOf, walk } from '../support/walk.ts';
import { createWorlds, LIST_NAMES, LISTS } from '../support/world.ts';

const ROWS = 103;

const gateway = await sharedGateway();
const world = (await createWorlds(gateway.app, ROWS)).ours;

describe.each(LIST_NAMES)('%s', (list) => {
  describe.each(['asc', 'desc'] as const)('%s', (order) => {
    test.each(sampleAt(`${list} ${order}`, [1, 2, 3, 7, 20, 100, 101, 1000], 4))(
      'a walk with per_page=%i gives the whole list without a repeat',
      async (size) => {
        const path = `${LISTS[list](world)}?per_page=${size}&sort_order=${order}`;
        const pages = await walk(gateway, path, { caller: world.key });
        const expected = order === 'asc' ? world.ids[list] : world.ids[list].toReversed();
        expect(allIds(pages)).toEqual(expected);
        const full = pages.slice(0, -2).map((page) => page.ids.length);
        expect(full).toEqual(full.map(() => Math.min(size, 100)));
      },
    );
  });

  test('a walk without parameters has pages of 20 in ascending order', async () => {
    // Without a parameter, saved filters are complete (spec §4 rule 7).
    const path = LISTS[list](world) + (list === 'refine_filters' ? '?after=0' : '');
    const pages = await walk(gateway, path, { caller: world.key });
    expect(allIds(pages)).toEqual(world.ids[list]);
    expect(pages[0]?.ids).toEqual(world.ids[list].slice(0, 20));
  });

  test('the last page still has both headers, and the empty page after it has neither', async () => {
    const pages = await walk(gateway, `${LISTS[list](world)}?per_page=50`, { caller: world.key });
    const [last, empty] = pages.slice(-2);
    const lastId = world.ids[list].at(-1);
    expect(last?.response.headers.get('Pagination-Next')).toBe(String(lastId));
    expect(new URL(nextOf(last?.response ?? new Response()) ?? '').search).toBe(
      `?per_page=50&after=${lastId}`,
    );
    expect(empty?.ids).toEqual([]);
    expect(empty?.response.headers.has('Pagination-Next')).toBe(false);
    expect(empty?.response.headers.has('Link')).toBe(false);
  });

  test('HEAD answers like GET, headers included, without a body', async () => {
    const path = `${LISTS[list](world)}?per_page=2`;
    const get = await gateway.send(path, { caller: world.key });
    const head = await gateway.send(path, { caller: world.key, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['Content-Type', 'Link', 'Pagination-Next', 'Cache-Control']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });
});
