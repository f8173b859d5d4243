// The secret key of a gateway without SECRET_KEY: generated when it is first needed, and stored in the data folder.
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { makeTrusted } from '../store/embedded/trust.ts';

/** The file in the data folder that contains it. */
export const SECRET_KEY_FILE = 'secret-key';

/**
 * The key in `dataDir`; generated if there is none. Concurrent processes all get the same one.
 * @throws AppError `unavailable` when it can be neither read nor created, or another user could have put it there
 */
export function loadOrCreateSecretKey(dataDir: string): string {
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
    // Flushes the key to the disk before its first use: data encrypted with it would be lost with the key.
    writeFileSync(unfinished, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Fails if another process has created the file.
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
