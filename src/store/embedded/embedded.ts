// The embedded PostgreSQL: the default store of a gateway without a DATABASE_URL. It is a separate process that several gateways and
// commands share. The first one starts it, and the last one to release it stops it.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { ADMINISTRATOR, connectionUrl, listenSettings, OWNER, readPassword } from './address.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { createCluster, hasCluster } from './cluster.ts';
import { type DataFolder, findDataFolder } from './data-folder.ts';
import { claimExclusively, close, connect, LEASE_DATABASE, releaseLease, takeLease } from './lease.ts';
import { ensurePlainOwner, type OwnerState } from './owner.ts';
import { findServer, isServerOf, readPostmaster, startServer, stopServer } from './postmaster.ts';

/** A running embedded database, and this process's lease on it. */
export interface EmbeddedDatabase {
  /** The connection string, for `pg` and for Prisma's adapter. It does not change when the server is restarted. */
  readonly url: string;
  /** The superuser's connection string for another database, for what the gateway's user may not do, such as creating databases. */
  readonly administratorUrl: string;
  /** Whether the gateway's user is a plain owner (owner.ts). */
  readonly owner: OwnerState;
  /** The folder that actually holds the data. */
  readonly dataDir: string;
  /** Whether the data is in another folder than requested (for root, if only root may enter that one). */
  readonly relocated: boolean;
  /** Tries to claim the database. True if no other process uses it; then new ones wait until `release`. */
  claim(): Promise<boolean>;
  /** Releases the database; the last process to do so stops it cleanly. Can be called repeatedly. */
  release(): Promise<void>;
}

interface EmbeddedOptions {
  /** The parent folder of the database's own folder. */
  dataDir: string;
  /** Additional PostgreSQL settings, used if this call starts the server. */
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

/** Settings for a machine that runs other programs too. Acknowledged changes are on the disk: commits wait for fsync. */
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
  // Failed statements are reported to their client; the log is for events of the server.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** Starts the embedded PostgreSQL below `dataDir`, or joins one that another process runs there. */
export async function openEmbedded({ dataDir, settings = {} }: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataFolder = await findDataFolder(dataDir);
  const binaries = await findBinaries(dataFolder);
  if (!(await hasCluster(dataFolder, binaries))) await createCluster(dataFolder, binaries);
  const cluster = { dataFolder, binaries, settings: { ...SETTINGS, ...settings } };
  const hold = createHold(cluster, await acquire(cluster, new AbortController().signal));
  try {
    const owner = await ensurePlainOwner(
      hold.client(),
      await readPassword(dataFolder),
      async (user, database) => {
        const client = await connect(await urlOf(dataFolder, database, user));
        if (client === null)
          throw new StartupError('The embedded PostgreSQL takes no connection: try again.');
        return client;
      },
    );
    const url = await urlOf(dataFolder, OWNER, OWNER);
    const administratorUrl = await urlOf(dataFolder, LEASE_DATABASE, owner.isPlain ? ADMINISTRATOR : OWNER);
    let released: Promise<void> | undefined;
    return {
      url,
      administratorUrl,
      owner,
      dataDir: dataFolder.cluster,
      relocated: dataFolder.relocated,
      claim: () => claimExclusively(hold.client()),
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

/** Starts or joins the server until it has a lease. If a server stops meanwhile, it tries again. */
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

/** The connection string of a user for a database of the running server. @throws StartupError if it has stopped */
async function urlOf(dataFolder: DataFolder, database: string, user: string): Promise<string> {
  const server = await readPostmaster(dataFolder.cluster);
  if (!server)
    throw new StartupError(`The embedded PostgreSQL stopped while it was starting: see ${dataFolder.log}.`);
  return connectionUrl(dataFolder, server, database, user);
}

/** Keeps the lease. If its connection is lost, takes another lease in the background, and restarts a crashed server. */
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
        // The complete folder may have been removed. A new lease must not create an empty database.
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
    // The connection stays open until the server has stopped, because meanwhile no process can take a new lease.
    if ((await releaseLease(last)) && server) await stopServer(dataFolder, binaries, server);
    await close(last);
  }

  adopt(first);
  return {
    client: () => client ?? first,
    release,
  };
}
