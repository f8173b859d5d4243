// A PostgreSQL of a trial's own: the embedded binaries as a standalone server on a loopback port, which nothing watches over, so that
// the trial alone decides when it runs, hangs, and dies.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ADMINISTRATOR, OWNER } from '../../../src/store/embedded/address.ts';
import { findBinaries } from '../../../src/store/embedded/binaries.ts';
import { createCluster } from '../../../src/store/embedded/cluster.ts';
import { findDataFolder } from '../../../src/store/embedded/data-folder.ts';
import { CHILD_ENV } from '../../../src/store/embedded/user.ts';
import { freePort } from '../../support/free-port.ts';
import { signalTree } from './processes.ts';

const START_TIMEOUT_MS = 30_000;

export interface Postgres {
  readonly url: string;
  /** The same as the server's superuser. */
  readonly administratorUrl: string;
  readonly port: number;
  /** The folder of the cluster. */
  readonly dataDir: string;
  /** What it has logged: each line begins with the name of the application whose statement it is about. */
  log(): Promise<string>;
  /** Starts it again, on the same port; answers when it takes connections. */
  start(): Promise<void>;
  /** Ends it: cleanly with SIGINT, as a crash with SIGQUIT; with SIGKILL all of its processes at once. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Sends a signal to the server and all of its processes: SIGSTOP, SIGCONT. */
  signalAll(signal: NodeJS.Signals): Promise<void>;
  /** Ends it, and takes its files away. */
  remove(): Promise<void>;
}

/** Makes a cluster and starts it. @param settings on top of PostgreSQL's own */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'fg-faults-'));
  await chmod(folder, 0o755);
  const dataFolder = await findDataFolder(folder);
  const binaries = await findBinaries(dataFolder);
  await createCluster(dataFolder, binaries);
  const { cluster, user } = dataFolder;
  await writeFile(join(cluster, 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 trust\n');
  const port = await freePort();
  const all = {
    ...{ port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' },
    ...{ max_connections: '100', shared_buffers: '128MB', timezone: 'UTC' },
    ...{ log_line_prefix: '%a ', ...settings },
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const urlOf = (user: string) => `postgresql://${user}@127.0.0.1:${port}/${OWNER}`;
  const url = urlOf(OWNER);
  const logFile = join(folder, 'trial.log');
  const log = await open(logFile, 'a');
  let server: ChildProcess | null = null;
  const postgres: Postgres = {
    url,
    administratorUrl: urlOf(ADMINISTRATOR),
    port,
    dataDir: cluster,
    log: () => readFile(logFile, 'utf8'),
    async start() {
      const deadline = performance.now() + START_TIMEOUT_MS;
      // One of its killed processes may still be there, for which it refuses to start.
      for (;;) {
        const child = spawn(binaries.postgres, ['-D', cluster, ...options], {
          ...user,
          cwd: '/',
          env: CHILD_ENV,
          stdio: ['ignore', log.fd, log.fd],
        });
        server = child;
        while (child.exitCode === null) {
          if (await isReady(url)) return;
          await sleep(10);
        }
        if (performance.now() > deadline) throw new Error(`PostgreSQL ended with ${child.exitCode}`);
        await sleep(100);
      }
    },
    async stop(signal) {
      const child = server;
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      if (signal === 'SIGKILL') await postgres.signalAll(signal);
      else child.kill(signal);
      await ended;
    },
    async signalAll(signal) {
      const pid = server?.pid;
      if (pid !== undefined && server?.exitCode === null && server.signalCode === null)
        await signalTree(pid, signal);
    },
    async remove() {
      await postgres.signalAll('SIGCONT');
      await postgres.stop('SIGQUIT');
      await log.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await postgres.start();
  return postgres;
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
