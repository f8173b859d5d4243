// Programs that a trial runs as somebody on a fresh machine would: with nothing of this process's environment, under Node 24.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a machine has without this project: npm run puts folders of node_modules first. */
const MACHINE_PATH = (env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

export interface Machine {
  /** A temporary folder that other users can enter. */
  readonly folder: string;
  /** The environment with Node 24 in PATH, or with the machine's own Node. */
  environment(node?: 'node 24' | "the machine's"): Record<string, string>;
  /** Runs a program to its end. */
  run(command: string, args: readonly string[], options?: SpawnOptions): Promise<Result>;
  /** Starts a program, and waits until its standard output holds `text`. */
  start(command: string, args: readonly string[], text: string, options?: SpawnOptions): Promise<Started>;
}

interface Result {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly printed: string;
  /** Sends a signal to this process alone, and waits until nobody writes to its output any more. */
  stop(signal?: NodeJS.Signals): Promise<Result>;
}

/** Runs `work`, and takes away what it made. */
export async function withMachine(work: (machine: Machine) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fg-trial-'));
  await chmod(folder, 0o755);
  await symlink(dirname(execPath), join(folder, 'node24'));
  const running = new Set<ChildProcess>();
  const environment: Machine['environment'] = (node = 'node 24') => ({
    PATH: node === 'node 24' ? `${join(folder, 'node24')}${delimiter}${MACHINE_PATH}` : MACHINE_PATH,
    HOME: env['HOME'] ?? folder,
    ...npmSettings(),
  });
  const launch = (command: string, args: readonly string[], options: SpawnOptions = {}) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: environment(),
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    const result = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
    result.finally(() => running.delete(child)).catch(() => {});
    return { child, output, result };
  };
  try {
    await work({
      folder,
      environment,
      run: (command, args, options) => launch(command, args, options).result,
      async start(command, args, text, options) {
        const { child, output, result } = launch(command, args, options);
        const ended = result.then(({ code, stderr }) => {
          if (!output.stdout.includes(text)) throw new Error(`${command} ended with ${code}: ${stderr}`);
        });
        while (!output.stdout.includes(text))
          await Promise.race([ended, child.stdout ? once(child.stdout, 'data') : ended]);
        const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
          child.kill(signal);
          return result;
        };
        return { child, printed: output.stdout, stop };
      },
    });
  } finally {
    for (const child of running) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where npm takes packages from, should the machine be told by variables. */
function npmSettings(): Record<string, string> {
  const names = [
    'npm_config_registry',
    'NPM_CONFIG_REGISTRY',
    'NODE_EXTRA_CA_CERTS',
    'https_proxy',
    'HTTPS_PROXY',
  ];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
