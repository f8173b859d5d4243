// Connections for short reads, each shared by many requests at once: statements are sent without waiting for the
// answers to those before them (pipelining), so that a busy gateway needs few connections and few system calls.
import type { Socket } from 'node:net';
import pg from 'pg';
import type { TextRow } from '../columns.ts';
import type { Logger } from '../log.ts';
import type { Statement } from './store.ts';

export interface Readers {
  /** The rows of one prepared statement, as text. Rejects with what the driver said. */
  read(statement: Statement, values: unknown[]): Promise<readonly TextRow[]>;
  close(): Promise<void>;
}

interface ReadersOptions {
  /** How many connections at most; they are opened when needed. */
  readonly count: number;
  readonly connection: pg.ClientConfig;
  readonly log: Logger;
}

/** One place for a connection, and the reads under way on it. */
interface Slot {
  client: Promise<pg.Client> | null;
  pending: number;
}

/** Opens nothing yet: the first read does. */
export function createReaders({ count, connection, log }: ReadersOptions): Readers {
  const slots = Array.from({ length: count }, (): Slot => ({ client: null, pending: 0 }));

  function open(slot: Slot): Promise<pg.Client> {
    const client = new pg.Client({ ...connection, pipeline: true } as pg.ClientConfig);
    const opening = client.connect().then(async () => {
      // Planning anew for every set of values costs more than these statements themselves. Their one plan is sound for
      // all values: what they may scan is fixed by their text (rows.ts).
      await client.query('set plan_cache_mode = force_generic_plan');
      return client;
    });
    const drop = () => {
      if (slot.client === opening) slot.client = null;
    };
    // Whoever waits on the connection is told by their own read.
    opening.catch(drop);
    client.on('error', (error) => {
      log.warn({ err: error }, 'reading connection lost');
      drop();
    });
    client.on('end', drop);
    return opening;
  }

  return {
    async read(statement, values) {
      const slot = slots.reduce((least, next) => (next.pending < least.pending ? next : least));
      slot.pending += 1;
      try {
        slot.client ??= open(slot);
        return await send(await slot.client, statement, values);
      } finally {
        slot.pending -= 1;
      }
    },
    async close() {
      const open = slots.flatMap((slot) => (slot.client === null ? [] : [slot.client]));
      await Promise.allSettled(open.map(async (client) => (await client).end()));
    },
  };
}

/** What node-postgres calls while an answer comes in; its declared type leaves that out. */
interface QueryHandlers {
  callback: (error: Error | null) => void;
  handleRowDescription(message: object): void;
  handleDataRow(message: { readonly fields: TextRow }): void;
}

const Query = pg.Query as unknown as new (config: pg.QueryConfig) => QueryHandlers;

/** A query that keeps rows as they come, without making objects of them. */
class TextQuery extends Query {
  readonly received: TextRow[] = [];

  override handleRowDescription(): void {}

  override handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.received.push(fields);
  }
}

/** Statements of one turn of the event loop leave in one system call. */
function holdUntilTurnEnds(client: pg.Client): void {
  const { stream } = (client as pg.Client & { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

function send(client: pg.Client, { name, text }: Statement, values: unknown[]): Promise<TextRow[]> {
  return new Promise((resolve, reject) => {
    const query = new TextQuery({ name, text, values });
    query.callback = (error) =>
      error === null || error === undefined ? resolve(query.received) : reject(error);
    holdUntilTurnEnds(client);
    client.query(query as unknown as pg.Submittable);
  });
}
