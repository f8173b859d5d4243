// Decides where the embedded database's files are, and as which user PostgreSQL runs. PostgreSQL refuses to run as root, so for root it
// runs as another existing user. If that user cannot access the data folder, the files are kept below /var/lib instead. The folders above
// the database's own are ours, so PostgreSQL's user can change nothing outside its folder. The data folder records its folder below
// /var/lib, so that removing the data folder leads to a fresh start.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  constants,
  lstat,
  mkdir,
  readdir,
  realpath,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getuid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../errors.ts';
import { codeOf, messageOf } from './failure.ts';
import { isTrustedFolder, readSmallFile, requireTrusted } from './trust.ts';
import { canEnter, ordinaryUser, type SystemUser } from './user.ts';

/**
 * Root's own folder for files that cannot be in the data folder. Not below /tmp, where other users may create it first and files expire.
 */
export const ROOT_SPARE_FOLDER = '/var/lib/funnel-gateway';

/** The paths of the embedded database. */
export interface DataFolder {
  /** PostgreSQL's data directory. */
  readonly cluster: string;
  /** The folder that contains `cluster` and its unfinished copies. */
  readonly home: string;
  /** The folder for a copy of the binaries. For root, `makeSpare` must create it first. */
  readonly spare: string;
  /** PostgreSQL's log. We open it, so PostgreSQL's user needs no write access to its folder. */
  readonly log: string;
  /** Whether the files are in another folder than requested. */
  readonly relocated: boolean;
  /** The user that PostgreSQL runs as; null: the user of this process. */
  readonly user: SystemUser | null;
}

/** Decides where the files are, and creates the folders. @throws StartupError if it cannot */
export async function findDataFolder(dataDir: string): Promise<DataFolder> {
  const asked = resolve(dataDir);
  const made = await makeFolder(asked);
  // Resolved, because processes that share a database find its server by this path.
  const home = await realpath(asked);
  const owner = await clusterOwner(home);
  if (getuid?.() !== 0) {
    if (owner && getuid && owner.uid !== getuid()) {
      throw new StartupError(
        `The database in ${home} belongs to another user of this machine (id ${owner.uid}): start as that user, or choose another data folder.`,
      );
    }
    return { ...paths(home), spare: home, log: join(home, 'postgres.log'), relocated: false, user: null };
  }
  return placeForRoot(home, owner, made === undefined ? undefined : await realpath(made));
}

async function placeForRoot(
  asked: string,
  owner: SystemUser | null,
  made: string | undefined,
): Promise<DataFolder> {
  const log = join(asked, 'postgres.log');
  const here = { ...paths(asked), spare: ROOT_SPARE_FOLDER, log, relocated: false };
  if (owner) {
    if (await canEnter(owner, asked)) return { ...here, user: owner };
    throw new StartupError(
      `The database in ${asked} belongs to the user with id ${owner.uid}, who cannot enter that folder: let that user enter it (chmod o+x), or choose another data folder.`,
    );
  }
  const at = (home: string) => ({ ...paths(home), spare: ROOT_SPARE_FOLDER, log, relocated: true });
  const known = await spareHome(asked);
  const there = known !== null && isTrustedFolder(known) ? await clusterOwner(known) : null;
  if (known !== null && there) return { ...at(known), user: there };
  const user = await ordinaryUser();
  // Only a new or empty folder is ours; a folder with other contents keeps its mode.
  const ours = made ?? ((await readdir(asked)).length === 0 ? asked : undefined);
  if (ours !== undefined) await allowGroupToEnter(user, ours, asked);
  if (await canEnter(user, asked)) return { ...here, user };
  await makeSpare(user);
  const home = known ?? (await makeSpareHome(asked));
  await mkdir(home, { recursive: true, mode: 0o700 });
  await allowGroupToEnter(user, home, home);
  return { ...at(home), user };
}

/** Creates root's own folder, which the user may enter and only root may write. @throws StartupError if it cannot */
export async function makeSpare(user: SystemUser): Promise<void> {
  requireTrusted(ROOT_SPARE_FOLDER);
  const made = await mkdir(ROOT_SPARE_FOLDER, { recursive: true, mode: 0o755 }).catch(() => undefined);
  if (made) await chmod(ROOT_SPARE_FOLDER, 0o755);
  if (await canEnter(user, ROOT_SPARE_FOLDER)) return;
  throw new StartupError(
    `The folder ${ROOT_SPARE_FOLDER}, where root's database keeps its files, cannot be made or entered: start as an ordinary user, or set DATABASE_URL to a PostgreSQL server.`,
  );
}

/** The file in a data folder that has the name of its folder below root's own. */
const ID_FILE = 'postgres-elsewhere';
const ID = /^[0-9a-f]{16}$/;
const ID_WRITTEN = { attempts: 100, pauseMs: 20 };

/** The prefix of those folders' names. */
function spareName(asked: string): string {
  return createHash('sha256').update(asked).digest('hex').slice(0, 12);
}

/** The folder of the files if PostgreSQL's user cannot enter the data folder; null if it is not decided yet. */
export async function spareHome(asked: string): Promise<string | null> {
  const id = (await readSmallFile(join(asked, ID_FILE))).trim();
  if (ID.test(id)) return join(ROOT_SPARE_FOLDER, `${spareName(asked)}-${id}`);
  // Older versions derived the name from the path alone. Their databases have left a log in the data folder.
  return existsSync(join(asked, 'postgres.log')) ? join(ROOT_SPARE_FOLDER, spareName(asked)) : null;
}

/** Chooses such a folder. Concurrent processes all use the first one's choice. */
async function makeSpareHome(asked: string): Promise<string> {
  const file = join(asked, ID_FILE);
  await writeFile(file, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  for (let attempts = 0; attempts < ID_WRITTEN.attempts; attempts++) {
    const home = await spareHome(asked);
    if (home !== null) return home;
    await sleep(ID_WRITTEN.pauseMs);
  }
  throw new StartupError(`The file ${file} is damaged: remove it, or choose another data folder.`);
}

/** Finds folders below root's own with databases of removed data folders at the same path. */
export async function earlierHomes(dataDir: string, cluster: string): Promise<string[]> {
  if (getuid?.() !== 0) return [];
  const name = spareName(await realpath(resolve(dataDir)));
  const names = await readdir(ROOT_SPARE_FOLDER).catch(() => []);
  return names
    .filter((each) => each === name || each.startsWith(`${name}-`))
    .map((each) => join(ROOT_SPARE_FOLDER, each))
    .filter((home) => paths(home).cluster !== cluster)
    .sort();
}

/** A home folder with its cluster. */
export function paths(home: string): { home: string; cluster: string } {
  return { home, cluster: join(home, 'postgres') };
}

/** Creates the folder and returns the first part of its path that was missing. @throws StartupError if the folder is not safe */
async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    requireTrusted(folder);
    const made = await makeAll(folder);
    // In a folder such as /tmp, another user may have created it meanwhile.
    requireTrusted(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const why = codeOf(error) === 'ENOSPC' ? 'the disk is full' : messageOf(error);
    throw new StartupError(
      `The data folder ${folder} cannot be created or written (${why}): choose a folder that can, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
}

/** Node's recursive mkdir loops forever on a file system that answers ENOENT to every mkdir, such as /proc. */
async function makeAll(folder: string): Promise<string | undefined> {
  if (await stat(folder).catch(() => null)) return undefined;
  const above = dirname(folder) === folder ? undefined : await makeAll(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
    return above ?? folder;
  } catch (error) {
    // Another process that is starting has created it.
    if (codeOf(error) !== 'EEXIST') throw error;
    return above;
  }
}

/** The owner of the cluster below this home, or null if there is none. @throws StartupError for a cluster that cannot be used */
export async function clusterOwner(home: string): Promise<SystemUser | null> {
  const cluster = join(home, 'postgres');
  try {
    const found = await lstat(cluster);
    if (found.isSymbolicLink()) {
      throw new StartupError(
        `The database folder ${cluster} is a link: name the folder that holds the real one in DATA_DIR.`,
      );
    }
    await lstat(join(cluster, 'PG_VERSION'));
    if (found.uid === 0 && getuid?.() === 0) {
      throw new StartupError(
        `The database in ${cluster} belongs to root, as whom PostgreSQL does not run: give it to another user (chown -R postgres ${cluster}).`,
      );
    }
    return { uid: found.uid, gid: found.gid };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if (codeOf(error) === 'EACCES') {
      throw new StartupError(
        `The database in ${home} belongs to another user of this machine: start as that user, or choose another data folder.`,
        { cause: error },
      );
    }
    return null;
  }
}

/** Lets the user's group enter the folders that we created, from `first` down to `last`. */
export async function allowGroupToEnter(user: SystemUser, first: string, last: string): Promise<void> {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) {
    await chown(folder, 0, user.gid >>> 0);
    await chmod(folder, 0o710);
  }
}
