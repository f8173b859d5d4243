// A primary with a streaming replica for a trial, of Debian's PostgreSQL, and a proxy before them that leads to the one that is told: as
// an address that moves, or a pooler, does.
import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHILD_ENV, ordinaryUser, type SystemUser } from '../../../src/store/embedded/user.ts';
import { query } from '../../support/cluster.ts';
import { freePort } from '../free-port.ts';
import { startProxy } from './proxy.ts';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';
const STANDBY = 'standby';

export interface Replicated {
  /** Of the proxy. */
  readonly url: string;
  /** Of the replica itself. */
  readonly replicaUrl: string;
  /** Sends the replica nothing any more, until the primary is killed. */
  stopStreaming(): Promise<void>;
  /** Kills every process of the primary at once. */
  killPrimary(): Promise<void>;
  /** Makes the replica the primary, and leads the proxy there. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

interface Replication {
  /** Whether a commit waits for the replica. */
  readonly isSynchronous: boolean;
  /** How far the replica is behind, as PostgreSQL writes times. */
  readonly lag?: string;
}

/** @throws Error where Debian's PostgreSQL is not installed */
export async function startReplicated({ isSynchronous, lag = '0' }: Replication): Promise<Replicated> {
  const bin = await findDebians();
  if (bin === null) throw new Error('This trial needs the Debian package postgresql.');
  const user: Partial<SystemUser> = process.getuid?.() === 0 ? await ordinaryUser() : {};
  const folder = await mkdtemp(join(tmpdir(), 'fg-replicated-'));
  await chmod(folder, 0o755);
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const program = (name: string, ...args: string[]) =>
    run(join(bin, name), args, { ...user, cwd: folder, env: CHILD_ENV });
  const [primary, replica] = [
    { data: join(folder, 'primary'), port: await freePort() },
    { data: join(folder, 'replica'), port: await freePort() },
  ];
  const start = ({ data, port }: typeof primary, name: string) => {
    const settings = {
      ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: '', cluster_name: name },
      // No power cut: what processes leave unsynced is there when they are killed.
      ...{ recovery_min_apply_delay: lag, fsync: 'off' },
    };
    const options = Object.entries(settings)
      .map(([setting, value]) => `-c ${setting}=${value}`)
      .join(' ');
    return program('pg_ctl', '-D', data, '-o', options, '-l', `${data}.log`, '-w', 'start');
  };
  await program('initdb', '-D', primary.data, '-U', 'funnel_gateway', '-A', 'trust', '-E', 'UTF8');
  await start(primary, 'primary');
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'funnel_gateway'];
  await program('pg_basebackup', ...from, '-D', replica.data, '-R', '-X', 'stream', '-c', 'fast');
  await start(replica, STANDBY);
  if (isSynchronous) {
    await query(urlOf(primary.port), `alter system set synchronous_standby_names = '${STANDBY}'`);
    await query(urlOf(primary.port), 'select pg_reload_conf()');
  }
  const proxy = await startProxy(urlOf(primary.port));
  return {
    url: proxy.url,
    replicaUrl: urlOf(replica.port),
    async stopStreaming() {
      const { stdout } = await run('pgrep', ['-P', await postmasterOf(primary), '-f', 'walsender']);
      for (const pid of stdout.trim().split('\n')) process.kill(Number(pid), 'SIGSTOP');
    },
    async killPrimary() {
      const first = await postmasterOf(primary);
      const { stdout } = await run('pgrep', ['-P', first]);
      for (const pid of [first, ...stdout.trim().split('\n')]) process.kill(Number(pid), 'SIGKILL');
    },
    async promote() {
      await program('pg_ctl', '-D', replica.data, '-w', 'promote');
      proxy.lead(urlOf(replica.port));
    },
    async remove() {
      await proxy.close();
      for (const { data } of [primary, replica])
        await program('pg_ctl', '-D', data, '-m', 'immediate', 'stop').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The programs of the newest PostgreSQL that Debian has installed here; null where there is none. */
export async function findDebians(): Promise<string | null> {
  const versions = await readdir(VERSIONS).catch(() => [] as string[]);
  const newest = versions.map(Number).toSorted((a, b) => b - a)[0];
  return newest === undefined ? null : join(VERSIONS, String(newest), 'bin');
}

function urlOf(port: number): string {
  return `postgresql://funnel_gateway@127.0.0.1:${port}/postgres`;
}

async function postmasterOf({ data }: { readonly data: string }): Promise<string> {
  const [pid = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  return pid;
}
