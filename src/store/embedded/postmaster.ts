// The PostgreSQL server process of one cluster: whether it runs, and how to start and stop it. PostgreSQL's own postmaster.pid is the only
// record; it decides which of two concurrent starts succeeds. PostgreSQL's user may write it, so root must not act on its content outside
// of that user's own processes and files.
import { execFile, spawn } from 'node:child_process';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartupError } from '../../errors.ts';
import type { Binaries } from './binaries.ts';
import type { DataFolder } from './data-folder.ts';
import { explainingLine, isDiskFull, messageOf, rethrowIfOutOfResources } from './failure.ts';
import { readSmallFile } from './trust.ts';
import { CHILD_ENV, runAs } from './user.ts';

const run = promisify(execFile);
const POLL_MS = 10;
const MAX_LOG_BYTES = 1_000_000;
const STOP_TIMEOUT_MS = 30_000;

/** The content of postmaster.pid. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** "starting", "ready", "stopping"; empty until the server has written the line. */
  readonly status: string;
}

/** Reads postmaster.pid, whether or not that server still runs. */
export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readSmallFile(join(cluster, 'postmaster.pid'));
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? 0), status: lines[7] ?? '' };
}

/** Whether the process is this cluster's server, and not another one that got the same number later. */
export async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  try {
    kill(pid, 0);
  } catch {
    // The process is gone or belongs to another user. It cannot be ours, because the server runs as the cluster's owner.
    return false;
  }
  if (platform() === 'win32') return true;
  if (platform() === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(rethrowIfOutOfResources);
    const args = (line ?? '').split('\0');
    return args[args.indexOf('-D') + 1] === cluster;
  }
  const ps = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return ps.stdout.includes(`postgres -D ${cluster} `);
}

/** Finds the cluster's running server. */
export async function findServer(cluster: string): Promise<Postmaster | null> {
  const found = await readPostmaster(cluster);
  return found && (await isServerOf(cluster, found.pid)) ? found : null;
}

/**
 * Starts the server in its own session, so that neither Ctrl-C nor our end stops it. True if it accepts connections, or at least still runs
 * at the deadline; false if another process was faster.
 * @param stale the content of postmaster.pid if that server is gone
 */
export async function startServer(
  dataFolder: DataFolder,
  binaries: Binaries,
  settings: Record<string, string>,
  stale: Postmaster | null,
  deadline: number,
): Promise<boolean> {
  const log = await openLog(dataFolder);
  try {
    const { size } = await log.stat();
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(binaries.postgres, ['-D', dataFolder.cluster, ...options], {
      ...dataFolder.user,
      cwd: '/',
      // PostgreSQL refuses to start while a process has the number in the lock file, unless that process is its "grandparent".
      env: { ...CHILD_ENV, ...(stale && { PG_GRANDPARENT_PID: String(stale.pid) }) },
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    let ended: Error | string | undefined;
    child.once('error', (error) => {
      ended = error;
    });
    child.once('exit', (code, signal) => {
      ended ??= `exit ${code ?? signal}`;
    });
    while (ended === undefined) {
      const server = await readPostmaster(dataFolder.cluster);
      if (server?.pid === child.pid && server?.status === 'ready') return true;
      if (performance.now() > deadline) return true;
      await sleep(POLL_MS);
    }
    if (ended instanceof Error) throw cannotStartProgram(binaries.postgres, ended);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(16_384), 0, 16_384, size);
    return lostToOtherServer(dataFolder, buffer.toString('utf8', 0, bytesRead));
  } finally {
    await log.close();
  }
}

async function openLog(dataFolder: DataFolder): Promise<FileHandle> {
  try {
    const log = await open(dataFolder.log, 'a+', 0o600);
    if ((await log.stat()).size > MAX_LOG_BYTES) await log.truncate();
    return log;
  } catch (error) {
    throw new StartupError(
      `PostgreSQL's log ${dataFolder.log} cannot be written (${messageOf(error)}): give it to the user who starts the gateway.`,
      { cause: error },
    );
  }
}

/** False if the output says that another server holds the cluster or has not released it yet; otherwise throws. */
function lostToOtherServer(dataFolder: DataFolder, output: string): false {
  // The second pattern: a server was killed, and its last child has not noticed yet.
  if (/lock file ".*" already exists|pre-existing shared memory block/.test(output)) return false;
  if (isDiskFull(output)) throw diskFull(dataFolder.home);
  throw new StartupError(
    `The embedded PostgreSQL did not start; see ${dataFolder.log}, which ends with: ${explainingLine(output)}`,
  );
}

/** The error for a program that the system cannot start. */
export function cannotStartProgram(program: string, error: Error): StartupError {
  return new StartupError(
    `PostgreSQL's binaries do not run on this machine (${program}: ${messageOf(error)}): set DATABASE_URL to a PostgreSQL server.`,
    { cause: error },
  );
}

/** The error for a full disk. */
export function diskFull(folder: string): StartupError {
  return new StartupError(`The disk that holds ${folder} is full: make room there and start again.`);
}

/** Stops the server cleanly (clients are cut off, everything is flushed) and waits until it is gone. */
export async function stopServer(
  dataFolder: DataFolder,
  binaries: Binaries,
  server: Postmaster,
): Promise<void> {
  if (platform() === 'win32') {
    await run(binaries.pgCtl, ['stop', '-D', dataFolder.cluster, '-m', 'fast', '-w']).catch(() => {});
    return;
  }
  // SIGQUIT loses nothing either: the next start replays the log.
  for (const name of ['INT', 'QUIT']) {
    if (!(await signal(dataFolder, server.pid, name))) return;
    if (await isGone(dataFolder.cluster, server.pid, STOP_TIMEOUT_MS)) return;
  }
}

/** Sends a signal as the server's user, so that it reaches only that user's processes. False if it could not be sent. */
async function signal({ user }: DataFolder, pid: number, name: string): Promise<boolean> {
  if (user) return runAs(user, 'kill -s "$1" "$2"', name, String(pid));
  try {
    return kill(pid, `SIG${name}`);
  } catch {
    return false;
  }
}

async function isGone(cluster: string, pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (await isServerOf(cluster, pid)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
