// The gateway on Citus, a coordinator and two workers: each page and each row named by its id asks one shard, shards are moved under load, lists skip nothing, events are delivered; and what costs more than on one PostgreSQL.
//
// `npm run trial -- citus [contacts] [rows of the walks] [part]`, 20,000 each by default; a part is one of reads, moving, walks, delivery,
// costs. It needs PostgreSQL with its development files (PG_CONFIG, else Debian's for PostgreSQL 15) and, unless Citus is installed there,
// the path of its source archive in CITUS_SOURCE.
import pg from 'pg';
import { closeApp, createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { App } from '../../src/context.ts';
import { createLogger } from '../../src/output/log.ts';
import type { Statement } from '../../src/store/sql/statements.ts';
import type { Store } from '../../src/store/store.ts';
import type { Manifest } from '../bench/dataset.ts';
import { fill } from '../bench/fill.ts';
import { compareCosts } from './citus/costs.ts';
import { tryDelivery } from './citus/delivered.ts';
import { tryMoving } from './citus/moving.ts';
import { type Read, readsOf } from './citus/reads.ts';
import { countTasks } from './citus/shards.ts';
import { distributeStore, gatewayCommand, MISSING, startCitus, startWithoutCitus } from './citus/store.ts';
import { tryWalks } from './citus/walking.ts';
import { say } from './say.ts';
import { SECRET_KEY } from './secret-key.ts';
import { report } from './test-bed.ts';

const [contacts = '20000', rows = '20000', part] = process.argv.slice(3);
/** PostgreSQL makes plans for the values at first, and may then keep one for all. */
const RUNS = 8;
const SHARDS = 8;
const SETTINGS = ['shared_buffers = 256MB'];

const apps: App[] = [];
const plain = await startWithoutCitus(SETTINGS);
const nodes = await startCitus(SETTINGS).catch(async (error) => {
  await plain.stop();
  throw error;
});
try {
  if (nodes === null) {
    say(MISSING);
    process.exitCode = 2;
  } else {
    await tryAll(nodes.url, plain.url);
  }
} finally {
  await Promise.all(apps.map(closeApp));
  await nodes?.stop();
  await plain.stop();
}

async function tryAll(url: string, plainUrl: string): Promise<void> {
  const isTried = (name: string) => part === undefined || part === name;
  // Rows from before it is distributed, which have to be found afterwards like any others.
  let manifest = {} as Manifest;
  await distributeStore(url, SHARDS, async () => {
    manifest = await fillStore(url);
  });
  const again = await gatewayCommand(url, 'distribute');
  say(again);
  report(
    `${contacts} contacts distributed, and once more, which changes nothing`,
    again.startsWith('Everything is in place'),
  );
  const app = openApp(url);
  if (isTried('reads')) await tryReads(app, manifest);
  if (isTried('moving')) await tryMoving(url);
  if (isTried('walks')) await tryWalks([app, openApp(url)], url, Number(rows));
  if (isTried('delivery')) await tryDelivery(url, manifest.workspaceIds[1] ?? 0, manifest.token);
  if (!isTried('costs')) return;
  await gatewayCommand(plainUrl, 'migrate');
  const filled = await fillStore(plainUrl);
  await compareCosts({ app, manifest }, { app: openApp(plainUrl), manifest: filled });
}

async function fillStore(url: string): Promise<Manifest> {
  const pool = new pg.Pool({ connectionString: url });
  try {
    return await fill(pool, Number(contacts), { say() {}, bar() {} });
  } finally {
    await pool.end();
  }
}

function openApp(databaseUrl: string): App {
  const log = createLogger('error', process.stderr);
  const app = createApp(
    parseConfig({}, '/').config,
    { databaseUrl, secretKeys: () => [SECRET_KEY] },
    { log },
  );
  apps.push(app);
  return app;
}

async function tryReads(app: App, { teamId, workspaceIds }: Manifest): Promise<void> {
  const tenancy = { teamId: BigInt(teamId), workspaceIds: null };
  say(`\n${'read'.padEnd(51)}${'shards'.padEnd(12)}answer`);
  const some = workspaceIds.slice(0, 3).map(BigInt);
  for (const read of readsOf(tenancy, some, [1n, 2n])) await tryRead(app, read);
}

/** Runs a read as the gateway does, more than once, and asks for its plans. */
async function tryRead({ store }: App, { what, isOfOneShard, run }: Read): Promise<void> {
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
  const isGood = tasks.length > 0 && (!isOfOneShard || tasks.every((count) => count <= 1));
  report(`${what.padEnd(46)}${tasks.join(' + ').padEnd(12)}${answer}`, isGood);
}

/** What the database said. */
function causeOf(error: Error): string {
  const { cause } = error as { cause?: Error };
  return (cause?.message ?? error.message).trim().split('\n').at(-1) ?? '';
}
