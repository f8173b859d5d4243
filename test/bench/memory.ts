// Resident memory of a fresh gateway after 10,000 requests and after many more, over both faces. Up to about 10,000 the process grows to its
// working size: V8 compiles what is called often, and its young generation and the allocator reach what the most requests at once need.
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import { median } from './stats.ts';
import { type Subject, startSubject } from './subject.ts';
import { SUBJECTS } from './subjects.ts';
import { connectionsAtRandom, restAtRandom } from './workloads.ts';

const BASE_REQUESTS = 10_000;
const READINGS = 7;
const READING_PAUSE_MS = 200;
const MEGABYTE = 1024 * 1024;

export interface MemoryResult {
  /** After all requests / after the first 10,000. */
  readonly growth: number | null;
  readonly rows: Row[];
}

export async function measureMemory(bench: Bench): Promise<MemoryResult> {
  const { plan, progress } = bench;
  const total = plan.memoryRequests;
  progress.say(`(g) Memory after ${total.toLocaleString('en')} requests`);
  const result = await attempt(bench, 'gateway, memory', async () => {
    const subject = await startSubject(SUBJECTS.gateway, bench.settings);
    try {
      const fresh = await settledMemory(subject);
      const requests = await mixedRequests(bench, subject);
      await send(bench, subject, requests, BASE_REQUESTS);
      const base = await settledMemory(subject);
      await send(bench, subject, requests, total - BASE_REQUESTS);
      return { fresh, base, end: await settledMemory(subject) };
    } finally {
      await subject.stop();
    }
  });
  if (result === null) return { growth: null, rows: [] };
  const growth = result.end / result.base;
  const row = (workload: string, bytes: number, note: string | null = null) =>
    plainRow({
      part: 'g',
      workload: `(g) resident memory ${workload}`,
      subject: 'gateway',
      note: `${(bytes / MEGABYTE).toFixed(0)} MB${note ?? ''}`,
    });
  return {
    growth,
    rows: [
      row('before the first request', result.fresh),
      row(`after ${BASE_REQUESTS.toLocaleString('en')} requests`, result.base),
      row(`after ${total.toLocaleString('en')} requests`, result.end, `, ${growth.toFixed(2)} times as much`),
    ],
  };
}

/** REST pages and GraphQL connections in turns; REST alone while there is no GraphQL face. */
async function mixedRequests(bench: Bench, subject: Subject): Promise<string[]> {
  const { manifest } = bench.dataset;
  const rest = restAtRandom(manifest, 20);
  const graphql = await attempt(bench, 'gateway, GraphQL in the memory test', () =>
    connectionsAtRandom(subject, 'gateway', manifest),
  );
  return rest.flatMap((request, index) => [request, graphql?.[index] ?? request]);
}

async function send(bench: Bench, subject: Subject, requests: string[], count: number): Promise<void> {
  const { statuses } = await bench.load.run({
    port: subject.port,
    requests,
    offset: 0,
    connections: bench.plan.connections,
    seconds: Number.MAX_SAFE_INTEGER,
    count,
    sampleEvery: count,
  });
  if (statuses['200'] !== count) throw new Error(`statuses ${JSON.stringify(statuses)}`);
}

async function settledMemory(subject: Subject): Promise<number> {
  const readings: number[] = [];
  for (let i = 0; i < READINGS; i++) {
    await sleep(READING_PAUSE_MS);
    readings.push(await subject.memoryBytes());
  }
  return median(readings);
}
