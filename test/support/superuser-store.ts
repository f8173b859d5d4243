// A store as earlier versions created it: the gateway's user is the superuser from initdb.
import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { connectionUrl, listenSettings, OWNER } from '../../src/store/embedded/address.ts';
import { findBinaries } from '../../src/store/embedded/binaries.ts';
import { findDataFolder } from '../../src/store/embedded/data-folder.ts';
import { readPostmaster, startServer, stopServer } from '../../src/store/embedded/postmaster.ts';
import { CHILD_ENV } from '../../src/store/embedded/user.ts';
import { query } from './cluster.ts';

/** A running server on such a store. */
export interface SuperuserStore {
  /** The address of its database, as the gateway's user. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Creates one in a data folder. */
export async function makeSuperuserStore(dataDir: string): Promise<SuperuserStore> {
  const dataFolder = await findDataFolder(dataDir);
  const { cluster, user } = dataFolder;
  const binaries = await findBinaries(dataFolder);
  await mkdir(cluster, { mode: 0o700 });
  if (user !== null) await chown(cluster, user.uid, user.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  await promisify(execFile)(
    binaries.initdb,
    [`--pgdata=${cluster}`, `--username=${OWNER}`, ...locale, '--auth-local=trust', '--no-sync'],
    { ...user, cwd: '/', env: CHILD_ENV },
  );
  const store = await startSuperuserStore(dataDir);
  await query(store.url.replace(`/${OWNER}?`, '/postgres?'), `create database ${OWNER}`);
  return store;
}

/** Starts the server without changing anything. */
export async function startSuperuserStore(dataDir: string): Promise<SuperuserStore> {
  const dataFolder = await findDataFolder(dataDir);
  const binaries = await findBinaries(dataFolder);
  const settings = { fsync: 'off', timezone: 'UTC', shared_buffers: '16MB' };
  const all = { ...settings, ...(await listenSettings(dataFolder, 0)) };
  await startServer(dataFolder, binaries, all, null, performance.now() + 30_000);
  const server = await readPostmaster(dataFolder.cluster);
  if (server === null) throw new Error('PostgreSQL does not run.');
  return {
    url: await connectionUrl(dataFolder, server, OWNER),
    stop: () => stopServer(dataFolder, binaries, server),
  };
}
