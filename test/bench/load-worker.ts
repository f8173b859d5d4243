// The load generator's process: keeps a number of connections busy for a time, and says what it saw.
import process from 'node:process';
import { Connection } from './connection.ts';
import type { LoadJob, LoadResult } from './load.ts';

process.on('disconnect', () => process.exit());
process.on('message', (job: LoadJob) => {
  work(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
// Ctrl-C reaches the whole group; the parent says when to end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => process.disconnect?.());

/** At most this many answers of a run are kept to be looked at. */
const MAX_SAMPLES = 12;

function work(job: LoadJob): Promise<LoadResult> {
  const { port, connections, seconds, count = Number.POSITIVE_INFINITY, perSecond } = job;
  const requests = job.requests.map((text) => Buffer.from(text));
  const latencies = new Latencies();
  const samples: LoadResult['samples'] = [];
  const statuses: Record<string, number> = {};
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>();
  const sampleEvery = Math.max(1, job.sampleEvery);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1000;
  const open: Connection[] = [];
  let sent = 0;
  let busy = connections;
  let endedAt = startedAt;

  function finish(): void {
    for (const connection of open) connection.close();
    const { user, system } = process.cpuUsage(cpuBefore);
    const elapsed = (endedAt - startedAt) / 1000;
    resolve({
      count: latencies.count,
      seconds: elapsed,
      requestsPerSecond: latencies.count / elapsed,
      statuses,
      samples,
      loadCpu: (user + system) / 1e6 / elapsed,
      ...latencies.summary(),
    });
  }

  function drive(connection: Connection): void {
    let index = 0;
    let sentAt = 0;
    const next = () => {
      const now = performance.now();
      if (sent >= count || now >= deadline) {
        busy--;
        if (busy === 0) finish();
        return;
      }
      index = (job.offset + sent) % requests.length;
      const keep = sent % sampleEvery === 0 && samples.length < MAX_SAMPLES;
      sentAt = perSecond === undefined ? now : startedAt + (sent * 1000) / perSecond;
      sent++;
      const send = () => connection.send(requests[index] as Buffer, keep, onReply);
      if (sentAt > now) setTimeout(send, sentAt - now);
      else send();
    };
    const onReply = ({ status, body }: { status: number; body: string | null }) => {
      endedAt = performance.now();
      latencies.add(endedAt - sentAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (body !== null) samples.push({ index, body });
      next();
    };
    next();
  }

  for (let i = 0; i < connections; i++) {
    const connection = new Connection(port, (error) => {
      for (const each of open) each.close();
      reject(error);
    });
    open.push(connection);
    drive(connection);
  }
  return promise;
}

/** Milliseconds, every one of them kept. */
class Latencies {
  #values = new Float64Array(1 << 16);
  count = 0;

  add(milliseconds: number): void {
    if (this.count === this.#values.length) {
      const grown = new Float64Array(this.count * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.count++] = milliseconds;
  }

  summary(): { p50: number; p99: number } {
    const sorted = this.#values.subarray(0, this.count).sort();
    const at = (part: number) => sorted[Math.min(this.count - 1, Math.floor(this.count * part))] ?? 0;
    return { p50: at(0.5), p99: at(0.99) };
  }
}
