// Where the embedded database's files lie and as whom PostgreSQL runs. It refuses to run as root; so as root it runs as
// an existing user, and where that user cannot get at the data folder, the files are kept below /var/lib instead.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, chown, constants, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { getuid } from 'node:process';
import { promisify } from 'node:util';
import { StartupError } from '../../errors.ts';
import { codeOf, messageOf } from './failure.ts';

const run = promisify(execFile);

/** A user of the machine, as `spawn` wants it. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/** The embedded database's place on the disk. */
export interface Place {
  /** What PostgreSQL calls its data directory. */
  readonly cluster: string;
  /** The folder that `cluster` and its unfinished siblings lie in. */
  readonly home: string;
  /** Where a copy of the binaries may be kept. */
  readonly spare: string;
  /** PostgreSQL's own log; opened by us, so it needs no folder that PostgreSQL's user may write. */
  readonly log: string;
  /** True when the files had to be kept elsewhere than asked. */
  readonly relocated: boolean;
  /** Whom PostgreSQL runs as; null is the user that this process runs as. */
  readonly user: SystemUser | null;
}

/** Decides where the files lie, and makes the folders. Throws a StartupError when it cannot. */
export async function findPlace(dataDir: string): Promise<Place> {
  const asked = resolve(dataDir);
  const made = await makeFolder(asked);
  // One name for one folder: the processes that share a database find its server by this path.
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
): Promise<Place> {
  const log = join(asked, 'postgres.log');
  const spares = [...new Set(['/var/lib', tmpdir(), '/tmp'].map((parent) => join(parent, 'funnel-gateway')))];
  if (owner) {
    if (!(await canEnter(owner, asked))) {
      throw new StartupError(
        `The database in ${asked} belongs to the user with id ${owner.uid}, who cannot enter that folder: let that user enter it (chmod o+x), or choose another data folder.`,
      );
    }
    return { ...paths(asked), spare: await firstSpare(spares, owner), log, relocated: false, user: owner };
  }
  const name = createHash('sha256').update(asked).digest('hex').slice(0, 12);
  for (const spare of spares) {
    const there = await clusterOwner(join(spare, name));
    if (there) return { ...paths(join(spare, name)), spare, log, relocated: true, user: there };
  }
  const user = await ordinaryUser();
  // An empty folder was made for us; one with other things in it keeps its mode.
  const ours = made ?? ((await readdir(asked)).length === 0 ? asked : undefined);
  if (ours !== undefined) await admit(user, ours, asked);
  const spare = await firstSpare(spares, user);
  if (await canEnter(user, asked)) return { ...paths(asked), spare, log, relocated: false, user };
  const home = join(spare, name);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await admit(user, home, home);
  return { ...paths(home), spare, log, relocated: true, user };
}

function paths(home: string): { home: string; cluster: string } {
  return { home, cluster: join(home, 'postgres') };
}

/** Makes the folder and returns the first one of its path that was missing. */
async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    const made = await makeAll(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    const why = codeOf(error) === 'ENOSPC' ? 'the disk is full' : messageOf(error);
    throw new StartupError(
      `The data folder ${folder} cannot be created or written (${why}): choose a folder that can, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
}

/** Node's own recursive mkdir spins for ever on a file system that answers ENOENT to every mkdir, such as /proc. */
async function makeAll(folder: string): Promise<string | undefined> {
  if (await stat(folder).catch(() => null)) return undefined;
  const above = dirname(folder) === folder ? undefined : await makeAll(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
    return above ?? folder;
  } catch (error) {
    // Another process that starts at the same time made it.
    if (codeOf(error) !== 'EEXIST') throw error;
    return above;
  }
}

/** Who owns the cluster below this home, or null when there is none. */
async function clusterOwner(home: string): Promise<SystemUser | null> {
  try {
    const { uid, gid } = await stat(join(home, 'postgres', 'PG_VERSION'));
    if (uid === 0 && getuid?.() === 0) {
      throw new StartupError(
        `The database in ${join(home, 'postgres')} belongs to root, as whom PostgreSQL does not run: give it to another user (chown -R postgres).`,
      );
    }
    return { uid, gid };
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

/** A user that is not root. None is ever added to the machine. */
async function ordinaryUser(): Promise<SystemUser> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      // macOS prints nobody's id as -2, which is what spawn takes too.
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {}
  }
  throw new StartupError(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody": start as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
}

/** Lets the user's group pass through the folders that we made ourselves, from `first` down to `last`. */
async function admit(user: SystemUser, first: string, last: string): Promise<void> {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) {
    await chown(folder, 0, user.gid >>> 0);
    await chmod(folder, 0o710);
  }
}

/** Asks the kernel, which knows about access lists and mounts too. */
async function canEnter(user: SystemUser, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** The first folder that can be made and entered, and that root alone may write (one of them is below /tmp). */
async function firstSpare(folders: string[], user: SystemUser): Promise<string> {
  for (const folder of folders) {
    try {
      if (await mkdir(folder, { recursive: true, mode: 0o755 })) await chmod(folder, 0o755);
      const found = await lstat(folder);
      const safe = found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
      if (safe && (await canEnter(user, folder))) return folder;
    } catch {}
  }
  throw new StartupError(
    `None of the folders ${folders.join(', ')} can be made, where root's database would be kept: start as an ordinary user, or set DATABASE_URL to a PostgreSQL server.`,
  );
}
