// What a PostgreSQL server says of itself and of the way to it, for whoever looks after the gateway. Nothing is changed.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { protocolConnectionOf } from '../connections/rows-query.ts';

/** What there is to know about a database server. */
export interface ServerFacts {
  /** Such as 180004. */
  readonly version: number;
  /** Such as "18.4". */
  readonly versionText: string;
  readonly encoding: string;
  /** A replica, or a database that is set to read only. */
  readonly isReadOnly: boolean;
  /** Settings that let a power cut damage the store. */
  readonly unsafe: readonly string[];
  /** Connections that this user may have open at once, all of those who use the server together. */
  readonly maxConnections: number;
  /** Connections that are open at the moment. */
  readonly connections: number;
  /** Something that is not PostgreSQL answers for it. */
  readonly isPooled: boolean;
  readonly isEncrypted: boolean;
  /** How far the server's clock is ahead of ours; it may be wrong by as much as `clockErrorMs`. */
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

/** Asks the server at a connection. @throws the driver's error when it does not answer in time */
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
      // A pooler makes up the number that PostgreSQL gives a connection for its cancellation.
      isPooled: (client as unknown as { processID: number }).processID !== pid,
      clockAheadMs: Math.round(clockMs - (before + after) / 2),
      clockErrorMs: Math.ceil((after - before) / 2),
    };
  });
}

/** Whether the server takes no changes. @throws the driver's error */
export async function isReadOnly(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ readOnly: boolean }>(`select ${IS_READ_ONLY} as "readOnly"`);
  return rows[0]?.readOnly === true;
}

/** Whether what is notified over one connection is heard over another: through a pooler it may not be. */
export async function hearsNotifications(
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
    // Nothing is under way that would have to end well.
    protocolConnectionOf(client).stream.destroy();
  }
}
