// The PostgreSQL of a test run. A guard process stops it when the run ends in any way: at Ctrl-C, by a signal, or killed. If the guard
// was killed too, the next run removes the remains.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedDatabase, openEmbedded } from '../../src/store/embedded/embedded.ts';
import { findServer } from '../../src/store/embedded/postmaster.ts';

const PREFIX = 'funnel-gateway-test-';
/** In a run's folder: its process, and the data folder of its PostgreSQL. */
const RUN_FILE = 'run.json';
const GUARD = fileURLToPath(new URL('./server-guard.ts', import.meta.url));
const STOP_TIMEOUT_MS = 30_000;

interface Run {
  readonly pid: number;
  readonly cluster: string;
}

/** Starts the server in a new folder, after removing the remains of earlier runs. */
export async function startTestServer(
  settings: Record<string, string>,
): Promise<{ database: EmbeddedDatabase; guard: ChildProcess; stop(): Promise<void> }> {
  await clearLeftovers();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  const database = await openEmbedded({ dataDir: folder, settings });
  const run: Run = { pid: process.pid, cluster: database.dataDir };
  await writeFile(join(folder, RUN_FILE), JSON.stringify(run));
  // In its own session, so that Ctrl-C does not reach it. It reads until this process ends.
  const guard = spawn(process.execPath, [GUARD, folder, database.dataDir], {
    ...{ detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] },
  });
  guard.unref();
  return {
    database,
    guard,
    async stop() {
      await database.release();
      await removeRun(folder, database.dataDir);
      guard.stdin?.end();
    },
  };
}

/** Stops the servers of ended runs, and removes their folders. */
export async function clearLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  for (const folder of names.map((name) => join(tmpdir(), name))) {
    const text = await readFile(join(folder, RUN_FILE), 'utf8').catch(() => null);
    if (text === null) continue;
    const { pid, cluster } = JSON.parse(text) as Run;
    if (!isAlive(pid)) await removeRun(folder, cluster);
  }
}

/** Stops the server of a run, if it still runs, and removes the run's folder. */
export async function removeRun(folder: string, cluster: string): Promise<void> {
  const server = await findServer(cluster);
  if (server !== null) {
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    process.kill(server.pid, 'SIGINT');
    while ((await findServer(cluster)) !== null && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // For root the data may be in another folder.
  for (const path of [dirname(cluster), folder]) await rm(path, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
