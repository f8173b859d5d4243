// A subject: one server process that is measured. Started on a port of its own, asked for nothing but answers; its
// processor time and memory are read from the outside, so that the gateway runs exactly as it is shipped.
import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { env, execPath, kill, platform } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serverTimeUs } from './processor-time.ts';

/** How to start one kind of server. */
export interface SubjectSpec {
  readonly name: string;
  /** The script and its arguments, for node; for `command` its arguments. */
  readonly script: readonly string[];
  /** The program, in place of node. */
  readonly command?: string;
  /** Options of node itself. */
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The variable that tells where it is to listen; PORT without it. */
  readonly portVariable?: string;
}

export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Processor time used so far, user and system, in microseconds. */
  cpuTimeUs(): Promise<number>;
  /** Resident memory in bytes. */
  memoryBytes(): Promise<number>;
  /** The last lines that it wrote. */
  logTail(): string;
  stop(): Promise<void>;
}

/** What all subjects have in common. */
export interface SubjectSettings {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly logDir: string;
  readonly signal: AbortSignal;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const TAIL_LINES = 12;
const POLL_MS = 5;

const run = promisify(execFile);

/** Starts a server and waits until it takes connections. @throws Error that names it and shows the end of its log */
export async function startSubject(spec: SubjectSpec, settings: SubjectSettings): Promise<Subject> {
  settings.signal.throwIfAborted();
  const port = await freePort();
  const logPath = join(settings.logDir, `${spec.name}.log`);
  const log = openSync(logPath, 'w');
  const child = spawn(spec.command ?? execPath, [...(spec.nodeOptions ?? []), ...spec.script], {
    // A .env in the folder that the bench was started in is none of a subject's business.
    cwd: settings.logDir,
    stdio: ['ignore', log, log],
    env: {
      ...env,
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
      DATABASE_URL: settings.databaseUrl,
      POOL_SIZE: String(settings.poolSize),
      [spec.portVariable ?? 'PORT']: String(port),
      LOG_LEVEL: 'info',
      DATA_DIR: join(settings.logDir, spec.name),
      ...spec.env,
    },
  });
  closeSync(log);
  let ended: string | null = null;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? `code ${code}`}`;
  });
  const gone = () => ended !== null;
  const { pid = 0 } = child;
  const subject: Subject = {
    name: spec.name,
    port,
    pid,
    cpuTimeUs: () => serverTimeUs(pid),
    memoryBytes: () => readMemoryBytes(pid),
    logTail: () => tailOf(logPath),
    async stop() {
      settings.signal.removeEventListener('abort', onAbort);
      await stopProcess(pid, gone);
    },
  };
  const onAbort = () => child.kill('SIGTERM');
  settings.signal.addEventListener('abort', onAbort, { once: true });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await canConnect(port))) {
    const late = performance.now() > deadline;
    if (ended !== null || late) {
      await subject.stop();
      settings.signal.throwIfAborted();
      const why = ended ?? `no answer within ${START_TIMEOUT_MS / 1000} seconds`;
      throw new Error(`${spec.name} did not start: ${why}. Its log ends with:\n${subject.logTail()}`);
    }
    await sleep(POLL_MS);
  }
  return subject;
}

/** A port of the loopback that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

async function stopProcess(pid: number, gone: () => boolean): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    if (gone() || pid === 0) return;
    try {
      kill(pid, signal);
    } catch {
      return;
    }
    while (!gone() && performance.now() < deadline) await sleep(POLL_MS);
  }
}

function tailOf(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join('\n');
}

async function readMemoryBytes(pid: number): Promise<number> {
  if (platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  }
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1024;
}
