// Asks PostgreSQL to cancel a statement: over a connection of its own, as the protocol has it (PostgreSQL manual, "Canceling Requests in
// Progress").
import pg from 'pg';
import { connectionOf } from './rows-query.ts';

/**
 * Asks that the statement be cancelled which a connection waits for. Whether it was, the statement's own answer says: the
 * request has none.
 * @param config how the connection was made, time limit included
 */
export function requestCancel(config: pg.ClientConfig, target: pg.Client): void {
  const canceller = new pg.Client(config);
  const connection = connectionOf(canceller);
  const { processID, secretKey } = target as unknown as BackendKey;
  // It begins as any other connection does, TLS included; PostgreSQL closes it instead of an answer.
  connection.startup = () => connection.cancel(processID, secretKey);
  canceller.on('error', () => {});
  canceller.connect().catch(() => {});
}

/** What names a connection to PostgreSQL, or to a pooler before it. */
interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}
