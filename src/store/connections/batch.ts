// Sends several statements over one connection in one message that ends with one Sync (PostgreSQL manual, "Pipelining"): a change waits for
// PostgreSQL only where it needs an answer. Uses internals of node-postgres, whose version is pinned.
//
// Why not node-postgres' pipeline mode (`pipeline: true`, as the reading connections use): it ends each statement with its own Sync, which
// made changes 8 to 24 % slower.
import type pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';
import { ignoreUnhandled } from '../../concurrency/ignore-unhandled.ts';
import type { Statement } from '../sql/statements.ts';
import { types } from '../sql/value-types.ts';
import { nameStatement } from './failed-statements.ts';
import { textFor } from './sql-constants.ts';

export interface Answer {
  /** PostgreSQL's command tag, such as `UPDATE 1`. */
  readonly tag: string;
  readonly rows: Record<string, unknown>[];
  /** The number of changed rows. */
  readonly count: number;
}

interface PendingStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly preparedAs: string;
  readonly rows: Record<string, unknown>[];
  readonly answer: PromiseWithResolvers<Answer>;
}

/** The parts of a connection's protocol state that this file uses. */
interface Connection extends pg.Connection {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The columns of the prepared statements of each connection. */
const columnsByStatement = new WeakMap<pg.Connection, Map<string, readonly Field[]>>();

/** Statements that are sent together. If one fails, PostgreSQL does not execute those after it. */
export class Batch {
  /** Name and text of the statement whose answer comes next. The client uses them to record what it has prepared. */
  name: string;
  text: string;
  /** Set by the pool: called when the connection is free again, or with the error. */
  callback?: (error: Error | undefined, result?: readonly []) => void;
  readonly #pending: PendingStatement[] = [];
  readonly #over = Promise.withResolvers<void>();
  #at = 0;
  #fields: readonly Field[] = [];
  #columns: Map<string, readonly Field[]> = new Map();
  #error: Error | undefined;

  /** @param title the batch's name in traces */
  constructor({ name, text }: Statement) {
    this.name = name;
    this.text = text;
    ignoreUnhandled(this.#over.promise);
  }

  /** Resolves when all statements are answered, and rejects when one fails. */
  get answered(): Promise<void> {
    return this.#over.promise;
  }

  /** The texts of all statements so far, for traces. */
  get texts(): string {
    return this.#pending.map(({ statement }) => statement.text).join('; ');
  }

  /**
   * Adds a statement. Must be called before the batch is submitted.
   * @param preparedAs the name of its prepared statement; empty: it is not prepared
   * @returns its answer; rejected with the error of the first statement that fails
   */
  add(statement: Statement, values: readonly unknown[], preparedAs: string): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    ignoreUnhandled(answer.promise);
    this.#pending.push({ statement, values, preparedAs, rows: [], answer });
    return answer.promise;
  }

  submit(connection: Connection): void {
    this.#columns = columnsByStatement.get(connection) ?? new Map();
    columnsByStatement.set(connection, this.#columns);
    const messages = this.#pending.flatMap((asked) => this.#messages(connection, asked));
    // One write, because each write costs time.
    connection.stream.write(Buffer.concat([...messages, serialize.sync()]));
    this.#expectNext();
  }

  #messages(
    connection: Connection,
    { preparedAs: name, statement: { text }, values }: PendingStatement,
  ): Buffer[] {
    const { parsedStatements, submittedNamedStatements } = connection;
    const isPrepared =
      name !== '' && (parsedStatements[name] ?? submittedNamedStatements[name]) !== undefined;
    if (name !== '' && !isPrepared) submittedNamedStatements[name] = text;
    return [
      ...(isPrepared ? [] : [serialize.parse({ name, text: textFor(connection, text) })]),
      serialize.bind({ statement: name, values: values.map(prepareValue) }),
      ...(this.#columns.has(name) ? [] : [serialize.describe({ type: 'P' })]),
      serialize.execute(),
    ];
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fields = fields;
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    for (const [column, { name, dataTypeID }] of this.#fields.entries()) {
      const text = fields[column] ?? null;
      row[name] = text === null ? null : types.getTypeParser(dataTypeID, 'text')(text);
    }
    this.#pending[this.#at]?.rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.name !== '') this.#columns.set(this.name, this.#fields);
    const asked = this.#pending[this.#at++];
    asked?.answer.resolve({ tag: text, rows: asked.rows, count: Number(/\d+$/.exec(text)?.[0] ?? 0) });
    this.#expectNext();
  }

  handleError(error: Error, connection: Connection): void {
    this.#error = error;
    const failed = this.#pending[this.#at];
    if (failed !== undefined) nameStatement(error, failed.statement.name);
    for (const { preparedAs, answer } of this.#pending.slice(this.#at)) {
      // PostgreSQL has skipped the statements after the failed one.
      delete connection.submittedNamedStatements[preparedAs];
      answer.reject(error);
    }
    this.#at = this.#pending.length;
    this.#over.reject(error);
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.#over.resolve();
    if (this.#error === undefined) this.callback?.(undefined, []);
  }

  #expectNext(): void {
    const next = this.#pending[this.#at];
    if (next === undefined) return;
    this.name = next.preparedAs;
    this.text = next.statement.text;
    this.#fields = this.#columns.get(this.name) ?? [];
  }
}
