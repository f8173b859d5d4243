// Transactions for a caller, over one connection of the pool. Statements that are issued without awaiting the answers in between are sent
// as one batch (connections/batch.ts): a change waits for PostgreSQL only where it needs an answer.
import type pg from 'pg';
import { ignoreUnhandled } from '../../concurrency/ignore-unhandled.ts';
import { type Answer, Batch } from '../connections/batch.ts';
import type { Executor } from '../connections/executor.ts';
import { PendingAnswer } from '../connections/failed-statements.ts';
import { toStoreError } from '../connections/failures.ts';
import { type Statement, titleOf } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type Store } from '../store.ts';
import { ENTER_TENANT_ROLE, tenantRoleValues } from '../tenancy/tenant-role.ts';

/** A transaction that sends its statements in batches. */
export interface Pipeline extends Executor {
  readonly isCommitted: boolean;
  /**
   * Sends the commit in one batch with the statements issued just before; PostgreSQL does not commit if one of them fails. Later statements
   * are refused, because they would be outside the transaction.
   */
  commit(): Promise<void>;
  /** Resolves when all statements are answered. Later statements are refused. */
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
    const preparedAs = ({ name }: Statement) => (store.preparedStatements ? name : '');
    const batch = new Batch(statement);
    batch.add(ENTER_TENANT_ROLE, tenantRoleValues(tenancy), preparedAs(ENTER_TENANT_ROLE));
    const answer = batch.add(statement, values, preparedAs(statement));
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
    if (isOver) return ignoreUnhandled(Promise.reject(new TypeError('The transaction is over')));
    if (batch === null) {
      batch = new Batch({ name: 'change', text });
      // Runs after everything that the current answers cause, so that their statements join this batch.
      process.nextTick(() => {
        const complete = batch;
        batch = null;
        if (complete === null) return;
        client.query(complete);
        ({ answered } = complete);
      });
    }
    const statement = {
      text,
      // A getter, because only errors need it.
      get name() {
        return titleOf(text);
      },
    };
    return batch.add(statement, values, preparedStatements ? preparedNameOf(text) : '');
  }
  void ask('begin');
  return {
    get isCommitted() {
      return isCommitted;
    },
    $queryRawUnsafe: <Rows>(text: string, ...values: unknown[]) =>
      new PendingAnswer(ask(text, values).then(({ rows }) => rows as Rows)),
    $executeRawUnsafe: (text, ...values) => new PendingAnswer(ask(text, values).then(({ count }) => count)),
    async commit() {
      onCommit();
      isCommitted = true;
      const answer = new PendingAnswer(ask('commit'));
      isOver = true;
      const { tag } = await answer;
      // PostgreSQL answers ROLLBACK if a statement has failed before.
      if (tag !== 'COMMIT') throw new TypeError('The transaction was not committed');
    },
    async end() {
      isOver = true;
      await new Promise((sent) => process.nextTick(sent));
      // The caller of the statement gets the error.
      await answered.catch(() => {});
    },
  };
}

/** Beyond this many different texts, statements are not prepared: each prepared statement takes memory on every connection. */
const MAX_NAMES = 2_000;
/** Matches long lists of rows. Each length is a different text, and clients choose the length. */
const LONG_LIST = /(\), ?\(\$.*){3}/s;
const names = new Map<string, string>();

/** The name of a text's prepared statement; empty: it is not prepared. */
function preparedNameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MAX_NAMES || LONG_LIST.test(text)) return '';
  const name = `change_${names.size}`;
  names.set(text, name);
  return name;
}
