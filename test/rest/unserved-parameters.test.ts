// A parameter that would choose or order other rows, on a list that does not serve it, is refused: ignoring it answers
// somebody else's rows.
import { describe, expect, test } from 'vitest';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { anonymous, sharedGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import {
  createTenant,
  methodOf,
  OPERATIONS,
  requestOf,
  sampleOperations,
  UNSAFE,
} from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
const weak = await factories.apiKey(gateway.app, { teamId: tenant.team.id, scopes: ['write'] });

/** Each as sent, and as in the refusal. */
const UNSERVED: [sent: string, field: string][] = [
  ['filter=x', 'filter'],
  ['filter', 'filter'],
  ['filter[email_address]=nobody@example.com', 'filter[email_address]'],
  ['filter%5Bemail_address%5D=nobody%40example.com', 'filter[email_address]'],
  ['%66ilter%5bemail_address%5d=x', 'filter[email_address]'],
  ['filter[]=x', 'filter[]'],
  ['filter[a][b]=x', 'filter[a][b]'],
  ['filter[=x', 'filter['],
  ['Filter[email_address]=x', 'Filter[email_address]'],
  ['FILTER=', 'FILTER'],
  ['sort_property=created_at', 'sort_property'],
  ['sort_property[]=created_at', 'sort_property[]'],
  ['Sort_Property=name', 'Sort_Property'],
  ['stored_filter_id=1', 'stored_filter_id'],
  ['stable_id[]=x', 'stable_id[]'],
  ['after[id]=1', 'after[id]'],
  ['after%5Bcreated_at%5D=2026-01-01', 'after[created_at]'],
  ['AFTER[id]=1', 'AFTER[id]'],
  ['per_page[]=1', 'per_page[]'],
  ['sort_order%5B%5D=desc', 'sort_order[]'],
  ['page=1&filter[id]=1&per_page=5', 'filter[id]'],
  ['after=1&after[id]=1', 'after[id]'],
];

/** Parameters by which clients of other APIs page: the first page again would look like the next one. */
const PAGING: [sent: string, field: string][] = [
  ['page=2', 'page'],
  ['page=02', 'page'],
  ['page=1&page=3', 'page'],
  ['page[]=2', 'page[]'],
  ['page[number]=2', 'page[number]'],
  ['Page=2', 'Page'],
  ['page=99999999999999999999', 'page'],
  ['offset=1', 'offset'],
  ['offset=20&limit=20', 'offset'],
  ['page[offset]=20', 'page[offset]'],
  ['updated_since=2026-01-01', 'updated_since'],
  ['created_since=2026-01-01', 'created_since'],
  ['updatedSince=2026-01-01', 'updatedSince'],
  ['cursor=', 'cursor'],
  ['cursor=eyJpZCI6MX0', 'cursor'],
  ['starting_after=5', 'starting_after'],
  ['startingAfter=5', 'startingAfter'],
  ['after=5&page=2', 'page'],
];

/** Near to those, and as harmless as anything unknown. */
const IGNORED =
  'page=1&page=0&page=&offset=0&limit=5&page_size=5&page[size]=5&page[number]=1&pages=2&since=2026-01-01&filters=x&my_filter[a]=x&filter_id=1&sort=name&sort_property_x=1&afterwards[a]=1&After=x&page[]=1&order[]=x';

/** Lists that have filters and orders have tests of their own (list-filters.test.ts). */
const SERVED = new Set(
  routes
    .filter(({ query }) => query?.parameters.some(({ name }) => name.startsWith('filter[')))
    .map(({ path }) => `GET ${path}`),
);
const READS = OPERATIONS.filter((operation) => methodOf(operation) === 'GET' && !SERVED.has(operation.route));

/** Some operations need a parameter. */
const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

describe.each(sampleOperations('unserved', READS, 2))('$route', ({ route, path, scope }) => {
  test('refuses every such parameter by its name on a list, and ignores it on one object', async () => {
    const plain = await (await gateway.send(path(tenant), { caller })).json();
    for (const [sent, field] of sampleAt(route, UNSERVED, 11)) {
      const response = await gateway.send(withQuery(path(tenant), sent), { caller });
      if (!Array.isArray(plain)) {
        expect([sent, await response.json()]).toEqual([sent, plain]);
        continue;
      }
      const { errors, detail } = await expectProblem(response, 'invalid');
      expect(errors).toEqual([{ field, code: 'unknown_field', message: detail }]);
      expect(detail).toContain(field);
    }
  });

  test('does not mention them to a caller without permission', async () => {
    for (const [sent] of sampleAt(route, UNSERVED, 22)) {
      const refused = withQuery(path(tenant), sent);
      await expectProblem(await gateway.send(refused, { caller: anonymous }), 'unauthenticated');
      if (scope !== null)
        await expectProblem(await gateway.send(refused, { caller: weak }), 'insufficient_scope');
    }
  });

  test('ignores other unknown parameters', async () => {
    const plain = await gateway.send(path(tenant), { caller });
    const response = await gateway.send(withQuery(path(tenant), IGNORED), { caller });
    expect([response.status, await response.text()]).toEqual([200, await plain.text()]);
  });
});

describe.each(sampleAt('unserved', UNSAFE, 12))('$route', (operation) => {
  test('is not a list, so it ignores all of them', async () => {
    const all = [...UNSERVED.map(([sent]) => sent), IGNORED].join('&');
    const fresh = await createTenant(gateway.app, 'fresh', tenant.team.id);
    const path = `${operation.path(fresh)}?${all}`;
    const response = await gateway.send(path, { caller, ...requestOf(operation, fresh) });
    expect(response.status).toBe(operation.success);
  });
});

test('the overview says so', async () => {
  const { parameters } = (await (await gateway.send('/api/v2')).json()) as { parameters: string };
  expect(parameters).toMatch(/filter.*sort_property.*after\[.*422/);
});

describe.each(
  sampleOperations(
    'paged otherwise',
    OPERATIONS.filter((operation) => methodOf(operation) === 'GET'),
    2,
  ),
)('$route', ({ route, path }) => {
  test('refuses another way of paging by its name on a list, and explains the right one', async () => {
    const plain = await (await gateway.send(path(tenant), { caller })).json();
    for (const [sent, field] of sampleAt(route, PAGING, 9)) {
      const response = await gateway.send(withQuery(path(tenant), sent), { caller });
      if (!Array.isArray(plain) || route.endsWith('/event_types')) {
        expect([sent, await response.json()]).toEqual([sent, plain]);
        continue;
      }
      const { errors, detail } = await expectProblem(response, 'invalid');
      expect(errors).toEqual([{ field, code: 'unknown_field', message: detail }]);
      expect(detail).toMatch(/\bafter\b.*\bLink\b/);
      const served = routes.find((one) => `GET ${one.path}` === route)?.query?.parameters ?? [];
      const isOrdered = served.some(({ name }) => name === 'sort_property');
      expect([detail, detail.includes('sort_property=updated_at')]).toEqual([detail, isOrdered]);
    }
  });
});
