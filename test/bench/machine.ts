// What the numbers were taken on.
import { execFile } from 'node:child_process';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { version } from 'node:process';
import { promisify } from 'node:util';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly os: string;
  readonly node: string;
  readonly postgres: string;
  readonly commit: string | null;
  readonly date: string;
  readonly contacts: number;
  readonly connections: number;
  readonly pool_size: number;
  readonly rounds: number;
  readonly round_seconds: number;
  /** Processes that wanted a core before the run: more than a little means that others were working. */
  readonly load_before: number;
}

type Facts = Pick<
  Machine,
  'postgres' | 'contacts' | 'connections' | 'pool_size' | 'rounds' | 'round_seconds'
>;

export async function describeMachine(facts: Facts): Promise<Machine> {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    os: `${platform()} ${release()}`,
    node: version,
    commit: await readCommit(),
    date: new Date().toISOString(),
    ...facts,
    load_before: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

async function readCommit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'], {
      cwd: new URL('.', import.meta.url),
    });
    return stdout.trim();
  } catch {
    return null;
  }
}
