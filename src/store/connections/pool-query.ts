// Executes one statement over a pool. By default, a pool closes a connection after any refused statement. Then a client whose input
// PostgreSQL refuses, such as an e-mail address already in use, would make the gateway reconnect with each request.
import pg from 'pg';

/**
 * SQLSTATEs of errors that leave a session unchanged: invalid values, violated constraints, errors of triggers, conflicts of transactions,
 * and time limits (PostgreSQL manual, appendix A). Outside a transaction, nothing of the statement remains.
 */
const HARMLESS = /^(22...|23...|40...|P0001|55P03|57014)$/;

type Query = (text: unknown, values?: unknown[]) => Promise<pg.QueryResult>;
type QueryWithCallback = (
  text: unknown,
  values: unknown[] | undefined,
  done: (error: Error | undefined, result?: pg.QueryResult) => void,
) => void;

/** Makes `pool.query` keep a connection after such an error. The replaced function takes no callback. */
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
