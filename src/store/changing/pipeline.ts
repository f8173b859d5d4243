// Transactions for a caller, over one connection of the pool. Statements that are asked for one after another, without awaiting the answers,
// are sent together, up to one Sync message (PostgreSQL manual, "Pipelining"): a change waits for PostgreSQL only where it needs an answer.
// Uses internals of node-postgres, whose version is pinned.
import type pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';
import type { Executor } from '../connections/executor.ts';
import { toStoreError } from '../connections/failures.ts';
import { textFor } from '../connections/sql-constants.ts';
import type { Statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { types } from '../sql/value-types.ts';
import { query, type Store } from '../store.ts';
import { ENTER, enteringAs } from '../tenancy/tenant-role.ts';

/** A transaction whose statements are sent together. */
export interface Pipeline extends Executor {
  readonly isCommitted: boolean;
  /**
   * Sends the commit, together with the statements that were asked for just before: it is not made if one of them fails. What is asked for
   * afterwards is refused: it would be outside the transaction.
   */
  commit(): Promise<void>;
  /** Resolves when everything that was asked for is answered. What is asked for afterwards is refused. */
  end(): Promise<void>;
}

/**
 * Executes one prepared statement for a caller. It sees and changes only rows that the caller owns.
 * @throws AppError `unavailable` when the database cannot be reached or took too long
 */
export async function queryAs<Row extends object>(
  store: Pick<Store, 'pool' | 'hasTenantRole' | 'preparedStatements'>,
  tenancy: Tenancy,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  try {
    if (!(await store.hasTenantRole())) return await query(store, statement, values);
    const named = (one: Statement) => (store.preparedStatements ? one : { ...one, name: '' });
    const batch = new Batch(statement);
    batch.add(named(ENTER), enteringAs(tenancy));
    const answer = batch.add(named(statement), values);
    await store.pool.query(batch);
    return (await answer).rows as Row[];
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Begins a transaction with its first statement. @param onCommit called immediately before the commit is sent; may throw */
export function beginPipeline(
  client: Pick<pg.ClientBase, 'query'>,
  { preparedStatements }: Pick<Store, 'preparedStatements'>,
  onCommit: () => void,
): Pipeline {
  let batch: Batch | null = null;
  let isCommitted = false;
  let isOver = false;
  let answered = Promise.resolve();
  function ask(text: string, values: readonly unknown[] = []): Promise<Answer> {
    if (isOver) return handled(Promise.reject(new TypeError('The transaction is over')));
    if (batch === null) {
      batch = new Batch({ name: 'change', text });
      // After everything else that the current answers lead to.
      process.nextTick(() => {
        const complete = batch;
        batch = null;
        if (complete === null) return;
        client.query(complete);
        ({ answered } = complete);
      });
    }
    return batch.add({ name: preparedStatements ? nameOf(text) : '', text }, values);
  }
  void ask('begin');
  return {
    get isCommitted() {
      return isCommitted;
    },
    $queryRawUnsafe: <Rows>(text: string, ...values: unknown[]) =>
      handled(ask(text, values).then(({ rows }) => rows as Rows)),
    $executeRawUnsafe: (text, ...values) => handled(ask(text, values).then(({ count }) => count)),
    async commit() {
      onCommit();
      isCommitted = true;
      const answer = ask('commit');
      isOver = true;
      const { tag } = await answer;
      // So PostgreSQL answers where a statement has failed before.
      if (tag !== 'COMMIT') throw new TypeError('The transaction was not committed');
    },
    async end() {
      isOver = true;
      await new Promise((sent) => process.nextTick(sent));
      // Who asked is told of a failure.
      await answered.catch(() => {});
    },
  };
}

/** The promise; it may be rejected before anybody awaits it. Of several statements that fail together, at least one is awaited. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** With more different texts than this, further statements are not prepared: each prepared statement takes memory on every connection. */
const MAX_NAMES = 2_000;
/** Matches long lists of rows. Each length is a different text, and clients choose the length. */
const LONG_LIST = /(\), ?\(\$.*){3}/s;
const names = new Map<string, string>();

/** The name under which a text is prepared; empty: it is not. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MAX_NAMES || LONG_LIST.test(text)) return '';
  const name = `change_${names.size}`;
  names.set(text, name);
  return name;
}

interface Answer {
  /** What PostgreSQL says of the statement, such as `UPDATE 1`. */
  readonly tag: string;
  readonly rows: Record<string, unknown>[];
  /** The number of changed rows. */
  readonly count: number;
}

interface Asked {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly rows: Record<string, unknown>[];
  readonly answer: PromiseWithResolvers<Answer>;
}

/** The parts of a connection's protocol state that are used. */
interface Connection extends pg.Connection {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The columns of the prepared statements of each connection. */
const described = new WeakMap<pg.Connection, Map<string, readonly Field[]>>();

/** Statements that are sent together. When one fails, those behind it are not executed. */
class Batch {
  /** Name and text of the statement whose answer comes next. The client uses them to record what it has prepared. */
  name: string;
  text: string;
  /** Set by the pool: called when the connection is free again, or with the error. */
  callback?: (error: Error | undefined, result?: readonly []) => void;
  readonly #asked: Asked[] = [];
  readonly #over = Promise.withResolvers<void>();
  #at = 0;
  #fields: readonly Field[] = [];
  #columns: Map<string, readonly Field[]> = new Map();
  #error: Error | undefined;

  /** @param title what traces call it */
  constructor({ name, text }: Statement) {
    this.name = name;
    this.text = text;
    handled(this.#over.promise);
  }

  /** Resolves when all statements are answered, and rejects when one fails. */
  get answered(): Promise<void> {
    return this.#over.promise;
  }

  /** The texts of all statements so far, for traces. */
  get texts(): string {
    return this.#asked.map(({ statement }) => statement.text).join('; ');
  }

  /** To be called before it is submitted. */
  add(statement: Statement, values: readonly unknown[]): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    handled(answer.promise);
    this.#asked.push({ statement, values, rows: [], answer });
    return answer.promise;
  }

  submit(connection: Connection): void {
    this.#columns = described.get(connection) ?? new Map();
    described.set(connection, this.#columns);
    const messages = this.#asked.flatMap(({ statement, values }) =>
      this.#messages(connection, statement, values),
    );
    // In one piece: each piece takes time of its own.
    connection.stream.write(Buffer.concat([...messages, serialize.sync()]));
    this.#expectNext();
  }

  #messages(connection: Connection, { name, text }: Statement, values: readonly unknown[]): Buffer[] {
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
    this.#asked[this.#at]?.rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.name !== '') this.#columns.set(this.name, this.#fields);
    const asked = this.#asked[this.#at++];
    asked?.answer.resolve({ tag: text, rows: asked.rows, count: Number(/\d+$/.exec(text)?.[0] ?? 0) });
    this.#expectNext();
  }

  handleError(error: Error, connection: Connection): void {
    this.#error = error;
    for (const { statement, answer } of this.#asked.slice(this.#at)) {
      // PostgreSQL has skipped the statements behind the failed one.
      delete connection.submittedNamedStatements[statement.name];
      answer.reject(error);
    }
    this.#at = this.#asked.length;
    this.#over.reject(error);
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.#over.resolve();
    if (this.#error === undefined) this.callback?.(undefined, []);
  }

  #expectNext(): void {
    const next = this.#asked[this.#at];
    if (next === undefined) return;
    ({ name: this.name, text: this.text } = next.statement);
    this.#fields = this.#columns.get(this.name) ?? [];
  }
}
