// Cancel requests to PostgreSQL. Each is sent over its own connection (PostgreSQL manual, "Canceling Requests in Progress").
import pg from 'pg';
import { protocolConnectionOf } from './rows-query.ts';

/**
 * Requests the cancellation of the statement that a connection is executing. The request itself has no result: the statement fails if it
 * was cancelled. Resolves when the request has arrived, or cannot arrive.
 * @param config the configuration of the target connection, including its connect timeout
 */
export async function requestCancel(config: pg.ClientConfig, target: pg.ClientBase): Promise<void> {
  const canceller = new pg.Client(config);
  const connection = protocolConnectionOf(canceller);
  const { processID, secretKey } = target as unknown as BackendKey;
  // Opens the connection like any other, with TLS if configured. PostgreSQL closes it without an answer.
  connection.startup = () => connection.cancel(processID, secretKey);
  canceller.on('error', () => {});
  await canceller.connect().catch(() => {});
}

/** Identifies a connection to PostgreSQL, or to a pooler in front of it. */
interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}
