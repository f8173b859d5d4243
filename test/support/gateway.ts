// The real gateway in process, on a database of its own: no port, no mocks of our own modules.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { closeApp, createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { App } from '../../src/context.ts';
// Loaded before the first request, as in a process that is ready.
import '../../src/graphql/handler.ts';
import { createServer, type Server } from '../../src/http/server.ts';
import { createLogger } from '../../src/output/log.ts';
import { keepAnswer } from './last-answers.ts';
import { requireDocumented } from './openapi.ts';

/** The sender of a request: the value of its Authorization header. */
export interface Caller {
  readonly authorization: string | null;
}

export const anonymous: Caller = { authorization: null };

export interface RequestOptions {
  readonly caller?: Caller;
  readonly method?: string;
  /** The host, with or without port, that the request is sent to. */
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** The client's address; absent: there is no socket. */
  readonly address?: string;
}

export interface Gateway {
  readonly app: App;
  /** The lines of the log. */
  readonly logLines: string[];
  /** Sends one request through the real handler. Rejects when openapi.json does not describe the answer of the REST face. */
  send(path: string, options?: RequestOptions): Promise<Response>;
  close(): Promise<void>;
}

/** The settings, which a file can override. A file that sends every operation must not exhaust a limit. */
const ENV = { POOL_SIZE: '4', LOOKUP_CACHE_MS: '0', RATE_LIMIT_ADDRESS: '999999999' };

const DEFAULT_HOST = 'localhost:4000';
export const TEST_SECRET_KEY = 'the secret key of tests, of no use to anybody';

/** Long, because on a busy machine opening a connection can be slow. */
const CONNECT_TIMEOUT_MS = 60_000;

interface GatewayOptions {
  /** Environment variables that override those of tests. */
  readonly env?: Record<string, string>;
  readonly overrides?: Partial<App>;
  /** Makes the address for the gateway from the database's own, for example a proxy's. */
  readonly through?: (databaseUrl: string) => Promise<string>;
}

/** A gateway on a fresh clone of the migrated template. */
export async function createGateway({
  env = {},
  overrides = {},
  through,
}: GatewayOptions = {}): Promise<Gateway> {
  const database = await cloneTemplate();
  const gateway =
    through === undefined
      ? openGateway({ databaseUrl: database.url, connectTimeoutMs: CONNECT_TIMEOUT_MS }, { env, overrides })
      : openGateway({ databaseUrl: await through(database.url) }, { env, overrides });
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await database.drop();
    },
  };
}

/** A gateway for all tests of a file, which is closed after them. */
export async function ownGateway(options?: GatewayOptions): Promise<Gateway> {
  const gateway = await createGateway(options);
  afterAll(() => gateway.close());
  return gateway;
}

let ofWorker: Promise<Gateway> | undefined;

/**
 * The gateway that all files in this process share if they need only rows of a team of their own, because making one takes most of the time
 * of a short file. Such a file neither closes it, nor reads its log or complete tables, nor changes anything but rows.
 */
export function sharedGateway(): Promise<Gateway> {
  ofWorker ??= createGateway();
  return ofWorker;
}

/** The characters of an error that are printed with a failing test. */
const MAX_SHOWN_CHARS = 4_000;

/** Opens a gateway on existing databases. */
export function openGateway(
  addresses: {
    readonly databaseUrl: string;
    readonly replicaUrls?: readonly string[];
    readonly redisUrl?: string;
    readonly connectTimeoutMs?: number;
  },
  { env = {}, overrides = {} }: Omit<GatewayOptions, 'through'> = {},
): Gateway {
  const { config } = parseConfig({ ...ENV, ...env }, '/');
  const logLines: string[] = [];
  const log = createLogger('info', {
    write(line) {
      logLines.push(line);
      // biome-ignore lint/suspicious/noConsole: vitest shows it with a test that fails: it says why an answer was 500.
      if (line.startsWith('{"level":"error"')) console.error(line.slice(0, MAX_SHOWN_CHARS));
    },
  });
  const secretKeys = () => [TEST_SECRET_KEY];
  const app = createApp(config, { ...addresses, secretKeys }, { log, ...overrides });
  const server = createCheckedServer(app);
  return {
    app,
    logLines,
    async send(path, options = {}) {
      const peer = options.address === undefined ? undefined : { address: options.address };
      const response = await server.fetch(toRequest(path, options), peer);
      keepAnswer(options.method ?? 'GET', path, response);
      return response;
    },
    close: () => closeApp(app),
  };
}

/** The real server. Its `fetch` rejects when openapi.json does not describe an answer of the REST face. */
export function createCheckedServer(app: App): Server {
  const server = createServer(app);
  return {
    ...server,
    async fetch(request, peer) {
      const { method, url } = request;
      return requireDocumented(method, new URL(url), await server.fetch(request, peer));
    },
  };
}

export function toRequest(path: string, options: RequestOptions): Request {
  const { caller = anonymous, host = DEFAULT_HOST, headers = {}, method = 'GET', body } = options;
  const all = new Headers(headers);
  if (caller.authorization !== null) all.set('Authorization', caller.authorization);
  return new Request(`http://${host}${path}`, { method, headers: all, ...(body !== undefined && { body }) });
}

let clones = 0;

/** Creates a database as a copy of the migrated template; if the template is distributed, a copy at every node. */
export async function cloneTemplate(): Promise<{ url: string; drop(): Promise<void> }> {
  const templateUrl = inject('templateUrl');
  const { pathname, username } = new URL(templateUrl);
  const template = pathname.slice(1);
  const name = `test_${process.pid}_${Date.now()}_${clones++}`;
  const atEachNode = async (statement: string) => {
    for (const url of [inject('administratorUrl'), ...inject('workerUrls')])
      await runOnce(new pg.Client({ connectionString: withDatabase(url, 'postgres') }), statement);
  };
  // The default strategy, through the write-ahead log, takes half as long again.
  await atEachNode(`create database ${name} owner ${username} template ${template} strategy file_copy`);
  return {
    url: withDatabase(templateUrl, name),
    drop: () => atEachNode(`drop database ${name} with (force)`),
  };
}

/**
 * The same database as the server's superuser: for what a test prepares that the gateway's user may not do. The gateway itself runs as the
 * owner, as a store's user is.
 */
export function asAdministrator(databaseUrl: string): string {
  const changed = new URL(databaseUrl);
  changed.username = new URL(inject('administratorUrl')).username;
  return changed.href;
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function runOnce(client: pg.Client, statement: string): Promise<void> {
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
