// The secret key of a gateway that was given none: made when it is first needed, and kept in the data folder.
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { makeTrusted } from '../store/embedded/trust.ts';

/** The file of the data folder that holds it. */
export const SECRET_KEY_FILE = 'secret-key';

/**
 * The key that is kept in `dataDir`; made first where there is none. Of several processes at once, all get the same.
 * @throws AppError `unavailable` when it can neither be read nor made, or somebody else could have put it there
 */
export function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, SECRET_KEY_FILE);
  try {
    makeTrusted(dataDir);
    return read(file) ?? make(file);
  } catch (cause) {
    throw new AppError(
      'unavailable',
      'Tokens need a secret key, and this gateway cannot keep one: set SECRET_KEY.',
      {
        cause,
      },
    );
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function make(file: string): string {
  const unfinished = `${file}.${randomBytes(8).toString('hex')}`;
  const key = randomBytes(48).toString('base64url');
  try {
    // What it will have sealed is lost with it: it is on the disk before it is used.
    writeFileSync(unfinished, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Takes the name only if nobody else has.
    linkSync(unfinished, file);
    return key;
  } catch (error) {
    const theirs = read(file);
    if (theirs === null) throw error;
    return theirs;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
