// A `funnel-gateway serve` in a process of its own, over a database that the trial says.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../support/free-port.ts';
import { ROOT } from '../child-processes.ts';
import { SECRET_KEY } from '../secret-key.ts';

const MAX_STARTS = 5;

export interface Serving {
  readonly origin: string;
  /** What `serve --json` has printed. */
  readonly printed: Readonly<Record<string, string>>;
  readonly child: ChildProcess;
  /** Lines of its log. */
  readonly log: string[];
  /** Starts it again on the same port, after `kill`. */
  restart(): Promise<void>;
  /** Ends it with a signal. @returns its exit code, or the signal */
  end(signal: NodeJS.Signals): Promise<number | string>;
  /** Resident memory in MiB, and open file handles. */
  use(): Promise<{ memory: number; handles: number }>;
}

/**
 * Starts it, and answers when it serves.
 * @param env its environment: DATABASE_URL, or DATA_DIR for the embedded database
 * @param root the folder of the project that it is of
 */
export async function serve(env: Readonly<Record<string, string>>, root = ROOT): Promise<Serving> {
  const port = await freePort();
  const log: string[] = [];
  const start = async () => {
    const child = spawn(process.execPath, [join(root, 'bin/funnel-gateway.js'), 'serve', '--json'], {
      cwd: '/',
      env: {
        ...{ PATH: process.env['PATH'], PORT: String(port), LOG_LEVEL: 'warn', SECRET_KEY },
        ...{ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...env },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines = createInterface({ input: child.stdout });
    const first = once(lines, 'line') as Promise<[string]>;
    createInterface({ input: child.stderr }).on('line', (line) => void log.push(line));
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`The gateway ended with ${code ?? signal}: ${log.slice(-5).join('\n')}`);
    });
    ended.catch(() => {});
    const [line] = await Promise.race([first, ended]);
    lines.on('line', (more) => void log.push(more));
    return { child, printed: JSON.parse(line) as Record<string, string> };
  };
  /** As a service manager does it: it may give up while PostgreSQL recovers. */
  const startAgain = async (attempts = MAX_STARTS): Promise<Awaited<ReturnType<typeof start>>> => {
    try {
      return await start();
    } catch (error) {
      if (attempts <= 1) throw error;
      return startAgain(attempts - 1);
    }
  };
  let started = await startAgain();
  return {
    origin: `http://127.0.0.1:${port}`,
    log,
    get child() {
      return started.child;
    },
    get printed() {
      return started.printed;
    },
    async restart() {
      started = await startAgain();
    },
    async end(signal) {
      const { child } = started;
      if (child.exitCode !== null || child.signalCode !== null)
        return child.exitCode ?? String(child.signalCode);
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code, by] = await ended;
      return code ?? by;
    },
    async use() {
      const folder = `/proc/${started.child.pid}`;
      const status = await readFile(`${folder}/status`, 'utf8');
      const handles = (await readdir(`${folder}/fd`)).length;
      return { memory: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024, handles };
    },
  };
}
