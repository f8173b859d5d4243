// What a workspace of the demo holds besides its contacts: tags, saved filters, funnels with their workflows, webhook endpoints.
import type { Prisma } from '#prisma';
import type { Criterion } from '../../resources/refine-filters.ts';
import type { Filling } from './demo.ts';
import { insertWorkflow } from './funnel-steps.ts';

/** Inserts all of it. */
export async function insertContent(workspace: Filling): Promise<void> {
  const { insert, idOf, data } = workspace;
  const recolored = data.history?.recolored;
  await insert('Tag', Object.entries(data.tags), ([name, { color }]) => ({
    ...{ name, color: name === recolored?.tag ? recolored.from : color },
  }));
  await insert('RefineFilter', data.filters, ({ name, conjunction = 'and', criteria }) => ({
    ...{ name, conjunction },
    criteria: criteria.map((criterion) => withTagIds(criterion, idOf)),
  }));

  const labels = [...new Set(data.funnels.flatMap(({ tags = [] }) => tags))];
  await insert('FunnelLabel', labels, (name) => ({ name, color: data.tags[name]?.color ?? '#888888' }));
  const funnels = await insert('Funnel', data.funnels, (funnel, createdAt) => ({
    ...{ name: funnel.name, currentPath: funnel.path, liveMode: funnel.live ?? false },
    archivedAt: funnel.archived ? createdAt : null,
    tagIds: funnel.tags?.map((tag) => idOf('FunnelLabel', tag)) ?? [],
    customDomainId: funnel.customDomain === undefined ? null : idOf('CustomDomain', funnel.customDomain),
  }));
  for (const funnel of funnels) await insertWorkflow(workspace, funnel);

  await insert('WebhookEndpoint', data.webhookEndpoints, (endpoint, createdAt) => ({
    ...{ name: endpoint.name, url: endpoint.url, eventTypeIds: [...endpoint.events] },
    // Their limits name funnels and pages.
    pageIds: endpoint.pages?.map((page) => idOf('Page', page)) ?? [],
    funnelIds: endpoint.funnels?.map((funnel) => idOf('Funnel', funnel)) ?? [],
    // Nothing leaves the machine of somebody who tries the gateway out.
    ...{ deactivatedAt: createdAt, deactivationReason: 'requested' },
  }));
}

/** Criteria hold tags by id. JSON numbers do: the demo's ids are small. */
function withTagIds({ attribute, clause, value }: Criterion, idOf: Filling['idOf']): Prisma.InputJsonObject {
  if (value === undefined) return { attribute, clause };
  const isTags = attribute === 'tags.id' && Array.isArray(value);
  const ids = isTags ? value.map((name) => Number(idOf('Tag', String(name)))) : value;
  return { attribute, clause, value: ids as Prisma.InputJsonValue };
}
