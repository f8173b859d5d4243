// Opens the store for a command: the embedded database, started or joined, or the server in DATABASE_URL.
import pg from 'pg';
import { closeApp, createApp } from '../app.ts';
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import { bufferLines, createAccessLogger, createLogger } from '../output/log.ts';
import { makePartitions } from '../services/partitions.ts';
import { toReason } from '../store/connections/failures.ts';
import { CONNECT_TIMEOUT_MS } from '../store/connections/time-limits.ts';
import { type EmbeddedDatabase, openEmbedded } from '../store/embedded/embedded.ts';
import { codeOf, messageOf } from '../store/embedded/failure.ts';
import { PRISMA_FOLDER, readMigrations } from '../store/migrations/folder.ts';
import { applyMigrations, type MigrationState, migrationState } from '../store/migrations/migrations.ts';
import {
  isUtc,
  readSessionSettings,
  requireUtc,
  type SessionSettings,
} from '../store/migrations/session-settings.ts';
import { untilInterrupted } from './interruption.ts';
import { linesFor } from './pretty-log.ts';
import { loadOrCreateSecretKey } from './secret-key.ts';
import type { Shell } from './shell.ts';
import { createTelemetry } from './telemetry.ts';

export interface OpenDatabase {
  readonly app: App;
  /** null: an external server. */
  readonly embedded: EmbeddedDatabase | null;
}

/** A database server that accepts connections. */
export interface DatabaseServer {
  readonly url: string;
  /** null: an external server. */
  readonly embedded: EmbeddedDatabase | null;
  /** null: the embedded server, which always has the right settings. */
  readonly sessions: SessionSettings | null;
}

interface Use {
  /** Whether `work` handles the shell's signal itself; otherwise the signal cancels its statements. */
  readonly stopsItself?: boolean;
  /** Whether the process has the configured metrics and traces. */
  readonly isObserved?: boolean;
  /** Whether the time zone of sessions does not matter. */
  readonly anySessions?: boolean;
  /** Prepares or checks the database before `work` starts. */
  readonly prepare?: (database: OpenDatabase) => Promise<void>;
}

/**
 * Runs `work` with an open store, and always closes it.
 * @throws StartupError when the database is not available, or at the shell's signal; the errors of `work`
 */
export function withDatabase<T>(
  shell: Shell,
  work: (database: OpenDatabase) => Promise<T>,
  { stopsItself = false, isObserved = false, anySessions = false, prepare = async () => {} }: Use = {},
): Promise<T> {
  return withServer(shell, ({ url, embedded, sessions }) =>
    withApp(shell, { url, embedded, isObserved }, async (app) => {
      const database = { app, embedded };
      await untilInterrupted(shell, app, () => prepare(database));
      if (sessions !== null && !anySessions) requireUtc(sessions);
      return stopsItself ? work(database) : untilInterrupted(shell, app, () => work(database));
    }),
  );
}

/** Runs `work` with a database server. @throws StartupError when it is not available; the errors of `work` */
export async function withServer<T>(shell: Shell, work: (server: DatabaseServer) => Promise<T>): Promise<T> {
  const { config, secrets } = shell.settings();
  const embedded = secrets.databaseUrl === undefined ? await openEmbedded({ dataDir: config.dataDir }) : null;
  const url = embedded?.url ?? secrets.databaseUrl ?? '';
  try {
    const sessions = embedded === null ? await requireAnswer(url) : null;
    return await work({ url, embedded, sessions });
  } finally {
    await embedded?.release();
  }
}

/** Runs `work` with an App, and always closes it. @param parts values that the configuration does not contain, or that replace it */
export async function withApp<T>(
  shell: Shell,
  parts: Pick<DatabaseServer, 'url' | 'embedded'> & Pick<Use, 'isObserved'>,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const { config, secrets } = shell.settings();
  const { url: databaseUrl, embedded, isObserved } = parts;
  const lines = bufferLines(linesFor(shell.stderr));
  const log = createLogger(config.logLevel, lines);
  const accessLog = createAccessLogger(config.logLevel, lines);
  const secretKeys = () =>
    secrets.secretKeys.length > 0 ? secrets.secretKeys : [loadOrCreateSecretKey(config.dataDir)];
  const { listenUrl, replicaUrls, redisUrl } = secrets;
  const app = createApp(
    config,
    { databaseUrl, listenUrl, replicaUrls, redisUrl, secretKeys },
    { log, accessLog, ...(isObserved && (await createTelemetry(shell, log))) },
  );
  try {
    if (embedded !== null) logOwner(app, embedded);
    return await work(app);
  } finally {
    await closeApp(app);
    lines.flush();
  }
}

/** A database of an earlier version has a superuser as the gateway's user. */
function logOwner({ log }: App, { owner }: EmbeddedDatabase): void {
  if (!owner.isPlain)
    log.warn(
      { reason: owner.reason },
      'the user of the embedded database is still a superuser: the next start without other processes changes that',
    );
  else if (owner.wasChanged) log.info('the user of the embedded database is no superuser any more');
}

/**
 * Runs `work` on a store whose tables are up to date. Migrates the embedded database if necessary; the operator must migrate an external
 * one.
 */
export function withTables<T>(
  shell: Shell,
  work: (database: OpenDatabase) => Promise<T>,
  use: Use = {},
): Promise<T> {
  const prepare = ({ app, embedded }: OpenDatabase) =>
    embedded === null
      ? requireState(app, ({ pending, failed }) => pending.length === 0 && failed.length === 0)
      : bringUpToDate(app, shell.signal);
  return withDatabase(shell, work, { ...use, prepare });
}

/**
 * Runs `work` on a store that may have the tables of an earlier version, for corrections that a migration needs. `work` may use only tables
 * and columns of the first migration.
 */
export function withUnmigrated<T>(shell: Shell, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const prepare = ({ app }: OpenDatabase) => requireState(app, ({ applied }) => applied.length > 0);
  return withDatabase(shell, work, { prepare });
}

async function requireState({ store }: App, isEnough: (state: MigrationState) => boolean): Promise<void> {
  if (isEnough(await migrationState(store.pool))) return;
  throw new StartupError(
    'The database is not up to date with this version of the gateway: run "npx funnel-gateway migrate" first.',
  );
}

/**
 * Applies pending migrations, and creates the partitions for the first rows; if that fails, rows go to the default partitions.
 */
export async function bringUpToDate(app: App, signal?: AbortSignal): Promise<void> {
  const applied = await applyMigrations(app.store.pool, undefined, { signal });
  // An empty database gets all of them. A hundred names would hide the other output of a first start.
  const isAll = applied.length === (await readMigrations(PRISMA_FOLDER)).length;
  const what = isAll ? { count: applied.length, last: applied.at(-1) } : { migrations: applied };
  if (applied.length > 0) app.log.info(what, 'migrations applied');
  await makePartitions(app).catch((error: Error) => {
    app.log.warn({ reason: toReason(error) }, 'partitions could not be made');
  });
}

/** The server and the database of a connection string, without credentials. */
export function addressOf(databaseUrl: string): string {
  const { host, port, database } = new pg.Client({ connectionString: databaseUrl });
  return `${host}:${port}/${database}`;
}

/**
 * Makes sessions use UTC, whatever the server's default is. This applies to connections that are opened afterwards.
 * @param migrate whether pending migrations may be applied, which includes this
 * @throws StartupError with what to do
 */
export async function requireUtcSessions(
  shell: Shell,
  { url, sessions }: DatabaseServer,
  { migrate }: { readonly migrate: boolean },
): Promise<void> {
  if (sessions === null || isUtc(sessions)) return;
  if (!migrate) return requireUtc(sessions);
  await withApp(shell, { url, embedded: null }, (app) =>
    untilInterrupted(shell, app, () => bringUpToDate(app, shell.signal)),
  );
  requireUtc(await requireAnswer(url));
}

/**
 * Connects once, and reports a problem in one sentence, which never contains the password.
 * @returns the settings of the session
 */
export async function requireAnswer(databaseUrl: string): Promise<SessionSettings> {
  let where = 'the address in DATABASE_URL';
  try {
    where = addressOf(databaseUrl);
    const connectionTimeoutMillis = CONNECT_TIMEOUT_MS;
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis });
    client.on('error', () => {});
    try {
      await client.connect();
      return await readSessionSettings(client);
    } finally {
      client.end().catch(() => {});
    }
  } catch (error) {
    throw new StartupError(refusalOf(where, error), { cause: error });
  }
}

/** Why a server refused the connection, and what to do. @param where its address, without credentials */
export function refusalOf(where: string, error: unknown): string {
  const [code, message] = [codeOf(error), messageOf(error)];
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'open')
    return `DATABASE_URL names a file that cannot be read, ${path} (${code}): correct its sslrootcert, sslcert or sslkey.`;
  const known = REFUSALS.find(([codes, messages]) => codes.test(code) && (messages?.test(message) ?? true));
  if (known !== undefined) return `The PostgreSQL server at ${where} ${known[2].replace('CODE', code)}.`;
  return `No PostgreSQL server answers at ${where} (${code || message}): start it, or correct DATABASE_URL.`;
}

const WRONG_LOGIN =
  'refuses the user name or password: correct DATABASE_URL, where @ / ? # and % in them are percent-encoded';
const GUIDE = 'see "TLS to the database" in docs/operating.md';

/** The texts about errors, by code and message. The first match applies. */
const REFUSALS: readonly (readonly [code: RegExp, message: RegExp | null, said: string])[] = [
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, null, `has a certificate for another host name: ${GUIDE}`],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, null, 'has a certificate that is not valid today: renew it'],
  [
    /^(CERT_.*|.*_SELF_SIGNED_CERT|SELF_SIGNED_CERT_.*|UNABLE_TO_.*)$/,
    null,
    `has a certificate that is not trusted here (CODE): name its CA in DATABASE_URL (sslrootcert=FILE), ${GUIDE}`,
  ],
  [
    /^$/,
    /does not support SSL/,
    'does not offer TLS: turn it on there, or use ?sslmode=disable in DATABASE_URL where the network is trusted',
  ],
  [
    /^28000$/,
    /no encryption|SSL off/,
    `takes encrypted connections only: add ?sslmode=verify-full to DATABASE_URL, ${GUIDE}`,
  ],
  [
    /^28000$/,
    /pg_hba\.conf/,
    'has no rule in its pg_hba.conf for this user, database and address: add one, or correct DATABASE_URL',
  ],
  [/^28(P01|000)$/, null, WRONG_LOGIN],
  [/^42501$/, null, 'denies this user the database: have its owner run "grant connect on database … to …"'],
  [/^3D000$/, null, 'has no such database: create it, or correct DATABASE_URL'],
  [/^53300$/, null, 'has no connection left: raise its max_connections, or try again later'],
  [/^57P03$/, null, 'is starting up or shutting down: try again shortly'],
];
