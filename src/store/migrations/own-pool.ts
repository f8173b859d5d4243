// Connections for long work on the tables themselves.
import pg from 'pg';
import { handleConnectionErrors } from '../connections/pool.ts';
import { APPLICATION, LIFT_SESSION_LIMITS } from '../connections/time-limits.ts';
import { FOR_TABLE_CHANGES } from '../shard-placement/session-settings.ts';

/** Runs `work` on the same database over connections without the limits of requests. @param task the name of the sessions */
export async function withOwnPool<T>(
  db: Pick<pg.Pool, 'options'>,
  task: string,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const { password } = db.options;
  const own = new pg.Pool({
    ...db.options,
    // Copied explicitly, because it is not enumerable.
    ...(password !== undefined && { password }),
    // Not the class of `db`, which would count these connections among its own and cancel and close them together.
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
  handleConnectionErrors(own);
  try {
    return await work(own);
  } finally {
    await own.end();
  }
}
