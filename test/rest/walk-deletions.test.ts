// A walk continues at its position when rows disappear during it: the cursor is a position, not a row.
import { beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../src/context.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { allIds, walk } from '../support/walk.ts';
import { createWorlds, LISTS, type ListName, type World } from '../support/world.ts';

type Delete = (app: App, id: bigint) => Promise<unknown>;

/** How a row of each list is deleted during a client's walk. (The list of teams has one row: the caller's own.) */
const DELETES = {
  workspaces: (app, id) => prismaOf(app.store).workspace.delete({ where: { id } }),
  contacts: (app, id) => prismaOf(app.store).contact.deleteMany({ where: { id } }),
  refine_filters: (app, id) => prismaOf(app.store).refineFilter.deleteMany({ where: { id } }),
  webhook_endpoints: (app, id) => prismaOf(app.store).webhookEndpoint.deleteMany({ where: { id } }),
  funnels: (app, id) => prismaOf(app.store).funnel.deleteMany({ where: { id } }),
  conditional_splits: (app, id) =>
    prismaOf(app.store).funnelStep.updateMany({
      where: { id },
      data: { removedAt: new Date(), removalReason: 'test' },
    }),
} as const satisfies Partial<Record<ListName, Delete>>;

let world: World;

const gateway = await ownGateway();
beforeEach(async () => {
  world = (await createWorlds(gateway.app, 13)).ours;
});

describe.each(Object.entries(DELETES))('%s', (name, remove) => {
  const list = name as ListName;
  /** Rows without dependents: the world's own workspace and funnel stay. */
  const removable = () => world.ids[list].filter((id) => id !== world.workspace.id && id !== world.funnel.id);

  test.each(['asc', 'desc'])(
    'a walk misses and repeats nothing when the row at the cursor is deleted (%s)',
    async (order) => {
      const path = `${LISTS[list](world)}?per_page=4&sort_order=${order}`;
      const pages = await walk(gateway, path, { caller: world.key }, async (page) => {
        const last = page.ids.at(-1);
        if (last !== undefined && removable().includes(last)) await remove(gateway.app, last);
      });
      const expected = order === 'asc' ? world.ids[list] : world.ids[list].toReversed();
      expect(allIds(pages)).toEqual(expected);
    },
  );

  test('a walk ends normally if everything before and after it is deleted', async () => {
    const path = `${LISTS[list](world)}?per_page=10`;
    const pages = await walk(gateway, path, { caller: world.key }, async (page) => {
      if (page.ids.length > 0)
        for (const id of removable()) await remove(gateway.app, id).catch(() => undefined);
    });
    expect(allIds(pages)).toEqual(world.ids[list].slice(0, 10));
    expect(pages.map((page) => page.ids.length)).toEqual([10, 0]);
  });
});

test('rows that are added during an ascending walk are returned once', async () => {
  const added: bigint[] = [];
  const path = `${LISTS.contacts(world)}?per_page=10`;
  const pages = await walk(gateway, path, { caller: world.key }, async () => {
    if (added.length >= 3) return;
    const { id } = await factories.contact(gateway.app, { workspaceId: world.workspace.id });
    added.push(id);
  });
  expect(allIds(pages)).toEqual([...world.ids.contacts, ...added]);
});
