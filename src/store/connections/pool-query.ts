// Executes one statement over a pool. By default, a pool closes a connection after any refused statement, so a client whose input
// PostgreSQL refuses, such as an e-mail address already in use, would make the gateway reconnect with each request.
import pg from 'pg';
import { titleOf } from '../sql/statements.ts';
import { leadToCaller, nameStatement } from './failed-statements.ts';

/**
 * SQLSTATEs of errors that leave a session unchanged: invalid values, violated constraints, errors of triggers, conflicts of transactions,
 * and time limits (PostgreSQL manual, appendix A). Outside a transaction, nothing of the statement remains.
 */
const HARMLESS = /^(22...|23...|40...|P0001|55P03|57014)$/;

/** An object that submits itself, such as a batch (batch.ts). The client returns it unchanged, before it is answered. */
interface Submitted {
  readonly answered?: Promise<unknown>;
}

/** Makes `pool.query` keep a connection after such an error. The replaced function takes no callback. */
export function keepConnectionAfterErrors(pool: pg.Pool): void {
  const query = async (text: string | pg.QueryConfig, values?: unknown[]) => {
    const client = await pool.connect();
    try {
      const result = await client.query(text, values);
      await (result as Submitted).answered;
      client.release();
      return result;
    } catch (error) {
      client.release(!isHarmless(error));
      nameStatement(error, nameOf(text));
      leadToCaller(error);
      throw error;
    }
  };
  pool.query = query as pg.Pool['query'];
}

function nameOf(statement: string | pg.QueryConfig): string {
  return typeof statement === 'string' ? titleOf(statement) : (statement.name ?? titleOf(statement.text));
}

function isHarmless(error: unknown): boolean {
  return error instanceof pg.DatabaseError && HARMLESS.test(error.code ?? '');
}
