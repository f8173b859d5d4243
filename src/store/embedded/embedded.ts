// The embedded PostgreSQL: the default store of a gateway that was given no DATABASE_URL. It runs as a process of its
// own that several gateways and commands share; the first one starts it, and the last one to let go stops it.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { connectionUrl, listenSettings, OWNER } from './address.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { createCluster, hasCluster } from './cluster.ts';
import { type DataFolder, findDataFolder } from './data-folder.ts';
import { codeOf } from './failure.ts';
import { claimAlone, close, connect, giveUpLease, LEASE_DATABASE, takeLease } from './lease.ts';
import { findServer, isServerOf, readPostmaster, startServer, stopServer } from './postmaster.ts';

/** A running embedded database, and this process's hold on it. */
export interface EmbeddedDatabase {
  /** The connection string, for `pg` and for Prisma's adapter. It stays the same when the server is started again. */
  readonly url: string;
  /** The folder that really holds the data. */
  readonly dataDir: string;
  /** True when the data had to be kept elsewhere than asked (root, in a folder that only root may enter). */
  readonly relocated: boolean;
  /** Whether nobody else uses the database. If so, whoever wants to waits until `release`. */
  claim(): Promise<boolean>;
  /** Lets go of the database; whoever lets go last stops it cleanly. May be called again. */
  release(): Promise<void>;
}

interface EmbeddedOptions {
  /** The folder that the database's own folder is made in. */
  dataDir: string;
  /** PostgreSQL settings on top of ours, if it is this call that starts the server. */
  settings?: Record<string, string>;
}

interface Cluster {
  dataFolder: DataFolder;
  binaries: Binaries;
  settings: Record<string, string>;
}

const OPEN_TIMEOUT_MS = 60_000;
const RETRY_MS = 15;
const HEAL_PAUSE_MS = { first: 50, most: 5_000 };

/** For one machine that runs other things too. What the gateway acknowledged is on the disk: fsync and commits wait. */
const SETTINGS = {
  shared_buffers: '256MB',
  max_connections: '100',
  max_wal_size: '512MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A failed statement is reported to whoever sent it; the log is for what befalls the server.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** Starts the embedded PostgreSQL below `dataDir`, or joins the one that another process runs there. */
export async function openEmbedded({ dataDir, settings = {} }: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataFolder = await findDataFolder(dataDir);
  const binaries = await findBinaries(dataFolder);
  if (!(await hasCluster(dataFolder, binaries))) await createCluster(dataFolder, binaries);
  const cluster = { dataFolder, binaries, settings: { ...SETTINGS, ...settings } };
  const hold = createHold(cluster, await acquire(cluster, new AbortController().signal));
  try {
    const url = await createDatabase(dataFolder, hold.client());
    let released: Promise<void> | undefined;
    return {
      url,
      dataDir: dataFolder.cluster,
      relocated: dataFolder.relocated,
      claim: () => claimAlone(hold.client()),
      release: () => {
        released ??= hold.release();
        return released;
      },
    };
  } catch (error) {
    await hold.release();
    throw error;
  }
}

/** Starts or joins the server until a lease is had. Servers that come and go meanwhile only cost another round. */
async function acquire({ dataFolder, binaries, settings }: Cluster, signal: AbortSignal): Promise<pg.Client> {
  const deadline = performance.now() + OPEN_TIMEOUT_MS;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const server = await readPostmaster(dataFolder.cluster);
    if (!server || !(await isServerOf(dataFolder.cluster, server.pid))) {
      const all = { ...settings, ...(await listenSettings(dataFolder, server?.port ?? 0)) };
      if (await startServer(dataFolder, binaries, all, server, deadline)) continue;
    } else if (server.status === 'ready') {
      const lease = await takeLease(await connectionUrl(dataFolder, server, LEASE_DATABASE));
      if (lease) return lease;
    }
    await sleep(RETRY_MS);
  }
  throw new StartupError(
    `The embedded PostgreSQL was not ready within ${OPEN_TIMEOUT_MS / 1000} seconds: see ${dataFolder.log}, then start again.`,
  );
}

/** Makes the gateway's database on a fresh cluster; returns its connection string. */
async function createDatabase(dataFolder: DataFolder, client: pg.Client): Promise<string> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [OWNER]);
  if (rowCount === 0) {
    await client.query(`create database ${OWNER}`).catch((error) => {
      // 42P04, or 23505 in a dead heat: another process made it.
      if (!['42P04', '23505'].includes(codeOf(error))) throw error;
    });
  }
  const server = await readPostmaster(dataFolder.cluster);
  if (!server)
    throw new StartupError(`The embedded PostgreSQL stopped while it was starting: see ${dataFolder.log}.`);
  return connectionUrl(dataFolder, server, OWNER);
}

/** Keeps the lease: if its connection drops, another is taken in the background, and a crashed server is started again. */
function createHold(cluster: Cluster, first: pg.Client) {
  const stop = new AbortController();
  let client: pg.Client | null = null;
  let healing: Promise<void> | undefined;

  function adopt(next: pg.Client): void {
    client = next;
    next.once('end', () => {
      client = null;
      if (!stop.signal.aborted) healing = heal();
    });
  }

  async function heal(): Promise<void> {
    for (let pause = HEAL_PAUSE_MS.first; ; pause = Math.min(pause * 2, HEAL_PAUSE_MS.most)) {
      try {
        await sleep(pause, undefined, { signal: stop.signal, ref: false });
        // Someone may have removed the whole folder; a lease that comes back must not make an empty database.
        if (!(await hasCluster(cluster.dataFolder, cluster.binaries))) return;
        return adopt(await acquire(cluster, stop.signal));
      } catch {
        if (stop.signal.aborted) return;
      }
    }
  }

  async function release(): Promise<void> {
    stop.abort();
    await healing;
    const { dataFolder, binaries } = cluster;
    const server = await findServer(dataFolder.cluster);
    const last =
      client ?? (server && (await connect(await connectionUrl(dataFolder, server, LEASE_DATABASE))));
    if (!last) return;
    // The connection stays until the server is gone, for while it lasts nobody can take a new lease.
    if ((await giveUpLease(last)) && server) await stopServer(dataFolder, binaries, server);
    await close(last);
  }

  adopt(first);
  return {
    client: () => client ?? first,
    release,
  };
}
