// Checks the secret key, from SECRET_KEY or the data folder. Doctor creates none, and prints none.
import { lstat, readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import type { Settings } from '../../config/config.ts';
import { MIN_SECRET_KEY_LENGTH } from '../../config/values.ts';
import { SECRET_KEY_FILE } from '../secret-key.ts';
import { type Finding, findingsOf, findingsOrOk } from './findings.ts';

const { fail, ok, warn } = findingsOf('secret key');

/** Findings about the secret key, and the keys themselves for other checks. */
export async function checkSecretKey({ config, secrets }: Settings): Promise<{
  findings: Finding[];
  keys: readonly string[];
}> {
  const isEmbedded = secrets.databaseUrl === undefined;
  const { secretKeys } = secrets;
  if (secretKeys.length > 0) {
    const count = secretKeys.length === 1 ? 'one key' : `${secretKeys.length} keys, the first one seals`;
    return { findings: [ok(`SECRET_KEY holds ${count}`)], keys: secretKeys };
  }
  const file = join(config.dataDir, SECRET_KEY_FILE);
  const found = await lstat(file).catch(() => null);
  if (found === null) {
    const message = `there is none yet; one is made in ${config.dataDir} when it is first needed`;
    const finding = isEmbedded ? ok(message) : warn(message, SET);
    return { findings: [finding], keys: [] };
  }
  const text = await readFile(file, 'utf8').catch(() => null);
  if (!found.isFile() || text === null)
    return {
      findings: [fail(`${file} cannot be read`, 'correct its rights, or set SECRET_KEY')],
      keys: [],
    };
  const key = text.trim();
  const findings = findingsOrOk(ok(`kept in ${file}, for its owner alone`), [
    platform() !== 'win32' &&
      (found.mode & 0o077) !== 0 &&
      warn(`others may read ${file}`, `chmod 600 ${file}, and consider rotating the keys that it encrypts`),
    getuid !== undefined &&
      ![0, getuid()].includes(found.uid) &&
      warn(`${file} belongs to another user`, 'see who put it there'),
    key.length < MIN_SECRET_KEY_LENGTH &&
      warn(`the key in ${file} is short`, `make one of ${MIN_SECRET_KEY_LENGTH} characters at least`),
    !isEmbedded && warn(`it is stored in ${file}, on this machine only`, SET),
  ]);
  return { findings, keys: key === '' ? [] : [key] };
}

const SET = 'set SECRET_KEY: every process needs the same, and it must outlive this folder';
