// The files in the data folder that belong to the embedded database: its secret key and the demo's credentials. A backup contains them,
// and a restore puts them back.
import { chmod, copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../store/backup/manifest.ts';
import { makeTrusted, requireTrusted } from '../store/embedded/trust.ts';
import { SECRET_KEY_FILE } from './secret-key.ts';

/** The existing files, by name. @throws StartupError when another user could have put them there */
export async function readKeptFiles(dataDir: string): Promise<Map<string, string>> {
  requireTrusted(dataDir);
  const found = new Map<string, string>();
  for (const name of FILES) {
    const content = await readFile(join(dataDir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (content !== null) found.set(name, content);
  }
  return found;
}

/** Written files that are not at their final paths yet. */
interface PendingFiles {
  /** Moves them to their final paths. */
  place(): Promise<void>;
  /** Removes the files that were not moved. */
  discard(): Promise<void>;
  /** The path of the saved previous secret key; null if there was no other one. */
  readonly earlierKey: string | null;
}

/**
 * Writes files in the folders of their final paths, readable only for their owner. Saves an existing different secret key under another
 * name.
 */
export async function writeKeptFiles(
  dataDir: string,
  files: ReadonlyMap<string, string>,
  now: Date,
): Promise<PendingFiles> {
  makeTrusted(dataDir);
  const there = await readKeptFiles(dataDir);
  const waiting = (name: string) => join(dataDir, `${name}.restoring`);
  for (const [name, content] of files) {
    await rm(waiting(name), { force: true });
    await writeFile(waiting(name), content, { mode: 0o600, flag: 'wx', flush: true });
  }
  const [old, next] = [there.get(SECRET_KEY_FILE), files.get(SECRET_KEY_FILE)];
  let earlierKey: string | null = null;
  if (old !== undefined && next !== undefined && old.trim() !== next.trim()) {
    earlierKey = join(dataDir, `${SECRET_KEY_FILE}.before-${timeInNames(now)}`);
    await copyFile(join(dataDir, SECRET_KEY_FILE), earlierKey);
    await chmod(earlierKey, 0o600);
  }
  return {
    earlierKey,
    async place() {
      for (const name of files.keys()) await rename(waiting(name), join(dataDir, name));
    },
    async discard() {
      for (const name of files.keys()) await rm(waiting(name), { force: true });
    },
  };
}

/** A time in the form for file names: 20261122T093000Z. */
export function timeInNames(time: Date): string {
  return time.toISOString().replaceAll(/[-:]|\.\d+/g, '');
}
