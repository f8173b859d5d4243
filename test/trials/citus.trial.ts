// Citus takes the tables distributed by workspace, and each kind of page goes to one shard.
// It needs PostgreSQL with its development files (PG_CONFIG, else Debian's for PostgreSQL 15) and, unless Citus is installed
// there, the path of its source archive in CITUS_SOURCE.
import pg from 'pg';
import { closeApp, createApp } from '../../src/app.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { App } from '../../src/context.ts';
import { createServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/log.ts';
import { seedDemo } from '../../src/store/demo/seed.ts';
import { applyMigrations } from '../../src/store/migrations.ts';
import { PLAN_SETTINGS } from '../../src/store/readers/session.ts';
import type { Statement } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';
import { installCitus, startNodes } from './citus/nodes.ts';
import { type Read, readsOf } from './citus/reads.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

/** Small tables, a copy on every node; the order is that of their references. */
const REFERENCE_TABLES = ['teams', 'workspaces', 'custom_domains'];
const DISTRIBUTED_TABLES = [
  'contacts',
  'tags',
  'contact_tags',
  'refine_filters',
  'webhook_endpoints',
  'funnels',
  'funnel_tags',
  'pages',
  'funnel_steps',
];
/** PostgreSQL makes plans for the values at first, and may then keep one for all. */
const RUNS = 8;

/** Funnel 1 has a split with the id 3; the last one finds it removed. */
const REQUESTS = [
  ['GET', '/api/v2/workspaces/1/contacts?per_page=2'],
  ['GET', '/api/v2/contacts/1'],
  ['GET', '/api/v2/funnels/1/structure'],
  ['DELETE', '/api/v2/funnels/1/conditional_split_steps/3?branch=unmatched'],
  ['GET', '/api/v2/funnels/1/conditional_split_steps/3'],
] as const;

const { CITUS_SOURCE, PG_CONFIG = '/usr/lib/postgresql/15/bin/pg_config' } = process.env;

if (await installCitus(PG_CONFIG, CITUS_SOURCE)) {
  const nodes = await startNodes(PG_CONFIG);
  try {
    const pool = new pg.Pool({ connectionString: nodes.url });
    try {
      const applied = await applyMigrations(pool);
      report(`migrate into a database with the extension: ${applied.join(', ')}`, applied.length > 0);
      await distribute(pool);
      await tryGateway(nodes.url, pool);
    } finally {
      await pool.end();
    }
  } finally {
    await nodes.stop();
  }
} else {
  say(
    'Citus is not installed, and CITUS_SOURCE does not name the archive of its source (citus-13.0.5-src.tar.gz).',
  );
  process.exitCode = 2;
}

/** Foreign keys between tables that are distributed are put aside meanwhile: a table refers to none that is not. */
async function distribute(pool: pg.Pool): Promise<void> {
  const { rows: keys } = await pool.query<{ name: string; key: string; definition: string }>(
    `select conrelid::regclass::text as name, conname as key, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and confrelid::regclass::text = any($1)`,
    [DISTRIBUTED_TABLES],
  );
  for (const { name, key } of keys) await pool.query(`alter table ${name} drop constraint ${key}`);
  for (const table of REFERENCE_TABLES) await pool.query('select create_reference_table($1)', [table]);
  for (const table of DISTRIBUTED_TABLES)
    await pool.query(`select create_distributed_table($1, 'workspace_id')`, [table]);
  for (const { name, key, definition } of keys)
    await pool.query(`alter table ${name} add constraint ${key} ${definition}`);
  say(
    `ok   ${DISTRIBUTED_TABLES.length} tables distributed by workspace_id, ${REFERENCE_TABLES.length} on every node`,
  );
}

async function tryGateway(databaseUrl: string, pool: pg.Pool): Promise<void> {
  const log = createLogger('fatal', process.stderr);
  const secrets = { databaseUrl, secretKeys: () => ['a secret key for trials, of no use to anybody'] };
  const app = createApp(parseConfig({}, '/').config, secrets, { log });
  try {
    let authorization = '';
    const issueKey = async () => {
      const { token, hash, hint } = createToken();
      authorization ||= `Bearer ${token}`;
      return { hash, hint };
    };
    const demo = await seedDemo(app.store, new Date(), { issueKey, issuePassword: async () => 'no hash' });
    report(`demo seeded: ${demo?.workspaceIds.length} workspaces, ${demo?.contacts} contacts`, demo !== null);
    const { rows } = await pool.query<{ id: string; workspace_id: string }>(
      'select id, workspace_id from funnels where workspace_id in (select id from workspaces where team_id = 1) order by id',
    );
    const workspaceIds = [...new Set(rows.map((row) => BigInt(row.workspace_id)))];
    const funnelIds = rows.map((row) => BigInt(row.id));
    const tenancy = { teamId: 1n, workspaceIds: null };
    say(`\n${'read'.padEnd(51)}${'tasks'.padEnd(8)}answer`);
    for (const read of readsOf(tenancy, workspaceIds, funnelIds)) await tryRead(app, read);
    say('\nover REST');
    for (const [method, path] of REQUESTS) await tryRequest(app, authorization, method, path);
  } finally {
    await closeApp(app);
  }
}

/** Runs a read as the gateway does, more than once, and asks for its plan. */
async function tryRead({ store }: App, { what, isPage, run }: Read): Promise<void> {
  const sent = new Map<string, [Statement, unknown[]]>();
  const watch = (readers: Store['readers']): Store['readers'] =>
    Object.assign(Object.create(readers), {
      read(statement: Statement, values: unknown[], owner: bigint) {
        sent.set(statement.name, [statement, values]);
        return readers.read(statement, values, owner);
      },
    });
  const watched = { ...store, readers: watch(store.readers), scans: watch(store.scans) };
  let answer = 'answered';
  for (let count = 0; count < RUNS && answer === 'answered'; count++)
    await run(watched).catch((error: Error) => {
      answer = `refused: ${causeOf(error)}`;
    });
  const tasks: number[] = [];
  if (answer === 'answered')
    for (const [statement, values] of sent.values()) tasks.push(await countTasks(store, statement, values));
  // The last statement is the page; one before it finds the funnel's workspace.
  const isGood = !isPage || (tasks.at(-1) === 1 && answer === 'answered');
  report(`${what.padEnd(46)}${tasks.join(' + ').padEnd(8)}${answer}`, isGood);
}

/** To how many shards a statement goes; reference tables are read here, as one. */
async function countTasks(store: Store, { text }: Statement, values: unknown[]): Promise<number> {
  const client = new pg.Client(store.connection);
  await client.connect();
  try {
    await client.query(PLAN_SETTINGS);
    await client.query(`prepare planned as ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute planned(${values.map(literal)})`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [...plan.matchAll(/Task Count: (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  } finally {
    await client.end();
  }
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? `'{${value}}'` : `'${value}'`;
}

async function tryRequest(app: App, authorization: string, method: string, path: string): Promise<void> {
  const failures: string[] = [];
  const log = createLogger('error', { write: (line) => failures.push(line) });
  const server = createServer({ ...app, log });
  const { status } = await server.fetch(
    new Request(`http://localhost:4000${path}`, { method, headers: { Authorization: authorization } }),
  );
  say(`     ${method.padEnd(7)}${path.padEnd(64)}${status}`);
  for (const line of failures) say(`       ${causeOf((JSON.parse(line) as { err: Error }).err)}`);
}

/** What the database said. */
function causeOf(error: Error): string {
  const { cause } = error as { cause?: Error };
  return (cause?.message ?? error.message).trim().split('\n').at(-1) ?? '';
}
