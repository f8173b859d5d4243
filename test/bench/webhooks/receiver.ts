// The receiver as the bench uses it: a process of its own, so that what it costs is nobody else's.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Forget what arrived, and say when so many have; or tell what arrived. */
export type ReceiverCommand = { readonly expect: number } | 'read';

export interface Arrivals {
  /** Of each one the number of its endpoint, a space, and the id of its event. */
  readonly keys: readonly string[];
  readonly bytes: number;
  /** When the first and the last arrived, in milliseconds since 1970. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** How old each event was, by the payload's own `created_at`. */
  readonly agesMs: readonly number[];
}

/** Where it listens, once; that it has forgotten; that all have arrived; what has. */
export type ReceiverMessage = { readonly ports: readonly number[] } | 'ready' | 'arrived' | Arrivals;

export interface Receiver {
  /** An endpoint each. */
  readonly urls: readonly string[];
  /** Forgets what arrived: from now on so many are to. */
  expect(count: number): Promise<void>;
  /** Resolves when as many have arrived as are expected. @throws Error when that takes too long */
  allArrived(timeoutMs: number): Promise<void>;
  read(): Promise<Arrivals>;
  close(): void;
}

const SCRIPT = fileURLToPath(new URL('../subjects/webhook-receiver.ts', import.meta.url));

/** @param endpoints how many ports it listens on */
export async function startReceiver(endpoints: number, signal: AbortSignal): Promise<Receiver> {
  signal.throwIfAborted();
  const worker = fork(SCRIPT, [String(endpoints)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  let arrived = Promise.withResolvers<void>();
  let answered = Promise.withResolvers<ReceiverMessage>();
  worker.on('message', (message: ReceiverMessage) =>
    message === 'arrived' ? arrived.resolve() : answered.resolve(message),
  );
  worker.once('exit', () => ending.abort(new Error('the receiver ended')));

  async function ask(command: ReceiverCommand): Promise<ReceiverMessage> {
    answered = Promise.withResolvers();
    worker.send(command);
    return unless(over, answered.promise);
  }

  const { ports } = (await unless(over, answered.promise)) as { ports: readonly number[] };
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/webhooks`),
    async expect(count) {
      arrived = Promise.withResolvers();
      await ask({ expect: count });
    },
    allArrived: (timeoutMs) =>
      unless(AbortSignal.any([over, AbortSignal.timeout(timeoutMs)]), arrived.promise),
    read: async () => (await ask('read')) as Arrivals,
    close() {
      if (worker.connected) worker.disconnect();
    },
  };
}

/** What a promise comes to, unless the signal comes first. */
async function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
