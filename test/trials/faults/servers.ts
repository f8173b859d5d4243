// Servers of Debian's PostgreSQL for a trial: one made anew, others copied from it while it runs, each on a port of loopback. The trial
// alone decides when they run, die, lag and are promoted.
import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHILD_ENV, ordinaryUser, type SystemUser } from '../../../src/store/embedded/user.ts';
import { freePort } from '../../support/free-port.ts';
import { signalTree } from './processes.ts';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';
const USER = 'funnel_gateway';

export interface Server {
  /** What it calls itself: its name in `synchronous_standby_names`. */
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** Its first process. */
  pid(): Promise<number>;
  /** Starts it, after `kill` again. Answers when it takes connections. */
  start(): Promise<void>;
  /** Kills every process of it at once. */
  kill(): Promise<void>;
  promote(): Promise<void>;
}

export interface Servers {
  /** A folder that the user of the servers may write into. */
  readonly folder: string;
  /** Whom they run as: nobody in particular, unless this process is root. */
  readonly user: Partial<SystemUser>;
  /** Makes a server. @param settings of its own, on top of PostgreSQL's */
  create(name: string, settings?: Readonly<Record<string, string>>): Promise<Server>;
  /** Copies one that runs, as a replica that streams from the same address. */
  replicate(name: string, port: number, settings?: Readonly<Record<string, string>>): Promise<Server>;
  /** Ends all, and takes their files away. */
  remove(): Promise<void>;
}

/** The programs of the newest PostgreSQL that Debian has installed here; null where there is none. */
export async function findDebians(): Promise<string | null> {
  const versions = await readdir(VERSIONS).catch(() => [] as string[]);
  const newest = versions.map(Number).toSorted((a, b) => b - a)[0];
  return newest === undefined ? null : join(VERSIONS, String(newest), 'bin');
}

/** @throws Error where Debian's PostgreSQL is not installed */
export async function createServers(): Promise<Servers> {
  const bin = await findDebians();
  if (bin === null) throw new Error('This trial needs the Debian package postgresql.');
  const user: Partial<SystemUser> = process.getuid?.() === 0 ? await ordinaryUser() : {};
  const folder = await mkdtemp(join(tmpdir(), 'fg-servers-'));
  await chmod(folder, 0o755);
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const program = (name: string, ...args: string[]) =>
    run(join(bin, name), args, { ...user, cwd: folder, env: CHILD_ENV });
  const made: string[] = [];

  async function configure(name: string, settings: Readonly<Record<string, string>>): Promise<Server> {
    const data = join(folder, name);
    made.push(data);
    const port = await freePort();
    const all = {
      ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: '', cluster_name: name },
      // No power cut: what processes leave unsynced is there when they are killed.
      ...{ fsync: 'off', ...settings },
    };
    const lines = Object.entries(all).map(([setting, value]) => `${setting} = '${value}'\n`);
    await appendFile(join(data, 'postgresql.conf'), lines.join(''));
    const pid = async () => Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
    const server = {
      ...{ name, port, url: `postgresql://${USER}@127.0.0.1:${port}/postgres`, pid },
      start: async () => void (await program('pg_ctl', '-D', data, '-l', `${data}.log`, '-w', 'start')),
      kill: async () => signalTree(await pid(), 'SIGKILL'),
      promote: async () => void (await program('pg_ctl', '-D', data, '-w', 'promote')),
    };
    await server.start();
    return server;
  }

  return {
    folder,
    user,
    async create(name, settings = {}) {
      await program('initdb', '-D', join(folder, name), '-U', USER, '-A', 'trust', '-E', 'UTF8');
      return configure(name, settings);
    },
    async replicate(name, port, settings = {}) {
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', USER];
      await program('pg_basebackup', ...from, '-D', join(folder, name), '-R', '-X', 'stream', '-c', 'fast');
      return configure(name, settings);
    },
    async remove() {
      for (const data of made) await program('pg_ctl', '-D', data, '-m', 'immediate', 'stop').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}
