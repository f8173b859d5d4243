// The timed workloads: short rounds, every subject in each, in a different order each time, so that whatever else the
// machine does meets all of them alike. Ratios are taken within a round.
import { type Contender, prepareContenders, requireRight } from './answers.ts';
import { attempt, type Bench, type Row } from './bench.ts';
import { type CpuPerRequest, cpuPerRequest, measureCpuUse } from './cpu-use.ts';
import type { LoadResult } from './load.ts';
import { median, spread } from './stats.ts';
import type { SubjectName } from './subjects.ts';
import { WORKLOADS, type Workload, type WorkloadKey } from './workloads.ts';

export type Slice = LoadResult & CpuPerRequest;

/** What a workload's subjects did, round by round. */
export type Measured = ReadonlyMap<string, readonly Slice[]>;
export type Measurements = ReadonlyMap<WorkloadKey, Measured>;

/** Prime, so that samples do not fall on the same requests. */
const SAMPLE_EVERY = 97;

interface Race {
  readonly workload: Workload;
  readonly contenders: Contender[];
  readonly slices: Map<SubjectName, Slice[]>;
}

/** Runs the workloads of the chosen parts. */
export async function measure(bench: Bench, parts: ReadonlySet<string>): Promise<Measurements> {
  const { plan, progress } = bench;
  const races: Race[] = [];
  for (const workload of WORKLOADS.filter(({ part }) => parts.has(part))) {
    const contenders = await prepareContenders(bench, workload);
    races.push({ workload, contenders, slices: new Map(contenders.map(({ name }) => [name, []])) });
  }
  if (races.length > 0) progress.say('Answers compared; warming up');
  for (const race of races) {
    for (const contender of [...race.contenders]) await warmUp(bench, race, contender);
    for (const slices of race.slices.values()) slices.length = 0;
  }
  for (let round = 0; round < plan.rounds; round++) {
    for (const race of races) {
      progress.say(`Round ${round + 1} of ${plan.rounds}: ${race.workload.title}`);
      for (const contender of rotate(race.contenders, round))
        await runSlice(bench, race, contender, round, plan.roundSeconds);
    }
  }
  return new Map(races.map(({ workload, slices }) => [workload.key, slices]));
}

/** A slow subject would answer too few requests in one turn. */
const MAX_WARM_UP_TURNS = 8;

async function warmUp(bench: Bench, race: Race, contender: Contender): Promise<void> {
  const { warmUpRequests, warmUpSeconds } = bench.plan;
  let answered = 0;
  for (let turn = 0; turn < MAX_WARM_UP_TURNS && answered < warmUpRequests; turn++) {
    const slice = await runSlice(bench, race, contender, turn, warmUpSeconds);
    if (slice === null) return;
    answered += slice.count;
  }
}

/** One subject's turn; null where it failed. Then it is out of this workload, and all that it did there is forgotten. */
async function runSlice(
  bench: Bench,
  { workload, contenders, slices }: Race,
  contender: Contender,
  round: number,
  seconds: number,
): Promise<Slice | null> {
  const { load, plan } = bench;
  const { subject, name, requests } = contender;
  const [reference = contender] = contenders;
  const slice = await attempt(bench, `${name} is left out of ${workload.title}`, async () => {
    const job = {
      port: subject.port,
      requests,
      offset: (round * 137) % requests.length,
      connections: plan.connections,
      seconds,
      sampleEvery: SAMPLE_EVERY,
    };
    const { result, cpu } = await measureCpuUse(bench, subject, () => load.run(job));
    await requireRight(workload, contender, result, reference);
    return { ...result, ...cpuPerRequest([cpu], result.count) };
  });
  if (slice === null) {
    contenders.splice(contenders.indexOf(contender), 1);
    slices.delete(name);
  } else {
    slices.get(name)?.push(slice);
  }
  return slice;
}

/** Another order for each round, so that nobody always comes after the same one. */
export function rotate<T>(values: readonly T[], by: number): T[] {
  const at = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
}

/** The report's rows. */
export function toRows(measurements: Measurements): Row[] {
  return WORKLOADS.flatMap(({ key, part, title }) =>
    rowsOf({ part, workload: title }, measurements.get(key) ?? new Map()),
  );
}

/** The report's rows of one workload, a subject each. */
export function rowsOf(what: Pick<Row, 'part' | 'workload'>, measured: Measured): Row[] {
  return [...measured].map(([name, slices]) => ({
    ...what,
    subject: name,
    requests_per_second: median(slices.map((slice) => slice.requestsPerSecond)),
    spread: spread(slices.map((slice) => slice.requestsPerSecond)),
    p50_ms: median(slices.map((slice) => slice.p50)),
    p99_ms: median(slices.map((slice) => slice.p99)),
    cpu_us_per_request: medianOf(slices.map((slice) => slice.cpu_us_per_request)),
    postgres_cpu_us_per_request: medianOf(slices.map((slice) => slice.postgres_cpu_us_per_request)),
    load_cpu: median(slices.map((slice) => slice.loadCpu)),
    gateway_ratio: name === 'gateway' ? null : ratioTo(measured, name),
    note: null,
  }));
}

/** `ratioTo` of a timed workload. */
export function ratio(measurements: Measurements, key: WorkloadKey, other: SubjectName): number | null {
  return ratioTo(measurements.get(key) ?? new Map(), other);
}

/** The same of their processor time a request, without PostgreSQL's. */
export function cpuRatio(
  measurements: Measurements,
  key: WorkloadKey,
  one: SubjectName,
  other: SubjectName,
): number | null {
  return medianRatio(measurements.get(key), one, other, (slice) => slice.cpu_us_per_request ?? Number.NaN);
}

/** The median of a subject's requests a second; null when it is missing. */
export function medianRate(
  measurements: Measurements,
  key: WorkloadKey,
  subject: SubjectName,
): number | null {
  const slices = measurements.get(key)?.get(subject);
  return slices === undefined ? null : finite(median(slices.map((slice) => slice.requestsPerSecond)));
}

/** The median over the rounds of the gateway's requests a second by another subject's; null when one is missing. */
export function ratioTo(
  measured: ReadonlyMap<string, readonly Pick<Slice, 'requestsPerSecond'>[]>,
  other: string,
): number | null {
  return medianRatio(measured, 'gateway', other, (slice) => slice.requestsPerSecond);
}

/** Ratios are taken within a round. */
function medianRatio<S>(
  measured: ReadonlyMap<string, readonly S[]> | undefined,
  one: string,
  other: string,
  figureOf: (slice: S) => number,
): number | null {
  const ones = measured?.get(one);
  const others = measured?.get(other);
  if (ones === undefined || others === undefined) return null;
  const ratios = ones.map((slice, round) => {
    const beside = others[round];
    return beside === undefined ? Number.NaN : figureOf(slice) / figureOf(beside);
  });
  return finite(median(ratios.filter((value) => !Number.isNaN(value))));
}

/** The gateway against the limit: the faster of its two ways. */
export function ratioToLimit(measurements: Measurements, key: WorkloadKey): number | null {
  const ways = (['limit-json', 'limit-rows'] as const).filter((way) => measurements.get(key)?.has(way));
  const speed = (way: SubjectName) =>
    median((measurements.get(key)?.get(way) ?? []).map((slice) => slice.requestsPerSecond));
  const fastest = ways.sort((a, b) => speed(b) - speed(a))[0];
  return fastest === undefined ? null : ratio(measurements, key, fastest);
}

/** null when one is not known. */
function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? median(known) : null;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
