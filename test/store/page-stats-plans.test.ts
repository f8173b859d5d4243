// Statistics read only the hours of their own pages, not those of the complete workspace, whatever statistics the planner has.
import { afterAll, describe, expect, test } from 'vitest';
import { findDaySums, findPageSums } from '../../src/store/reading/page-stats.ts';
import type { StoreContext } from '../../src/store/store.ts';
import { planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

/** The pages of a workspace, and the hours of each. */
const [PAGES, HOURS] = [300, 100];

const gateway = await ownGateway();
const client = await planningClient(gateway);
afterAll(() => client.end());

const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const tenancy = { teamId, workspaceIds: null };
const { rows } = await client.query<{ id: bigint }>(
  `insert into pages (workspace_id, name, current_path) select $1, n::text, '/' || n from generate_series(1, $2::int) n returning id`,
  [workspaceId, PAGES],
);
await client.query(
  `insert into page_hours (workspace_id, page_id, hour, currency, views_all, views_unique)
    select $1, p, timestamptz '2026-01-01Z' + n * interval '1 hour', '', 1, 1 from unnest($2::bigint[]) p, generate_series(1, $3::int) n`,
  [workspaceId, rows.map(({ id }) => id), HOURS],
);
const pageIds = rows.slice(0, 3).map(({ id }) => id);
const span = { workspaceId, from: new Date('2026-01-01'), to: new Date('2026-02-01'), pageIds };
const READS: [string, (ctx: StoreContext) => Promise<unknown[]>][] = [
  ['page', (ctx) => findPageSums(ctx, tenancy, span)],
  ['day', (ctx) => findDaySums(ctx, tenancy, span, [{ pageIds }, { pageIds: pageIds.slice(1) }])],
];

describe.each([
  ['when nothing was counted', async () => {}],
  ['when all was counted', () => client.query('analyze page_hours')],
])('planned %s', (_, prepare) => {
  test.each(READS)('those by %s', async (_, read) => {
    await prepare();
    const [nodes = []] = await plansOf(gateway, client, (store) => read({ store }));
    const hours = nodes
      .filter((node) => node['Relation Name'] === 'page_hours')
      .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
    expect(hours.length).toBeGreaterThan(0);
    expect(Math.max(...hours)).toBeLessThanOrEqual(2 * pageIds.length * HOURS);
  });
});
