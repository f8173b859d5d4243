import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

test('a funnel has its fields, and the list has the same object', async () => {
  const domain = await factories.customDomain(gateway.app, workspaceId, 'shop.example.org');
  const archivedAt = new Date('2026-02-01T00:00:00.000Z');
  const tag = await prismaOf(gateway.app.store).funnelLabel.create({
    data: { workspaceId, name: 'Summer', color: '#336699' },
  });
  const overrides = {
    ...{ archivedAt, liveMode: true, customDomainId: domain.id, currentPath: '/start', tagIds: [tag.id] },
  };
  const funnel = await factories.funnel(gateway.app, { workspaceId, name: 'Launch', ...overrides });
  const one = await json(await gateway.send(`/api/v2/funnels/${funnel.id}`, { caller }));
  expect(one).toEqual({
    id: Number(funnel.id),
    public_id: funnel.publicId,
    workspace_id: Number(workspaceId),
    name: 'Launch',
    archived: true,
    archived_at: archivedAt.toISOString(),
    current_path: '/start',
    url: 'https://shop.example.org/start',
    live_mode: true,
    domain_id: Number(domain.id),
    favicon_image_id: null,
    created_at: funnel.createdAt.toISOString(),
    updated_at: funnel.updatedAt.toISOString(),
    tag_ids: [Number(tag.id)],
    tags: [{ id: Number(tag.id), public_id: tag.publicId, name: 'Summer', color: '#336699' }],
  });
  expect(await json(await gateway.send(`/api/v2/workspaces/${workspaceId}/funnels`, { caller }))).toEqual([
    one,
  ]);
});

test('a funnel without a domain has domain_id null', async () => {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const one = await json(await gateway.send(`/api/v2/funnels/${funnel.id}`, { caller }));
  expect(one).toMatchObject({ domain_id: null, archived: false, live_mode: false, tags: [] });
});

test('the structure of a funnel without steps is empty', async () => {
  const funnel = await factories.funnel(gateway.app, { workspaceId, name: 'Bare' });
  expect(await json(await gateway.send(`/api/v2/funnels/${funnel.id}/structure`, { caller }))).toEqual({
    funnel: { id: Number(funnel.id), public_id: funnel.publicId, name: 'Bare' },
    steps: [],
  });
});

test('the structure is the tree of the workflow: pages, splits with both branches, and where a split converges', async () => {
  const domain = await factories.customDomain(gateway.app, workspaceId, 'flow.example.org');
  const funnel = await factories.funnel(gateway.app, { workspaceId, customDomainId: domain.id });
  const steps = await factories.workflow(gateway.app, funnel, [
    'Entry',
    { split: 'Outer', matched: ['A', { split: 'Inner', unmatched: ['B'] }, 'C'] },
    'Thanks',
  ]);
  const of = (name: string) => {
    const step = steps.get(name);
    if (step === undefined) throw new Error(name);
    return step;
  };
  const prisma = prismaOf(gateway.app.store);
  const pages = await prisma.page.findMany({ where: { workspaceId } });
  const page = (name: string, sortOrder: number) => ({
    id: Number(of(name).id),
    public_id: of(name).publicId,
    name,
    sort_order: sortOrder,
    step_type: 'show_page_step',
    show_page_step_id: of(name).publicId,
    page: {
      id: Number(of(name).pageId),
      public_id: pages.find(({ id }) => id === of(name).pageId)?.publicId,
      name,
      current_path: `/${name.toLowerCase()}`,
      url: `https://flow.example.org/${name.toLowerCase()}`,
      external: false,
      sdk_token: null,
    },
  });
  const split = (
    name: string,
    sortOrder: number,
    next: string | null,
    matched: object[],
    unmatched: object[],
  ) => ({
    id: Number(of(name).id),
    public_id: of(name).publicId,
    name,
    sort_order: sortOrder,
    step_type: 'conditional_split_step',
    convergence_step_id: next === null ? null : of(next).publicId,
    branches: [
      { branch: 'matched', steps: matched },
      { branch: 'unmatched', steps: unmatched },
    ],
  });
  const inner = split('Inner', 1, 'C', [], [page('B', 0)]);
  const structure = await json<{ steps: object[] }>(
    await gateway.send(`/api/v2/funnels/${funnel.publicId}/structure`, { caller }),
  );
  expect(structure.steps).toEqual([
    page('Entry', 0),
    split('Outer', 1, 'Thanks', [page('A', 0), inner, page('C', 2)], []),
    page('Thanks', 2),
  ]);
  const first = await json(await gateway.send(`/api/v2/pages/${of('Entry').pageId}`, { caller }));
  expect(first).toMatchObject({ url: 'https://flow.example.org/entry' });
});

test('a split at the end of a branch converges where the split around it does', async () => {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const steps = await factories.workflow(gateway.app, funnel, [
    { split: 'Outer', matched: [{ split: 'Middle', unmatched: ['First', { split: 'Inner' }] }] },
    'Last',
  ]);
  const { steps: shown } = await json<{ steps: object[] }>(
    await gateway.send(`/api/v2/funnels/${funnel.id}/structure`, { caller }),
  );
  const last = steps.get('Last')?.publicId;
  const found = JSON.stringify(shown).matchAll(/"convergence_step_id":("\w+"|null)/g);
  expect([...found].map(([, id]) => id)).toEqual(Array(3).fill(JSON.stringify(last)));
});

test('a split at the end of its list converges nowhere', async () => {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  await factories.workflow(gateway.app, funnel, [{ split: 'Last' }]);
  const structure = await json(await gateway.send(`/api/v2/funnels/${funnel.id}/structure`, { caller }));
  expect(structure).toMatchObject({
    steps: [{ convergence_step_id: null, branches: [{ steps: [] }, { steps: [] }] }],
  });
});
