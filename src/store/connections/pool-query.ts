// How a pool executes one statement. By itself it closes a connection whose statement was refused, whatever the reason: then anybody whose
// input PostgreSQL refuses, such as an e-mail address that is taken, has the gateway connect anew with each request.
import pg from 'pg';

/**
 * SQLSTATEs of refusals that leave a session as it was: of what a statement was given, of constraints and triggers, for the sake of other
 * transactions, and because of time limits (PostgreSQL manual, appendix A). Outside of a transaction nothing is left of the statement.
 */
const HARMLESS = /^(22...|23...|40...|P0001|55P03|57014)$/;

type Query = (text: unknown, values?: unknown[]) => Promise<pg.QueryResult>;
type QueryWithCallback = (
  text: unknown,
  values: unknown[] | undefined,
  done: (error: Error | undefined, result?: pg.QueryResult) => void,
) => void;

/** Makes `pool.query` keep a connection whose statement was refused and that can be used as before. It takes no callback. */
export function keepAfterRefusals(pool: pg.Pool): void {
  const query: Query = async (text, values) => {
    const client = await pool.connect();
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (error: Error | undefined, result?: pg.QueryResult) => {
        if (isOver) return;
        isOver = true;
        client.off('error', end);
        client.release(isHarmless(error) ? undefined : error);
        if (result === undefined) reject(error);
        else resolve(result);
      };
      client.once('error', end);
      (client.query as unknown as QueryWithCallback).call(client, text, values, end);
    });
  };
  pool.query = query as unknown as pg.Pool['query'];
}

function isHarmless(error: Error | undefined): boolean {
  return error instanceof pg.DatabaseError && HARMLESS.test(error.code ?? '');
}
