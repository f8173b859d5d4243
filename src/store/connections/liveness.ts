// Detects whether the database answers at all. While statements are pending and no connection receives anything, sends a probe over its own
// connection. If the probe gets no answer either, all waiting and new statements are refused at once, until a probe is answered.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../output/log.ts';
import { toReason } from './failures.ts';
import { protocolConnectionOf } from './rows-query.ts';

/** A group of watched database connections. */
export interface Watched {
  /** Whether any statement is unanswered. */
  isBusy(): boolean;
  sockets(): Iterable<Socket>;
  /** Closes every connection, and rejects all waiting statements. */
  abandon(error: Error): void;
}

export interface Liveness {
  /** Why statements are refused now; null while the database answers. */
  readonly refusal: Error | null;
  /** Must be called whenever a statement is sent. */
  asked(): void;
  /** Must be called when a connection was lost or could not be opened. */
  suspect(): void;
  watch(connections: Watched): void;
  /** Starts refusing statements: nothing is refused before this call. */
  start(): void;
  close(): void;
}

const TICK_MS = 100;
/**
 * The number of consecutive ticks without incoming data after which a probe is sent. Counts ticks instead of milliseconds, so that a busy
 * process does not mistake its own delays for the database's.
 */
const SILENT_TICKS = 4;
/** How many ticks a probe may take. With the silence before the probe, callers are refused within 1.5 s. */
const PROBE_TICKS = 10;
/** The pause between probes while the database does not answer. */
const PROBE_PAUSE_MS = 250;

/** @param connection the configuration of the probes' connections */
export function createLiveness({
  connection,
  log,
}: {
  readonly connection: pg.ClientConfig;
  readonly log: Logger;
}): Liveness {
  const watched: Watched[] = [];
  const read = new WeakMap<Socket, number>();
  let refusal: Error | null = null;
  let isStarted = false;
  let ticker: NodeJS.Timeout | undefined;
  let silentTicks = 0;
  let isProbing = false;

  /** Whether anything has arrived since the last call. */
  function hasHeard(): boolean {
    let heard = false;
    for (const connections of watched)
      for (const socket of connections.sockets()) {
        if (socket.bytesRead !== (read.get(socket) ?? 0)) heard = true;
        read.set(socket, socket.bytesRead);
      }
    return heard;
  }

  function tick(): void {
    silentTicks = hasHeard() ? 0 : silentTicks + 1;
    if (silentTicks >= SILENT_TICKS) void probe();
    if (isProbing || watched.some((connections) => connections.isBusy())) return;
    clearInterval(ticker);
    ticker = undefined;
    silentTicks = 0;
  }

  async function probe(): Promise<void> {
    if (isProbing || !isStarted) return;
    isProbing = true;
    hasHeard();
    const error = await probeOnce(connection);
    // Only the probe's own backend, or the postmaster, may hang while other connections still work.
    if (error !== null && !hasHeard() && isStarted) await waitForReturn(error);
    silentTicks = 0;
    isProbing = false;
  }

  async function waitForReturn(error: Error): Promise<void> {
    log.error({ reason: toReason(error) }, 'the database does not answer: requests are refused');
    refusal = Object.assign(new Error('Connection terminated: the database does not answer'), {
      code: 'ETIMEDOUT',
    });
    for (const connections of watched) connections.abandon(refusal);
    do await sleep(PROBE_PAUSE_MS, undefined, { ref: false });
    while (isStarted && (await probeOnce(connection)) !== null);
    refusal = null;
    log.info({}, 'the database answers again');
  }

  return {
    get refusal() {
      return refusal;
    },
    asked() {
      if (isStarted) ticker ??= setInterval(tick, TICK_MS).unref();
    },
    suspect: () => void probe(),
    watch: (connections) => void watched.push(connections),
    start() {
      isStarted = true;
    },
    close() {
      isStarted = false;
      clearInterval(ticker);
    },
  };
}

/** SQLSTATEs of a server that answers but accepts no sessions: it is starting or stopping, or a pooler cannot reach it. */
const NOT_SERVING = /^(57P0[1-5]|08...)$/;

/** Probes over a new connection. @returns null when the server answers, even if it has too many connections; otherwise the reason */
async function probeOnce(connection: pg.ClientConfig): Promise<Error | null> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 0 });
  const { stream } = protocolConnectionOf(client);
  const { promise: silence, reject } = Promise.withResolvers<never>();
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks >= PROBE_TICKS) reject(new Error('Connection terminated: no answer in time'));
  }, TICK_MS).unref();
  client.on('error', reject);
  try {
    await Promise.race([client.connect().then(() => client.query('select 1')), silence]);
    return null;
  } catch (error) {
    const { code } = error as { code?: unknown };
    const isAnswer = error instanceof pg.DatabaseError && !NOT_SERVING.test(String(code));
    return isAnswer ? null : (error as Error);
  } finally {
    clearInterval(timer);
    // A graceful end would wait for a server that may not answer.
    stream.destroy();
    protocolConnectionOf(client).stream.destroy();
  }
}
