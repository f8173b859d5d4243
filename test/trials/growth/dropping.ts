// Partitions are dropped, and old rows deleted in batches, while requests go on: how long one of them waits at most.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { closeApp, createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config/config.ts';
import type { App } from '../../../src/context.ts';
import { createLogger } from '../../../src/output/log.ts';
import { clean } from '../../../src/services/cleaning.ts';
import { keepPartitions, makePartitions } from '../../../src/services/partitions.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { PARTITIONED_TABLES, type PartitionedTable } from '../../../src/store/partitions/partitions.ts';
import { letPrepare } from '../../support/cluster.ts';
import { type Serving, serve } from '../faults/gateway.ts';
import { type Load, startLoad } from '../faults/load.ts';
import { createCallers } from '../faults/tenants.ts';
import { SECRET_KEY } from '../secret-key.ts';
import { report } from '../test-bed.ts';

type Client = Pick<pg.ClientBase, 'query'>;

const PER_SECOND = 60;
const OLD_ROWS = 100_000;
/** So much longer a request may take than it may without all this. */
const MOST_MS = 600;
const HELD_MS = 6_000;
const DAY_MS = 86_400_000;

/** How old rows of each table are made, of workspace 1, from a time that stands in the column of it. */
const ROWS: Readonly<Record<string, string>> = {
  webhook_attempts: `insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, url, request_headers, response_code)
    select w.id, n, 1, $1::timestamptz + n * interval '1 millisecond', 5, 'https://a.example', '{}', 200`,
  webhook_deliveries: `insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, delivered_at, created_at)
    select w.id, n, 1, n, 'contact.created', 'delivered', null, $1::timestamptz, $1::timestamptz + n * interval '1 millisecond'`,
  events: `insert into events (workspace_id, id, event_type, subject_type, subject_id, data, created_at)
    select w.id, n, 'contact.created', 'Contact', n, '{"first_name":"Somebody","email_address":"somebody@example.com"}', $1::timestamptz + n * interval '1 millisecond'`,
  audit_entries: `insert into audit_entries (workspace_id, id, action, subject_type, subject_id, actor_kind, actor_id, request_id, after, created_at)
    select w.id, n, 'contact.created', 'Contact', n, 'api_key', 'K', 'R', '{"first_name":"Somebody"}', $1::timestamptz + n * interval '1 millisecond'`,
  visits: `insert into visits (workspace_id, page_id, uuid, visitor_id, user_agent, started_at, created_at)
    select w.id, 1, gen_random_uuid(), 'V' || n, 'Somebody', $1::timestamptz, $1::timestamptz + n * interval '1 millisecond'`,
};

/** Longer than the rows of each kind are kept by default. */
const KEPT_DAYS: Readonly<Record<PartitionedTable['kept'], number>> = { events: 30, visits: 90, audit: 400 };

export async function tryDropping(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fg-growth-'));
  const database = await openEmbedded({ dataDir });
  await letPrepare(database);
  const log = createLogger('fatal', { write() {} });
  const secrets = { databaseUrl: database.url, secretKeys: () => [SECRET_KEY] };
  const app = createApp(parseConfig({}, '/').config, secrets, { log });
  let gateway: Serving | null = null;
  try {
    const callers = await createCallers(database.url, 4);
    const env = { DATABASE_URL: database.url, LOG_LEVEL: 'error', JOBS: 'off' };
    gateway = await serve(env);
    const { origin } = gateway;
    // Behind what the gateway does itself when it starts.
    await sleep(3_000);
    await fillOld(app);
    const load = startLoad({
      origin: () => origin,
      callers,
      perSecond: PER_SECOND,
      run: `growth-${process.pid}`,
    });
    await sleep(5_000);
    const quiet = await longest(load, () => sleep(6_000));
    const dropped: string[] = [];
    const dropping = await longest(load, () => drop(app, dropped));
    const batches = await longest(load, () => deleteRows(app));
    let heldBack = true;
    const held = await longest(load, async () => {
      heldBack = (await dropWhileHeld(app)) === null;
    });
    await load.stop();
    const told = `longest wait of a request, of ${PER_SECOND} a second:`;
    report(`${told} ${quiet.toFixed(0)} ms while nothing is dropped`, true);
    const isGood = (ms: number) => ms <= quiet + MOST_MS;
    report(
      `${told} ${dropping.toFixed(0)} ms while ${dropped.length} partitions are dropped, of ${OLD_ROWS.toLocaleString('en')} rows each`,
      isGood(dropping) && dropped.length === 2 * PARTITIONED_TABLES.length,
    );
    report(
      `${told} ${batches.toFixed(0)} ms while ${(2 * OLD_ROWS).toLocaleString('en')} rows are deleted in batches`,
      isGood(batches),
    );
    report(
      `${told} ${held.toFixed(0)} ms while a transaction reads the table for ${HELD_MS / 1000} s and a partition of it is to be dropped, which ${heldBack ? 'waits' : 'did not wait'}`,
      isGood(held) && heldBack,
    );
    const failed = load.entries.filter(({ status }) => status === 0 || status >= 500);
    report(
      `${failed.length} of ${load.entries.length} requests failed ${failed[0]?.text ?? ''}`,
      failed.length === 0,
    );
  } finally {
    await gateway?.end('SIGTERM');
    await closeApp(app);
    await database.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The longest time of the requests that were under way meanwhile. */
async function longest(load: Load, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  const endedAt = performance.now();
  // Those that wait still.
  await sleep(1_000);
  const meanwhile = load.entries.filter(({ sentAt, ms }) => sentAt + ms >= startedAt && sentAt <= endedAt);
  return Math.max(...meanwhile.map(({ ms }) => ms));
}

/** Two partitions that are too old of each table, and as many rows beside them; as many records of idempotency keys that are over. */
async function fillOld(app: App): Promise<void> {
  await makePartitions(app);
  const changes = await app.store.pool.connect();
  try {
    await fill(changes);
  } finally {
    changes.release(true);
  }
}

async function fill(changes: Client): Promise<void> {
  await changes.query('set statement_timeout = 0; set session_replication_role = replica');
  for (const table of PARTITIONED_TABLES) {
    for (const daysAgo of [KEPT_DAYS[table.kept] + 10, KEPT_DAYS[table.kept] + 15]) {
      const fromMs = (Math.floor(Date.now() / DAY_MS) - daysAgo) * DAY_MS;
      await makePartition(changes, table, fromMs, 5);
      await insert(changes, table.name, new Date(fromMs));
    }
  }
  await insert(changes, 'events', new Date(Date.now() - 60 * DAY_MS));
  await changes.query(
    `insert into idempotency_records (workspace_id, key_hash, request_hash, outcome, audit_entry_id, created_at)
      select w.id, sha256(n::text::bytea), sha256(''), 'created', 1, now() - interval '3 days'
      from (select min(id) as id from workspaces) w, generate_series(1, ${OLD_ROWS}) n`,
  );
  await changes.query('analyze');
}

async function makePartition(
  client: Client,
  { name }: PartitionedTable,
  fromMs: number,
  days: number,
): Promise<void> {
  const [from, to] = [fromMs, fromMs + days * DAY_MS].map((ms) => new Date(ms).toISOString());
  await client.query(
    `create table ${name}_${fromMs} partition of ${name} for values from ('${from}') to ('${to}')`,
  );
}

async function insert(client: Client, table: string, from: Date): Promise<void> {
  const rows = ROWS[table];
  if (rows === undefined) throw new Error(`This trial has no rows of ${table}.`);
  await client.query(
    `${rows} from (select min(id) as id from workspaces) w, generate_series(1, ${OLD_ROWS}) n`,
    [from],
  );
}

async function drop(app: App, dropped: string[]): Promise<void> {
  for (const table of PARTITIONED_TABLES)
    for (let tries = 0; tries < 10; tries++) {
      const kept = await keepPartitions(app, table, { oldAt: new Date() });
      if (kept.dropped === null) break;
      dropped.push(kept.dropped);
    }
}

async function deleteRows(app: App): Promise<void> {
  let isMore = true;
  while (isMore) {
    isMore = await clean(app, new Date());
    for (const table of PARTITIONED_TABLES)
      isMore = (await keepPartitions(app, table, { oldAt: new Date() })).hasMore || isMore;
  }
}

/** A partition is made that is too old, and is to be dropped while somebody reads the table. */
async function dropWhileHeld(app: App): Promise<string | null> {
  const [table] = PARTITIONED_TABLES.filter(({ name }) => name === 'events');
  if (table === undefined) return null;
  const fromMs = (Math.floor(Date.now() / DAY_MS) - 90) * DAY_MS;
  await makePartition(app.store.pool, table, fromMs, 1);
  const reader = await app.store.pool.connect();
  await reader.query('begin; select count(*) from events');
  const keeping = keepPartitions(app, table, { oldAt: new Date() });
  await sleep(HELD_MS);
  await reader.query('commit');
  reader.release();
  return (await keeping).dropped;
}
