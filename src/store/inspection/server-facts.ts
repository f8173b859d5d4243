// Reads facts about a PostgreSQL server and the connection to it, for the gateway's operator. Changes nothing.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { protocolConnectionOf } from '../connections/rows-query.ts';

/** Facts about a database server. */
export interface ServerFacts {
  /** Such as 180004. */
  readonly version: number;
  /** Such as "18.4". */
  readonly versionText: string;
  readonly encoding: string;
  /** Whether the server is a replica, or the database is set to read only. */
  readonly isReadOnly: boolean;
  /** Settings with which a power failure can damage the store. */
  readonly unsafe: readonly string[];
  /** The maximum number of connections for this user, shared with all other users of the server. */
  readonly maxConnections: number;
  /** The number of open connections. */
  readonly connections: number;
  /** Whether something other than PostgreSQL, such as a pooler, answers. */
  readonly isPooled: boolean;
  readonly isEncrypted: boolean;
  /** How far the server's clock is ahead of ours, in milliseconds, with an error of at most `clockErrorMs`. */
  readonly clockAheadMs: number;
  readonly clockErrorMs: number;
}

const IS_READ_ONLY = `(pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on')`;
const FACTS = `select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionText",
    current_setting('server_encoding') as encoding,
    ${IS_READ_ONLY} as "isReadOnly",
    array(select name from unnest(array['fsync', 'full_page_writes', 'synchronous_commit']) as name
      where current_setting(name) = 'off') as unsafe,
    least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as "maxConnections",
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted",
    pg_backend_pid() as pid, (extract(epoch from clock_timestamp()) * 1000)::float8 as "clockMs"`;

type FactsRow = Omit<ServerFacts, 'isPooled' | 'clockAheadMs' | 'clockErrorMs'> & {
  readonly pid: number;
  readonly clockMs: number;
};

/** Queries the server. @throws the driver's error after the timeout */
export async function readServerFacts(connection: pg.ClientConfig, timeoutMs: number): Promise<ServerFacts> {
  return withClient(connection, timeoutMs, async (client) => {
    const before = Date.now();
    const { rows } = await client.query<FactsRow>(FACTS);
    const after = Date.now();
    const [row] = rows;
    if (row === undefined) throw new Error('The server says nothing of itself.');
    const { pid, clockMs, ...facts } = row;
    return {
      ...facts,
      // A pooler invents the process id that PostgreSQL gives a connection for cancel requests.
      isPooled: (client as unknown as { processID: number }).processID !== pid,
      clockAheadMs: Math.round(clockMs - (before + after) / 2),
      clockErrorMs: Math.ceil((after - before) / 2),
    };
  });
}

/** Whether the server accepts no changes. @throws the driver's error */
export async function isReadOnly(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ readOnly: boolean }>(`select ${IS_READ_ONLY} as "readOnly"`);
  return rows[0]?.readOnly === true;
}

/** Whether a notification sent over one connection arrives on another. Through a pooler it may not. */
export async function receivesNotifications(
  connection: pg.ClientConfig,
  listening: pg.ClientConfig,
  timeoutMs: number,
): Promise<boolean> {
  return withClient(listening, timeoutMs, async (listener) => {
    const channel = `funnel_gateway_doctor_${randomUUID().replaceAll('-', '')}`;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    listener.on('notification', () => resolve(true));
    await listener.query(`listen ${channel}`);
    await withClient(connection, timeoutMs, (client) =>
      client.query('select pg_notify($1, $2)', [channel, '']),
    );
    const timer = setTimeout(() => resolve(false), timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  });
}

async function withClient<T>(
  connection: pg.ClientConfig,
  timeoutMs: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'funnel-gateway doctor',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    // No statement is in progress that needs an orderly end.
    protocolConnectionOf(client).stream.destroy();
  }
}
