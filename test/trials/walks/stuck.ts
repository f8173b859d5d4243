// Transactions that do not end: one of somebody else's, which is named wherever an operator looks, and one of a gateway's own, which is
// ended.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startListWatch } from '../../../src/jobs/list-watch.ts';
import { LONG_SECONDS } from '../../../src/services/reading/held-lists.ts';
import type { Store } from '../../../src/store/store.ts';
import { createPrometheus } from '../../../src/telemetry/prometheus.ts';
import { report, type TestBed } from '../test-bed.ts';

/** In place of the documented time. */
const END_AFTER_SECONDS = 5;

export async function tryStuck({ url, tenants: [tenant], gateway }: TestBed): Promise<void> {
  const { app, send, logLines } = gateway();
  const metrics = createPrometheus();
  const watch = startListWatch({ ...app, metrics }, { terminateAfter: END_AFTER_SECONDS });
  const path = `/api/v2/workspaces/${tenant.workspaceId}/contacts?after=${await headOf(app.store, tenant.workspaceId)}`;
  const stuck = async (application_name: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, application_name });
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    await client.query('insert into contacts (workspace_id) values ($1)', [tenant.workspaceId]);
    return client;
  };
  const foreign = await stuck('somebody');
  const own = await stuck('funnel-gateway');
  const { authorization } = tenant;
  const created = await app.store.pool.query(
    'insert into contacts (workspace_id) values ($1) returning id::int',
    [tenant.workspaceId],
  );
  await sleep((LONG_SECONDS + 1) * 1000);
  await watch.look();
  await sleep(500);
  const { rows } = await app.store.pool.query<{ application_name: string }>(
    "select application_name from pg_stat_activity where state = 'idle in transaction' and application_name in ('somebody', 'funnel-gateway')",
  );
  report(
    `after ${LONG_SECONDS + 1} s open still: ${rows.map(({ application_name }) => application_name).join(', ')}`,
    rows.length === 1 && rows[0]?.application_name === 'somebody',
  );
  const ready = await send('/readyz', { ...tenant, authorization });
  process.stdout.write(`    /readyz: ${ready.status} ${ready.text}\n`);
  report(
    '/readyz is 200 and names the foreign one',
    ready.status === 200 && ready.text.includes('"somebody"'),
  );
  const rendered = await metrics.render();
  const line = /gateway_lists_held_seconds\{holder="foreign"\} (\d+)/.exec(rendered)?.[0] ?? 'no metric';
  report(`metric: ${line}`, /[1-9]\d*$/.test(line));
  report(
    'the log names it',
    logLines.some((text) => text.includes('"application":"somebody"')),
  );
  report(
    'the log says that the own one was ended',
    logLines.some((text) => text.includes('was ended')),
  );
  const during = JSON.parse((await send(path, tenant)).text) as { id: number }[];
  await foreign.query('commit');
  const after = JSON.parse((await send(path, tenant)).text) as { id: number }[];
  report(
    `the list shows ${during.length} of the new rows until it commits, then ${after.length}`,
    during.length === 0 && after.length === 2 && after.at(-1)?.id === created.rows[0].id,
  );
  watch.close();
  await foreign.end();
  await own.end().catch(() => {});
}

/** The last contact that there is. */
async function headOf({ pool }: Store, workspaceId: bigint): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    'select coalesce(max(id), 0)::int as id from contacts where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.id ?? 0;
}
