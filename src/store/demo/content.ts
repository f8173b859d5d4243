// What a workspace of the demo holds besides its contacts: tags, saved filters, funnels with their workflows, webhook endpoints, images, stores.
import type { Prisma } from '#prisma';
import type { Criterion } from '../../resources/refine-filters.ts';
import type { WorkspaceData } from './data/shape.ts';
import { type Demo, idsByName, newRows } from './demo.ts';
import { insertWorkflows } from './funnel-steps.ts';
import { insertImages, insertStores } from './images.ts';
import { type Named, requireNamed } from './named.ts';
import type { DemoWorkspace } from './owners.ts';
import { insertLandingPages, insertThemes } from './pages.ts';

/** The age in days of the first row of each kind, how much younger each further one is, and the random part of it. */
const AGES = {
  tags: { first: 840, step: 7, random: 0 },
  refine_filters: { first: 700, step: 11, random: 10 },
  funnel_labels: { first: 610, step: 5, random: 0 },
  funnels: { first: 600, step: 60, random: 30 },
  webhook_endpoints: { first: 400, step: 31, random: 10 },
} as const;

/** Inserts all of it; returns the tags' ids by name. */
export async function insertContent(
  demo: Demo,
  { id: workspaceId, customDomainIds }: DemoWorkspace,
  data: WorkspaceData,
): Promise<Named> {
  const { tx } = demo;
  const rowsOf = <Data>(table: keyof typeof AGES, all: readonly Data[]) => {
    const { first, step, random } = AGES[table];
    const chance = () => (random === 0 ? 0 : demo.random.next() * random);
    return newRows(demo, table, workspaceId, all, (index) => demo.daysAgo(first - index * step - chance()));
  };
  const named = Object.entries(data.tags).map(([name, { color }]) => ({ name, color }));
  const tags = await rowsOf('tags', named);
  await tx.tag.createMany({ data: tags.map(({ columns, data }) => ({ ...columns, ...data })) });
  const tagIds = idsByName(tags);

  const filters = await rowsOf('refine_filters', data.filters);
  await tx.refineFilter.createMany({
    data: filters.map(({ columns, data: { name, conjunction = 'and', criteria } }) => ({
      ...{ ...columns, name, conjunction },
      criteria: criteria.map((criterion) => withTagIds(criterion, tagIds)),
    })),
  });

  const used = [...new Set(data.funnels.flatMap(({ tags = [] }) => tags))];
  const labels = await rowsOf(
    'funnel_labels',
    used.map((name) => ({ name, color: data.tags[name]?.color ?? '#888888' })),
  );
  await tx.funnelLabel.createMany({ data: labels.map(({ columns, data }) => ({ ...columns, ...data })) });
  const labelIds = idsByName(labels);

  const funnels = await rowsOf('funnels', data.funnels);
  await tx.funnel.createMany({
    data: funnels.map(({ columns, data: { name, path, tags = [], customDomain, ...state } }) => ({
      ...{ ...columns, name, currentPath: path, liveMode: state.live ?? false },
      archivedAt: state.archived ? columns.createdAt : null,
      tagIds: tags.map((tag) => requireNamed(labelIds, 'tag', tag)),
      customDomainId:
        customDomain === undefined ? null : requireNamed(customDomainIds, 'custom domain', customDomain),
    })),
  });
  const pageIds = await insertWorkflows(demo, workspaceId, funnels, idsByName(filters));
  const funnelIds = idsByName(funnels);
  const themeIds = await insertThemes(demo, workspaceId, data.themes ?? []);
  await insertLandingPages(demo, workspaceId, data.pages ?? [], themeIds);

  const endpoints = await rowsOf('webhook_endpoints', data.webhookEndpoints);
  await tx.webhookEndpoint.createMany({
    data: endpoints.map(({ columns, data: { name, url, events, funnels = [], pages = [] } }) => ({
      ...{ ...columns, name, url, eventTypeIds: [...events] },
      // Their limits name funnels and pages.
      pageIds: pages.map((page) => requireNamed(pageIds, 'page', page)),
      funnelIds: funnels.map((funnel) => requireNamed(funnelIds, 'funnel', funnel)),
      // Nothing leaves the machine of somebody who tries the gateway out.
      deactivatedAt: columns.createdAt,
      deactivationReason: 'requested',
    })),
  });
  const imageIds = await insertImages(demo, workspaceId, data.images ?? []);
  await insertStores(demo, workspaceId, data.stores ?? [], imageIds);
  return tagIds;
}

/** Criteria hold tags by id. JSON numbers do: the demo's ids are small. */
function withTagIds({ attribute, clause, value }: Criterion, tagIds: Named): Prisma.InputJsonObject {
  if (value === undefined) return { attribute, clause };
  const isTags = attribute === 'tags.id' && Array.isArray(value);
  const ids = isTags ? value.map((name) => Number(requireNamed(tagIds, 'tag', String(name)))) : value;
  return { attribute, clause, value: ids as Prisma.InputJsonValue };
}
