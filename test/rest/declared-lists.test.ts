// The public API's declarations of each served list: its filter parameters and its orders.
import { describe, expect, test } from 'vitest';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { json, nextOf } from '../support/walk.ts';

interface Declared {
  readonly operationId: string;
  readonly filters?: readonly string[];
  readonly isSorted?: boolean;
}

/** From the public API's operations. */
const DECLARED: readonly Declared[] = [
  { operationId: 'listTeams', isSorted: true },
  { operationId: 'listWorkspaces', isSorted: true },
  {
    operationId: 'listContacts',
    filters: ['email_address', 'id', 'is_active', 'tag_ids'],
    isSorted: true,
  },
  { operationId: 'listTags', filters: ['id', 'name'], isSorted: true },
  { operationId: 'listContactAppliedTags', filters: ['id', 'tag_id'], isSorted: true },
  { operationId: 'listFunnels', filters: ['id'], isSorted: true },
  { operationId: 'listConditionalSplitSteps' },
  { operationId: 'listRefineFilters', filters: ['name'] },
  { operationId: 'listWebhookEndpoints', isSorted: true },
  { operationId: 'listWebhookEvents', isSorted: true },
];

interface Shown {
  readonly id: number;
  readonly public_id: string;
  readonly updated_at?: string;
  readonly created_at: string;
  readonly [member: string]: unknown;
}

const gateway = await sharedGateway();
const { app } = gateway;
const prisma = prismaOf(app.store);
const first = await factories.workspace(app);
const { id: workspaceId, teamId } = first;
const caller = await factories.apiKey(app, { teamId });
for (let n = 0; n < 3; n++) await factories.workspace(app, { teamId });
const contacts = [];
for (let n = 0; n < 4; n++) contacts.push(await factories.contact(app, { workspaceId }));
const [contact] = contacts;
if (contact === undefined) throw new Error('no contact');
for (let n = 0; n < 4; n++) {
  const tag = await factories.tag(app, workspaceId, `Tag ${n}, and more`);
  for (const { id } of contacts.slice(n))
    await prisma.contactTag.create({ data: { workspaceId, contactId: id, tagId: tag.id } });
  await factories.funnel(app, { workspaceId });
  await factories.webhookEndpoint(app, { workspaceId });
  await factories.refineFilter(app, { workspaceId });
  await factories.webhookEvent(app, { workspaceId });
}
const [funnel] = await prisma.funnel.findMany({ where: { workspaceId } });
const params: Record<string, bigint> = {
  team_id: teamId,
  workspace_id: workspaceId,
  contact_id: contact.id,
  funnel_id: funnel?.id ?? 0n,
};
// The order of changes is not that of ids.
const backwards = (n: number) => new Date(Date.UTC(2026, 0, 10 - n));
for (const table of ['contact', 'tag', 'funnel', 'webhookEndpoint'] as const) {
  const of = prisma[table] as typeof prisma.tag;
  const rows = await of.findMany({ where: { workspaceId }, orderBy: { id: 'asc' } });
  for (const [n, { id }] of rows.entries())
    await of.updateMany({ where: { id }, data: { updatedAt: backwards(n) } });
}
const workspaces = await prisma.workspace.findMany({ where: { teamId }, orderBy: { id: 'asc' } });
for (const [n, { id }] of workspaces.entries())
  await prisma.workspace.update({ where: { id }, data: { updatedAt: backwards(n) } });

function routeOf(operationId: string) {
  const route = routes.find((one) => one.operationId === operationId);
  if (route === undefined) throw new Error(`There is no ${operationId}.`);
  return route;
}

function pathOf(operationId: string): string {
  return routeOf(operationId).path.replaceAll(/:(\w+)/g, (_, name: string) => String(params[name]));
}

const send = (operationId: string, query = '') => gateway.send(`${pathOf(operationId)}?${query}`, { caller });

async function list(operationId: string, query = ''): Promise<Shown[]> {
  const response = await send(operationId, query);
  expect([query, response.status]).toEqual([query, 200]);
  return json<Shown[]>(response);
}

test('every declared list is served', () => {
  const served = routes.map(({ operationId }) => operationId);
  expect(served).toEqual(expect.arrayContaining(DECLARED.map(({ operationId }) => operationId)));
});

describe.each(DECLARED)('$operationId', ({ operationId, filters = [], isSorted = false }) => {
  test('has the declared parameters in the OpenAPI document', () => {
    const names = (routeOf(operationId).query?.parameters ?? []).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(filters.map((name) => `filter[${name}]`)));
    expect(names.includes('sort_property')).toBe(isSorted);
  });

  test.each(filters)('filter[%s] selects the rows with the value', async (name) => {
    const rows = await list(operationId);
    const valuesOf = (row: Shown): string[] =>
      name === 'tag_ids' ? (row['tags'] as Shown[]).map(({ id }) => String(id)) : [String(row[name])];
    const [wanted = ''] = valuesOf(rows.at(-1) as Shown);
    const expected = rows.filter((row) => valuesOf(row).includes(wanted)).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(0);
    const value = encodeURIComponent(wanted);
    // A single value may contain commas.
    const given = wanted.includes(',') ? [] : [`filter[${name}]=${value}`];
    for (const query of [
      ...given,
      `filter[${name}][]=${value}`,
      `filter[${name}][]=${value}&filter[${name}][]=1`,
    ])
      expect((await list(operationId, query)).map(({ id }) => id)).toEqual(
        query.endsWith('=1') ? expect.arrayContaining(expected) : expected,
      );
    await expectProblem(await send(operationId, 'filter[nothing]=1'), 'bad_request');
  });

  test.runIf(isSorted)('is ordered by id or by the time of the last change, page by page', async () => {
    const rows = await list(operationId);
    expect((await list(operationId, 'sort_property=id')).map(({ id }) => id)).toEqual(
      rows.map(({ id }) => id),
    );
    const timeOf = ({ updated_at, created_at }: Shown) => updated_at ?? created_at;
    const sorted = rows.toSorted((one, two) => timeOf(one).localeCompare(timeOf(two)) || one.id - two.id);
    for (const order of ['asc', 'desc']) {
      const expected = (order === 'asc' ? sorted : sorted.toReversed()).map(({ id }) => id);
      const query = `sort_property=updated_at&sort_order=${order}&per_page=1`;
      const [byLink, byId]: number[][] = [[], []];
      let url: string | null = `${pathOf(operationId)}?${query}`;
      while (url !== null) {
        const response = await gateway.send(url.replace(/^https?:\/\/[^/]+/, ''), { caller });
        byLink?.push(...(await json<Shown[]>(response)).map(({ id }) => id));
        url = nextOf(response);
      }
      for (let after: number | undefined = -1; after !== undefined; ) {
        const page = await list(operationId, after === -1 ? query : `${query}&after=${after}`);
        after = page[0]?.id;
        if (after !== undefined) byId?.push(after);
      }
      expect([byLink, byId]).toEqual([expected, expected]);
    }
  });

  test.each([
    'stored_filter_id',
    'stable_id',
    'stored_filter_id[]',
    'Stable_id',
    'storedFilterId',
    'filters[id]',
  ])('%s would choose other rows: it is refused until it is served', async (name) => {
    const { errors } = await expectProblem(await send(operationId, `${name}=999999999`), 'invalid');
    expect(errors.map(({ field }) => field)).toEqual([name]);
  });
});

test('the tags of contacts are filtered by the name of one too, and by one name at a time', async () => {
  const [tag] = await list('listTags');
  const expected = (await list('listContacts', `filter[tag_ids]=${tag?.id}`)).map(({ id }) => id);
  expect(expected).toHaveLength(4);
  for (const query of [`filter[tag_id]=${tag?.public_id}`, `filter[tag_id][]=${tag?.id}`])
    expect((await list('listContacts', query)).map(({ id }) => id)).toEqual(expected);
  for (const query of [
    `filter[tag_ids]=${tag?.id}&filter[tag_id]=${tag?.id}`,
    'filter[id]=1&filter[id][]=2',
    'filter[id][]=1&filter[id]=2',
    'filter[tag_id][]=1&filter[tag_ids][]=2',
  ])
    await expectProblem(await send('listContacts', query), 'bad_request');
  for (const query of ['filter[id][]=1,2', `${'filter[id][]=1&'.repeat(101)}`])
    await expectProblem(await send('listContacts', query), 'invalid');
});

test('the complete registry of saved filters is filtered like its pages', async () => {
  const all = await list('listRefineFilters');
  const names = [all[1], all[3]].map((row) => encodeURIComponent(String(row?.['name'])));
  const query = `filter[name]=${names.join(',')}`;
  const whole = await send('listRefineFilters', `${query}&sort_order=desc`);
  expect(whole.headers.get('pagination-next')).toBeNull();
  expect((await json<Shown[]>(whole)).map(({ id }) => id)).toEqual([all[3]?.id, all[1]?.id]);
  const page = await send('listRefineFilters', `${query}&per_page=1`);
  expect((await json<Shown[]>(page)).map(({ id }) => id)).toEqual([all[1]?.id]);
  expect(nextOf(page)).toContain(`after=${all[1]?.id}`);
});

test('contacts are distinguished from anonymous ones', async () => {
  const { app } = gateway;
  const { id: workspaceId } = await factories.workspace(app, { teamId: params['team_id'] ?? 0n });
  const send = async (body: object) =>
    json<Shown>(
      await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
        caller,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ contact: body }),
      }),
    );
  const known = await send({ email_address: 'ann@example.com' });
  const unknown = await send({ time_zone: 'UTC' });
  expect([known['anonymous'], unknown['anonymous']]).toEqual([0, 1]);
  const idsOf = async (query: string) => {
    const path = `/api/v2/workspaces/${workspaceId}/contacts?${query}`;
    return (await json<Shown[]>(await gateway.send(path, { caller }))).map(({ id }) => id);
  };
  for (const value of ['false', '0', 'false&sort_property=updated_at', '0&filter[is_active]=true'])
    expect(await idsOf(`filter[anonymous]=${value}`)).toEqual([known.id]);
  for (const value of ['true', '1']) expect(await idsOf(`filter[anonymous]=${value}`)).toEqual([unknown.id]);
  for (const query of ['', 'filter[anonymous]=true,false'])
    expect(await idsOf(query)).toEqual([known.id, unknown.id]);
});
