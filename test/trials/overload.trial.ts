// Ten times the requests that can be answered: how many are answered all the same, how much memory it takes, whether /healthz answers.
// The generator, PostgreSQL and the gateway share the machine; the peak is measured by the same generator in the same run.
// `npm run trial -- overload [seconds] [times] [connections]`; 10 s, 10 times, 2,000 connections by default.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type GatewayProcess, settle, startGateway, startProbe } from './gateway-process.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

const [seconds = 10, times = 10, connections = 2_000] = process.argv.slice(3).map(Number);
const PATH = '/api/v2/workspaces/1/contacts?per_page=20';
const PEAK_CONNECTIONS = 64;
const ROUNDS = 3;

interface Counts {
  readonly offered: number;
  readonly sent: number;
  readonly good: number;
  readonly late: number;
  readonly shed: number;
  readonly other: number;
  readonly lost: number;
  readonly noConnection: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly processorSeconds: number;
}

async function load(gateway: GatewayProcess, kind: string, lines: number, rate: number): Promise<Counts> {
  const program = fileURLToPath(new URL('open-loop.ts', import.meta.url));
  const args = [program, new URL(gateway.origin).port, kind, lines, seconds, rate, PATH, gateway.key];
  const child = spawn(process.execPath, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await once(child, 'close');
  return JSON.parse(text) as Counts;
}

const perSecond = ({ good, seconds: took }: Counts) => Math.round(good / took);

/** Seconds of processor time that a process has taken. */
async function processorTime(pid: number | undefined): Promise<number> {
  const [, fields = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / 100;
}

const gateway = await startGateway({ JOBS: 'off', METRICS_PORT: '0' });
try {
  const probe = await startProbe(`${gateway.origin}/healthz`);
  await load(gateway, 'closed', PEAK_CONNECTIONS, 0);
  const before = await gateway.memory();
  let largest = before;
  const watch = setInterval(async () => {
    largest = Math.max(largest, await gateway.memory());
  }, 200);
  const ratios: number[] = [];
  let worstHealth = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const peak = await load(gateway, 'closed', PEAK_CONNECTIONS, 0);
    await settle(500);
    await probe.worst();
    const cpuBefore = await processorTime(gateway.child.pid);
    const over = await load(gateway, 'open', connections, perSecond(peak) * times);
    const health = await probe.worst();
    const cpu = (await processorTime(gateway.child.pid)) - cpuBefore;
    worstHealth = Math.max(worstHealth, health);
    ratios.push(perSecond(over) / perSecond(peak));
    say(
      `round ${round}: peak ${perSecond(peak)} answers a second (p99 ${Math.round(peak.p99)} ms; generator ${(peak.processorSeconds / peak.seconds).toFixed(2)} processors)`,
    );
    say(
      `  offered ${Math.round(over.offered / over.seconds)} a second: ${perSecond(over)} answered within 1 s (p50 ${Math.round(over.p50)}, p99 ${Math.round(over.p99)} ms), ${Math.round(over.late / over.seconds)} late, ${Math.round(over.shed / over.seconds)} shed with 503, ${Math.round(over.noConnection / over.seconds)} without a free connection, ${over.lost} cut, ${over.other} others`,
    );
    say(
      `  /healthz at most ${Math.round(health)} ms; processors: gateway ${(cpu / over.seconds).toFixed(2)}, generator ${(over.processorSeconds / over.seconds).toFixed(2)}`,
    );
    await settle(1_000);
  }
  clearInterval(watch);
  const ratio = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  report(
    `goodput at ${times} times the peak: ${Math.round(ratio * 100)} % of the peak (median of ${ROUNDS})`,
    ratio >= 0.8,
  );
  report(`/healthz took ${Math.round(worstHealth)} ms at most`, worstHealth < 250);
  report(
    `memory: ${Math.round(before)} MiB before, ${Math.round(largest)} MiB at most`,
    largest < before + 200,
  );
  await probe.stop();
} finally {
  await gateway.stop();
}
