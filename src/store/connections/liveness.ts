// Whether the database answers at all. While something is asked and nothing arrives over any connection, a probe asks over a connection
// of its own: when that gets no answer either, all that waits is refused at once, and so is what comes, until a probe is answered.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../output/log.ts';
import { toReason } from './failures.ts';
import { protocolConnectionOf } from './rows-query.ts';

/** Connections to the database that are watched. */
export interface Watched {
  /** Whether something that was asked is not answered. */
  isBusy(): boolean;
  sockets(): Iterable<Socket>;
  /** Closes every connection, and refuses what waits. */
  abandon(error: Error): void;
}

export interface Liveness {
  /** Why nothing can be asked now; null while the database answers. */
  readonly refusal: Error | null;
  /** To be called whenever something is asked. */
  asked(): void;
  /** To be called when a connection was lost or could not be opened. */
  suspect(): void;
  watch(connections: Watched): void;
  /** Until then, nothing is ever refused. */
  start(): void;
  close(): void;
}

const TICK_MS = 100;
/** Nothing arrived for so many ticks in a row: a probe is sent. Ticks, not milliseconds, so that a busy process blames nobody else. */
const SILENT_TICKS = 4;
/** A probe may take so many ticks. With the silence before it, whoever asks knows within 1.5 s. */
const PROBE_TICKS = 10;
/** Between probes while the database is away. */
const PROBE_PAUSE_MS = 250;

/** @param connection the configuration of a connection for probes */
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

  /** Whether something has arrived since the last time. */
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
    const error = await askOnce(connection);
    // Its own backend, or the postmaster, may be what hangs while others are served.
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
    while (isStarted && (await askOnce(connection)) !== null);
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

/** SQLSTATEs of a server that answers, but serves nobody: it is starting or stopping, or a pooler cannot reach it. */
const NOT_SERVING = /^(57P0[1-5]|08...)$/;

/** Asks over a new connection. @returns null when the server answers, if only that it has too many connections; else why not */
async function askOnce(connection: pg.ClientConfig): Promise<Error | null> {
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
    // An orderly end would wait for a server that may not answer.
    stream.destroy();
    protocolConnectionOf(client).stream.destroy();
  }
}
