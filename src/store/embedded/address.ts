// How clients connect to the embedded database.
//
// On Unix: through a socket in a folder that only PostgreSQL's user and root may enter, with `trust` authentication. The folder's mode is
// the protection: anyone who gets past it can read the data files anyway, so a password would add nothing, and there is no TCP port for
// others to try. On Windows: a loopback port, with a random password stored next to the data. The socket's path is computed from the
// cluster's path, and never read from files that PostgreSQL's user may write.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lchown, lstat, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { StartupError } from '../../errors.ts';
import { type DataFolder, makeSpare } from './data-folder.ts';
import { codeOf } from './failure.ts';
import type { Postmaster } from './postmaster.ts';
import { isTrustedFolder } from './trust.ts';

/** The gateway's user, a plain owner (owner.ts), and its database. */
export const OWNER = 'funnel_gateway';

/** The cluster's superuser. No store is opened as this user. */
export const ADMINISTRATOR = 'funnel_gateway_administrator';

/** Whether PostgreSQL lacks Unix sockets on this platform. */
export const OVER_TCP = platform() === 'win32';

/** The file in the cluster's folder with the password of both users for TCP. */
export const PASSWORD_FILE = 'funnel-gateway.password';

/** The maximum length in bytes of a socket's path on every Unix (104 on macOS, 108 on Linux, including a zero byte). */
const MAX_SOCKET_PATH_BYTES = 103;
const SOCKET_NAME = '.s.PGSQL.5432';

/**
 * The settings that make the server listen where `connectionUrl` expects it. Creates the socket's folder.
 * @param lastPort the last port, if ports are used; 0 if there was none
 * @throws StartupError if the socket's folder belongs to another user
 */
export async function listenSettings(
  dataFolder: DataFolder,
  lastPort: number,
): Promise<Record<string, string>> {
  if (OVER_TCP) {
    return {
      listen_addresses: '127.0.0.1',
      port: String(await freePort(lastPort)),
      unix_socket_directories: '',
    };
  }
  const folder = socketFolder(dataFolder);
  if (folder !== dataFolder.cluster) await makeSocketFolder(dataFolder, folder);
  return {
    listen_addresses: '',
    port: '5432',
    // This setting is a list: the quotes keep a comma in the path from splitting it.
    unix_socket_directories: `"${folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  };
}

/** What determines the socket's path. */
type Place = Pick<DataFolder, 'cluster' | 'spare' | 'user'>;

/** The connection string of a user for one database of the running server. `pg`, Prisma and psql understand it. */
export async function connectionUrl(
  dataFolder: Place,
  server: Postmaster,
  database: string,
  user = OWNER,
): Promise<string> {
  if (OVER_TCP) {
    const password = await readPassword(dataFolder);
    return `postgresql://${user}:${password}@127.0.0.1:${server.port}/${database}?sslmode=disable`;
  }
  const folder = encodeURIComponent(socketFolder(dataFolder));
  return `postgresql://${user}@localhost/${database}?host=${folder}&port=5432&sslmode=disable`;
}

/** The password for TCP; null with sockets, which need none. */
export async function readPassword({ cluster }: Pick<DataFolder, 'cluster'>): Promise<string | null> {
  return OVER_TCP ? (await readFile(join(cluster, PASSWORD_FILE), 'utf8')).trim() : null;
}

/**
 * The folder for the socket: the cluster's own or, if that path is too long, a short path computed from it. An empty short folder stays
 * when the server stops, because another server may just be starting.
 */
function socketFolder({ cluster, spare, user }: Place): string {
  if (Buffer.byteLength(join(cluster, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) return cluster;
  const name = createHash('sha256').update(cluster).digest('hex').slice(0, 12);
  return user ? join(spare, `${name}.socket`) : `/tmp/funnel-gateway-${getuid?.()}-${name}`;
}

async function makeSocketFolder({ user }: DataFolder, folder: string): Promise<void> {
  if (user) await makeSpare(user);
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  // Only root can create entries in root's own folder; in /tmp another user may have been first.
  if (user) return lchown(folder, user.uid >>> 0, user.gid >>> 0);
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && found.uid === getuid?.() && (found.mode & 0o077) === 0;
  if (isOurs && isTrustedFolder(folder)) return;
  throw new StartupError(
    `The folder ${folder}, for PostgreSQL's socket, is open to others or somebody else's: remove it, or choose a data folder with a shorter path.`,
  );
}

/** The last port if it is still free (clients may have its address), otherwise any free port. */
async function freePort(preferred: number): Promise<number> {
  await using server = createServer();
  const listen = (port: number) => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen(preferred).catch(() => listen(0));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : preferred;
}
