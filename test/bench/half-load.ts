// How long a page takes while the gateway has half the work that it can do: requests begin at their own moments, half as many a second
// as it answered at full load, and are timed from then on (an open loop, so that waiting counts).
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import { type Measurements, medianRate } from './measure.ts';
import { median } from './stats.ts';
import type { SubjectName } from './subjects.ts';
import { restAtRandom } from './workloads.ts';

interface HalfLoadResult {
  /** Of the gateway: the 99th percentile of the time to the answer / the median, the median of the rounds. */
  readonly ratio: number | null;
  readonly rows: Row[];
}

/** Connections enough that one is free for each moment. */
const CONNECTIONS = 128;
/** The others tell what of it is the machine's, the load tool's and PostgreSQL's. */
const SUBJECTS = ['gateway', 'limit-pipelined', 'go'] as const;

/** The REST page of 20 at half of the rate that was measured, of each by its own. The ratio is null without a gateway, or when an answer was wrong. */
export async function measureHalfLoad(bench: Bench, measurements: Measurements): Promise<HalfLoadResult> {
  const rows: Row[] = [];
  let ratio: number | null = null;
  for (const name of SUBJECTS) {
    const measured = await attempt(bench, `${name} at half load`, () =>
      measureOne(bench, measurements, name),
    );
    if (measured == null) continue;
    rows.push(measured.row);
    if (name === 'gateway') ratio = measured.ratio;
  }
  return { ratio, rows };
}

async function measureOne(bench: Bench, measurements: Measurements, name: SubjectName) {
  const { plan, dataset, load, progress, subjects } = bench;
  const subject = subjects.get(name);
  const saturated = medianRate(measurements, 'rest_random', name);
  if (subject === undefined || saturated === null) return null;
  const perSecond = saturated / 2;
  progress.say(`(a) Half load: ${perSecond.toFixed(0)} pages a second, ${name}`);
  const requests = restAtRandom(dataset.manifest, 20);
  const results = [];
  for (let round = 0; round <= plan.rounds; round++) {
    const seconds = round === 0 ? plan.warmUpSeconds : plan.roundSeconds;
    const result = await load.run({
      ...{ port: subject.port, requests, offset: round * 137, connections: CONNECTIONS },
      ...{ seconds, perSecond, sampleEvery: 1_000_000 },
    });
    if (result.statuses['200'] !== result.count) throw new Error(JSON.stringify(result.statuses));
    if (round > 0) results.push(result);
  }
  const ratio = median(results.map(({ p99, p50 }) => p99 / p50));
  const row = plainRow({
    part: 'a',
    workload: '(a) REST, page of 20 contacts at a random position, half load',
    subject: name,
    requests_per_second: median(results.map(({ requestsPerSecond }) => requestsPerSecond)),
    p50_ms: median(results.map(({ p50 }) => p50)),
    p99_ms: median(results.map(({ p99 }) => p99)),
    note: `p99 is ${ratio.toFixed(1)} times p50`,
  });
  return { ratio, row };
}
