// Citus for its trial: built from its source where it is missing, and three nodes of it on loopback. Nothing of it is in this
// repository.
import { execFile } from 'node:child_process';
import { access, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHILD_ENV, ordinaryUser, type SystemUser } from '../../../src/store/embedded/user.ts';
import { query } from '../../support/cluster.ts';
import { freePort } from '../../support/free-port.ts';
import { say } from '../say.ts';

const run = promisify(execFile);

const DATABASE = 'gateway';
const USER = 'gateway';

const SETTINGS = [
  'max_connections = 400',
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  "timezone = 'UTC'",
  'fsync = off',
];

/** A server of Citus needs these as well. */
const CITUS_SETTINGS = [
  "shared_preload_libraries = 'citus'",
  'max_prepared_transactions = 200',
  // Each database has a process of Citus; shards are moved by logical replication.
  'max_worker_processes = 64',
  'wal_level = logical',
];

export interface Nodes {
  /** The coordinator's database. */
  readonly url: string;
  /** The database at each worker. */
  readonly workerUrls: readonly string[];
  stop(): Promise<void>;
}

/**
 * Installs Citus into the PostgreSQL that `pgConfig` is of, unless it is there.
 * @param source the path of its source archive; undefined: there is none to build from
 * @returns false when it is not there and cannot be built
 */
export async function installCitus(pgConfig: string, source: string | undefined): Promise<boolean> {
  const { stdout } = await run(pgConfig, ['--sharedir']);
  const control = join(stdout.trim(), 'extension', 'citus.control');
  if (await isThere(control)) return true;
  if (source === undefined) return false;
  say(`building ${source}, about four minutes`);
  const folder = await mkdtemp(join(tmpdir(), 'fg-citus-build-'));
  const script = `cd "$1" && tar xzf "$2" --strip-components 1 && ./configure PG_CONFIG="$3" >build.log 2>&1 &&
    make -j2 -s extension >>build.log 2>&1 && make -s install >>build.log 2>&1 || { tail -20 build.log; exit 1; }`;
  await run('/bin/sh', ['-c', script, 'sh', folder, source, pgConfig]);
  await rm(folder, { recursive: true, force: true });
  return isThere(control);
}

/** Starts a coordinator and two workers, which know each other. @param settings on top of those that Citus needs, a line each */
export async function startNodes(pgConfig: string, settings: readonly string[] = []): Promise<Nodes> {
  return withServers(pgConfig, async (start, stop) => {
    const ports: number[] = [];
    for (const name of ['coordinator', 'worker-1', 'worker-2']) {
      const port = await start(name, [...CITUS_SETTINGS, ...settings]);
      await query(urlOf(port), 'create extension citus');
      ports.push(port);
    }
    const [coordinator = 0, ...workers] = ports;
    const url = urlOf(coordinator);
    await query(url, `select citus_set_coordinator_host('127.0.0.1', ${coordinator})`);
    for (const port of workers) await query(url, `select citus_add_node('127.0.0.1', ${port})`);
    return { url, workerUrls: workers.map((port) => urlOf(port)), stop };
  });
}

/** Starts the same PostgreSQL without Citus. */
export async function startPlain(pgConfig: string, settings: readonly string[] = []): Promise<Nodes> {
  return withServers(pgConfig, async (start, stop) => ({
    url: urlOf(await start('plain', settings)),
    workerUrls: [],
    stop,
  }));
}

type Start = (name: string, settings: readonly string[]) => Promise<number>;

/** Makes and starts servers in a folder of their own, each with a database. */
async function withServers(
  pgConfig: string,
  work: (start: Start, stop: () => Promise<void>) => Promise<Nodes>,
): Promise<Nodes> {
  const { stdout } = await run(pgConfig, ['--bindir']);
  const bin = stdout.trim();
  const user: Partial<SystemUser> = process.getuid?.() === 0 ? await ordinaryUser() : {};
  const folder = await mkdtemp(join(tmpdir(), 'fg-citus-'));
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const asUser = { ...user, cwd: folder, env: CHILD_ENV };
  const started: string[] = [];
  const stop = async () => {
    for (const data of started)
      await run(join(bin, 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], asUser);
    await rm(folder, { recursive: true, force: true });
  };
  const start: Start = async (name, settings) => {
    const data = join(folder, name);
    const port = await freePort();
    await run(
      join(bin, 'initdb'),
      ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
      asUser,
    );
    const lines = [...SETTINGS, ...settings, `port = ${port}`];
    await writeFile(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
    await run(join(bin, 'pg_ctl'), ['-D', data, '-l', join(data, 'log'), '-w', 'start'], asUser);
    started.push(data);
    await query(urlOf(port, 'postgres'), `create database ${DATABASE}`);
    return port;
  };
  try {
    return await work(start, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf(port: number, database = DATABASE): string {
  return `postgresql://${USER}@127.0.0.1:${port}/${database}`;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
