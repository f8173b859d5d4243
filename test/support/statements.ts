// The current activity of PostgreSQL, from a separate connection.
import pg from 'pg';
import type { Gateway } from './gateway.ts';

export interface Observer {
  /** Runs `work` while the statement `lock` holds its locks. */
  whileLocked<T>(lock: string, work: () => Promise<T>): Promise<T>;
  /** Sends a statement on the observer's own connection, on which `whileLocked` holds a transaction. */
  query(statement: string): Promise<unknown>;
  /** Running statements, and idle transactions, of all other connections. */
  underWay(): Promise<string[]>;
  close(): Promise<void>;
}

/** An observer of a gateway's database. */
export async function createObserver({ app }: Gateway): Promise<Observer> {
  const admin = new pg.Client(app.store.connection);
  await admin.connect();
  return {
    async whileLocked(lock, work) {
      await admin.query('begin');
      await admin.query(lock);
      try {
        return await work();
      } finally {
        await admin.query('rollback');
      }
    },
    query: (statement) => admin.query(statement),
    async underWay() {
      const { rows } = await admin.query<{ query: string }>(
        `select query from pg_stat_clear_snapshot(), pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend' and state <> 'idle'`,
      );
      return rows.map(({ query }) => query);
    },
    close: () => admin.end(),
  };
}
