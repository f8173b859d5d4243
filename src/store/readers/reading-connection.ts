// One pipelined connection and the reads under way on it: it opens, proves that rows come whole, sends, and says how long
// nothing has been answered. Which read goes where is not its business.
import { createRequire } from 'node:module';
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { BlockRow, type RowBlock, textOf } from '../../row-block.ts';
import type { Statement } from '../store.ts';
import { connectionOf, deallocate, keepRowsWhole, RowsQuery, UnreadAnswer } from './rows-query.ts';
import { type Prepared, StatementNames } from './statement-names.ts';

/** A read, until it is settled. */
export interface Read {
  readonly statement: Statement;
  readonly values: unknown[];
  /** The team for which it is read. */
  readonly owner: bigint;
  readonly resolve: (rows: RowBlock) => void;
  readonly reject: (error: unknown) => void;
  /** How many times it was sent again. */
  moves: number;
}

/** A read that was sent, in the order of the answers. */
interface Sent {
  /** null: it was moved, and the answer is nobody's. */
  read: Read | null;
  readonly prepared: Prepared | null;
}

/** How long a connection gets to say goodbye. */
const END_TIMEOUT_MS = 2_000;

/** A read is sent again at most so many times. */
export const MAX_MOVES = 3;

/**
 * What a prepared statement fails with that is not, or no longer, what the connection takes it for: unknown, made twice
 * (the failed preparation of one leaves those behind it without), or of other types since a migration.
 */
const STALE = new Set(['26000', '42P05', '0A000']);

interface ConnectionOptions {
  readonly onOpen: () => void;
  /**
   * Called when the connection is of no use any more, and its reads have been rejected.
   * @param error what ended it; null: it was told to
   * @param left the reads that waited behind the first one, which may be sent again; null: it never opened
   */
  readonly onClosed: (error: Error | null, left: readonly Read[] | null) => void;
}

export class ReadingConnection {
  readonly #onClosed: ConnectionOptions['onClosed'];
  readonly #client: pg.Client;
  readonly #names: StatementNames;
  #sent: Sent[] = [];
  /** What waits for the connection to open. */
  #unsent: Read[] = [];
  #answered = 0;
  #answeredBefore = 0;
  #quietTicks = 0;
  #state: 'opening' | 'open' | 'closed' = 'opening';
  /** No answer has come for too long; no read is given to it. */
  late = false;

  constructor(config: pg.ClientConfig, { onOpen, onClosed }: ConnectionOptions) {
    const client = new pg.Client({ ...config, pipeline: true } as pg.ClientConfig);
    this.#client = client;
    this.#onClosed = onClosed;
    this.#names = new StatementNames(client);
    keepRowsWhole(client);
    client.on('error', (error) => this.fail(error));
    client.on('end', () => this.fail(new Error('Connection terminated')));
    client
      .connect()
      .then(() => prepareSession(client))
      .then(
        () => {
          if (this.#state === 'closed') return;
          this.#state = 'open';
          for (const read of this.#unsent.splice(0)) this.#send(read);
          onOpen();
        },
        (error: Error) => this.fail(error),
      );
  }

  /** How many reads are under way. */
  get pending(): number {
    return this.#sent.length + this.#unsent.length;
  }

  /** For whom the read is made whose answer is next; undefined when there is none, or nobody waits for it. */
  get headOwner(): bigint | undefined {
    return (this.#sent[0]?.read ?? undefined)?.owner;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Takes a read on. It is settled here, or moved away. */
  read(read: Read): void {
    if (this.#state === 'open') this.#send(read);
    else this.#unsent.push(read);
  }

  /** Called regularly. How many times in a row it found that nothing had been answered. */
  tick(): number {
    const isQuiet = this.pending > 0 && this.#answered === this.#answeredBefore;
    this.#answeredBefore = this.#answered;
    this.#quietTicks = isQuiet ? this.#quietTicks + 1 : 0;
    return this.#quietTicks;
  }

  /**
   * Offers the reads that wait for the one at the head, or for the connection to open, to whoever takes them.
   * @param take false when it has no place for one: that one and those behind it stay
   */
  offerWaiting(take: (read: Read) => boolean): void {
    while (this.#unsent[0] !== undefined && take(this.#unsent[0])) this.#unsent.shift();
    for (const sent of this.#sent.slice(1)) {
      const { read } = sent;
      if (read === null || read.moves >= MAX_MOVES) continue;
      read.moves += 1;
      if (!take(read)) {
        read.moves -= 1;
        return;
      }
      sent.read = null;
    }
  }

  /** Ends it at once, with the read whose answer is next; or with all of them, if it never opened. */
  fail(error: Error): void {
    if (this.#state === 'closed') return;
    const wasOpen = this.isOpen;
    this.#state = 'closed';
    const [head, ...behind] = this.#sent.splice(0).map(({ read }) => read);
    head?.reject(error);
    for (const read of this.#unsent.splice(0)) read.reject(error);
    const left: Read[] = [];
    for (const read of behind) {
      if (read === null) continue;
      if (read.moves++ < MAX_MOVES) left.push(read);
      else read.reject(error);
    }
    connectionOf(this.#client).stream.destroy();
    this.#onClosed(error, wasOpen ? left : null);
  }

  /** Ends it when what is under way is done. */
  async end(): Promise<void> {
    if (this.#state === 'opening') this.fail(new Error('Connection terminated'));
    if (this.#state === 'open' && this.pending === 0) {
      this.#state = 'closed';
      this.#onClosed(null, []);
    }
    // A connection that was cut hears nothing of its end.
    const last = setTimeout(() => connectionOf(this.#client).stream.destroy(), END_TIMEOUT_MS);
    await this.#client.end().finally(() => clearTimeout(last));
  }

  #send(read: Read): void {
    const { statement, values, owner } = read;
    holdUntilTurnEnds(this.#client);
    const prepared = statement.isChoice ? this.#names.take(statement.name, owner) : null;
    const sent: Sent = { read, prepared };
    this.#sent.push(sent);
    const name = prepared?.name ?? statement.name;
    const query = new RowsQuery(
      { name, text: statement.text },
      values,
      (rows) => this.#settle(sent)?.resolve(rows),
      (error) => {
        const failed = this.#settle(sent);
        if (failed === undefined) return;
        if (this.#state === 'open' && isStale(error) && failed.moves < MAX_MOVES) {
          failed.moves += 1;
          if (name !== '') deallocate(this.#client, name);
          this.#send(failed);
        } else failed.reject(error);
      },
    );
    this.#client.query(query);
  }

  /** Takes what was answered from the head of those under way; undefined when nobody waits for it any more. */
  #settle(sent: Sent): Read | undefined {
    if (this.#state === 'closed') return undefined;
    if (this.#sent[0] !== sent) {
      this.fail(new UnreadAnswer());
      return undefined;
    }
    this.#sent.shift();
    this.#answered += 1;
    if (sent.prepared !== null) sent.prepared.pending -= 1;
    if (this.#sent.length === 0) this.late = false;
    return sent.read ?? undefined;
  }
}

function isStale(error: Error): boolean {
  return STALE.has((error as { code?: string }).code ?? '');
}

/** Statements of one turn of the event loop leave in one system call. */
function holdUntilTurnEnds(client: pg.Client): void {
  const { stream } = connectionOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

// Planning anew for every set of values costs more than these statements themselves. Their one plan is sound for all
// values: what they may scan is fixed by their text (rows.ts). Each has an index in whose order it may stop early, which
// the planner, who cannot know how many rows a parent has, otherwise takes for dearer than reading the whole table; and each
// join follows an index from few rows. Citus finds the shard by the values, so that there plans are made for them.
export const PLAN_SETTINGS = `
  select set_config('plan_cache_mode', case when exists (select from pg_extension where extname = 'citus')
    then 'auto' else 'force_generic_plan' end, false);
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off`;

/** Rows that are known: a number, text of more than one byte a character, null, and an empty string. */
const CANARY = {
  name: '',
  text: `select n, repeat('é', n), nullif(n, 2), '' from generate_series(1, $1::int) n`,
};
const CANARY_ROWS = [1, 2, 3].map((n) => [`${n}`, 'é'.repeat(n), n === 2 ? null : `${n}`, '']);

const VERSION: string = createRequire(import.meta.url)('pg/package.json').version;

/** @throws StartupError when rows do not come whole: the driver is not the one that this was made for */
async function prepareSession(client: pg.Client): Promise<void> {
  const canary = new Promise<RowBlock>((resolve, reject) => {
    client.query(new RowsQuery(CANARY, [3], resolve, reject));
  });
  const [rows] = await Promise.all([
    canary.catch((error: Error) => {
      if (error instanceof UnreadAnswer) return null;
      throw error;
    }),
    client.query(PLAN_SETTINGS),
  ]);
  const read = rows?.map((block, index) =>
    [0, 1, 2, 3].map((field) => textOf(new BlockRow(block, index), field)),
  );
  if (JSON.stringify(read) === JSON.stringify(CANARY_ROWS)) return;
  throw new StartupError(
    `Rows do not come whole out of node-postgres ${VERSION}: install the versions that package-lock.json names.`,
  );
}
