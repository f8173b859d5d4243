// Ten million requests: memory, file handles, connections and their prepared statements, and the bloat of tables stay flat.
// `npm run trial -- soak [requests]`, 10,000,000 by default. Reads, writes, refusals and clients that hang up, over both faces. What must be
// flat is a line through the last two thirds of the samples. Prepared statements and their plans are in the private memory of
// PostgreSQL's processes, where they are counted as bytes.
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { Pool } from 'undici';
import { serve } from './faults/gateway.ts';
import type { Caller } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { soakRequest } from './faults/soak-requests.ts';
import { createCallers } from './faults/tenants.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

const REQUESTS = Number(process.argv[3] ?? 10_000_000);
const AT_ONCE = 24;
const SAMPLES = 30;
const CONTACTS = 200;

/** As the command's own first line has it. */
const V8 = { NODE_OPTIONS: '--max-semi-space-size=16' };

/** How much a line may rise from the end of the first third to the end: a share of its mean, or so many, whichever is more. */
const MAY_RISE = {
  'memory MiB': [0.15, 16],
  'heap MiB': [0.2, 16],
  handles: [0, 4],
  connections: [0, 2],
  'private MiB a connection': [0.15, 2],
  'contacts MiB': [0.2, 1],
  'dead contacts': [0.5, 2_000],
} as const;
type Sample = Record<keyof typeof MAY_RISE, number>;

const postgres = await startPostgres({ autovacuum_naptime: '5s' });
const database = new pg.Pool({ connectionString: postgres.url, max: 1 });
const gateway = await createCallers(postgres.url, 3).then(async (callers) => ({
  callers,
  ...(await serveWith()),
}));
try {
  const contacts = await createContacts(gateway.callers);
  const samples: Sample[] = [];
  const client = new Pool(gateway.origin, { connections: AT_ONCE });
  let sent = 0;
  const bad = new Map<string, { count: number; example: string }>();
  const startedAt = performance.now();
  for (let until = 0; sent < REQUESTS; ) {
    until = Math.min(REQUESTS, until + Math.ceil(REQUESTS / SAMPLES));
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (sent < until) await sendOne(client, sent++, contacts, bad);
      }),
    );
    const taken = await sample();
    samples.push(taken);
    const rate = sent / ((performance.now() - startedAt) / 1_000);
    const figures = Object.entries(taken).map(([name, value]) => `${name} ${value.toFixed(1)}`);
    say(
      `${sent} sent, ${Math.round(rate)}/s, ${Math.round((REQUESTS - sent) / rate / 60)} min left: ${figures.join(', ')}`,
    );
  }
  await client.close();
  const refused = [...bad]
    .map(([kind, { count, example }]) => `${kind}: ${count}, such as ${example}`)
    .join('; ');
  report(`${sent} requests, each answered as it should be ${refused}`, bad.size === 0);
  for (const [name, [share, least]] of Object.entries(MAY_RISE) as [
    keyof Sample,
    readonly [number, number],
  ][]) {
    const values = samples.slice(Math.floor(samples.length / 3)).map((one) => one[name]);
    const { rise, mean } = lineThrough(values);
    const most = Math.max(mean * share, least);
    report(
      `${name}: ${mean.toFixed(1)} on average, rises by ${rise.toFixed(1)}, at most ${most.toFixed(1)}`,
      rise <= most,
    );
  }
  await sayGrowth(sent);
} finally {
  await gateway.end('SIGTERM');
  await database.end();
  await postgres.remove();
}

async function serveWith() {
  const serving = await serve({
    DATABASE_URL: postgres.url,
    LOG_LEVEL: 'fatal',
    JOBS: 'off',
    ...{ METRICS_PORT: '0', ...V8 },
  });
  const { origin, printed } = serving;
  return { origin, printed, use: () => serving.use(), end: (signal: NodeJS.Signals) => serving.end(signal) };
}

/** Contacts of each caller's workspace: their number stays the same. */
async function createContacts(callers: readonly Caller[]): Promise<Map<string, string[]>> {
  const created = new Map<string, string[]>();
  for (const { name, authorization, workspaceId } of callers) {
    const ids: string[] = [];
    for (let index = 0; index < CONTACTS; index++) {
      const response = await fetch(`${gateway.origin}/api/v2/workspaces/${workspaceId}/contacts`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ contact: { email_address: `soak-${index}@example.com` } }),
      });
      ids.push(String(((await response.json()) as { id: number }).id));
    }
    created.set(name, ids);
  }
  return created;
}

async function sendOne(
  client: Pool,
  turn: number,
  contacts: ReadonlyMap<string, string[]>,
  bad: Map<string, { count: number; example: string }>,
): Promise<void> {
  const caller = gateway.callers[turn % gateway.callers.length] as Caller;
  const { options, expected, hangsUp } = soakRequest(turn, caller, contacts.get(caller.name) ?? []);
  const count = (kind: string, example: string) => {
    const known = bad.get(kind) ?? { count: 0, example };
    known.count++;
    bad.set(kind, known);
  };
  try {
    const signal = hangsUp ? AbortSignal.timeout(turn % 4) : null;
    const { statusCode, body } = await client.request({ ...options, signal });
    const text = await body.text();
    const failed = statusCode === 200 && text.startsWith('{"errors"');
    if (!expected.includes(statusCode) || failed)
      count(`request ${turn % 20}, ${statusCode}`, text.slice(0, 200));
  } catch (error) {
    if (!hangsUp) count(`request ${turn % 20}, no answer`, String(error));
  }
}

async function sample(): Promise<Sample> {
  const { memory, handles } = await gateway.use();
  const metrics = await (await fetch(gateway.printed['metrics'] ?? '')).text();
  const heap = Number(/^nodejs_heap_size_used_bytes\S* (\S+)$/m.exec(metrics)?.[1] ?? Number.NaN) / 2 ** 20;
  const { rows } = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name like 'funnel-gateway%'`,
  );
  const bytes = await Promise.all(rows.map(({ pid }) => privateMiB(pid)));
  const { rows: tables } = await database.query<{ dead: number; size: number }>(
    `select n_dead_tup::int as dead, pg_total_relation_size(relid)::float8 / 1048576 as size
      from pg_stat_user_tables where relname = 'contacts'`,
  );
  return {
    'memory MiB': memory,
    'heap MiB': heap,
    handles,
    connections: rows.length,
    'private MiB a connection': bytes.reduce((sum, one) => sum + one, 0) / Math.max(1, rows.length),
    'contacts MiB': tables[0]?.size ?? Number.NaN,
    'dead contacts': tables[0]?.dead ?? Number.NaN,
  };
}

/** Memory of a process that it shares with nobody. */
async function privateMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The line of least squares: how much it rises over all the values. */
function lineThrough(values: readonly number[]): { rise: number; mean: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = (values.length - 1) / 2;
  let [above, below] = [0, 0];
  for (const [index, value] of values.entries()) {
    above += (index - middle) * (value - mean);
    below += (index - middle) ** 2;
  }
  return { rise: (above / below) * (values.length - 1), mean };
}

/** What grows by its nature: the record of what was done. */
async function sayGrowth(requests: number): Promise<void> {
  const { rows } = await database.query<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(relid)::float8 as bytes from pg_stat_user_tables order by 2 desc limit 6`,
  );
  say(
    `     largest tables: ${rows.map(({ name, bytes }) => `${name} ${Math.round(bytes / requests)} bytes a request`).join(', ')}`,
  );
}
