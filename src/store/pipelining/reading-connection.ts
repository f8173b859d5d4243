// One pipelined connection and its pending reads. It opens, sends, cancels, and counts the ticks without a result. readers.ts assigns reads
// to connections.
import type { Socket } from 'node:net';
import pg from 'pg';
import type { RowBlock } from '../../rows/row-block.ts';
import { requestCancel } from '../connections/cancel.ts';
import { isConflictOfTransactions, isStale } from '../connections/failures.ts';
import {
  collectRows,
  corkUntilNextTick,
  deallocate,
  IncompleteRows,
  isCorked,
  protocolConnectionOf,
  RowsQuery,
} from '../connections/rows-query.ts';
import { type ConnectionConfig, replaceConstants } from '../connections/sql-constants.ts';
import type { Statement } from '../sql/statements.ts';
import { prepareSession } from './session.ts';
import { type PreparedName, StatementNames } from './statement-names.ts';

/** A read without an answer. */
export interface Read {
  readonly statement: Statement;
  readonly values: unknown[];
  /** The team that the read is for. */
  readonly tenantId: bigint;
  /** A read is not sent once this is aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly resolve: (rows: RowBlock) => void;
  readonly reject: (error: unknown) => void;
  /** How many times the read was sent again. */
  resends: number;
}

/** Rejects a read if its signal is aborted. @returns whether it was */
export function rejectAborted({ signal, reject }: Read): boolean {
  if (!signal?.aborted) return false;
  reject(signal.reason);
  return true;
}

/** A sent read. Results arrive in the order of sending. */
interface Sent {
  /** null: the read was handed over to another connection, and this result is dropped. */
  read: Read | null;
  readonly prepared: PreparedName | null;
}

/** How long a connection may take to close. */
const END_TIMEOUT_MS = 2_000;

/** The number of ticks after which a cancel request is repeated, until there is a result. */
const CANCEL_TICKS = 10;

/** The maximum number of times that a read is sent again. */
const MAX_RESENDS = 3;

interface ConnectionOptions {
  /** The maximum size of one result; a larger one is refused with `ResultTooLarge`. */
  readonly maxBytes: number | undefined;
  readonly preparedStatements: boolean;
  /** @param instance identifies the server and its start, as in `RunningServer` */
  readonly onOpen: (instance: string) => void;
  /**
   * Called when the connection is closed.
   * @param error why it was closed; null after `end`
   * @param unanswered the reads queued after the first one, which can be sent again; null if the connection never opened
   */
  readonly onClosed: (error: Error | null, unanswered: readonly Read[] | null) => void;
}

export class ReadingConnection {
  readonly #onClosed: ConnectionOptions['onClosed'];
  readonly #config: pg.ClientConfig;
  readonly #client: pg.Client;
  /** null: statements are not prepared. */
  readonly #names: StatementNames | null;
  #sent: Sent[] = [];
  /** Reads that wait for the connection to open. */
  #unsent: Read[] = [];
  #answered = 0;
  #answeredAtLastTick = 0;
  #silentTicks = 0;
  #state: 'opening' | 'open' | 'closed' = 'opening';
  #isCancelled = false;
  /** Set after too long without a result. The connection then gets no reads until its last pending read is answered. */
  isStalled = false;

  constructor(config: ConnectionConfig, options: ConnectionOptions) {
    const { maxBytes, preparedStatements, onOpen, onClosed } = options;
    const client = new pg.Client({ ...config, pipeline: true } as pg.ClientConfig);
    this.#config = config;
    this.#client = client;
    this.#onClosed = onClosed;
    this.#names = preparedStatements ? new StatementNames(client) : null;
    collectRows(client, maxBytes);
    replaceConstants(client, config);
    client.on('error', (error) => this.fail(error));
    client.on('end', () => this.fail(new Error('Connection terminated')));
    client
      .connect()
      .then(() => prepareSession(client))
      .then(
        (instance) => {
          if (this.#state === 'closed') return;
          this.#state = 'open';
          for (const read of this.#unsent.splice(0)) this.#send(read);
          onOpen(instance);
        },
        (error: Error) => this.fail(error),
      );
  }

  /** The number of unanswered reads. */
  get pending(): number {
    return this.#sent.length + this.#unsent.length;
  }

  /** The tenant of the read whose result is next; undefined when there is none, or it was handed over. */
  get headTenantId(): bigint | undefined {
    return (this.#sent[0]?.read ?? undefined)?.tenantId;
  }

  /** Whether a read now would be sent together with other reads of this tick. */
  get isGathering(): boolean {
    return this.isOpen && isCorked(this.#client);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get socket(): Socket {
    return protocolConnectionOf(this.#client).stream;
  }

  /** Sends a read when the connection is open. Settles its promise, unless the read is handed over. */
  read(read: Read): void {
    if (this.#state === 'open') this.#send(read);
    else this.#unsent.push(read);
  }

  /**
   * Requests the cancellation of a read whose result is next. The connection then gets no more reads and is closed, because a late cancel
   * request would cancel the next statement.
   */
  cancel(read: Read): void {
    if (this.#sent[0]?.read !== read || this.#isCancelled) return;
    this.#isCancelled = true;
    this.isStalled = true;
    void requestCancel(this.#config, this.#client);
  }

  /** Must be called at a regular interval. @returns the number of consecutive ticks with pending reads and no result */
  tick(): number {
    const isSilent = this.pending > 0 && this.#answered === this.#answeredAtLastTick;
    this.#answeredAtLastTick = this.#answered;
    this.#silentTicks = isSilent ? this.#silentTicks + 1 : 0;
    // PostgreSQL ignores a cancel request that arrives before the statement is executed, so it is repeated.
    if (this.#isCancelled && isSilent && this.#silentTicks % CANCEL_TICKS === 0)
      void requestCancel(this.#config, this.#client);
    return this.#silentTicks;
  }

  /**
   * Hands over the reads queued after the first one, and those waiting for the connection to open.
   * @param take sends a read on another connection; returns false if none has capacity, and then this read and those after it stay
   */
  handOver(take: (read: Read) => boolean): void {
    while (this.#unsent[0] !== undefined && take(this.#unsent[0])) this.#unsent.shift();
    for (const sent of this.#sent.slice(1)) {
      const { read } = sent;
      if (read === null || read.resends >= MAX_RESENDS) continue;
      read.resends += 1;
      if (!take(read)) {
        read.resends -= 1;
        return;
      }
      sent.read = null;
    }
  }

  /** Closes the connection at once. Rejects the read whose result is next, or all reads if the connection never opened. */
  fail(error: Error): void {
    if (this.#state === 'closed') return;
    const wasOpen = this.isOpen;
    this.#state = 'closed';
    const [head, ...queued] = this.#sent.splice(0).map(({ read }) => read);
    head?.reject(error);
    for (const read of this.#unsent.splice(0)) read.reject(error);
    const unanswered: Read[] = [];
    for (const read of queued) {
      if (read === null) continue;
      if (read.resends++ < MAX_RESENDS) unanswered.push(read);
      else read.reject(error);
    }
    protocolConnectionOf(this.#client).stream.destroy();
    this.#onClosed(error, wasOpen ? unanswered : null);
  }

  /** Closes the connection after its pending reads. */
  async end(): Promise<void> {
    if (this.#state === 'opening') this.fail(new Error('Connection terminated'));
    if (this.#state === 'open' && this.pending === 0) {
      this.#state = 'closed';
      this.#onClosed(null, []);
    }
    // Over a broken network the closing handshake never completes.
    const timer = setTimeout(() => protocolConnectionOf(this.#client).stream.destroy(), END_TIMEOUT_MS);
    await this.#client.end().finally(() => clearTimeout(timer));
  }

  #send(read: Read): void {
    if (rejectAborted(read)) return;
    const { statement, values, tenantId } = read;
    corkUntilNextTick(this.#client);
    const names = this.#names;
    const prepared = statement.isProjection ? (names?.acquire(statement.name, tenantId) ?? null) : null;
    const sent: Sent = { read, prepared };
    this.#sent.push(sent);
    const name = names === null ? '' : (prepared?.name ?? statement.name);
    const query = new RowsQuery(
      { name, text: statement.text },
      values,
      (rows) => this.#dequeue(sent)?.resolve(rows),
      (error) => {
        const failed = this.#dequeue(sent);
        if (failed === undefined) return;
        const mayResend = this.#state === 'open' && failed.resends < MAX_RESENDS;
        if (mayResend && (isStale(error) || isConflictOfTransactions(error))) {
          failed.resends += 1;
          if (name !== '' && isStale(error)) deallocate(this.#client, name);
          this.#send(failed);
        } else if (!rejectAborted(failed)) failed.reject(error);
      },
    );
    this.#client.query(query);
  }

  /** Removes the answered read from the queue; undefined if it was handed over. */
  #dequeue(sent: Sent): Read | undefined {
    if (this.#state === 'closed') return undefined;
    if (this.#sent[0] !== sent) {
      this.fail(new IncompleteRows());
      return undefined;
    }
    this.#sent.shift();
    this.#answered += 1;
    if (sent.prepared !== null) sent.prepared.pending -= 1;
    if (this.#sent.length === 0) {
      if (this.#isCancelled) void this.end();
      else this.isStalled = false;
    }
    return sent.read ?? undefined;
  }
}
