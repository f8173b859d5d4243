// The load generator as the bench uses it. It works in a process of its own, so that it and what checks its answers do
// not slow each other down.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface LoadJob {
  readonly port: number;
  /** Whole requests as text, sent in this order, over and over. */
  readonly requests: readonly string[];
  /** Which of them is the first. */
  readonly offset: number;
  readonly connections: number;
  readonly seconds: number;
  /** Ends earlier, after this many. */
  readonly count?: number;
  /**
   * Begins so many a second, each at its own moment, whatever has become of those before it: an open loop, as long as a connection is
   * free. Latencies are counted from that moment. Without it each connection sends as fast as it is answered.
   */
  readonly perSecond?: number;
  /** Every how many answers one is kept. */
  readonly sampleEvery: number;
}

export interface LoadResult {
  readonly count: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Some answers, with the index of their requests. */
  readonly samples: { index: number; body: string }[];
  /** How busy the generator itself was: 1 is a whole core, and too much. */
  readonly loadCpu: number;
}

export interface Load {
  run(job: LoadJob): Promise<LoadResult>;
  close(): void;
}

export function startLoad(signal: AbortSignal): Load {
  const worker: ChildProcess = fork(fileURLToPath(new URL('./load-worker.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    run(job) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<LoadResult>();
      const onMessage = (message: { result: LoadResult } | { error: string }) =>
        'result' in message ? resolve(message.result) : reject(new Error(message.error));
      const onExit = () => reject(new Error('the load generator ended'));
      const onAbort = () => reject(signal.reason);
      worker.once('message', onMessage).once('exit', onExit);
      signal.addEventListener('abort', onAbort, { once: true });
      worker.send(job);
      return promise.finally(() => {
        worker.off('message', onMessage).off('exit', onExit);
        signal.removeEventListener('abort', onAbort);
      });
    },
    close() {
      if (worker.connected) worker.disconnect();
    },
  };
}
