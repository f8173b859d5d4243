// What a workspace of the demo holds besides its contacts: tags, saved filters, funnels with their workflows, webhook endpoints, images, stores.
import type { Prisma } from '#prisma';
import type { Criterion } from '../../resources/refine-filters.ts';
import { drawIds } from '../changing/ids.ts';
import type { WorkspaceData } from './data/shape.ts';
import type { Demo } from './demo.ts';
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

/** What all rows of a kind have, and the data that the others come from. */
interface New<Data> {
  readonly id: bigint;
  readonly createdAt: Date;
  readonly data: Data;
  /** The columns. */
  readonly columns: { id: bigint; workspaceId: bigint; createdAt: Date; updatedAt: Date };
}

/** The rows to insert, with ids in the order of the data. */
async function newRows<Data>(
  demo: Demo,
  table: keyof typeof AGES,
  workspaceId: bigint,
  all: readonly Data[],
): Promise<New<Data>[]> {
  const { first, step, random } = AGES[table];
  const ids = await drawIds(demo.tx, table, all.length);
  return all.map((data, index) => {
    const createdAt = demo.daysAgo(first - index * step - (random === 0 ? 0 : demo.random.next() * random));
    const id = ids[index] as bigint;
    return { id, createdAt, data, columns: { id, workspaceId, createdAt, updatedAt: createdAt } };
  });
}

const namesOf = (rows: readonly New<{ readonly name: string }>[]): Named =>
  new Map(rows.map(({ data, id }) => [data.name, id]));

/** Inserts all of it; returns the tags' ids by name. */
export async function insertContent(
  demo: Demo,
  { id: workspaceId, customDomainIds }: DemoWorkspace,
  data: WorkspaceData,
): Promise<Named> {
  const { tx } = demo;
  const named = Object.entries(data.tags).map(([name, { color }]) => ({ name, color }));
  const tags = await newRows(demo, 'tags', workspaceId, named);
  await tx.tag.createMany({ data: tags.map(({ columns, data }) => ({ ...columns, ...data })) });
  const tagIds = namesOf(tags);

  const filters = await newRows(demo, 'refine_filters', workspaceId, data.filters);
  await tx.refineFilter.createMany({
    data: filters.map(({ columns, data: { name, conjunction = 'and', criteria } }) => ({
      ...{ ...columns, name, conjunction },
      criteria: criteria.map((criterion) => withTagIds(criterion, tagIds)),
    })),
  });

  const used = [...new Set(data.funnels.flatMap(({ tags = [] }) => tags))];
  const labels = await newRows(
    demo,
    'funnel_labels',
    workspaceId,
    used.map((name) => ({ name, color: data.tags[name]?.color ?? '#888888' })),
  );
  await tx.funnelLabel.createMany({ data: labels.map(({ columns, data }) => ({ ...columns, ...data })) });
  const labelIds = namesOf(labels);

  const funnels = await newRows(demo, 'funnels', workspaceId, data.funnels);
  await tx.funnel.createMany({
    data: funnels.map(({ columns, createdAt, data: { name, path, tags = [], customDomain, ...state } }) => ({
      ...{ ...columns, name, currentPath: path, liveMode: state.live ?? false },
      archivedAt: state.archived ? createdAt : null,
      tagIds: tags.map((tag) => requireNamed(labelIds, 'tag', tag)),
      customDomainId:
        customDomain === undefined ? null : requireNamed(customDomainIds, 'custom domain', customDomain),
    })),
  });
  const pageIds = await insertWorkflows(demo, workspaceId, funnels, namesOf(filters));
  const funnelIds = namesOf(funnels);
  const themeIds = await insertThemes(demo, workspaceId, data.themes ?? []);
  await insertLandingPages(demo, workspaceId, data.pages ?? [], themeIds);

  const endpoints = await newRows(demo, 'webhook_endpoints', workspaceId, data.webhookEndpoints);
  await tx.webhookEndpoint.createMany({
    data: endpoints.map(({ columns, createdAt, data: { name, url, events, funnels = [], pages = [] } }) => ({
      ...{ ...columns, name, url, eventTypeIds: [...events] },
      // Their limits name funnels and pages.
      pageIds: pages.map((page) => requireNamed(pageIds, 'page', page)),
      funnelIds: funnels.map((funnel) => requireNamed(funnelIds, 'funnel', funnel)),
      // Nothing leaves the machine of somebody who tries the gateway out.
      deactivatedAt: createdAt,
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
