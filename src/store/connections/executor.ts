// As much of Prisma's client as executes statements, over a connection of one's own: for steps of one transaction without Prisma.
import type pg from 'pg';
import { types } from '../sql/value-types.ts';
import { toStoreError } from './failures.ts';

export interface Executor {
  /** Returns how many rows it changed. */
  $executeRawUnsafe(text: string, ...values: unknown[]): PromiseLike<number>;
  $queryRawUnsafe<Rows>(text: string, ...values: unknown[]): PromiseLike<Rows>;
}

/** What executes statements over a connection, or over any of a pool. */
export function executorOf(client: Pick<pg.ClientBase, 'query'> | pg.Pool): Executor {
  const send = (text: string, values: unknown[]) => client.query({ text, values, types });
  return {
    $executeRawUnsafe: async (text, ...values) => (await send(text, values)).rowCount ?? 0,
    $queryRawUnsafe: async <Rows>(text: string, ...values: unknown[]) =>
      (await send(text, values)).rows as Rows,
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
    // After a failure it is closed, and the transaction ends with it.
    client.release(!isWhole);
  }
}
