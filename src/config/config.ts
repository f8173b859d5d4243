// Parses environment variables into Config and Secrets, and reports every problem at once. Secrets are separate, so that Config can be
// logged. Pure.
import { BlockList } from 'node:net';
import { resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import { LOG_LEVELS } from '../output/log.ts';
import { parseLimits } from './limits.ts';
import { type NearMiss, nearMisses } from './near-misses.ts';
import { parseOauth } from './oauth.ts';
import { parseRates, parseRedis } from './rates.ts';
import { parseTelemetry, parseTracingHeaders } from './telemetry.ts';
import { parseTrustedDocuments } from './trusted-documents.ts';
import {
  defaultAuthUrl,
  MAX_WORKERS,
  MIN_SECRET_KEY_LENGTH,
  parseAddresses,
  parseBaseUrl,
  parseDatabaseUrl,
  parseDatabaseUrls,
  parseHostName,
  parseOrigins,
  parseSecretKeys,
  parseSwitch,
} from './values.ts';
import { VARIABLES, type Variable } from './variables.ts';
import { parseWebhookProxy, parseWebhooks } from './webhooks.ts';

/** The whole configuration from the environment. */
export interface Settings {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Finds variables whose names are almost those of the gateway. */
  readonly nearMisses: () => readonly NearMiss[];
}

/** A problem with one variable; never contains its value. */
interface Problem {
  readonly variable: Variable;
  readonly message: string;
}

/** A configuration with problems. */
export class ConfigError extends StartupError {
  readonly problems: readonly Problem[];
  /** The configuration with defaults in place of invalid values. */
  readonly settings: Settings;

  constructor(problems: readonly Problem[], settings: Settings) {
    super(`Configuration: ${problems.map(({ message }) => message).join('; ')}.`);
    this.problems = problems;
    this.settings = settings;
  }
}

const LEAST_LAG_MS = 300;
const A_CONNECTION_STRING = 'a connection string such as postgresql://user:password@host:5432/database';

type Env = Readonly<Record<string, string | undefined>>;

/** All values of variables, with defaults in place of invalid ones. @param problems gets the invalid variables */
function readAll(env: Env, cwd: string, problems: Problem[]) {
  const read = (name: Variable): string | undefined => env[name]?.trim() || undefined;

  function check<T>(
    name: Variable,
    fallback: T,
    parse: (text: string) => T | undefined,
    expected: string,
  ): T {
    const text = read(name);
    if (text === undefined) return fallback;
    const value = parse(text);
    if (value === undefined) problems.push({ variable: name, message: `${name} must be ${expected}` });
    return value ?? fallback;
  }
  function wholeNumber(name: Variable, min: number, max: number): number {
    const fallback = Number(VARIABLES[name][0]);
    const parse = (text: string) =>
      /^\d{1,9}$/.test(text) && +text >= min && +text <= max ? Number(text) : undefined;
    return check(name, fallback, parse, `a whole number from ${min} to ${max}`);
  }

  const port = wholeNumber('PORT', 0, 65_535);
  const serviceHost = check('SERVICE_HOST', 'localhost', parseHostName, 'a host name such as example.com');
  const authDefault = defaultAuthUrl(serviceHost, port);
  const authUrl = check('AUTH_URL', authDefault, parseBaseUrl, 'an http or https address without query');
  const { pathname: authPath, hostname: authHostname } = new URL(authUrl);
  const trustedDocuments = parseTrustedDocuments(check, cwd);
  const limits = parseLimits(wholeNumber);
  // A change may have to wait this long for replicas, and must still be answered within the request timeout.
  const mostLagMs = Math.max(LEAST_LAG_MS, Math.min(60_000, limits.requestTimeoutMs - 1_000));
  const config = {
    port,
    host: read('HOST') ?? '127.0.0.1',
    dataDir: resolve(cwd, read('DATA_DIR') ?? '.data'),
    /** The domain that the service owns, with all its subdomains. */
    serviceHost,
    /** The base of the well-known documents: `{auth_url}` of the specification, without a trailing slash. */
    authUrl,
    /** The path of `authUrl`; `''` when it has none. */
    authPath: authPath.replace(/\/$/, ''),
    /** The host name of `authUrl`, without the port. */
    authHostname,
    /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
    trustProxy: check(
      'TRUST_PROXY',
      new BlockList(),
      parseAddresses,
      'IP addresses or CIDR ranges, separated by commas',
    ),
    /** The origins whose pages may read responses (http/cors.ts). */
    corsOrigins: check(
      'CORS_ORIGINS',
      // The embedded database is for trying the gateway on this machine. An empty value disables CORS there, too.
      env['CORS_ORIGINS'] === undefined && read('DATABASE_URL') === undefined ? 'loopback' : [],
      parseOrigins,
      'origins such as https://app.example.com (lower case, no path, no default port), separated by commas, or *',
    ),
    // GraphiQL sends documents as text.
    /** Browsers get GraphiQL at /graphql; never if only trusted documents are executed. */
    graphiql: check('GRAPHIQL', true, parseSwitch, 'on or off') && !trustedDocuments.only,
    /** Clients can read the schema: by introspection, and as a document. */
    introspection: check('INTROSPECTION', true, parseSwitch, 'on or off'),
    /** GraphQL documents that clients name by an id. */
    trustedDocuments,
    logLevel: check(
      'LOG_LEVEL',
      'info',
      (text) => LOG_LEVELS.find((level) => level === text),
      LOG_LEVELS.join(', '),
    ),
    poolSize: wholeNumber('POOL_SIZE', 1, 1_000),
    /** Uses named prepared statements. */
    preparedStatements: check('PREPARED_STATEMENTS', true, parseSwitch, 'on or off'),
    /** Callers' changes run as the tenant role. */
    tenantRole: check('TENANT_ROLE', true, parseSwitch, 'on or off'),
    /** Milliseconds that a replica may lag behind the primary. */
    replicaMaxLagMs: wholeNumber('REPLICA_MAX_LAG_MS', LEAST_LAG_MS, mostLagMs),
    /** The number of `serve` processes that answer requests; above 1 a primary starts them. */
    workers: wholeNumber('WORKERS', 1, MAX_WORKERS),
    /** The maximum time that keys and hosts are cached, in milliseconds; 0 disables the cache. */
    lookupCacheMs: wholeNumber('LOOKUP_CACHE_MS', 0, 60_000),
    limits,
    rateLimits: parseRates(wholeNumber),
    oauth: parseOauth(check, wholeNumber, authUrl),
    webhooks: parseWebhooks(check, wholeNumber),
    /** Days that audit entries are kept. */
    auditKeepDays: wholeNumber('AUDIT_KEEP_DAYS', 7, 36_500),
    /** Days that visits are kept. */
    visitsKeepDays: wholeNumber('VISITS_KEEP_DAYS', 2, 3_650),
    /** `serve` delivers webhooks, too. */
    jobs: check('JOBS', true, parseSwitch, 'on or off'),
    ...parseTelemetry(check),
  };
  const secrets = {
    /** A PostgreSQL connection string; without one the embedded database is used. */
    databaseUrl: check('DATABASE_URL', undefined, parseDatabaseUrl, A_CONNECTION_STRING),
    /** The connection string for LISTEN, when `databaseUrl` is a pooler's. */
    listenUrl: check('DATABASE_LISTEN_URL', undefined, parseDatabaseUrl, A_CONNECTION_STRING),
    /** Connection strings of streaming replicas. */
    replicaUrls: check(
      'DATABASE_REPLICA_URLS',
      [],
      parseDatabaseUrls,
      'connection strings such as postgresql://user:password@host:5432/database, separated by commas, each server once',
    ),
    /**
     * Keys that encrypt signing keys and sign cookies: the first one for new data, all of them for existing data. Empty: one is generated
     * and stored in DATA_DIR.
     */
    secretKeys: check(
      'SECRET_KEY',
      [],
      parseSecretKeys,
      `at least ${MIN_SECRET_KEY_LENGTH} characters; several are separated by commas`,
    ),
    /** The server for shared rate limits. */
    redisUrl: parseRedis(check),
    /** The proxy for webhooks, with its credentials. */
    webhookProxy: parseWebhookProxy(check),
    /** The secret of the endpoint that `webhook listen` stands in for. */
    webhookSecret: read('WEBHOOK_SECRET'),
    /** Headers for the collector of traces. */
    tracingHeaders: parseTracingHeaders(check),
  };
  return { config, secrets };
}

export type Config = Readonly<ReturnType<typeof readAll>['config']>;
type Secrets = Readonly<ReturnType<typeof readAll>['secrets']>;

/**
 * Parses the configuration in `env`, with defaults.
 * @param cwd the base of relative paths
 * @throws ConfigError naming every invalid variable, without values, which may be secret
 */
export function parseConfig(env: Env, cwd: string): Settings {
  const problems: Problem[] = [];
  const settings = { ...readAll(env, cwd, problems), nearMisses: () => nearMisses(env) };
  if (problems.length > 0) throw new ConfigError(problems, settings);
  return settings;
}

/** The configuration with the actual port: with PORT=0 the system chooses it. */
export function withPort(config: Config, port: number): Config {
  const isDefault = config.authUrl === defaultAuthUrl(config.serviceHost, 0);
  return { ...config, port, authUrl: isDefault ? defaultAuthUrl(config.serviceHost, port) : config.authUrl };
}
