// The part of Prisma's client that executes statements, over a plain connection: for transactions of several steps without Prisma.
import type pg from 'pg';
import { titleOf } from '../sql/statements.ts';
import { types } from '../sql/value-types.ts';
import { awaitStatement } from './failed-statements.ts';
import { toStoreError } from './failures.ts';

export interface Executor {
  /** Returns the number of changed rows. */
  $executeRawUnsafe(text: string, ...values: unknown[]): PromiseLike<number>;
  $queryRawUnsafe<Rows>(text: string, ...values: unknown[]): PromiseLike<Rows>;
}

/** Executes statements over one connection, or over any connection of a pool. */
export function executorOf(client: Pick<pg.ClientBase, 'query'> | pg.Pool): Executor {
  const send = (text: string, values: unknown[]) =>
    awaitStatement(titleOf(text), client.query({ text, values, types }));
  return {
    $executeRawUnsafe: async (text, ...values) => (await send(text, values)).rowCount ?? 0,
    $queryRawUnsafe: async <Rows>(text: string, ...values: unknown[]) =>
      (await send(text, values)).rows as Rows,
  };
}

/** An executor that accepts several statements at once. */
export interface OrderedExecutor extends Executor {
  /** Resolves when all statements are answered. @throws the error of the first one that failed */
  settled(): Promise<void>;
}

/**
 * Makes an executor send each statement after the previous one is answered, whether or not anyone awaits the answers. After a failure it
 * sends no more.
 */
export function inOrder(executor: Executor): OrderedExecutor {
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(run: () => PromiseLike<T>): Promise<T> => {
    const answer = last.then(run);
    last = answer;
    answer.catch(() => {});
    return answer;
  };
  return {
    $executeRawUnsafe: (text, ...values) => next(() => executor.$executeRawUnsafe(text, ...values)),
    $queryRawUnsafe: <Rows>(text: string, ...values: unknown[]) =>
      next(() => executor.$queryRawUnsafe<Rows>(text, ...values)),
    settled: async () => void (await last),
  };
}

/** Executes `work` in one transaction. @throws AppError `unavailable`; what `work` throws */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: Executor) => PromiseLike<T>): Promise<T> {
  let isWhole = false;
  const client = await pool.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  try {
    await client.query('begin');
    const done = await work(executorOf(client));
    await client.query('commit');
    isWhole = true;
    return done;
  } catch (error) {
    throw toStoreError(error);
  } finally {
    // After a failure the connection is closed, which ends the transaction.
    client.release(!isWhole);
  }
}

/** Executes `work` in one transaction of a connection that the caller keeps. A failure rolls it back. @throws what `work` throws */
export async function transactionOn<T>(
  client: Pick<pg.ClientBase, 'query'>,
  work: () => PromiseLike<T>,
): Promise<T> {
  await client.query('begin');
  try {
    const done = await work();
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
