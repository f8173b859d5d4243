// Gateway and PostgreSQL are killed with SIGKILL in the middle of writes: nothing that was acknowledged is lost, no change is half made,
// and both start again. `npm run trial -- kills [kills] [asynchronous]`; 50 by default, half of them over the embedded database, half
// over a standalone PostgreSQL, which the trial starts again itself. With `asynchronous`, commits do not wait for the disk: the trial
// then shows that it notices what is lost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEmbedded } from '../../src/store/embedded/inspect.ts';
import { type Serving, serve } from './faults/gateway.ts';
import { startLoad } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { signalTree, trySignal } from './faults/processes.ts';
import { createCallers } from './faults/tenants.ts';
import { reportAnswers, reportLedger, untilServed } from './faults/verdict.ts';
import { killServerProcess } from './kill-server-process.ts';
import { say } from './say.ts';
import { quantile, report } from './test-bed.ts';

const KILLS = Number(process.argv[3] ?? 50);
const SETTINGS: Record<string, string> =
  process.argv[4] === 'asynchronous' ? { synchronous_commit: 'off', wal_writer_delay: '10s' } : {};
const PER_SECOND = 80;
const MAX_RECOVERY_MS = 60_000;

interface Stage {
  readonly name: string;
  readonly gateway: Serving;
  readonly url: () => Promise<string>;
  /** Each kills something, and starts again what does not come again by itself. */
  readonly victims: Readonly<Record<string, () => Promise<void>>>;
}

/** Kills the victims of a stage in turn, under load, and compares the ledger with the store. */
async function harass({ name, gateway, url, victims }: Stage, kills: number): Promise<void> {
  const callers = await createCallers(await url(), 3);
  const run = `kills-${name}-${process.pid}`;
  const load = startLoad({ origin: () => gateway.origin, callers, perSecond: PER_SECOND, run });
  const recoveries = new Map<string, number[]>();
  const all = Object.entries(victims);
  for (let kill = 0; kill < kills; kill++) {
    const [victim, strike] = all[kill % all.length] as (typeof all)[number];
    await sleep(200 + Math.random() * 1_000);
    const killedAt = performance.now();
    await strike();
    const took = await untilServed(load.entries, killedAt, MAX_RECOVERY_MS);
    if (took === null) {
      report(`${name}: no service after a kill of ${victim}; ${gateway.log.slice(-3).join('\n')}`, false);
      break;
    }
    recoveries.set(victim, [...(recoveries.get(victim) ?? []), took]);
  }
  await sleep(500);
  await load.stop();
  for (const [victim, times] of recoveries)
    say(
      `    ${name}: ${victim} killed ${times.length} times; served again after p50 ${quantile(times, 0.5)} ms, longest ${quantile(times, 1)} ms`,
    );
  reportAnswers(name, load.entries);
  await reportLedger(name, await url(), run, load.entries);
}

async function killGateway(gateway: Serving): Promise<void> {
  await gateway.end('SIGKILL');
}

async function standalone(kills: number): Promise<void> {
  const postgres = await startPostgres(SETTINGS);
  const gateway = await serve({ DATABASE_URL: postgres.url });
  try {
    const victims = {
      'the gateway': async () => {
        await killGateway(gateway);
        await gateway.restart();
      },
      'a server process': () => killServerProcess(postgres.url),
      'all of PostgreSQL': async () => {
        await postgres.stop('SIGKILL');
        await postgres.start();
      },
      both: async () => {
        await Promise.all([postgres.stop('SIGKILL'), killGateway(gateway)]);
        await postgres.start();
        await gateway.restart();
      },
    };
    await harass({ name: 'standalone', gateway, url: async () => postgres.url, victims }, kills);
  } finally {
    await gateway.end('SIGTERM');
    await postgres.remove();
  }
}

async function embedded(kills: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fg-kills-'));
  await chmod(dataDir, 0o755);
  const segments = new Set<string>();
  const gateway = await serve({ DATA_DIR: dataDir });
  const find = async () => {
    const found = await findEmbedded(dataDir);
    if (found?.url == null) throw new Error('The embedded PostgreSQL does not run');
    return { ...found, url: found.url, lockFile: join(found.cluster, 'postmaster.pid') };
  };
  const serverPid = async () => {
    const pid = Number((await readFile((await find()).lockFile, 'utf8')).split('\n')[0]);
    for (const segment of await segmentsOf(pid)) segments.add(segment);
    return pid;
  };
  try {
    const { lockFile, cluster } = await find();
    const killBoth = async () => {
      await Promise.all([signalTree(await serverPid(), 'SIGKILL'), killGateway(gateway)]);
    };
    const victims = {
      'the gateway': async () => {
        await killGateway(gateway);
        await gateway.restart();
      },
      'a server process': async () => killServerProcess((await find()).url),
      'the postmaster alone': async () => trySignal(await serverPid(), 'SIGKILL'),
      'all of PostgreSQL': async () => signalTree(await serverPid(), 'SIGKILL'),
      both: async () => {
        await killBoth();
        await gateway.restart();
      },
      'both, whose process number somebody else has got': async () => {
        await killBoth();
        const { uid, gid } = await stat(cluster);
        const other = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
        const [, ...rest] = (await readFile(lockFile, 'utf8')).split('\n');
        await writeFile(lockFile, [String(other.pid), ...rest].join('\n'));
        try {
          await gateway.restart();
        } finally {
          const ended = once(other, 'exit');
          other.kill();
          await ended;
        }
      },
    };
    await harass({ name: 'embedded', gateway, url: async () => (await find()).url, victims }, kills);
  } finally {
    await serverPid();
    const code = await gateway.end('SIGTERM');
    report(`embedded: the gateway ends with ${code} at SIGTERM`, code === 0);
    const found = await findEmbedded(dataDir);
    report('embedded: its PostgreSQL ends with it', found?.url == null);
    const left = await countLeft(segments);
    report(
      `embedded: of its ${segments.size} segments of shared memory ${left} are left`,
      segments.size > 0 && left === 0,
    );
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The segments of shared memory that a process has mapped: System V's by number, POSIX' by path. */
async function segmentsOf(pid: number): Promise<string[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
  return maps.split('\n').flatMap((line) => {
    const [, , , , segment = '', path = ''] = line.split(/ +/);
    if (path.startsWith('/SYSV')) return [segment];
    return path.startsWith('/dev/shm/PostgreSQL.') ? [path] : [];
  });
}

/** How many of these segments there still are. */
async function countLeft(segments: ReadonlySet<string>): Promise<number> {
  const systemV = (await readFile('/proc/sysvipc/shm', 'utf8'))
    .split('\n')
    .map((line) => line.trim().split(/ +/)[1]);
  const posix = (await readdir('/dev/shm')).map((name) => `/dev/shm/${name}`);
  return [...systemV, ...posix].filter((segment) => segment !== undefined && segments.has(segment)).length;
}

await standalone(Math.ceil(KILLS / 2));
await embedded(Math.floor(KILLS / 2));
