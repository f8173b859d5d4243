// The peers' own package folder: installed when it is missing or its lock file has changed, and its Prisma client made.
import { exec, execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Progress } from './progress.ts';

const run = promisify(execFile);
const runInShell = promisify(exec);
const FOLDER = fileURLToPath(new URL('./peers/', import.meta.url));
const GENERATE = fileURLToPath(new URL('./peers/generate.ts', import.meta.url));
const SCHEMA = fileURLToPath(new URL('../../prisma/schema/', import.meta.url));

/** True when the peers can be started. Without them the bench still measures the gateway against the limit. */
export async function installPeers(progress: Progress, signal: AbortSignal): Promise<boolean> {
  try {
    if (await isOlder(`${FOLDER}node_modules/.package-lock.json`, `${FOLDER}package-lock.json`)) {
      progress.say('Installing the peers into test/bench/peers (once, a minute or two)');
      await npmCi(signal);
    }
    const sources = [GENERATE, ...(await readdir(SCHEMA, { recursive: true })).map((name) => SCHEMA + name)];
    const checks = sources.map((source) => isOlder(`${FOLDER}.cache/pothos-types.ts`, source));
    if ((await Promise.all(checks)).includes(true)) {
      progress.say("Generating the stock stack's Prisma client");
      await run(execPath, [GENERATE], { signal });
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const { stderr, message } = error as { stderr?: string; message: string };
    progress.say(`!! The peers cannot be installed, their ratios stay empty: ${stderr?.trim() || message}`);
    return false;
  }
}

/** The npm that runs this script, if one does. */
async function npmCi(signal: AbortSignal): Promise<void> {
  const { npm_execpath: cli } = env;
  const options = { cwd: FOLDER, signal, maxBuffer: 64 * 1024 * 1024 };
  if (cli?.endsWith('.js')) await run(execPath, [cli, 'ci'], options);
  else await runInShell('npm ci', options);
}

async function isOlder(made: string, from: string): Promise<boolean> {
  const [there, source] = await Promise.all([stat(made).catch(() => null), stat(from)]);
  return there === null || there.mtimeMs < source.mtimeMs;
}
