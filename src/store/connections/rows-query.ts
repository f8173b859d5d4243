// Reads rows through internals of node-postgres. Its own parser would create a string for every field, and its queries an object for every
// row. Here the rows of a result stay bytes in one buffer. The versions of `pg` and `pg-protocol` are pinned. If their internals differ
// nevertheless, a read fails instead of returning too few rows.
import type { Socket } from 'node:net';
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { Parser } from 'pg-protocol/dist/parser.js';
import { NO_ROWS, type RowBlock, RowCollector, TOO_LARGE } from '../../rows/row-block.ts';

/** A message from PostgreSQL, as parsed by pg-protocol. */
interface Message {
  readonly name: string;
}

type HandlePacket = (offset: number, code: number, length: number, bytes: Buffer) => Message;

const DATA_ROW = 0x44;
/** The length of a message precedes `offset`, and includes itself. */
const LENGTH_BYTES = 4;
const ROW: Message = { name: 'dataRow' };

/** The driver's parser, except that it collects DataRow messages without parsing them. */
class RowParser extends (Parser as unknown as new () => {
  handlePacket: HandlePacket;
  parse(bytes: Buffer, onMessage: (message: Message) => void): void;
}) {
  readonly rows: RowCollector;

  constructor(maxBytes: number | undefined) {
    super();
    this.rows = new RowCollector(maxBytes);
  }

  override handlePacket: HandlePacket = (offset, code, length, bytes) => {
    if (code !== DATA_ROW) return super.handlePacket(offset, code, length, bytes);
    this.rows.add(bytes, offset, offset + length - LENGTH_BYTES);
    return ROW;
  };
}

interface Connection {
  readonly stream: Socket;
  /** The texts of prepared statements, by name. */
  readonly parsedStatements: Record<string, string>;
  /** The same for statements whose preparation was sent but is not answered yet. */
  readonly submittedNamedStatements: Record<string, string>;
  emit(event: string, message: Message): void;
  attachListeners(stream: Socket): void;
  parse(statement: { name: string; text: string }): void;
  /** Sends a text by the simple protocol. */
  query(text: string): void;
  bind(values: { statement: string; values: unknown[]; valueMapper: typeof prepareValue }): void;
  execute(portal: object): void;
  sync(): void;
  close(what: { type: 'S'; name: string }): void;
  startup(): void;
  cancel(processID: number, secretKey: number): void;
}

export function protocolConnectionOf(client: pg.Client): Connection {
  return (client as pg.Client & { connection: Connection }).connection;
}

/** Sends all statements of one tick of the event loop in one system call. */
export function corkUntilNextTick(client: pg.Client): void {
  if (isCorked(client)) return;
  const { stream } = protocolConnectionOf(client);
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Whether statements are waiting to be sent at the end of this tick. */
export function isCorked(client: pg.Client): boolean {
  return protocolConnectionOf(client).stream.writableCorked > 0;
}

/** Deallocates a prepared statement in the driver and in PostgreSQL, before the next statements are sent. */
export function deallocate(client: pg.Client, name: string): void {
  const connection = protocolConnectionOf(client);
  connection.close({ type: 'S', name });
  delete connection.parsedStatements[name];
  delete connection.submittedNamedStatements[name];
}

/** The end of a statement's result, with its rows. */
interface CommandComplete extends Message {
  /** The command tag with the number of rows: `SELECT 20`. */
  readonly text?: string;
  rows?: RowBlock;
}

/** Makes a client, before it connects, collect the rows of each result in one block. @param maxBytes the maximum size of a result */
export function collectRows(client: pg.Client, maxBytes?: number): void {
  const connection = protocolConnectionOf(client);
  connection.attachListeners = (stream) => {
    const parser = new RowParser(maxBytes);
    const onMessage = (message: Message) => {
      if (message === ROW) return;
      // Results arrive one after the other. Rows without a CommandComplete belong to a failed statement.
      const { name } = message;
      if (name === 'commandComplete') (message as CommandComplete).rows = parser.rows.take();
      else if (name === 'error' || name === 'readyForQuery') parser.rows.take();
      connection.emit(name === 'error' ? 'errorMessage' : name, message);
    };
    stream.on('data', (bytes: Buffer) => {
      try {
        parser.parse(bytes, onMessage);
      } catch (error) {
        stream.destroy(error as Error);
      }
    });
  };
}

/** The methods that the client calls on a sent query, and the parts of node-postgres' Query that send it. */
interface QueryHandlers {
  hasBeenParsed(connection: Connection): boolean;
  handleError(error: unknown, connection: Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: CommandComplete): void;
  handlePortalSuspended(): void;
  handleEmptyQuery(): void;
  handleReadyForQuery(): void;
}

// Does not call Query's constructor: its event emitter and result object would keep every result in memory until a full garbage collection.
const Query = function Query() {} as unknown as new () => QueryHandlers;
Query.prototype = pg.Query.prototype;

const SELECTED = 'SELECT ';

/** A statement for `client.query` that returns its rows as one block of PostgreSQL's bytes. */
export class RowsQuery extends Query implements pg.Submittable {
  /** The name of its prepared statement; empty for the unnamed statement. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  readonly portal = '';
  /** Called by node-postgres with an error. */
  readonly callback: (error: Error) => void;
  declare submit: (connection: pg.Connection) => void;
  private readonly onRows: (rows: RowBlock) => void;
  private received: RowBlock | null = null;

  /**
   * @param onRows called once, with all rows
   * @param onError called instead of `onRows`
   */
  constructor(
    { name, text }: { name: string; text: string },
    values: unknown[],
    onRows: (rows: RowBlock) => void,
    onError: (error: Error) => void,
  ) {
    super();
    this.name = name;
    this.text = text;
    this.values = values;
    this.onRows = onRows;
    this.callback = onError;
  }

  /**
   * Sends the statement like node-postgres, but without requesting the description of its columns, which are known. The description is as
   * long as a row or two.
   */
  prepare(connection: Connection): void {
    const { name, text, values } = this;
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ name, text });
      if (name !== '') connection.submittedNamedStatements[name] = text;
    }
    try {
      connection.bind({ statement: name, values, valueMapper: prepareValue });
    } catch (error) {
      connection.close({ type: 'S', name });
      connection.sync();
      this.handleError(error, connection);
      return;
    }
    connection.execute({});
    connection.sync();
  }

  override handleRowDescription(): void {}

  /** Called only for rows that RowParser has not collected. Then the number of rows is wrong, which is reported as an error. */
  override handleDataRow(): void {}

  override handleCommandComplete({ text, rows = NO_ROWS }: CommandComplete): void {
    this.received = rows === TOO_LARGE || text === SELECTED + rows.length ? rows : null;
  }

  override handlePortalSuspended(): void {}

  override handleEmptyQuery(): void {}

  override handleReadyForQuery(): void {
    const rows = this.received;
    this.received = null;
    if (rows === null) this.callback(new IncompleteRows());
    else if (rows === TOO_LARGE) this.callback(new ResultTooLarge());
    else this.onRows(rows);
  }
}

/** The number of rows differs from that in the result's command tag. */
export class IncompleteRows extends Error {
  constructor() {
    super('The rows of an answer from PostgreSQL were not read whole');
  }
}

/** A result is larger than its connection accepts. Its rows were dropped as they arrived. */
export class ResultTooLarge extends Error {
  constructor() {
    super('The rows of an answer from PostgreSQL are larger than is read at once');
  }
}
