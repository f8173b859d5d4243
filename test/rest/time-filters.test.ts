// Lists within times: `filter[created_at][from]`, `[to]`, and the same of `updated_at`; over GraphQL `createdAt: { from, to }`.
import { describe, expect, test } from 'vitest';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createTenant, methodOf, OPERATIONS, sampleOperations } from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';
import { idsOf } from '../support/walk.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const workspace = await factories.workspace(app);
const workspaceId = workspace.id;
const caller = await factories.apiKey(app, { teamId: workspace.teamId });
const path = `/api/v2/workspaces/${workspaceId}/contacts`;
const day = (n: number) => new Date(Date.UTC(2026, 0, n));
/** The order of changes is not that of creation, and neither is that of ids. */
const [one, two, three, four] = [
  (await factories.contact(app, { workspaceId, createdAt: day(2), updatedAt: day(9), firstName: 'Ada' })).id,
  (await factories.contact(app, { workspaceId, createdAt: day(1), updatedAt: day(8), firstName: 'Bob' })).id,
  (await factories.contact(app, { workspaceId, createdAt: day(4), updatedAt: day(7), firstName: 'Ada' })).id,
  (await factories.contact(app, { workspaceId, createdAt: day(3), updatedAt: day(6), firstName: 'Bob' })).id,
];
const list = (query: string) => gateway.send(`${path}?${query}`, { caller });

const CASES: [query: string, ids: bigint[]][] = [
  ['filter[created_at][from]=2026-01-02T00:00:00Z', [one, three, four]],
  ['filter[created_at][to]=2026-01-03T00:00:00.000Z', [one, two]],
  ['filter[created_at][from]=2026-01-02&filter[created_at][to]=2026-01-04', [one, four]],
  ['filter%5Bcreated_at%5D%5Bfrom%5D=2026-01-02T01:00:00%2B01:00', [one, three, four]],
  ['filter[updated_at][from]=2026-01-08', [one, two]],
  ['filter[updated_at][to]=2026-01-08', [three, four]],
  ['filter[updated_at][from]=2026-01-07&filter[updated_at][to]=2026-01-09', [two, three]],
  ['filter[updated_at][from]=2026-01-07&filter[created_at][from]=2026-01-02', [one, three]],
  ['filter[created_at][from]=2026-01-02&filter[first_name]=ada', [one, three]],
  [`filter[created_at][from]=2026-01-02&filter[id]=${[two, three]}`, [three]],
  ['filter[created_at][from]=2026-01-05', []],
  ['filter[created_at][from]=2026-01-04&filter[created_at][to]=2026-01-02', []],
];

describe('contacts', () => {
  test.each(CASES)('%s', async (query, ids) => {
    const byTime = [four, three, two, one].filter((id) => ids.includes(id));
    for (const [sort, expected] of [
      ['id', ids],
      ['updated_at', byTime],
    ] as const)
      for (const order of ['asc', 'desc']) {
        const ordered = order === 'asc' ? expected : expected.toReversed();
        const sorted = `${query}&sort_property=${sort}&sort_order=${order}`;
        expect([sorted, await idsOf(await list(sorted))]).toEqual([sorted, ordered]);
        const walked: bigint[] = [];
        let next: string | undefined = `${path}?${sorted}&per_page=1`;
        while (next !== undefined) {
          const response: Response = await gateway.send(next, { caller });
          walked.push(...(await idsOf(response)));
          const link = /<https?:\/\/[^/]+([^>]+)>/.exec(response.headers.get('Link') ?? '');
          next = link?.[1];
        }
        expect([sorted, walked]).toEqual([sorted, ordered]);
      }
  });

  test('over GraphQL the same, with a count, and pages from either end', async () => {
    const query = `{ workspace(by: { databaseId: "${workspaceId}" }) {
      all: contacts(filter: { createdAt: { from: "2026-01-02T00:00:00Z", to: "2026-01-04T00:00:00Z" } }) { nodes { databaseId } totalCount pageInfo { hasNextPage } }
      last: contacts(last: 1, filter: { updatedAt: { from: "2026-01-07T00:00:00Z", to: null }, firstNames: ["Ada"] }) { nodes { databaseId } totalCount pageInfo { hasPreviousPage } }
      any: contacts(filter: { createdAt: null, updatedAt: {} }) { totalCount }
    } }`;
    const { data, errors } = await post<{ workspace: object }>(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
    const nodes = (...ids: bigint[]) => ids.map((id) => ({ databaseId: Number(id) }));
    expect(data?.workspace).toEqual({
      all: { nodes: nodes(one, four), totalCount: 2, pageInfo: { hasNextPage: false } },
      last: { nodes: nodes(three), totalCount: 2, pageInfo: { hasPreviousPage: true } },
      any: { totalCount: 4 },
    });
  });

  test.each([
    ['filter[created_at][from]=yesterday', 'invalid', 'filter[created_at][from]'],
    ['filter[created_at][to]=', 'invalid', 'filter[created_at][to]'],
    ['filter[updated_at][to]=2026-02-30', 'invalid', 'filter[updated_at][to]'],
    ['filter[created_at]=2026-01-01', 'bad_request', 'filter[created_at]'],
    ['filter[created_at][since]=2026-01-01', 'bad_request', 'filter[created_at][since]'],
    ['filter[created_at][from][]=2026-01-01', 'bad_request', 'filter[created_at][from][]'],
    [
      'filter[created_at][from]=2026-01-01&filter[created_at][from]=2026-01-02',
      'bad_request',
      'filter[created_at][from]',
    ],
  ] as const)('%s is refused by its name', async (query, code, field) => {
    const { errors, detail } = await expectProblem(await list(query), code);
    expect(errors).toEqual([{ field, code: expect.any(String), message: detail }]);
    expect(detail).toContain(field);
  });
});

/** The lists that declare it. */
const RANGED = OPERATIONS.filter((operation) => {
  const route = routes.find((one) => `GET ${one.path}` === operation.route);
  return (
    methodOf(operation) === 'GET' &&
    route?.query?.parameters.some(({ name }) => name === 'filter[created_at][from]')
  );
});

test('all lists in the order of changes have these filters', () => {
  const sorted = routes.filter(
    ({ query }) =>
      query?.parameters.some(({ name }) => name === 'sort_property') &&
      !query.parameters.some(({ name }) => name === 'filter[created_at][to]'),
  );
  expect(sorted.map((route) => `${route.method} ${route.path}`)).toEqual(UNRANGED);
});

/** Few rows each, or rows without a time of creation. */
const UNRANGED = [
  'GET /api/v2/teams',
  'GET /api/v2/users',
  'GET /api/v2/courses/:course_id/lesson_completions',
];

describe.each(sampleOperations('times', RANGED))('$route', ({ path: pathOf }) => {
  test('has exactly the objects that were created and changed within the times', async () => {
    const tenant = await createTenant(app, 'times');
    const own = await factories.apiKey(app, { teamId: tenant.team.id });
    const read = async (query: string) => {
      const response = await gateway.send(`${pathOf(tenant)}?per_page=100&${query}`, { caller: own });
      const text = await response.text();
      expect([query, response.status, text]).toEqual([query, 200, text]);
      return JSON.parse(text) as { id: number; created_at: string; updated_at: string }[];
    };
    const all = await read('');
    expect(all.length).toBeGreaterThan(0);
    for (const of of (['created_at', 'updated_at'] as const).filter((name) => name in (all[0] ?? {})))
      for (const time of new Set(all.map((row) => row[of]))) {
        const at = encodeURIComponent(time);
        expect(await read(`filter[${of}][from]=${at}`)).toEqual(all.filter((row) => row[of] >= time));
        expect(await read(`filter[${of}][to]=${at}`)).toEqual(all.filter((row) => row[of] < time));
      }
  });
});
