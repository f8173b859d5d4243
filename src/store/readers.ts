// Connections for short reads, each shared by many requests at once: statements are sent without waiting for the
// answers to those before them (pipelining), so that a busy gateway needs few connections and few system calls. A
// connection that stops answering gets no more reads, those behind its first one are sent again over another, and in the end it is
// replaced: reads change nothing, so that they can be sent twice.
import type pg from 'pg';
import { whileListening } from '../abort.ts';
import type { Logger } from '../log.ts';
import type { RowBlock } from '../rows/row-block.ts';
import { databaseUnavailable } from './failures.ts';
import { MAX_MOVES, type Read, ReadingConnection, rejectAborted } from './readers/reading-connection.ts';
import type { Statement } from './statements.ts';

export interface Readers {
  /**
   * The rows of one prepared statement that changes nothing, or may well run twice, as they came.
   * @param owner the team for which it is read, if any
   * @param signal once it is aborted, a read that waits is not sent, and one that was sent is cancelled where that is an option
   * @throws AppError `unavailable` when too many reads wait already; the signal's reason; else what the driver said
   */
  read(statement: Statement, values: unknown[], owner?: bigint, signal?: AbortSignal): Promise<RowBlock>;
  close(): Promise<void>;
}

interface ReadersOptions {
  /** How many connections share the reads, at least 2; they are opened when needed. As many again may stand in for late ones. */
  readonly count: number;
  readonly connection: pg.ClientConfig;
  /** Milliseconds after which a connection that has answered nothing is ended, with the reads on it. */
  readonly answerTimeoutMs: number;
  /** Whether reads that were sent are cancelled. At most `count` at once may be under way then: each has a connection to itself. */
  readonly cancels?: boolean;
  readonly log: Logger;
}

/** For whom is read what is no team's. */
const NOBODY = 0n;
/** How often connections are looked at while reads are under way. */
const TICK_MS = 50;
/** A connection that has answered nothing for so many looks in a row is late: after 250 to 300 ms. */
const LATE_TICKS = 6;
/** Reads on one connection at most, and reads that wait for one, of all teams and of one. */
const MAX_PENDING = 1_000;
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_OWNER = 250;
/** A team for which so many connections are late gets none of the reserved ones. */
const MANY_LATE = 2;
const RESERVED = 2;
const CLOSE_TIMEOUT_MS = 2_000;

const PROBE: Statement = { name: '', text: 'select $1::int' };

function closed(): Error {
  return new Error('Connection terminated: closed');
}

/** A read for nobody, which shows whether a connection answers. */
function createProbe(): Read {
  return { statement: PROBE, values: [1], owner: NOBODY, resolve() {}, reject() {}, moves: MAX_MOVES };
}

/** Connections, and how many there may be. */
interface Group {
  readonly max: number;
  readonly connections: ReadingConnection[];
}

/** Opens nothing yet: the first read does. */
export function createReaders(options: ReadersOptions): Readers {
  const { count, connection, answerTimeoutMs, cancels = false, log } = options;
  /** The first `count` that are not late share the reads. */
  const ordinary: Group = { max: 2 * count - RESERVED, connections: [] };
  /** For when all of those are late. */
  const reserved: Group = { max: RESERVED, connections: [] };
  const maxTicks = Math.ceil(answerTimeoutMs / TICK_MS);
  let waiting: Read[] = [];
  let ticker: NodeJS.Timeout | undefined;
  let isClosed = false;

  const all = () => [...ordinary.connections, ...reserved.connections];

  function open({ connections }: Group): ReadingConnection {
    const opened = new ReadingConnection(connection, {
      onOpen: serveWaiting,
      onClosed(error, left) {
        connections.splice(connections.indexOf(opened), 1);
        if (error === null) return;
        if (left !== null && !isClosed) log.warn({ err: error }, 'reading connection lost');
        for (const read of left ?? []) {
          if (isClosed) read.reject(error);
          else if (!start(read)) waiting.push(read);
        }
        // Nothing is open, and nothing could be opened: whoever waits is told why.
        if (left === null && !all().some(({ isOpen }) => isOpen))
          for (const read of waiting.splice(0)) read.reject(error);
        else serveWaiting();
      },
    });
    connections.push(opened);
    return opened;
  }

  /** Of the first `count` connections of a group that are not late, the one with the fewest reads; null: none has room. */
  function leastBusy(group: Group): ReadingConnection | null {
    let best: ReadingConnection | null = null;
    let least = MAX_PENDING;
    let usable = 0;
    for (const candidate of group.connections) {
      if (candidate.late) continue;
      const { pending } = candidate;
      if (pending === 0) return candidate;
      if (pending < least) {
        best = candidate;
        least = pending;
      }
      if (++usable === count) return best;
    }
    return group.connections.length < group.max ? open(group) : best;
  }

  /** Whether a team's own reads may be what makes connections late. */
  function isSlow(owner: bigint): boolean {
    const lates = () => all().filter(({ late, headOwner }) => late && headOwner === owner);
    return owner !== NOBODY && lates().length >= MANY_LATE;
  }

  /** Sends a read, or rejects one that nobody waits for. False when there is no connection for it. */
  function start(read: Read): boolean {
    if (rejectAborted(read)) return true;
    const target = leastBusy(ordinary) ?? (isSlow(read.owner) ? null : leastBusy(reserved));
    target?.read(read);
    return target !== null;
  }

  /** Ends those that stand in when nothing is late any more: they may be needed again when all others are. */
  function endStandIns(): void {
    if (all().some(({ late }) => late)) return;
    for (const one of [...ordinary.connections.slice(count), ...reserved.connections])
      if (one.isOpen && one.pending === 0) one.end();
  }

  function serveWaiting(): void {
    if (waiting.length > 0 && !isClosed) waiting = waiting.filter((read) => !start(read));
  }

  function tick(): void {
    const before = all();
    for (const one of before) {
      const quietTicks = one.tick();
      if (quietTicks >= maxTicks) one.fail(new Error('Connection terminated: no answer in time'));
      else if (quietTicks === LATE_TICKS) {
        if (one.pending > 1)
          log.warn({ pending: one.pending }, 'reading connection late: its other reads are sent again');
        one.late = true;
        // Whatever stopped it may have stopped those that have nothing to do: they are asked before a read is lost on them.
        for (const other of before) if (other.pending === 0) other.read(createProbe());
      }
    }
    for (const one of all()) if (one.late) one.offerWaiting(start);
    serveWaiting();
    endStandIns();
    if (waiting.length > 0 || all().some(({ pending }) => pending > 0)) return;
    clearInterval(ticker);
    ticker = undefined;
  }

  function isFull(owner: bigint): boolean {
    if (waiting.length >= MAX_WAITING) return true;
    if (waiting.length < MAX_WAITING_PER_OWNER) return false;
    return waiting.filter((read) => read.owner === owner).length >= MAX_WAITING_PER_OWNER;
  }

  function take(read: Read): void {
    if (isClosed) {
      read.reject(closed());
      return;
    }
    // One timer for all reads: none of them pays for one of its own.
    ticker ??= setInterval(tick, TICK_MS);
    if (start(read)) return;
    if (isFull(read.owner)) read.reject(databaseUnavailable());
    else waiting.push(read);
  }

  return {
    read(statement, values, owner = NOBODY, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<RowBlock>();
      const read: Read = { statement, values, owner, signal, resolve, reject, moves: 0 };
      take(read);
      if (!cancels || signal === undefined) return promise;
      const cancel = () => {
        for (const one of all()) one.cancel(read);
      };
      return whileListening(signal, cancel, promise);
    },
    async close() {
      isClosed = true;
      for (const read of waiting.splice(0)) read.reject(closed());
      const last = setTimeout(() => {
        for (const one of all()) one.fail(closed());
      }, CLOSE_TIMEOUT_MS);
      await Promise.allSettled(all().map((one) => one.end()));
      clearTimeout(last);
      clearInterval(ticker);
    },
  };
}
