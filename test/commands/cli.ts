// Runs the real command line as a child process, as a user would, without substitutes. Tests that are not about the process itself run it
// in this one, which takes a fraction of the time.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { parseConfig } from '../../src/config/config.ts';
import { team as createTeam } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

const { PATH } = process.env;
export const MAIN = fileURLToPath(new URL('../../bin/funnel-gateway.js', import.meta.url));

export interface Result {
  /** null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly result: Promise<Result>;
}

export type Env = Record<string, string>;

/** A folder that other users can enter too, so that root's embedded database stays in it. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'funnel-gateway-cli-'));
  await chmod(path, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A new folder for a command, which is removed with its content. */
function ownFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'funnel-gateway-cwd-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Starts a command with only its own environment and the path, in a new folder by default. @param input null: standard input stays open
 * and empty
 */
export function start(args: readonly string[], env: Env, cwd?: string, input: string | null = ''): Run {
  const flags = ['--disable-warning=ExperimentalWarning'];
  const folder = cwd === undefined ? ownFolder() : null;
  const running = launch(process.execPath, [...flags, MAIN, ...args], env, cwd ?? folder?.path ?? '', input);
  running.result.finally(() => folder?.remove()).catch(() => {});
  return running;
}

/** The README's command. */
export function npmStart(env: Env): Run {
  return launch('npm', ['start'], { HOME: tmpdir(), ...env }, dirname(dirname(MAIN)));
}

/** `npx funnel-gateway serve`, in the clone. */
export function npxServe(env: Env): Run {
  return launch('npx', ['funnel-gateway', 'serve'], { HOME: tmpdir(), ...env }, dirname(dirname(MAIN)));
}

function launch(
  command: string,
  args: readonly string[],
  env: Env,
  cwd: string,
  input: string | null = '',
): Run {
  const child = spawn(command, args, {
    cwd,
    env: { PATH, PORT: '0', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that does not read may already have ended.
  child.stdin.on('error', () => {});
  if (input !== null) child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const result = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  return { child, output, result };
}

/** Runs a command to its end. @param input the content of standard input */
export function run(args: readonly string[], env: Env, cwd?: string, input?: string): Promise<Result> {
  return start(args, env, cwd, input).result;
}

/** Runs a command to its end in this process: everything but main.ts. @param input the content of standard input */
export async function runHere(args: readonly string[], env: Env, input = ''): Promise<Result> {
  const output = { stdout: '', stderr: '' };
  const into = (name: keyof typeof output) =>
    new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        output[name] += text;
        done();
      },
    });
  const folder = ownFolder();
  const shell = {
    stdin: () => Readable.from([Buffer.from(input)]),
    stdout: into('stdout'),
    stderr: into('stderr'),
    pid: process.pid,
    version: '0.0.0',
    signal: new AbortController().signal,
    onUnhandled: () => () => {},
    exit: () => {},
    settings: () => parseConfig({ PORT: '0', ...env }, folder.path),
  };
  try {
    return { code: await runProgram(args, shell, () => false), ...output };
  } finally {
    folder.remove();
  }
}

/** Runs a command with --json in this process, which must succeed; returns what it printed. */
export async function runJsonHere<T>(args: readonly string[], env: Env, input?: string): Promise<T> {
  return succeeded(args, await runHere([...args, '--json'], env, input));
}

/** Runs a command with --json that must succeed; returns what it printed. */
export async function runJson<T>(args: readonly string[], env: Env): Promise<T> {
  return succeeded(args, await run([...args, '--json'], env));
}

function succeeded<T>(args: readonly string[], { code, stdout, stderr }: Result): T {
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

export interface Server extends Run {
  readonly rest: string;
  readonly graphql: string;
  readonly graphiql: string;
  readonly demoKey?: string;
  readonly demoEmail?: string;
  readonly demoPassword?: string;
  readonly dataDir: string | null;
  readonly pid: number;
  stop(signal?: NodeJS.Signals): Promise<Result>;
}

const servers = new Set<Server>();

/** Starts `serve --json` and waits until it listens. */
export async function serve(env: Env, args: readonly string[] = []): Promise<Server> {
  const running = start(['serve', '--json', ...args], { LOG_LEVEL: 'warn', ...env });
  const facts = JSON.parse(await untilPrinted(running, '\n'));
  const server: Server = {
    ...running,
    ...facts,
    stop(signal = 'SIGTERM') {
      running.child.kill(signal);
      return running.result;
    },
  };
  servers.add(server);
  running.result.then(() => servers.delete(server));
  return server;
}

/** The output once it contains `text`. @throws Error if the command ends before */
export async function untilPrinted({ child, output, result }: Run, text: string): Promise<string> {
  const ended = result.then(({ code, stderr }) => {
    if (!output.stdout.includes(text)) throw new Error(`ended with ${code}: ${stderr}`);
  });
  while (!output.stdout.includes(text)) {
    await Promise.race([ended, once(child.stdout ?? child, 'data')]);
  }
  return output.stdout;
}

/** Stops the processes that a failed test left running. */
export async function stopServers(): Promise<void> {
  await Promise.all([...servers].map((server) => server.stop()));
}

/** The database of a gateway in process, for commands to join. */
export function databaseUrlOf({ app }: Gateway): string {
  return app.store.pool.options.connectionString ?? '';
}

/** For all tests of a file: a gateway in process, the environment in which commands join its database, and a team there. */
export async function gatewayForCommands(): Promise<{
  gateway: Gateway;
  env: Env;
  team: { id: bigint; publicId: string };
}> {
  const gateway = await createGateway();
  afterAll(() => gateway.close());
  return { gateway, env: { DATABASE_URL: databaseUrlOf(gateway) }, team: await createTeam(gateway.app) };
}
