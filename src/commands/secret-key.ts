// The secret key of a gateway that was given none: made once, and kept in the data folder.
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../errors.ts';

const FILE = 'secret-key';

/**
 * The key that is kept in `dataDir`; made first where there is none. Of several processes at once, all get the same.
 * @throws StartupError when it can neither be read nor made
 */
export async function keptSecretKey(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE);
  try {
    return (await read(file)) ?? (await make(dataDir, file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartupError(
      `The secret key cannot be kept in ${file} (${code}): set SECRET_KEY, or another DATA_DIR.`,
      {
        cause: error,
      },
    );
  }
}

async function read(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim() || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function make(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomBytes(8).toString('hex')}`;
  const key = randomBytes(48).toString('base64url');
  await writeFile(unfinished, `${key}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // Takes the name only if nobody else has.
    await link(unfinished, file);
    return key;
  } catch (error) {
    const theirs = await read(file);
    if (theirs === null) throw error;
    return theirs;
  } finally {
    await rm(unfinished, { force: true });
  }
}
