// How long an event is under way at half load: contacts are created at moments of their own, half as many a second as the gateway can,
// and the receiver notes how old each event is when it arrives. The gateway that creates them delivers, too.
import type pg from 'pg';
import { attempt, type Bench, plainRow, type Row } from '../bench.ts';
import { cpuPerRequest, measureCpuUse } from '../cpu-use.ts';
import { createRequest, newContacts } from '../new-contacts.ts';
import { RUN_IN, sendSome } from '../send-once.ts';
import { type Subject, startSubject } from '../subject.ts';
import { clearWebhooks, insertEndpoints } from './backlog.ts';
import { type Arrivals, type Receiver, startReceiver } from './receiver.ts';
import { SERVING } from './subjects.ts';

/** Events of a contact that is created with an e-mail address. */
const EVENTS_EACH = 2;
const TIMEOUT_MS = 60_000;

export interface FirstAttemptResult {
  /** The 99th percentile of the age of an event at its first attempt, in milliseconds. */
  readonly p99Ms: number | null;
  readonly rows: Row[];
}

/** @param perSecond contacts that the gateway can create a second */
export async function measureFirstAttempts(
  bench: Bench,
  client: pg.Client,
  perSecond: number,
): Promise<FirstAttemptResult> {
  const { settings, signal, dataset, progress } = bench;
  const rate = perSecond / 2;
  progress.say(`(i) From commit to first attempt at ${rate.toFixed(0)} contacts a second`);
  const nothing: FirstAttemptResult = { p99Ms: null, rows: [] };
  await clearWebhooks(client, dataset.manifest);
  const receiver = await startReceiver(1, signal);
  try {
    await insertEndpoints(client, dataset.manifest, receiver.urls);
    const subject = await startSubject(SERVING, settings);
    try {
      const result = await attempt(bench, 'gateway, first attempts', () =>
        run(bench, subject, receiver, rate),
      );
      return result ?? nothing;
    } finally {
      await subject.stop();
    }
  } finally {
    receiver.close();
    await clearWebhooks(client, dataset.manifest).catch(() => {});
  }
}

async function run(
  bench: Bench,
  subject: Subject,
  receiver: Receiver,
  rate: number,
): Promise<FirstAttemptResult> {
  const { plan, dataset } = bench;
  const count = Math.round(rate * plan.openLoopSeconds);
  const requests = newContacts(RUN_IN + count).map((contact) =>
    createRequest('gateway', dataset.manifest, contact, `${Date.now()}`),
  );
  const send = async (some: readonly string[], perSecond?: number) => {
    await receiver.expect(EVENTS_EACH * some.length);
    const result = await sendSome(bench, subject, some, 201, perSecond);
    await receiver.allArrived(TIMEOUT_MS);
    return { result, arrivals: await receiver.read() };
  };
  await send(requests.slice(0, RUN_IN));
  const { result: timed, cpu } = await measureCpuUse(bench, subject, () =>
    send(requests.slice(RUN_IN), rate),
  );
  const { result, arrivals } = timed;
  requireEachOnce(arrivals, EVENTS_EACH * count);
  const ages = [...arrivals.agesMs].sort((a, b) => a - b);
  const at = (part: number) => ages[Math.min(ages.length - 1, Math.floor(ages.length * part))] ?? Number.NaN;
  const p99Ms = at(0.99);
  const row = plainRow({
    part: 'i',
    workload: '(i) from commit to first attempt at half load',
    subject: 'gateway',
    requests_per_second: arrivals.keys.length / result.seconds,
    p50_ms: at(0.5),
    p99_ms: p99Ms,
    ...cpuPerRequest([cpu], arrivals.keys.length),
    load_cpu: result.loadCpu,
    note: `${rate.toFixed(0)} contacts a second, answered within ${result.p99.toFixed(0)} ms (p99); the oldest event ${at(1).toFixed(0)} ms`,
  });
  return { p99Ms, rows: [row] };
}

/** @throws Error when not each of so many arrived once */
function requireEachOnce({ keys }: Arrivals, count: number): void {
  const distinct = new Set(keys).size;
  if (keys.length !== count || distinct !== count)
    throw new Error(`${keys.length} arrivals, ${distinct} different ones, of ${count}`);
}
