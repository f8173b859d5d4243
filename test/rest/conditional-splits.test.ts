// Reading the conditional splits of a funnel; removing one has files of its own.
import { expect, test } from 'vitest';
import type { BuiltStep } from '../support/factories.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

interface Split {
  readonly id: number;
  readonly condition: { filter_id: string | null; is_setup: boolean; filter?: object };
  readonly branches: object[];
}

const gateway = await sharedGateway();
const workspace = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
const blind = await factories.apiKey(gateway.app, { teamId: workspace.teamId, scopes: ['funnels:read'] });
const funnel = await factories.funnel(gateway.app, { workspaceId: workspace.id });
const filter = await factories.refineFilter(gateway.app, { workspaceId: workspace.id });
const steps = await factories.workflow(gateway.app, funnel, [
  { split: 'Outer', matched: ['A', 'B'], unmatched: [{ split: 'Inner', matched: ['C'] }, 'D'] },
  { split: 'Bare' },
]);
for (const name of ['Outer', 'Inner']) {
  await prismaOf(gateway.app.store).funnelStep.updateMany({
    where: { id: of(name).id },
    data: { filterId: filter.id },
  });
}
const path = `/api/v2/funnels/${funnel.id}/conditional_split_steps`;

function of(name: string): BuiltStep {
  const step = steps.get(name);
  if (step === undefined) throw new Error(name);
  return step;
}

const list = async (query = '', sender = caller) =>
  json<Split[]>(await gateway.send(path + query, { caller: sender }));
const get = async (name: string, sender = caller) =>
  json<Split>(await gateway.send(`${path}/${of(name).id}`, { caller: sender }));

test('a split has its fields, with the first page of each branch', async () => {
  const row = await prismaOf(gateway.app.store).funnelStep.findFirstOrThrow({
    where: { id: of('Outer').id },
  });
  const pages = await prismaOf(gateway.app.store).page.findMany();
  const branch = (name: string) => ({
    show_page_step: {
      id: Number(of(name).id),
      public_id: of(name).publicId,
      name,
      current_path: `/${name.toLowerCase()}`,
    },
    page: {
      id: Number(of(name).pageId),
      public_id: pages.find(({ id }) => id === of(name).pageId)?.publicId,
      name,
    },
  });
  expect(await get('Outer')).toEqual({
    id: Number(row.id),
    public_id: row.publicId,
    funnel_id: Number(funnel.id),
    funnel_public_id: funnel.publicId,
    condition: {
      filter_id: filter.publicId,
      is_setup: true,
      filter: await json(await gateway.send(`/api/v2/refine_filters/${filter.id}`, { caller })),
    },
    branches: [branch('A'), branch('D')],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  });
});

test('a new split has no filter, and empty branches are null', async () => {
  const empty = { show_page_step: null, page: null };
  const bare = await get('Bare');
  expect(bare.condition).toEqual({ filter_id: null, is_setup: false });
  expect(bare.branches).toEqual([empty, empty]);
});

test('the list has every split of the funnel, nested ones too, by id', async () => {
  expect((await list()).map((split) => BigInt(split.id))).toEqual(
    ['Outer', 'Inner', 'Bare'].map((name) => of(name).id).sort((a, b) => Number(a - b)),
  );
});

test('the list has filters only with expand[]=filter, and otherwise equals the splits themselves', async () => {
  const full = await Promise.all(['Outer', 'Inner', 'Bare'].map((name) => get(name)));
  const byId = (a: Split, b: Split) => a.id - b.id;
  for (const query of ['?expand[]=filter', '?expand%5B%5D=filter&expand%5B%5D=filter', '?expand=filter'])
    expect(await list(query)).toEqual(full.toSorted(byId));
  const plain = full.map(({ condition: { filter: _, ...condition }, ...split }) => ({ ...split, condition }));
  expect(await list()).toEqual(plain.toSorted(byId));
});

test.each([
  ['expand[]', '?expand[]=filters'],
  ['expand[]', '?expand[]='],
  ['expand[]', '?expand[]=filter&expand[]=other'],
  ['expand', '?expand=filter,branches'],
])('the list refuses what %s does not have: %s', async (field, query) => {
  const response = await gateway.send(`/api/v2/funnels/${funnel.id}/conditional_split_steps${query}`, {
    caller,
  });
  const { errors } = await expectProblem(response, 'invalid');
  expect(errors).toMatchObject([{ field }]);
});

test('a filter is visible only to callers who may read saved filters', async () => {
  expect((await get('Outer', blind)).condition).toEqual({ filter_id: filter.publicId, is_setup: true });
  for (const split of await list('?expand[]=filter', blind))
    expect(split.condition).not.toHaveProperty('filter');
});

test('a split is found only under its own funnel', async () => {
  const other = await factories.funnel(gateway.app, { workspaceId: funnel.workspaceId });
  for (const id of [other.id, other.publicId]) {
    const response = await gateway.send(`/api/v2/funnels/${id}/conditional_split_steps/${of('Outer').id}`, {
      caller,
    });
    await expectProblem(response, 'not_found');
  }
});

test('a page step is not a conditional split', async () => {
  await expectProblem(await gateway.send(`${path}/${of('A').publicId}`, { caller }), 'not_found');
});
