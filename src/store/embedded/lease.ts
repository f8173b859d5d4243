// Leases record which processes use the embedded database. A lease is one connection with a shared advisory lock. PostgreSQL releases the
// lock with the connection, so a killed process leaves no lease behind. A process that gets the lock exclusively is the only one.
import pg from 'pg';
import { codeOf, messageOf } from './failure.ts';

// An arbitrary unique number. The lock is held in the database `postgres`, because locks are per database, and a lease then does not
// prevent copying the gateway's own database (CREATE DATABASE ... TEMPLATE).
const KEY = '6052837899185946624';

/** The database in which leases are held. */
export const LEASE_DATABASE = 'postgres';

/** Connects and takes a lease; null if the server is starting or stopping, and the caller should try again. */
export async function takeLease(url: string): Promise<pg.Client | null> {
  const client = await connect(url);
  if (!client) return null;
  try {
    const { rows } = await client.query(`select pg_try_advisory_lock_shared(${KEY}) as taken`);
    if (rows[0]?.taken === true) return client;
  } catch (error) {
    if (!isPassing(error)) throw error;
  }
  await close(client);
  return null;
}

/**
 * Tries to lock out other processes. True if no other process holds a lease; then none can get one until this connection ends. Shared and
 * exclusive locks of one session do not conflict, so this process keeps its lease.
 */
export async function claimExclusively(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select pg_try_advisory_lock(${KEY}) as alone`);
  return rows[0]?.alone === true;
}

/** Ends `claimExclusively`: other processes can take leases again. This process keeps its lease. @throws the driver's error */
export async function endClaim(client: pg.Client): Promise<void> {
  await client.query(`select pg_advisory_unlock(${KEY})`);
}

/** Releases the lease. True if it was the last one; the connection then prevents new leases. */
export async function releaseLease(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`select pg_advisory_unlock_shared(${KEY})`);
    const { rows } = await client.query(`select pg_try_advisory_lock(${KEY}) as last`);
    return rows[0]?.last === true;
  } catch {
    return false;
  }
}

/** Connects; null if the server cannot be reached at the moment. */
export async function connect(url: string): Promise<pg.Client | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'funnel-gateway lease',
    connectionTimeoutMillis: 10_000,
    // A hanging server must not keep this process from ending.
    query_timeout: 20_000,
  });
  // Without a listener, a dropped connection would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (isPassing(error)) return null;
    throw error;
  }
}

/** Closes a connection, whatever its state. */
export async function close(client: pg.Client): Promise<void> {
  await client.end().catch(() => {});
}

/** Whether the error is temporary: the server is starting, stopping, full or crashed, or the connection was lost. */
function isPassing(error: unknown): boolean {
  const passing = /^(57P0[1-5]|53300|08\w{3}|ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|ENOTCONN)$/;
  return (
    passing.test(codeOf(error)) ||
    /Connection terminated|timeout expired|not queryable/i.test(messageOf(error))
  );
}
