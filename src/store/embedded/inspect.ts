// Looks for the embedded database without creating, starting or changing anything.
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getuid } from 'node:process';
import { connectionUrl, OWNER } from './address.ts';
import { clusterOwner, paths, ROOT_SPARE_FOLDER, spareHome } from './data-folder.ts';
import { findServer } from './postmaster.ts';
import { isTrustedFolder, readSmallFile } from './trust.ts';

/** An existing embedded database. */
export interface FoundEmbedded {
  /** The folder that holds the data. */
  readonly cluster: string;
  /** The PostgreSQL major version that wrote the data: "18". */
  readonly major: string;
  /** The connection string of the running server; null if it is stopped. */
  readonly url: string | null;
}

/**
 * Finds the embedded database of a data folder, or null.
 * @throws StartupError for a database that this process's user cannot use
 */
export async function findEmbedded(dataDir: string): Promise<FoundEmbedded | null> {
  const asked = await realpath(resolve(dataDir)).catch(() => null);
  if (asked === null) return null;
  const isRoot = getuid?.() === 0;
  const elsewhere = isRoot ? await spareHome(asked) : null;
  const homes = elsewhere !== null && isTrustedFolder(elsewhere) ? [asked, elsewhere] : [asked];
  for (const home of homes) {
    const owner = await clusterOwner(home);
    if (owner === null) continue;
    const { cluster } = paths(home);
    const place = { cluster, spare: isRoot ? ROOT_SPARE_FOLDER : home, user: isRoot ? owner : null };
    const server = await findServer(cluster);
    const isReady = server?.status === 'ready';
    return {
      cluster,
      major: (await readSmallFile(join(cluster, 'PG_VERSION'))).trim(),
      url: isReady ? await connectionUrl(place, server, OWNER) : null,
    };
  }
  return null;
}
