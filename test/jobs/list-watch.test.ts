// Sessions that delay lists are reported, and the gateway's own are ended.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startListWatch } from '../../src/jobs/list-watch.ts';
import { findHeldLists } from '../../src/services/reading/held-lists.ts';
import { insertManyContacts } from '../../src/store/seed/contacts.ts';
import { createPrometheus } from '../../src/telemetry/prometheus.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let workspaceId: bigint;
const clients: pg.Client[] = [];

beforeAll(async () => {
  gateway = await createGateway();
  workspaceId = (await factories.workspace(gateway.app)).id;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end().catch(() => {})));
  await gateway.close();
});

/** A session in a transaction that has taken an id. */
async function open(application_name: string): Promise<pg.Client> {
  const client = new pg.Client({ ...gateway.app.store.connection, application_name });
  client.on('error', () => {});
  clients.push(client);
  await client.connect();
  await client.query('begin');
  await client.query('insert into tags (workspace_id, name) values ($1, $2)', [
    workspaceId,
    application_name,
  ]);
  return client;
}

async function applications(): Promise<(string | null)[]> {
  return (await findHeldLists(gateway.app, 0)).map(({ application }) => application);
}

test('a foreign transaction is reported and left alone, one of a gateway is ended; each is logged once', async () => {
  const metrics = createPrometheus();
  const watch = startListWatch({ ...gateway.app, metrics }, { reportAfter: 0, terminateAfter: 0 });
  try {
    await watch.look();
    expect(await metrics.render()).toContain('gateway_lists_held_rows{holder="foreign"} 0');
    const foreign = await open('psql of somebody');
    const own = await open('funnel-gateway');
    const lost = new Promise((resolve) => own.once('end', resolve));
    const pidOf = async (client: pg.Client) =>
      (await client.query('select pg_backend_pid() as pid')).rows[0].pid;
    const [foreignPid, ownPid] = [await pidOf(foreign), await pidOf(own)];
    expect(await findHeldLists(gateway.app, 0)).toMatchObject([
      { pid: foreignPid, application: 'psql of somebody', tables: ['tags'], rows: 2, isOwn: false },
      { pid: ownPid, application: 'funnel-gateway', tables: ['tags'], rows: 1, isOwn: true },
    ]);
    await watch.look();
    await lost;
    await watch.look();
    expect(await applications()).toEqual(['psql of somebody']);
    expect(await metrics.render()).toContain('gateway_lists_held_rows{holder="foreign"} 2');
    const lines = (text: string) => gateway.logLines.filter((line) => line.includes(text));
    expect(lines('lists end before')).toHaveLength(2);
    expect(lines(`"pid":${ownPid},"seconds":0,"msg":"a session of the gateway was ended`)).toHaveLength(1);
    expect(gateway.logLines.join()).not.toContain('insert into');
    await foreign.query('rollback');
    expect(await applications()).toEqual([]);
  } finally {
    await watch.close();
  }
});

test("transactions of the gateway's connections are bounded by PostgreSQL itself; those of imports are not, and have another name", async () => {
  const { store } = gateway.app;
  const limits = async () => {
    const { rows } = await store.pool.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in ('idle_in_transaction_session_timeout', 'transaction_timeout') order by 1`,
    );
    return rows.map(({ setting }) => setting);
  };
  expect(await limits()).toEqual(['15000', '60000']);
  const seen: (string | null)[] = [];
  await store.pool.query(`create function watch() returns trigger language plpgsql as $$ begin
    raise exception '% % %', current_setting('application_name'), current_setting('transaction_timeout'),
      current_setting('idle_in_transaction_session_timeout');
    end $$; create trigger watch before insert on contacts execute function watch()`);
  await insertManyContacts(store.pool, {
    ...{ workspaceId, count: 1, now: new Date(), signal: new AbortController().signal },
    onProgress() {},
  }).catch((error: Error) => seen.push(error.message));
  expect(seen).toEqual(['funnel-gateway import 0 0']);
  await store.pool.query('drop trigger watch on contacts');
  expect(await limits()).toEqual(['15000', '60000']);
});
