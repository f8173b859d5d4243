// How clients reach the embedded database.
//
// On Unix: through a socket in a folder that only PostgreSQL's user (and root) may enter, with `trust` behind it. The
// folder's mode is the lock: whoever gets past it may read the data files anyway, so a password would add nothing, and
// there is no TCP port that others could try. On Windows: a loopback port, with a random password kept beside the data.
import { chown, lstat, mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './place.ts';
import type { Postmaster } from './postmaster.ts';

/** The cluster's superuser, and the database that the gateway keeps its tables in. */
export const OWNER = 'funnel_gateway';

/** True where there are no Unix sockets. */
export const OVER_TCP = platform() === 'win32';

/** The file in the cluster's folder that holds the password for TCP. */
export const PASSWORD_FILE = 'funnel-gateway.password';

/** The bytes that a socket's address has room for on every Unix (104 on macOS, 108 on Linux, one of them a zero). */
const MAX_SOCKET_PATH_BYTES = 103;
const SOCKET_NAME = '.s.PGSQL.5432';

/** The settings that make the server listen where `connectionUrl` will look for it. */
export async function listenSettings(
  place: Place,
  previous: Postmaster | null,
): Promise<Record<string, string>> {
  if (OVER_TCP) {
    return {
      listen_addresses: '127.0.0.1',
      port: String(await freePort(previous?.port ?? 0)),
      unix_socket_directories: '',
    };
  }
  const folder = await socketFolder(place, previous);
  return {
    listen_addresses: '',
    port: '5432',
    // A list: the quotes keep a comma in the path from splitting it.
    unix_socket_directories: `"${folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  };
}

/** The connection string for one database of the running server. `pg`, Prisma and psql understand it. */
export async function connectionUrl(place: Place, server: Postmaster, database: string): Promise<string> {
  if (OVER_TCP) {
    const password = await readFile(join(place.cluster, PASSWORD_FILE), 'utf8');
    return `postgresql://${OWNER}:${password.trim()}@127.0.0.1:${server.port}/${database}?sslmode=disable`;
  }
  const folder = encodeURIComponent(server.socketFolder);
  return `postgresql://${OWNER}@localhost/${database}?host=${folder}&port=${server.port}&sslmode=disable`;
}

/** The folder for the socket: the cluster's own, or a private one where paths are short. */
async function socketFolder(place: Place, previous: Postmaster | null): Promise<string> {
  if (fits(place.cluster)) return place.cluster;
  // After a crash the old folder is taken again, so that whoever still has its address finds the server there.
  if (previous && (await isPrivate(previous.socketFolder, place))) return previous.socketFolder;
  const parent = fits(join(tmpdir(), 'funnel-gateway-XXXXXX')) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, 'funnel-gateway-'));
  if (place.user) await chown(folder, place.user.uid >>> 0, place.user.gid >>> 0);
  return folder;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
}

async function isPrivate(folder: string, place: Place): Promise<boolean> {
  const [found, cluster] = await Promise.all([lstat(folder).catch(() => null), lstat(place.cluster)]);
  return found?.isDirectory() === true && found.uid === cluster.uid && (found.mode & 0o077) === 0;
}

/** The port of last time if nobody took it meanwhile (clients may still have its address), else any. */
async function freePort(preferred: number): Promise<number> {
  const server = createServer();
  const listen = (port: number) =>
    new Promise<void>((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  await listen(preferred).catch(() => listen(0));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address ? address.port : preferred;
}
