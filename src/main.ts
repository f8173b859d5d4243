// The command line: environment and .env -> one command. The only file below src/ that touches `process`.
import process from 'node:process';
import { reportUnprinted, runProgram } from './commands/program.ts';
import { parseConfig } from './config/config.ts';
import { SOCKET_VARIABLES } from './config/inherited-socket.ts';
import { StartupError } from './errors.ts';
import { buildInfo } from './output/build-info.ts';
import { ignoreFailedOutput } from './output/closed-pipe.ts';

/** Under npm, Ctrl-C sends the signal twice, from the terminal and from npm. Only a signal after this time counts as a second one. */
const SAME_SIGNAL_MS = 500;

/** The interval for checking whether the parent shell of npx has ended. */
const PARENT_CHECK_MS = 100;

const EXIT_CODE_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof EXIT_CODE_OF_SIGNAL;

const stop = new AbortController();
let firstSignalAt: number | null = null;

function onSignal(name: StopSignal): void {
  const now = performance.now();
  firstSignalAt ??= now;
  if (now - firstSignalAt > SAME_SIGNAL_MS) process.exit(EXIT_CODE_OF_SIGNAL[name]);
  stop.abort();
}

/**
 * Treats the end of the parent process as a SIGTERM. npx sends a signal to the shell that runs its command, and some shells (such as
 * Debian's) end without passing it on.
 */
function stopWithParent(): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    onSignal('SIGTERM');
  }, PARENT_CHECK_MS);
  watch.unref();
}

function readDotEnv(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new StartupError(`The file .env cannot be read (${code ?? message}).`);
  }
}

let settings: ReturnType<typeof parseConfig> | undefined;

process.on('SIGINT', () => onSignal('SIGINT'));
process.on('SIGTERM', () => onSignal('SIGTERM'));
process.on('SIGHUP', () => onSignal('SIGHUP'));
if (process.env['npm_lifecycle_event'] === 'npx') stopWithParent();
const whyUnprinted = ignoreFailedOutput(process.stdout, process.stderr);

const args = process.argv.slice(2);
const exitCode = await runProgram(
  args,
  {
    // Node creates it on first access: most commands do not read it.
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    pid: process.pid,
    version: buildInfo().version,
    signal: stop.signal,
    onUnhandled({ rejection, exception }) {
      process.on('unhandledRejection', rejection);
      process.on('uncaughtException', exception);
      return () => {
        process.off('unhandledRejection', rejection);
        process.off('uncaughtException', exception);
      };
    },
    exit: (code) => process.exit(code),
    settings() {
      if (settings === undefined) {
        readDotEnv();
        settings = parseConfig(process.env, process.cwd(), process.pid);
        for (const name of SOCKET_VARIABLES) delete process.env[name];
      }
      return settings;
    },
  },
  () => settings?.config.logLevel === 'debug' || settings?.config.logLevel === 'trace',
);

// All connections are closed by now. Exit without waiting for timers of libraries (Prisma's engine: 10 s).
const flushed = (stream: NodeJS.WritableStream) => new Promise<unknown>((done) => stream.write('', done));
await flushed(process.stdout);
const reason = whyUnprinted();
if (reason !== null) reportUnprinted(args, process.stderr, reason);
await flushed(process.stderr);
process.exit(reason === null ? exitCode : exitCode || 1);
