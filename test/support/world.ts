// A team with many rows of every kind, its ids interleaved with those of another team, and the lists that return them.
import type { App } from '../../src/context.ts';
import { drawIds } from '../../src/store/changing/ids.ts';
import type { PublicIdTable } from '../../src/store/sql/public-ids.ts';
import * as factories from './factories.ts';
import type { Caller } from './gateway.ts';
import { prismaOf } from './prisma.ts';

type Named = { readonly id: bigint; readonly publicId: string };

export interface World {
  readonly team: Named;
  readonly workspace: Named & { readonly teamId: bigint };
  readonly funnel: Named & { readonly workspaceId: bigint };
  /** A key with every scope, for this team. */
  readonly key: Caller;
  /** The ids of every list's rows. */
  readonly ids: Record<ListName, bigint[]>;
}

/** Every REST list, with its path in a world. */
export const LISTS = {
  teams: () => '/api/v2/teams',
  workspaces: ({ team }: World) => `/api/v2/teams/${team.id}/workspaces`,
  contacts: ({ workspace }: World) => `/api/v2/workspaces/${workspace.id}/contacts`,
  refine_filters: ({ workspace }: World) => `/api/v2/workspaces/${workspace.id}/refine_filters`,
  webhook_endpoints: ({ workspace }: World) =>
    `/api/v2/workspaces/${workspace.id}/webhooks/outgoing/endpoints`,
  funnels: ({ workspace }: World) => `/api/v2/workspaces/${workspace.id}/funnels`,
  conditional_splits: ({ funnel }: World) => `/api/v2/funnels/${funnel.id}/conditional_split_steps`,
} as const satisfies Record<string, (world: World) => string>;

export type ListName = keyof typeof LISTS;
export const LIST_NAMES = Object.keys(LISTS) as ListName[];

/** Two such worlds of `count` rows a list, with interleaved ids, so that a list that leaks is detected at once. */
export async function createWorlds(app: App, count: number): Promise<{ ours: World; theirs: World }> {
  const [ours, theirs] = [await createSkeleton(app), await createSkeleton(app)];
  const worlds: [World, World] = [ours, theirs];
  const prisma = prismaOf(app.store);
  const below = ({ workspace }: World, id: bigint) => ({
    id,
    workspaceId: workspace.id,
    name: `No. ${id}`,
  });

  const workspaces = await rows(app, worlds, 'workspaces', 'workspaces', count - 1, ({ team }, id) => ({
    id,
    teamId: team.id,
    name: `W ${id}`,
    subdomain: `w-${id}`,
  }));
  await prisma.workspace.createMany({ data: workspaces });
  const contacts = await rows(app, worlds, 'contacts', 'contacts', count, ({ workspace }, id) => ({
    id,
    workspaceId: workspace.id,
    emailAddress: `${id}@people.example`,
  }));
  await prisma.contact.createMany({ data: contacts });
  const filters = await rows(app, worlds, 'refine_filters', 'refine_filters', count, below);
  await prisma.refineFilter.createMany({ data: filters });
  const endpoints = await rows(app, worlds, 'webhook_endpoints', 'webhook_endpoints', count, below);
  await prisma.webhookEndpoint.createMany({
    data: endpoints.map((row) => ({
      ...row,
      url: 'https://h.example/',
      secret: Buffer.from('sealed'),
      secretChangedAt: new Date(),
    })),
  });
  const funnels = await rows(app, worlds, 'funnels', 'funnels', count - 1, below);
  await prisma.funnel.createMany({ data: funnels.map((row) => ({ ...row, currentPath: `/${row.id}` })) });
  const splits = await rows(
    app,
    worlds,
    'conditional_splits',
    'funnel_steps',
    count,
    (world, id, position) => ({
      ...below(world, id),
      funnelId: world.funnel.id,
      kind: 'conditional_split' as const,
      position,
    }),
  );
  await prisma.funnelStep.createMany({ data: splits });
  return { ours, theirs };
}

async function createSkeleton(app: App): Promise<World> {
  const team = await factories.team(app);
  const workspace = await factories.workspace(app, { teamId: team.id });
  const funnel = await factories.funnel(app, { workspaceId: workspace.id });
  const ids: World['ids'] = {
    teams: [team.id],
    workspaces: [workspace.id],
    contacts: [],
    refine_filters: [],
    webhook_endpoints: [],
    funnels: [funnel.id],
    conditional_splits: [],
  };
  return { team, workspace, funnel, key: await factories.apiKey(app, { teamId: team.id }), ids };
}

/** Saves `count` rows for each world in turn, and records their ids in the worlds. */
async function rows<Row>(
  app: App,
  worlds: [World, World],
  list: ListName,
  table: PublicIdTable,
  count: number,
  build: (world: World, id: bigint, position: number) => Row,
): Promise<Row[]> {
  const drawn = await drawIds(prismaOf(app.store), table, 2 * count);
  return drawn.map((id, index) => {
    const world = index % 2 === 0 ? worlds[0] : worlds[1];
    world.ids[list].push(id);
    return build(world, id, Math.floor(index / 2));
  });
}
