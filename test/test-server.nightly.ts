// The PostgreSQL of a test run ends with the run, however that ends, and its data with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findServer } from '../src/store/embedded/postmaster.ts';
import { clearLeftovers } from './support/test-server.ts';

const MODULE = new URL('./support/test-server.ts', import.meta.url).href;
const SCRIPT = `import { dirname } from 'node:path';
  import { startTestServer } from ${JSON.stringify(MODULE)};
  const { database, guard } = await startTestServer({ fsync: 'off' });
  console.log(JSON.stringify({ cluster: database.dataDir, guard: guard.pid }));
  setInterval(() => {}, 1_000);`;

/** A run in a process of its own. */
async function startRun(): Promise<{ run: ChildProcess; cluster: string; guard: number }> {
  const run = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(run.stdout.setEncoding('utf8'), 'data');
  return { run, ...JSON.parse(line) };
}

const isGone = async (cluster: string) => (await findServer(cluster)) === null && !existsSync(cluster);

test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('at %s', async (signal) => {
  const { run, cluster } = await startRun();
  expect(await findServer(cluster)).not.toBeNull();
  run.kill(signal);
  await once(run, 'exit');
  await expect.poll(() => isGone(cluster)).toBe(true);
});

test('the next run removes the remains of a killed guard, and nothing of a running one', async () => {
  const [killed, running] = [await startRun(), await startRun()];
  process.kill(killed.guard, 'SIGKILL');
  killed.run.kill('SIGKILL');
  await once(killed.run, 'exit');
  expect(await findServer(killed.cluster)).not.toBeNull();
  await clearLeftovers();
  expect(await isGone(killed.cluster)).toBe(true);
  expect(await findServer(running.cluster)).not.toBeNull();
  running.run.kill('SIGINT');
  await expect.poll(() => isGone(running.cluster)).toBe(true);
});
