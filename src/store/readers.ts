// Connections for short reads, each shared by many requests at once: statements are sent without waiting for the
// answers to those before them (pipelining), so that a busy gateway needs few connections and few system calls.
import type { Socket } from 'node:net';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import type { Logger } from '../log.ts';
import { NO_ROWS, type RowBlock, RowCollector } from '../row-block.ts';
import type { Statement } from './store.ts';

export interface Readers {
  /** The rows of one prepared statement, as they came. Rejects with what the driver said. */
  read(statement: Statement, values: unknown[]): Promise<RowBlock>;
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
    keepRowsWhole(client);
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

// What follows knows node-postgres from the inside, which its declared types leave out: its parser makes a string of
// every field as it comes in, and its queries an object of every row. Here a row stays one string until somebody asks.

/** A message from PostgreSQL, as the parser gives it to the connection. */
interface Message {
  readonly name: string;
}

type HandlePacket = (offset: number, code: number, length: number, bytes: Buffer) => Message;

const DATA_ROW = 0x44;
/** A message's length counts itself, and stands before `offset`. */
const LENGTH_BYTES = 4;
const ROW: Message = { name: 'dataRow' };

class RowParser extends (Parser as unknown as new () => {
  handlePacket: HandlePacket;
  parse(bytes: Buffer, onMessage: (message: Message) => void): void;
}) {
  readonly rows = new RowCollector();

  override handlePacket: HandlePacket = (offset, code, length, bytes) => {
    if (code !== DATA_ROW) return super.handlePacket(offset, code, length, bytes);
    this.rows.add(bytes, offset, offset + length - LENGTH_BYTES);
    return ROW;
  };
}

interface Connection {
  readonly stream: Socket;
  emit(event: string, message: Message): void;
  attachListeners(stream: Socket): void;
}

function connectionOf(client: pg.Client): Connection {
  return (client as pg.Client & { connection: Connection }).connection;
}

/** The end of a statement's answer, with its rows. */
interface CommandComplete extends Message {
  rows?: RowBlock;
}

/** Has a client that is not connected yet take rows in one piece, and all of a statement's rows at once. */
function keepRowsWhole(client: pg.Client): void {
  const connection = connectionOf(client);
  connection.attachListeners = (stream) => {
    const parser = new RowParser();
    const onMessage = (message: Message) => {
      if (message === ROW) return;
      // Statements are answered one after the other; what came before an error is nobody's.
      if (message.name === 'commandComplete') (message as CommandComplete).rows = parser.rows.take();
      if (message.name === 'error') parser.rows.take();
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
    };
    stream.on('data', (bytes: Buffer) => parser.parse(bytes, onMessage));
  };
}

/** What the client calls on a query that it has sent. How one is sent is inherited from node-postgres' own. */
interface QueryHandlers {
  handleRowDescription(message: object): void;
  handleCommandComplete(message: CommandComplete): void;
  handleReadyForQuery(): void;
}

// Without the constructor: the emitter and the result that it makes kept every answer until a full garbage collection.
const Query = function Query() {} as unknown as new () => QueryHandlers;
Query.prototype = pg.Query.prototype;

class RowsQuery extends Query {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  readonly portal = '';
  /** Called with what went wrong. */
  readonly callback: (error: Error) => void;
  private readonly resolve: (rows: RowBlock) => void;
  private received = NO_ROWS;

  constructor(
    { name, text }: Statement,
    values: unknown[],
    { resolve, reject }: Pick<PromiseWithResolvers<RowBlock>, 'resolve' | 'reject'>,
  ) {
    super();
    this.name = name;
    this.text = text;
    this.values = values;
    this.resolve = resolve;
    this.callback = reject;
  }

  override handleRowDescription(): void {}

  override handleCommandComplete({ rows = NO_ROWS }: CommandComplete): void {
    this.received = rows;
  }

  override handleReadyForQuery(): void {
    this.resolve(this.received);
    this.received = NO_ROWS;
  }
}

/** Statements of one turn of the event loop leave in one system call. */
function holdUntilTurnEnds(client: pg.Client): void {
  const { stream } = connectionOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

function send(client: pg.Client, statement: Statement, values: unknown[]): Promise<RowBlock> {
  const { promise, ...settle } = Promise.withResolvers<RowBlock>();
  holdUntilTurnEnds(client);
  client.query(new RowsQuery(statement, values, settle) as unknown as pg.Submittable);
  return promise;
}
