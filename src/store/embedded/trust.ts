// Detects folders that other users of this machine can change or replace, and reads files in their folders safely. On Windows, users are
// not distinguished.
import { constants, lstatSync, mkdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { getgroups, getuid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../errors.ts';
import { rethrowIfOutOfResources } from './failure.ts';

/** The program's own folder. A user who can change it, or a folder above it, can harm us anyway. */
const PROGRAM = realpathSync(fileURLToPath(new URL('../../..', import.meta.url)));
const MAX_LINKS = 40;
const MAX_FILE_BYTES = 4_096;
const WRITE = { all: 0o002, group: 0o020 };
const STICKY = 0o1000;

/**
 * Refuses a folder that other users can change or replace. Every folder and link of its path must belong to root, to this process's user or
 * to the program's owner, and nobody else may write there. Folders above it with the sticky bit, such as /tmp, are accepted. Missing parts
 * of the path are not checked.
 * @throws StartupError with the entry; the file system's error if it cannot be read
 */
export function requireTrusted(folder: string): void {
  if (!getuid) return;
  const trusted = [0, lstatSync('/').uid, getuid(), lstatSync(PROGRAM).uid];
  const names = resolve(folder).split(sep);
  let path = '/';
  for (let links = 0; names.length > 0 && links <= MAX_LINKS; ) {
    const above = path;
    path = join(above, names.shift() ?? '');
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (!entry) return;
    const isEnd = names.every((name) => name === '');
    const isSticky = (entry.mode & STICKY) !== 0;
    const leadsToProgram = join(PROGRAM, sep).startsWith(join(path, sep));
    if (!leadsToProgram || (isEnd && isSticky)) {
      if (!trusted.includes(entry.uid))
        throw unsafeFolder(
          folder,
          `${path} belongs to another user of this machine (id ${entry.uid}): start as that user`,
        );
      if (entry.isDirectory() && (isEnd || !isSticky) && isWritableByOthers(entry))
        throw unsafeFolder(folder, `others may write in ${path}: take that from them (chmod go-w)`);
    }
    if (!entry.isSymbolicLink()) continue;
    links += 1;
    const target = readlinkSync(path);
    names.unshift(...target.split(sep));
    path = isAbsolute(target) ? '/' : above;
  }
}

/**
 * Creates the folder if it is missing, and refuses it as `requireTrusted` does. It checks again afterwards, because in /tmp others may be
 * faster.
 */
export function makeTrusted(folder: string): void {
  requireTrusted(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  requireTrusted(folder);
}

/** Whether `requireTrusted` accepts the folder. */
export function isTrustedFolder(folder: string): boolean {
  try {
    requireTrusted(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads a small file in a folder that PostgreSQL's user may write. It follows no links, soft or hard, and reads only regular files, so that
 * it cannot block.
 * @returns an empty string if there is no such file @throws Error if that cannot be determined
 */
export async function readSmallFile(path: string): Promise<string> {
  // Windows has neither flag; there they are undefined, which `|` treats as 0.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(rethrowIfOutOfResources);
  if (!file) return '';
  try {
    const found = await file.stat();
    if (!found.isFile() || found.nlink !== 1) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function isWritableByOthers({ uid, gid, mode }: Stats): boolean {
  // A user's private group has the user's id. Root's own groups may write.
  const isOwn = gid === uid || (uid === 0 && getgroups?.().includes(gid));
  return (mode & WRITE.all) !== 0 || ((mode & WRITE.group) !== 0 && !isOwn);
}

function unsafeFolder(folder: string, why: string): StartupError {
  return new StartupError(`The folder ${folder} is not safe, for ${why}, or choose another data folder.`);
}
