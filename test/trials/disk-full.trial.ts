// PostgreSQL's disk is full under writes: they are answered 503 and change nothing, reads go on, and service resumes when there is room.
// `npm run trial -- disk-full [requests a second]`, 20 by default; for root, since it mounts small file systems. First the tables' disk
// alone; then, with the embedded database, the log's too, which PostgreSQL stops for: the gateway starts it again. At last a folder
// DATA_DIR without room for the secret key.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ADMINISTRATOR, OWNER } from '../../src/store/embedded/address.ts';
import { findEmbedded } from '../../src/store/embedded/inspect.ts';
import { query } from '../support/cluster.ts';
import { type Serving, serve } from './faults/gateway.ts';
import { isWrong, outcomeOf } from './faults/ledger.ts';
import { type Caller, startLoad } from './faults/load.ts';
import { type Postgres, startPostgres } from './faults/postgres.ts';
import { mountSmallDisk, type SmallDisk } from './faults/small-disk.ts';
import { createCallers } from './faults/tenants.ts';
import { reportLedger, textOf } from './faults/verdict.ts';
import { report } from './test-bed.ts';

const execute = promisify(execFile);
const PER_SECOND = Number(process.argv[3] ?? 20);
const QUIET = { LOG_LEVEL: 'fatal', JOBS: 'off' };

await withDisk(160, fillTables);
await withDisk(320, fillEverything);
await withDisk(1, fillDataDir);

async function withDisk(megabytes: number, work: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = await mountSmallDisk(megabytes);
  try {
    await work(disk);
  } finally {
    await disk.remove();
  }
}

async function fillTables(disk: SmallDisk): Promise<void> {
  const elsewhere = await mkdtemp(join(tmpdir(), 'fg-wal-'));
  const postgres = await onDisk(disk, () => startPostgres({ shared_buffers: '32MB' }));
  let gateway: Serving | null = null;
  try {
    await moveLog(postgres, elsewhere);
    const callers = await createCallers(postgres.url, 2);
    gateway = await serve({ DATABASE_URL: postgres.url, ...QUIET });
    await fillUnderLoad('the tables', disk, gateway, callers, postgres.url, { readsGoOn: true });
  } finally {
    await gateway?.end('SIGTERM');
    await postgres.remove();
    await rm(elsewhere, { recursive: true, force: true });
  }
}

async function fillEverything(disk: SmallDisk): Promise<void> {
  const dataDir = join(disk.folder, 'data');
  const gateway = await serve({ DATA_DIR: dataDir, ...QUIET });
  try {
    const url = (await findEmbedded(dataDir))?.url ?? '';
    const callers = await createCallers(url, 2);
    // The log's next file is needed at once.
    const atFull = () => query(url.replace(OWNER, ADMINISTRATOR), 'select pg_switch_wal()').catch(() => {});
    await fillUnderLoad('everything', disk, gateway, callers, url, { readsGoOn: false, atFull });
  } finally {
    await gateway.end('SIGTERM');
  }
}

async function fillUnderLoad(
  name: string,
  disk: SmallDisk,
  { origin }: Serving,
  callers: readonly Caller[],
  url: string,
  { readsGoOn, atFull }: { readsGoOn: boolean; atFull?: () => Promise<unknown> },
): Promise<void> {
  const run = `disk-${process.pid}-${name.replace(' ', '-')}`;
  const load = startLoad({ origin: () => origin, callers, perSecond: PER_SECOND, run });
  await sleep(3_000);
  const megabytes = await disk.fill();
  const fullAt = performance.now();
  for (let waited = 0; waited < 10_000; waited += 1_000) {
    await atFull?.();
    await sleep(1_000);
  }
  await disk.free();
  const freeAt = performance.now();
  await sleep(8_000);
  await load.stop();

  const { entries } = load;
  const during = entries.filter(({ sentAt }) => sentAt > fullAt && sentAt < freeAt);
  const writes = during.filter(({ action }) => action !== null);
  const reads = during.filter(({ action }) => action === null);
  const refused = writes.filter(({ status }) => status === 503);
  const readsFailed = reads.filter(({ status }) => status !== 200);
  report(
    `${name} full (${megabytes.toFixed(1)} MiB were left): ${refused.length} of ${writes.length} writes and ${readsFailed.length} of ${reads.length} reads answered 503`,
    refused.length > 0 && (readsFailed.length === 0 || !readsGoOn),
  );
  const vague = refused.filter(({ text }) => !text.includes('Nothing was changed'));
  if (readsGoOn) report(`   each refusal says that nothing was changed ${textOf(vague)}`, vague.length === 0);
  const wrong = entries.filter((entry) => isWrong(entry) || entry.status === 0);
  report(`   ${wrong.length} other failures ${textOf(wrong)}`, wrong.length === 0);
  const last = Math.max(0, ...entries.filter(({ status }) => status === 503).map(({ sentAt }) => sentAt));
  const made = entries.filter((entry) => entry.action !== null && outcomeOf(entry) === 'made');
  const again = made.some(({ sentAt }) => sentAt > last && sentAt > freeAt);
  report(
    `   the last 503 was sent ${Math.round(last - freeAt)} ms after there was room again`,
    again && last - freeAt < 6_000,
  );
  await reportLedger(name, url, run, entries);
}

/** A gateway that keeps nothing but its secret key there. */
async function fillDataDir(disk: SmallDisk): Promise<void> {
  const postgres = await startPostgres();
  try {
    const env = { DATABASE_URL: postgres.url, DATA_DIR: join(disk.folder, 'data'), SECRET_KEY: '', ...QUIET };
    await disk.fill();
    const gateway = await serve(env);
    const refused = await askForKeys(gateway.origin);
    const left = await readdir(env.DATA_DIR).catch(() => []);
    report(
      `a DATA_DIR without room for the secret key: what needs it is ${refused}, and nothing half is left ${left.join(', ')}`,
      refused === 503 && left.length === 0,
    );
    await disk.free();
    const answered = await askForKeys(gateway.origin);
    report(`   with room: ${answered}`, answered === 200);
    await gateway.end('SIGTERM');
  } finally {
    await postgres.remove();
  }
}

/** The status of the authorization server's public keys: the first one is made, and sealed, when they are asked for. */
async function askForKeys(origin: string): Promise<number> {
  return (await fetch(`${origin}/oauth/jwks`)).status;
}

/** Runs `work`, whose temporary folders are on the disk. */
async function onDisk<T>({ folder }: SmallDisk, work: () => Promise<T>): Promise<T> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

/** Puts the server's log (WAL) on another disk, as its manual advises. */
async function moveLog(postgres: Postgres, folder: string): Promise<void> {
  await postgres.stop('SIGINT');
  const [from, to] = [join(postgres.dataDir, 'pg_wal'), join(folder, 'pg_wal')];
  await chmod(folder, 0o755);
  await execute('cp', ['-a', from, to]);
  await rename(from, `${from}.old`);
  await symlink(to, from);
  await rm(`${from}.old`, { recursive: true });
  await postgres.start();
}
