// The steps of changes read only their own rows, not other rows of an endpoint, a page or a workspace, whatever statistics the planner
// has.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSeen } from '../../src/store/changing/visits.ts';
import type { Executor } from '../../src/store/connections/executor.ts';
import { ENTER_TENANT_ROLE, tenantRoleValues } from '../../src/store/tenancy/tenant-role.ts';
import { createMissedDeliveries } from '../../src/store/webhooks/missed-events.ts';
import { makeFailedDue } from '../../src/store/webhooks/webhook-deliveries.ts';
import { firstStatementOf, type Node, planOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

/** The number of events in each of two workspaces on the day before. Each has a delivery to every endpoint. */
const EARLIER = 5_000;
/** One delivery in this many has failed. */
const FAILED = 5;
/** The number of events since then, and of those with a delivery. */
const [RECENT, DELIVERED] = [200, 180];
/** How many are requeued. */
const MOST = 10;
const ERASURES = 1_000;
/** The visits of one page, today. */
const VISITS = 3_000;
/** This many arrive at once, one of which is a repeat. */
const BATCH = 20;

const { app } = await ownGateway();
const client = new pg.Client(app.store.connection);
const { id: workspaceId, teamId } = await factories.workspace(app);
const { id: elsewhere } = await factories.workspace(app, { teamId });
const [endpoint] = await Promise.all(
  [workspaceId, workspaceId, elsewhere].map((of) =>
    factories.webhookEndpoint(app, {
      ...{ workspaceId: of, eventTypeIds: ['contact.created'] },
      createdAt: new Date(Date.now() - 90 * 86_400_000),
    }),
  ),
);
const page = await factories.page(app, workspaceId, 'Visited');
const uuids = Array.from({ length: BATCH }, () => randomUUID());
const visitors = uuids.map((_, index) => BigInt(index + 1));
const wanted = {
  ...{ workspaceId, endpointId: endpoint?.id ?? 0n, most: MOST },
  since: new Date(Date.now() - 3_600_000),
};
const STATEMENTS = {
  failed: (tx: Executor) => makeFailedDue(tx, { ...wanted, since: new Date(0) }),
  missed: (tx: Executor) => createMissedDeliveries(tx, wanted),
  seen: (tx: Executor) => findSeen(tx, { workspaceId, pageId: page.id }, uuids, visitors),
};

/** Runs `work` with the rights of a request, in a transaction that is rolled back. */
async function asCaller<T>(work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  await client.query(ENTER_TENANT_ROLE.text, tenantRoleValues({ teamId, workspaceIds: null }));
  try {
    return await work();
  } finally {
    await client.query('rollback');
  }
}

async function prepareAll(): Promise<void> {
  await client.query('deallocate all');
  await asCaller(async () => {
    for (const [name, work] of Object.entries(STATEMENTS)) {
      const [text, values] = await firstStatementOf(work);
      await client.query(`prepare ${name} as ${text}`);
      await planOf(client, name, values);
    }
  });
}

beforeAll(async () => {
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan');
  await prepareAll();
  await client.query(
    `with event as (
        insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data, created_at)
        select w, 'contact.created', 'Contact', n, n, '{}', current_timestamp - case when n > $2::int then interval '1 minute' else interval '1 day' end
        from unnest($1::bigint[]) w, generate_series(1, $2::int + $3::int) n returning *
      ) insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at)
        select o.workspace_id, e.id, o.id, o.event_type, case when o.subject_id % $5::int = 0 then 'failed' else 'canceled' end, null, o.created_at
        from event o join webhook_endpoints e on e.workspace_id = o.workspace_id where o.subject_id <= $2::int + $4::int`,
    [[workspaceId, elsewhere], EARLIER, RECENT, DELIVERED, FAILED],
  );
  await client.query(
    `insert into contact_erasures (workspace_id, contact_id, events_through, entries_through, erased_at)
      select $1, n, 0, 0, current_timestamp from generate_series(1, $2::int) n`,
    [workspaceId, ERASURES],
  );
  await client.query(
    `insert into visits (workspace_id, page_id, uuid, contact_id, started_at, created_at)
      select $1, $2, u.uuid, u.n, current_timestamp, current_timestamp
      from (select $4::uuid as uuid, 0 as n union all select gen_random_uuid(), n from generate_series(1, $3::int) n) u`,
    [workspaceId, page.id, VISITS, uuids[0]],
  );
});
afterAll(() => client.end());

/** The number of table rows that were read. */
function rowsOf(nodes: Node[]): number {
  return nodes
    .filter((node) => node['Relation Name'] !== undefined)
    .reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );
}

async function rowsRead(name: keyof typeof STATEMENTS): Promise<number> {
  const [, values] = await firstStatementOf(STATEMENTS[name]);
  return rowsOf(await asCaller(() => planOf(client, name, values)));
}

describe.each([
  ['when nothing was there', async () => {}],
  ['when nothing was counted', prepareAll],
  ['when all was counted', async () => void (await client.query('analyze'))],
])('planned %s', (_, prepared) => {
  beforeAll(prepared);

  // Without statistics, rows of the endpoint between them may be read too.
  test('requeueing failed deliveries reads only those, each with its event', async () => {
    expect(await rowsRead('failed')).toBeLessThan(3 * MOST * FAILED);
  });

  test('sending missed events reads only the events since then, each with its deliveries', async () => {
    expect(await rowsRead('missed')).toBeLessThan(4 * RECENT);
  });

  test('recording visits reads only their possible duplicates and their contacts', async () => {
    expect(await rowsRead('seen')).toBeLessThan(4 * BATCH);
  });
});
