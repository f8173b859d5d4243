// What forty kinds of requests cost in points, and what they take of the gateway's processor time.
//
// `npm run trial -- points [name]`; only the kinds whose name has that in it. Processor time is that of all threads of the gateway without
// its PostgreSQL, so that neighbours on the machine count for little. What a point takes is compared with the median of all kinds: none
// may take three times as long, and none that costs several points a third. Beside the first requests of a kind /healthz is asked for.
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GatewayProcess, startGateway } from './gateway-process.ts';
import { closeConnections, mainThreadMs, prepare, send } from './points/fixtures.ts';
import { type Fixtures, KINDS, type Kind } from './points/kinds.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

const [only] = process.argv.slice(3);
/** How far from the others a point may be. */
const MAX_FACTOR = 3;
const ENOUGH_MS = 400;
const MAX_REQUESTS = 400;
const MIN_REQUESTS = 12;

/** The longest that one request may keep /healthz waiting. */
const MAX_HELD_MS = 250;

const probing = new Agent({ keepAlive: true, maxSockets: 1 });

/** Time on a processor of all threads of a process (/proc/PID/task/TID/schedstat), in milliseconds. */
async function processorMs({ pid }: ChildProcess): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(tasks.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8')));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}

interface Measured extends Kind {
  readonly points: number;
  /** Of processor time. */
  readonly ms: number;
  /** How long /healthz has waited at most, in milliseconds of the main thread's processor time. */
  readonly held: number;
}

async function measure(gateway: GatewayProcess, fixtures: Fixtures, kind: Kind): Promise<Measured> {
  const { origin, child } = gateway;
  let i = 0;
  let tag: string | undefined;
  const one = async () => {
    const sending = kind.send(fixtures, i++);
    const headers = { ...sending.headers };
    if (kind.status === 304 && tag !== undefined) headers['If-None-Match'] = tag;
    const answer = await send(origin, { ...sending, headers });
    tag ??= answer.tag;
    return answer;
  };
  const known = kind.isAnonymous
    ? { path: '/api/v2' }
    : { path: '/api/v2/teams', headers: { Authorization: `Bearer ${fixtures.key}` } };
  const stop = holdsOf(gateway);
  await one();
  const first = await one();
  // What is compiled, and what V8 makes of it.
  const begun = performance.now();
  while (i < MIN_REQUESTS || (performance.now() - begun < 400 && i < 200)) await one();
  const held = await stop();
  const { left } = await send(origin, known);
  const before = await processorMs(child);
  let requests = 0;
  let took = 0;
  while (requests < MIN_REQUESTS || (took < ENOUGH_MS && requests < MAX_REQUESTS)) {
    for (let j = 0; j < MIN_REQUESTS; j++) await one();
    requests += MIN_REQUESTS;
    took = (await processorMs(child)) - before;
  }
  const { left: leftThen } = await send(origin, known);
  if (first.status !== kind.status) say(`     ${kind.name}: ${first.status} ${first.text.slice(0, 300)}`);
  return {
    ...kind,
    status: first.status,
    points: (left - leftThen - 1) / requests,
    ms: took / requests,
    held,
  };
}

/** Asks for /healthz all the time. @returns ends that, and says how long the process has worked at most while one answer was waited for */
function holdsOf(gateway: GatewayProcess): () => Promise<number> {
  let isOver = false;
  let worst = 0;
  const asking = (async () => {
    while (!isOver) {
      const before = await mainThreadMs(gateway);
      await send(gateway.origin, { path: '/healthz' }, probing);
      worst = Math.max(worst, (await mainThreadMs(gateway)) - before);
      await sleep(5);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    return worst;
  };
}

const gateway = await startGateway({
  JOBS: 'off',
  RATE_LIMIT_WINDOW_SECONDS: '3600',
  RATE_LIMIT_KEY: '900000000',
  RATE_LIMIT_TEAM: '900000000',
  RATE_LIMIT_ADDRESS: '900000000',
});
try {
  const fixtures = await prepare(gateway);
  const found: Measured[] = [];
  for (const kind of KINDS) {
    if (only !== undefined && !kind.name.includes(only)) continue;
    const measured = await measure(gateway, fixtures, kind);
    found.push(measured);
    say(
      [
        measured.status,
        `${measured.points.toFixed(1).padStart(7)} points`,
        `${measured.ms.toFixed(2).padStart(7)} ms`,
        `${(measured.ms / measured.points).toFixed(2).padStart(6)} ms a point`,
        `/healthz ${measured.held.toFixed(0).padStart(3)} ms`,
        measured.name,
      ].join('  '),
    );
  }
  const perPoint = found.map(({ ms, points }) => ms / points).sort((a, b) => a - b);
  const median = perPoint[Math.floor(perPoint.length / 2)] ?? Number.NaN;
  say(`the median: ${median.toFixed(3)} ms a point`);
  for (const { name, ms, points, held, isDearOnPurpose = false } of found) {
    const ratio = ms / points / median;
    const isDear = ratio < 1 / MAX_FACTOR && points > 1 && !isDearOnPurpose;
    report(`${ratio.toFixed(2)} of the median: ${name}`, ratio <= MAX_FACTOR && !isDear);
    if (held > MAX_HELD_MS) report(`/healthz waited for ${held.toFixed(0)} ms of work: ${name}`, false);
  }
} finally {
  closeConnections();
  probing.destroy();
  await gateway.stop();
}
