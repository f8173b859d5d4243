// node-postgres from the inside, which its declared types leave out: its parser makes a string of every field as it comes
// in, and its queries an object of every row. Here a row stays one string until somebody asks. Whatever is not as it was
// when this was written makes the answer an error, never an empty one: the versions of `pg` and `pg-protocol` are exact.
import type { Socket } from 'node:net';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import { NO_ROWS, type RowBlock, RowCollector } from '../../rows/row-block.ts';

/** A message from PostgreSQL, as the parser gives it to the connection. */
interface Message {
  readonly name: string;
}

type HandlePacket = (offset: number, code: number, length: number, bytes: Buffer) => Message;

const DATA_ROW = 0x44;
/** A message's length counts itself, and stands before `offset`. */
const LENGTH_BYTES = 4;
const ROW: Message = { name: 'dataRow' };

/** The driver's parser, less the rows, which are gathered. */
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
  /** The texts of prepared statements by their names. */
  readonly parsedStatements: Record<string, string>;
  /** Those whose preparation was sent and not answered yet. */
  readonly submittedNamedStatements: Record<string, string>;
  emit(event: string, message: Message): void;
  attachListeners(stream: Socket): void;
  close(what: { type: 'S'; name: string }): void;
  startup(): void;
  cancel(processID: number, secretKey: number): void;
}

export function connectionOf(client: pg.Client): Connection {
  return (client as pg.Client & { connection: Connection }).connection;
}

/** Forgets a prepared statement, here and in PostgreSQL; before the statements that are sent next. */
export function deallocate(client: pg.Client, name: string): void {
  const connection = connectionOf(client);
  connection.close({ type: 'S', name });
  delete connection.parsedStatements[name];
  delete connection.submittedNamedStatements[name];
}

/** The end of a statement's answer, with its rows. */
interface CommandComplete extends Message {
  /** What was done, and to how many rows: `SELECT 20`. */
  readonly text?: string;
  rows?: RowBlock;
}

/** Has a client that is not connected yet take rows in one piece, and all of a statement's rows at once. */
export function keepRowsWhole(client: pg.Client): void {
  const connection = connectionOf(client);
  connection.attachListeners = (stream) => {
    const parser = new RowParser();
    const onMessage = (message: Message) => {
      if (message === ROW) return;
      // Statements are answered one after the other; rows that no end follows are nobody's.
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

/** What the client calls on a query that it has sent. How one is sent is inherited from node-postgres' own. */
interface QueryHandlers {
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: CommandComplete): void;
  handlePortalSuspended(): void;
  handleEmptyQuery(): void;
  handleReadyForQuery(): void;
}

// Without the constructor: the emitter and the result that it makes kept every answer until a full garbage collection.
const Query = function Query() {} as unknown as new () => QueryHandlers;
Query.prototype = pg.Query.prototype;

const SELECTED = 'SELECT ';

/** A statement to send with `client.query`, whose rows come as PostgreSQL sent them. */
export class RowsQuery extends Query implements pg.Submittable {
  /** Under which it is prepared; empty: it is not kept. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  readonly portal = '';
  /** Called by node-postgres with what went wrong. */
  readonly callback: (error: Error) => void;
  declare submit: (connection: pg.Connection) => void;
  private readonly onRows: (rows: RowBlock) => void;
  private received: RowBlock | null = null;

  /**
   * @param onRows called with all rows, once
   * @param onError called in place of it
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

  override handleRowDescription(): void {}

  /** Rows that came another way than through our parser are missing from those that are counted. */
  override handleDataRow(): void {}

  override handleCommandComplete({ text, rows = NO_ROWS }: CommandComplete): void {
    this.received = text === SELECTED + rows.length ? rows : null;
  }

  override handlePortalSuspended(): void {}

  override handleEmptyQuery(): void {}

  override handleReadyForQuery(): void {
    const rows = this.received;
    this.received = null;
    if (rows === null) this.callback(new UnreadAnswer());
    else this.onRows(rows);
  }
}

/** An answer whose rows are not those that PostgreSQL says it sent. */
export class UnreadAnswer extends Error {
  constructor() {
    super('The rows of an answer from PostgreSQL were not read whole');
  }
}
