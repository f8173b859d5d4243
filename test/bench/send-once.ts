// Requests that change something: each is sent once, as fast as they are answered, and each has to be answered well.
import type { Bench } from './bench.ts';
import { cpuPerRequest, measureCpuUse } from './cpu-use.ts';
import type { LoadResult } from './load.ts';
import type { Slice } from './measure.ts';
import type { Subject } from './subject.ts';

/** Requests before the timed ones of a turn. */
export const RUN_IN = 500;

/** Prime, so that samples do not fall on the same connections. */
const SAMPLE_EVERY = 97;

/**
 * Sends each request once. Not timed are the first ones: pools have closed idle connections, and new ones plan their statements.
 * @param runIn how many those are @throws Error when one was answered with another status
 */
export async function sendOnce(
  bench: Bench,
  subject: Subject,
  requests: readonly string[],
  status: number,
  runIn = RUN_IN,
): Promise<Slice> {
  await sendSome(bench, subject, requests.slice(0, runIn), status);
  const timed = requests.slice(runIn);
  const { result, cpu } = await measureCpuUse(bench, subject, () => sendSome(bench, subject, timed, status));
  const samples = result.samples.map((sample) => ({ ...sample, index: sample.index + runIn }));
  return { ...result, samples, ...cpuPerRequest([cpu], result.count) };
}

/** @param perSecond begins so many a second @throws Error when one was answered with another status */
export async function sendSome(
  { load, plan }: Bench,
  { port }: Subject,
  requests: readonly string[],
  status: number,
  perSecond?: number,
): Promise<LoadResult> {
  const { connections } = plan;
  const count = requests.length;
  const result = await load.run({
    ...{ port, requests, offset: 0, connections, seconds: Number.MAX_SAFE_INTEGER, count },
    ...(perSecond === undefined ? {} : { perSecond }),
    sampleEvery: SAMPLE_EVERY,
  });
  if (result.statuses[status] !== count)
    throw new Error(
      `statuses ${JSON.stringify(result.statuses)}, first answer ${result.samples[0]?.body.slice(0, 300)}`,
    );
  return result;
}
