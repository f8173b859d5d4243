// Checks whether the data folder is writable for us, protected from other users, and has enough free space.
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../../store/embedded/failure.ts';
import { requireTrusted } from '../../store/embedded/trust.ts';
import { type Finding, findingsOf } from './findings.ts';

const { fail, ok, warn } = findingsOf('disk');
const MB = 1_000_000;
const FREE_MB = { fail: 100, warn: 1_000 };

/** Checks the data folder. @param cluster the folder of the embedded database's files, if any: it may be on another disk */
export async function checkDisk(dataDir: string, cluster: string | null): Promise<Finding[]> {
  const findings = [await checkFolder(dataDir)];
  if (cluster === null || (await stat(cluster)).dev === (await stat(dataDir)).dev) return findings;
  return [...findings, await checkRoom(cluster, cluster)];
}

async function checkFolder(folder: string): Promise<Finding> {
  const found = await nearestExistingFolder(folder);
  try {
    requireTrusted(folder);
  } catch (error) {
    return fail(messageOf(error), 'choose another DATA_DIR, or correct the rights');
  }
  const mode = constants.R_OK | constants.W_OK | constants.X_OK;
  const refusal = await access(found, mode).then(
    () => null,
    (error: unknown) => codeOf(error),
  );
  if (refusal !== null)
    return fail(`${found} cannot be written (${refusal})`, 'give it to the user who starts the gateway');
  return checkRoom(folder, found);
}

/** Checks the free space for a folder. @param found the folder, or its nearest existing parent */
async function checkRoom(folder: string, found: string): Promise<Finding> {
  const { bavail, bsize, ffree, files } = await statfs(found);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const message = `${folder}${found === folder ? '' : ' (not made yet)'}: ${(freeMb / 1000).toFixed(1)} GB free`;
  if (freeMb < FREE_MB.fail) return fail(message, 'make room: PostgreSQL stops on a full disk');
  if (files > 0 && ffree === 0) return fail(`${message}, but no inode`, 'remove files there');
  if (freeMb < FREE_MB.warn) return warn(message, 'make room before the disk is full');
  return ok(message);
}

/** The folder, or its nearest existing parent. */
async function nearestExistingFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  return found?.isDirectory() || folder === dirname(folder) ? folder : nearestExistingFolder(dirname(folder));
}
