// What a load balancer does: it asks each gateway for /readyz all the time, and sends requests to those that are ready, in turn.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Balancer {
  /** Where the next request goes to. */
  next(): string;
  add(origin: string): void;
  remove(origin: string): void;
  /** Resolves once a gateway is ready, or is not any more. */
  until(origin: string, isReady: boolean): Promise<void>;
  stop(): Promise<void>;
}

const INTERVAL_MS = 100;

/** Starts to ask. */
export function createBalancer(): Balancer {
  const members = new Map<string, boolean>();
  const stopped = new AbortController();
  let turn = 0;
  let last = '';
  const check = async (origin: string) => {
    const isReady = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      async (response) => {
        await response.text();
        return response.ok;
      },
      () => false,
    );
    if (members.has(origin)) members.set(origin, isReady);
  };
  const checking = (async () => {
    while (!stopped.signal.aborted) {
      await Promise.all([...members.keys()].map(check));
      await sleep(INTERVAL_MS);
    }
  })();
  return {
    next() {
      const ready = [...members].filter(([, isReady]) => isReady).map(([origin]) => origin);
      last = ready[turn++ % ready.length] ?? last;
      return last;
    },
    add: (origin) => void members.set(origin, false),
    remove: (origin) => void members.delete(origin),
    async until(origin, isReady) {
      while (members.get(origin) !== isReady) await sleep(INTERVAL_MS / 2);
    },
    async stop() {
      stopped.abort();
      await checking;
    },
  };
}
