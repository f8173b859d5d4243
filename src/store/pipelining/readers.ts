// Pipelined connections for short reads. Many requests share each connection, and statements are sent without waiting for earlier results,
// so that a busy gateway needs few connections and few system calls. A stalled connection gets no more reads. The reads queued after its
// first one are sent again over another connection, which is safe because reads change nothing. After a time limit the connection is
// closed.
import { withAbortListener } from '../../concurrency/abort.ts';
import type { Logger } from '../../output/log.ts';
import type { RowBlock } from '../../rows/row-block.ts';
import type { Readings } from '../../telemetry/kinds.ts';
import { awaitStatement } from '../connections/failed-statements.ts';
import { databaseUnavailable, toReason } from '../connections/failures.ts';
import type { Liveness, Watched } from '../connections/liveness.ts';
import type { ConnectionConfig } from '../connections/sql-constants.ts';
import type { Statement } from '../sql/statements.ts';
import { type Read, ReadingConnection, rejectAborted } from './reading-connection.ts';
import type { RunningServer } from './running-server.ts';

export interface Readers extends Watched {
  /**
   * Reads the rows of one prepared statement, which may be executed more than once.
   * @param tenantId the team that the read is for, if any
   * @param signal after it is aborted, a waiting read is not sent, and with the option `cancels` a sent one is cancelled
   * @throws AppError `unavailable` when too many reads are waiting; the signal's reason; otherwise the driver's error
   */
  read(statement: Statement, values: unknown[], tenantId?: bigint, signal?: AbortSignal): Promise<RowBlock>;
  /** The current number of connections. */
  load(): Readings['connections'];
  close(): Promise<void>;
}

interface ReadersOptions {
  /** How many connections share the reads, at least 2; opened on demand. The same number of connections can replace stalled ones. */
  readonly count: number;
  readonly connection: ConnectionConfig;
  /** The milliseconds without a result after which a connection is closed. */
  readonly answerTimeoutMs: number;
  /** Whether sent reads are cancelled when their signal is aborted. Then at most `count` reads are pending, each on its own connection. */
  readonly cancels?: boolean;
  /** The maximum size of one result; a larger one throws `ResultTooLarge`. */
  readonly maxBytes?: number;
  /** Whether statements are prepared; absent: they are. */
  readonly preparedStatements?: boolean;
  /** While the database does not answer, reads are refused at once. */
  readonly liveness?: Liveness;
  /** Notified of connections that are opened. */
  readonly server?: RunningServer;
  readonly log: Logger;
}

/** The tenant of reads that belong to no team. */
const NO_TENANT = 0n;
/** The interval at which connections are checked while reads are pending. */
const TICK_MS = 50;
/** The number of consecutive ticks without a result after which a connection counts as stalled: 250 to 300 ms. */
const STALLED_TICKS = 6;
/**
 * The maximum number of reads of one tick that share a connection. The concurrent reads of a request, such as the objects that its rows
 * refer to, then take one system call on each side, which costs more than such a read. More reads would wait for each other too long. Reads
 * that can be cancelled do not share.
 */
const MAX_GATHERED = 4;
/** The maximum numbers of pending reads on one connection, and of waiting reads for all teams and for one team. */
const MAX_PENDING = 1_000;
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_TENANT = 250;
/** The number of connections that stay closed to a team while its reads stall as many of the others. */
const RESERVED = 2;
const MAX_STALLED_PER_TENANT = 2;
const CLOSE_TIMEOUT_MS = 2_000;

function closed(): Error {
  return new Error('Connection terminated: closed');
}

/** Creates readers without opening a connection: the first read opens one. */
export function createReaders(options: ReadersOptions): Readers {
  const { count, connection, answerTimeoutMs, cancels = false, maxBytes, liveness, server, log } = options;
  /** The first `count` connections that are not stalled share the reads. */
  const connections: ReadingConnection[] = [];
  const max = 2 * count;
  const maxTicks = Math.ceil(answerTimeoutMs / TICK_MS);
  let waiting: Read[] = [];
  let ticker: NodeJS.Timeout | undefined;
  let isClosed = false;

  const isBusy = () => waiting.length > 0 || connections.some(({ pending }) => pending > 0);

  function open(): ReadingConnection {
    const opened = new ReadingConnection(connection, {
      maxBytes,
      preparedStatements: options.preparedStatements ?? true,
      onOpen(instance) {
        server?.(instance);
        sendWaiting();
      },
      onClosed(error, unanswered) {
        connections.splice(connections.indexOf(opened), 1);
        if (error === null) return;
        if (unanswered !== null && !isClosed)
          log.warn({ reason: toReason(error) }, 'reading connection lost');
        if (!isClosed) liveness?.suspect();
        for (const read of unanswered ?? []) {
          if (isClosed || liveness?.refusal) read.reject(error);
          else if (!trySend(read)) waiting.push(read);
        }
        // If no connection is open and none could be opened, all waiting reads fail.
        if (unanswered === null && !connections.some(({ isOpen }) => isOpen))
          for (const read of waiting.splice(0)) read.reject(error);
        else sendWaiting();
      },
    });
    connections.push(opened);
    return opened;
  }

  /**
   * Of the first `count` connections that are not stalled, returns one that gathers the reads of this tick, else the one with the fewest
   * reads; null if the first `limit` are stalled or full.
   */
  function leastBusy(limit: number): ReadingConnection | null {
    let best: ReadingConnection | null = null;
    let least = MAX_PENDING;
    let usable = 0;
    for (const candidate of connections.length > limit ? connections.slice(0, limit) : connections) {
      if (candidate.isStalled) continue;
      const { pending } = candidate;
      if (!cancels && candidate.isGathering && pending < MAX_GATHERED) return candidate;
      if (pending < least) {
        best = candidate;
        least = pending;
      }
      if (++usable === count) return best;
    }
    if (least === 0) return best;
    return connections.length < limit ? open() : best;
  }

  /** How many connections a team can use: without the reserved ones if its own reads probably stall the others. */
  function limitOf(tenantId: bigint): number {
    if (connections.length < max - RESERVED || tenantId === NO_TENANT) return max;
    const stalled = connections.filter((one) => one.isStalled && one.headTenantId === tenantId);
    return stalled.length < MAX_STALLED_PER_TENANT ? max : max - RESERVED;
  }

  /** Sends a read, or rejects it if its signal is aborted. False when no connection has capacity. */
  function trySend(read: Read): boolean {
    if (rejectAborted(read)) return true;
    const target = leastBusy(limitOf(read.tenantId));
    target?.read(read);
    return target !== null;
  }

  /** When no connection is stalled, closes the replacements of stalled ones, so that new ones can be opened next time. */
  function closeReplacements(): void {
    if (connections.some(({ isStalled }) => isStalled)) return;
    for (const one of connections.slice(count)) if (one.isOpen && one.pending === 0) one.end();
  }

  function sendWaiting(): void {
    if (waiting.length > 0 && !isClosed) waiting = waiting.filter((read) => !trySend(read));
  }

  function tick(): void {
    for (const one of [...connections]) {
      const silentTicks = one.tick();
      if (silentTicks >= maxTicks) one.fail(new Error('Connection terminated: no answer in time'));
      else if (silentTicks === STALLED_TICKS) {
        if (one.pending > 1)
          log.warn({ pending: one.pending }, 'reading connection stalled: its other reads are sent again');
        one.isStalled = true;
      }
    }
    for (const one of [...connections]) if (one.isStalled) one.handOver(trySend);
    sendWaiting();
    closeReplacements();
    if (isBusy()) return;
    clearInterval(ticker);
    ticker = undefined;
  }

  function isFull(tenantId: bigint): boolean {
    if (waiting.length >= MAX_WAITING) return true;
    if (waiting.length < MAX_WAITING_PER_TENANT) return false;
    return waiting.filter((read) => read.tenantId === tenantId).length >= MAX_WAITING_PER_TENANT;
  }

  function submit(read: Read): void {
    if (isClosed) {
      read.reject(closed());
      return;
    }
    liveness?.asked();
    if (liveness?.refusal) {
      read.reject(liveness.refusal);
      return;
    }
    // One timer for all reads is cheaper than one for each.
    ticker ??= setInterval(tick, TICK_MS);
    if (trySend(read)) return;
    if (isFull(read.tenantId)) read.reject(databaseUnavailable());
    else waiting.push(read);
  }

  return {
    read(statement, values, tenantId = NO_TENANT, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<RowBlock>();
      const read: Read = { statement, values, tenantId, signal, resolve, reject, resends: 0 };
      submit(read);
      if (!cancels || signal === undefined) return awaitStatement(statement.name, promise);
      const cancel = () => {
        for (const one of connections) one.cancel(read);
      };
      return awaitStatement(statement.name, withAbortListener(signal, cancel, promise));
    },
    load() {
      const open = connections.filter(({ isOpen }) => isOpen);
      return {
        open: open.length,
        busy: open.filter(({ pending }) => pending > 0).length,
        stalled: open.filter(({ isStalled }) => isStalled).length,
        waiting: waiting.length,
      };
    },
    isBusy,
    sockets: () => connections.map(({ socket }) => socket),
    abandon(error) {
      for (const read of waiting.splice(0)) read.reject(error);
      for (const one of [...connections]) one.fail(error);
    },
    async close() {
      isClosed = true;
      for (const read of waiting.splice(0)) read.reject(closed());
      const timer = setTimeout(() => {
        for (const one of [...connections]) one.fail(closed());
      }, CLOSE_TIMEOUT_MS);
      await Promise.allSettled([...connections].map((one) => one.end()));
      clearTimeout(timer);
      clearInterval(ticker);
    },
  };
}
