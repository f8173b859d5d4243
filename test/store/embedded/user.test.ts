// A program that runs for the database gets nothing of our environment.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readPostmaster } from '../../../src/store/embedded/postmaster.ts';
import { ordinaryUser, runAs } from '../../../src/store/embedded/user.ts';
import { createClusters } from '../../support/cluster.ts';

const clusters = createClusters();
afterEach(async () => {
  vi.unstubAllEnvs();
  await clusters.clean();
});

test.runIf(process.getuid?.() === 0)(
  'a script that root runs as another user gets none of our secrets',
  async () => {
    vi.stubEnv('SECRET_KEY', 'precious');
    const user = await ordinaryUser();
    expect(await runAs(user, 'test "$(id -u)" = "$1" && test -z "$SECRET_KEY"', String(user.uid))).toBe(true);
  },
);

test.runIf(process.platform === 'linux')('nor has PostgreSQL', async () => {
  vi.stubEnv('SECRET_KEY', 'precious');
  const held = await clusters.open(await clusters.folder());
  const server = await readPostmaster(held.dataDir);
  const environment = await readFile(join('/proc', String(server?.pid), 'environ'), 'utf8');
  expect(environment).toContain('LC_ALL=C');
  expect(environment).not.toContain('precious');
});
