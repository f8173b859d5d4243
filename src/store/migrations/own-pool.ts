// Connections for work on the tables themselves, which may take long.
import pg from 'pg';
import { surviveLosses } from '../connections/pool.ts';
import { APPLICATION, LIFT_SESSION_LIMITS } from '../connections/time-limits.ts';
import { FOR_TABLE_CHANGES } from '../shard-placement/session-settings.ts';

/** The same database over connections without the limits that requests have. @param task what the sessions are called */
export async function withOwnPool<T>(
  db: Pick<pg.Pool, 'options'>,
  task: string,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const { password } = db.options;
  const own = new pg.Pool({
    ...db.options,
    // Not among the enumerable ones.
    ...(password !== undefined && { password }),
    // Not the one that counts them among the connections of `db`, which are cancelled and closed together.
    Client: pg.Client,
    max: 4,
    query_timeout: 0,
    statement_timeout: 0,
    application_name: `${APPLICATION} ${task}`,
    onConnect: async (client) => {
      await client.query(LIFT_SESSION_LIMITS);
      await client.query(FOR_TABLE_CHANGES);
    },
  });
  own.on('error', () => {});
  surviveLosses(own);
  try {
    return await work(own);
  } finally {
    await own.end();
  }
}
