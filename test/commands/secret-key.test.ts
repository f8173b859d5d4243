// The secret key that the gateway creates and stores itself.
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadOrCreateSecretKey } from '../../src/commands/secret-key.ts';
import { temporaryFolder } from './cli.ts';

const folder = await temporaryFolder();
afterAll(() => folder.remove());

test('is created once, in a file that only its owner can read', async () => {
  const dataDir = join(folder.path, 'own');
  const key = loadOrCreateSecretKey(dataDir);
  expect(key).toHaveLength(64);
  expect(loadOrCreateSecretKey(dataDir)).toBe(key);
  expect((await stat(join(dataDir, 'secret-key'))).mode & 0o777).toBe(0o600);
});

test('is refused from a folder in which others may write', async () => {
  const dataDir = join(folder.path, 'open');
  await mkdir(dataDir);
  await chmod(dataDir, 0o1777);
  expect(() => loadOrCreateSecretKey(dataDir)).toThrow('set SECRET_KEY');
  await writeFile(join(dataDir, 'secret-key'), 'a key that somebody else knows');
  expect(() => loadOrCreateSecretKey(dataDir)).toThrow('set SECRET_KEY');
});
