// Walks on a streaming replica that lags. It does not see the locks of the primary: the primary's horizon comes with the position of
// its log, read last, and is used once the replica has replayed that.
import { execFile } from 'node:child_process';
import { access, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { closeApp, createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/log.ts';
import { CHILD_ENV, ordinaryUser, type SystemUser } from '../../../src/store/embedded/user.ts';
import { HORIZON, HORIZON_VALUES, toHorizon } from '../../../src/store/horizons.ts';
import { applyMigrations } from '../../../src/store/migrations.ts';
import * as factories from '../../support/factories.ts';
import { freePort } from '../free-port.ts';
import { report } from '../test-bed.ts';
import { compare } from './walkers.ts';
import { startWriters } from './writers.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'fsync = off',
  'max_connections = 60',
];
/** How far the replica is behind. */
const LAG = '50ms';

interface Pair {
  readonly primary: string;
  readonly replica: string;
  stop(): Promise<void>;
}

async function startPair(bin: string): Promise<Pair> {
  const user: Partial<SystemUser> = process.getuid?.() === 0 ? await ordinaryUser() : {};
  const folder = await mkdtemp(join(tmpdir(), 'fg-replica-'));
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const call = (program: string, ...args: string[]) =>
    run(join(bin, program), args, { ...user, cwd: folder, env: CHILD_ENV });
  const started: string[] = [];
  const start = async (name: string, port: number, settings: readonly string[]) => {
    const data = join(folder, name);
    await writeFile(
      join(data, 'postgresql.auto.conf'),
      [...SETTINGS, ...settings, `port = ${port}`].join('\n'),
    );
    await call('pg_ctl', '-D', data, '-l', join(folder, `${name}.log`), '-w', 'start');
    started.unshift(data);
  };
  const stop = async () => {
    for (const data of started) await call('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [one, two] = [await freePort(), await freePort()];
    const address = `host=127.0.0.1 port=${one} user=gateway`;
    await call('initdb', '-D', join(folder, 'primary'), '-U', 'gateway', '-A', 'trust', '-E', 'UTF8');
    await start('primary', one, []);
    await call('createdb', '-h', '127.0.0.1', '-p', `${one}`, '-U', 'gateway', 'gateway');
    await call('pg_basebackup', '-D', join(folder, 'replica'), '-d', address, '-X', 'stream', '-c', 'fast');
    await writeFile(join(folder, 'replica', 'standby.signal'), '');
    await start('replica', two, [`primary_conninfo = '${address}'`, `recovery_min_apply_delay = ${LAG}`]);
    const urlOf = (port: number) => `postgresql://gateway@127.0.0.1:${port}/gateway`;
    return { primary: urlOf(one), replica: urlOf(two), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Of Debian's newest PostgreSQL; null where there is none. */
async function binaries(): Promise<string | null> {
  const versions = await readdir(DEBIAN).catch((): string[] => []);
  const bin = join(DEBIAN, versions.sort((a, b) => Number(b) - Number(a))[0] ?? '', 'bin');
  return access(join(bin, 'pg_basebackup')).then(
    () => bin,
    () => null,
  );
}

interface Position {
  readonly id: bigint;
  readonly log: string;
}

/** The primary's horizon of contacts, and where its log was afterwards. */
async function ask(primary: pg.Client): Promise<Position> {
  const text = `${HORIZON.text.replace(' from ', ', pg_current_wal_insert_lsn()::text from ')}`;
  const { rows } = await primary.query<string[]>({ text, values: HORIZON_VALUES, rowMode: 'array' });
  const [row = []] = rows;
  return { id: toHorizon(row).contacts.id, log: row[3] ?? '' };
}

/** @param withoutReplay takes each horizon at once: then rows are skipped */
export async function tryReplica(total: number, withoutReplay: boolean): Promise<void> {
  const bin = await binaries();
  if (bin === null) {
    process.stdout.write("no replica was tried: it needs Debian's package postgresql\n");
    return;
  }
  const pair = await startPair(bin);
  const log = createLogger('silent');
  const app = createApp(
    parseConfig({}, '/').config,
    { databaseUrl: pair.primary, secretKeys: () => [''] },
    { log },
  );
  const clients = [pair.primary, pair.replica].map((connectionString) => new pg.Client({ connectionString }));
  const [primary, replica] = clients as [pg.Client, pg.Client];
  try {
    await applyMigrations(app.store.pool);
    const { id: workspaceId } = await factories.workspace(app);
    await Promise.all(clients.map((client) => client.connect()));
    const waiting: Position[] = [];
    const seen: number[] = [];
    let horizon = 0n;
    async function walk(): Promise<number> {
      waiting.push(await ask(primary));
      const { rows: replayed } = await replica.query<{ is_replayed: boolean }>(
        'select pg_last_wal_replay_lsn() >= p::pg_lsn as is_replayed from unnest($1::text[]) p',
        [waiting.map((position) => position.log)],
      );
      const usable = withoutReplay ? waiting.length : replayed.filter((row) => row.is_replayed).length;
      horizon = waiting.splice(0, usable).at(-1)?.id ?? horizon;
      const { rows } = await replica.query<{ id: string }>(
        'select id from contacts where workspace_id = $1 and id > $2 and id <= $3 order by id limit 100',
        [workspaceId, seen.at(-1) ?? 0, horizon],
      );
      for (const { id } of rows) seen.push(Number(id));
      return rows.length;
    }
    // Its workspace has to arrive there first.
    await sleep(1_000);
    const writers = startWriters(pair.primary, workspaceId, total);
    let isOver = false;
    const over = writers.done.finally(() => {
      isOver = true;
    });
    while (!isOver) if ((await walk()) === 0) await sleep(1);
    await over;
    await sleep(1_000);
    for (let empty = 0; empty < 3; ) empty = (await walk()) === 0 ? empty + 1 : 0;
    const { rows } = await primary.query<{ id: string }>(
      'select id from contacts where workspace_id = $1 order by id',
      [workspaceId],
    );
    const { skipped, repeated } = compare(
      seen,
      rows.map(({ id }) => Number(id)),
    );
    report(
      `on a replica ${LAG} behind: ${rows.length} rows, ${skipped} skipped, ${repeated} repeated`,
      skipped === 0 && repeated === 0,
    );
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await closeApp(app);
    await pair.stop();
  }
}
