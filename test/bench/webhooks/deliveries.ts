// Delivering a backlog: by one worker, and by a loop that only fetches from pg-boss and posts. In turns, the same payloads, from the
// first to the last arrival; a turn counts only if each arrived once, and the store says so.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { attempt, type Bench, plainRow, type Row } from '../bench.ts';
import { Connection } from '../connection.ts';
import { type CpuPerRequest, cpuPerRequest, measureCpuUse } from '../cpu-use.ts';
import { ratioTo, rotate } from '../measure.ts';
import { getRequest } from '../requests.ts';
import { median, spread } from '../stats.ts';
import { type Subject, startSubject } from '../subject.ts';
import { type Backlog, clearWebhooks, missingIn, release, writeBacklog } from './backlog.ts';
import { createLoopQueue, dropLoopQueue, fillLoopQueue, requireCompleted } from './loop-jobs.ts';
import { type Arrivals, type Receiver, startReceiver } from './receiver.ts';
import { LOOP, WORKER } from './subjects.ts';

const ENDPOINTS = 20;
const TURN_TIMEOUT_MS = 120_000;
const POLL_MS = 50;

type Deliverer = 'gateway' | 'pg-boss-loop';

interface Turn extends CpuPerRequest {
  readonly requestsPerSecond: number;
}

interface Race {
  readonly bench: Bench;
  readonly client: pg.Client;
  readonly receiver: Receiver;
  readonly subjects: ReadonlyMap<Deliverer, Subject>;
}

export interface DeliveryResult {
  /** The worker's deliveries a second / the loop's. */
  readonly ratio: number | null;
  readonly rows: Row[];
}

/** Runs all rounds. */
export async function measureDeliveries(bench: Bench, client: pg.Client): Promise<DeliveryResult> {
  const { settings, signal, dataset, plan } = bench;
  const receiver = await startReceiver(ENDPOINTS, signal);
  const subjects = new Map<Deliverer, Subject>();
  const turns = new Map<Deliverer, Turn[]>();
  let payloadBytes = 0;
  try {
    await clearWebhooks(client, dataset.manifest);
    await createLoopQueue(client);
    subjects.set('gateway', await startSubject(WORKER, settings));
    subjects.set('pg-boss-loop', await startSubject(LOOP, settings));
    for (const name of subjects.keys()) turns.set(name, []);
    const race: Race = { bench, client, receiver, subjects };
    for (let round = 0; round <= plan.rounds; round++) {
      bench.progress.say(
        `(i) ${round === 0 ? 'Warm-up' : `Round ${round} of ${plan.rounds}`}: ${plan.deliveries.toLocaleString('en')} deliveries to ${ENDPOINTS} endpoints`,
      );
      for (const name of rotate([...turns.keys()], round)) {
        const turn = await attempt(bench, `${name} is left out of delivering`, () => runTurn(race, name));
        if (turn === null) turns.delete(name);
        else if (round > 0) turns.get(name)?.push(turn.figures);
        payloadBytes = turn?.payloadBytes ?? payloadBytes;
      }
    }
  } finally {
    await Promise.all([...subjects.values()].map((subject) => subject.stop()));
    receiver.close();
    await clearWebhooks(client, dataset.manifest).catch(() => {});
    await dropLoopQueue(client).catch(() => {});
  }
  return { ratio: ratioTo(turns, 'pg-boss-loop'), rows: toRows(turns, Math.round(payloadBytes)) };
}

async function runTurn({ bench, client, receiver, subjects }: Race, name: Deliverer) {
  const { dataset, plan } = bench;
  const count = plan.deliveries;
  const subject = subjects.get(name);
  if (subject === undefined) throw new Error('it was not started');
  const backlog = await writeBacklog(client, dataset.manifest, receiver.urls, count);
  if (name === 'pg-boss-loop') await fillLoopQueue(client, backlog.jobs);
  await receiver.expect(count);
  const { cpu } = await measureCpuUse(bench, subject, async () => {
    if (name === 'gateway') await release(client);
    const drained = name === 'gateway' ? Promise.resolve() : drain(subject);
    drained.catch(() => {});
    await receiver.allArrived(TURN_TIMEOUT_MS);
    await drained;
    if (name === 'gateway') await untilKept(client, count);
  });
  if (name === 'pg-boss-loop') await requireCompleted(client, count);
  const arrivals = await receiver.read();
  requireEachOnce(arrivals, backlog);
  const figures: Turn = {
    requestsPerSecond: (count * 1000) / (arrivals.lastMs - arrivals.firstMs),
    ...cpuPerRequest([cpu], count),
  };
  return { figures, payloadBytes: arrivals.bytes / count };
}

/** Has the loop begin, and waits until it has nothing left. */
async function drain({ port }: Subject): Promise<void> {
  const connection = new Connection(port);
  const { status } = await connection.ask(Buffer.from(getRequest('/', '')));
  connection.close();
  if (status !== 200) throw new Error('the loop broke off');
}

/** What came of the last deliveries is written when they have ended. */
async function untilKept(client: pg.Client, count: number): Promise<void> {
  const deadline = performance.now() + TURN_TIMEOUT_MS;
  for (
    let missing = await missingIn(client, count);
    missing !== null;
    missing = await missingIn(client, count)
  ) {
    if (performance.now() > deadline) throw new Error(`of ${count} deliveries the store has ${missing}`);
    await sleep(POLL_MS);
  }
}

/** @throws Error when something arrived twice, or what was not to */
function requireEachOnce({ keys }: Arrivals, backlog: Backlog): void {
  const arrived = new Set(keys);
  const missing = backlog.keys.filter((key) => !arrived.has(key)).length;
  if (missing > 0 || keys.length !== backlog.keys.length)
    throw new Error(`${keys.length} arrivals of ${backlog.keys.length}, ${missing} are missing`);
}

function toRows(turns: ReadonlyMap<Deliverer, readonly Turn[]>, payloadBytes: number): Row[] {
  return [...turns].map(([name, all]) => {
    const speeds = all.map(({ requestsPerSecond }) => requestsPerSecond);
    const postgres = all.map(({ postgres_cpu_us_per_request: us }) => us).filter((us) => us !== null);
    return plainRow({
      part: 'i',
      workload: '(i) delivering a backlog, deliveries',
      subject: name,
      requests_per_second: median(speeds),
      spread: spread(speeds),
      cpu_us_per_request: median(all.map(({ cpu_us_per_request: us }) => us ?? Number.NaN)),
      postgres_cpu_us_per_request: postgres.length === all.length ? median(postgres) : null,
      gateway_ratio: name === 'gateway' ? null : ratioTo(turns, name),
      note: name === 'gateway' ? `payloads of ${payloadBytes} bytes, each arrived once` : 'the same',
    });
  });
}
