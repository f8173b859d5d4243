// Parses environment variables into Config and Secrets, and reports every problem at once. Secrets are separate, so that Config can be
// logged. Pure.
import { BlockList } from 'node:net';
import { resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import { LOG_LEVELS, type LogLevel } from '../output/log.ts';
import { type Limits, parseLimits } from './limits.ts';
import { type NearMiss, nearMisses } from './near-misses.ts';
import { type OauthConfig, parseOauth } from './oauth.ts';
import { parseRates, parseRedis, type RateLimits } from './rates.ts';
import { parseTelemetry, parseTracingHeaders, type TelemetryConfig } from './telemetry.ts';
import { parseTrustedDocuments, type TrustedDocumentsConfig } from './trusted-documents.ts';
import {
  type CorsOrigins,
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
import { parseWebhookProxy, parseWebhooks, type WebhookConfig } from './webhooks.ts';

export interface Config extends TelemetryConfig {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** The domain that the service owns, with all its subdomains. */
  readonly serviceHost: string;
  /** The base of the well-known documents: `{auth_url}` of the specification, without a trailing slash. */
  readonly authUrl: string;
  /** The path of `authUrl`; `''` when it has none. */
  readonly authPath: string;
  /** The host name of `authUrl`, without the port. */
  readonly authHostname: string;
  /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
  readonly trustProxy: BlockList;
  /** The origins whose pages may read responses (http/cors.ts). */
  readonly corsOrigins: CorsOrigins;
  /** Browsers get GraphiQL at /graphql; never if only trusted documents are executed. */
  readonly graphiql: boolean;
  /** Clients can read the schema: by introspection, and as a document. */
  readonly introspection: boolean;
  /** GraphQL documents that clients name by an id. */
  readonly trustedDocuments: TrustedDocumentsConfig;
  readonly logLevel: LogLevel;
  readonly poolSize: number;
  /** Uses named prepared statements. */
  readonly preparedStatements: boolean;
  /** Callers' changes run as the tenant role. */
  readonly tenantRole: boolean;
  /** Milliseconds that a replica may lag behind the primary. */
  readonly replicaMaxLagMs: number;
  /** The number of `serve` processes that answer requests; above 1 a primary starts them. */
  readonly workers: number;
  /** The maximum time that keys and hosts are cached, in milliseconds; 0 disables the cache. */
  readonly lookupCacheMs: number;
  readonly limits: Limits;
  readonly rateLimits: RateLimits;
  readonly oauth: OauthConfig;
  readonly webhooks: WebhookConfig;
  /** Days that audit entries are kept. */
  readonly auditKeepDays: number;
  /** `serve` delivers webhooks, too. */
  readonly jobs: boolean;
}

interface Secrets {
  /** A PostgreSQL connection string; without one the embedded database is used. */
  readonly databaseUrl: string | undefined;
  /** The connection string for LISTEN, when `databaseUrl` is a pooler's. */
  readonly listenUrl: string | undefined;
  /** Connection strings of streaming replicas. */
  readonly replicaUrls: readonly string[];
  /**
   * Keys that encrypt signing keys and sign cookies: the first one for new data, all of them for existing data. Empty: one is generated
   * and stored in DATA_DIR.
   */
  readonly secretKeys: readonly string[];
  /** The server for shared rate limits. */
  readonly redisUrl: string | undefined;
  /** The proxy for webhooks, with its credentials. */
  readonly webhookProxy: string | undefined;
  /** The secret of the endpoint that `webhook listen` stands in for. */
  readonly webhookSecret: string | undefined;
  /** Headers for the collector of traces. */
  readonly tracingHeaders: Readonly<Record<string, string>>;
}

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

/**
 * Parses the configuration in `env`, with defaults.
 * @param cwd the base of relative paths
 * @throws ConfigError naming every invalid variable, without values, which may be secret
 */
export function parseConfig(env: Record<string, string | undefined>, cwd: string): Settings {
  const problems: Problem[] = [];
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
    const fallback = Number(VARIABLES.find(([variable]) => variable === name)?.[1]);
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
  const config: Config = {
    port,
    host: read('HOST') ?? '127.0.0.1',
    dataDir: resolve(cwd, read('DATA_DIR') ?? '.data'),
    serviceHost,
    authUrl,
    authPath: authPath.replace(/\/$/, ''),
    authHostname,
    trustProxy: check(
      'TRUST_PROXY',
      new BlockList(),
      parseAddresses,
      'IP addresses or CIDR ranges, separated by commas',
    ),
    corsOrigins: check(
      'CORS_ORIGINS',
      // The embedded database is for trying the gateway on this machine. An empty value disables CORS there, too.
      env['CORS_ORIGINS'] === undefined && read('DATABASE_URL') === undefined ? 'loopback' : [],
      parseOrigins,
      'origins such as https://app.example.com (lower case, no path, no default port), separated by commas, or *',
    ),
    // GraphiQL sends documents as text.
    graphiql: check('GRAPHIQL', true, parseSwitch, 'on or off') && !trustedDocuments.only,
    introspection: check('INTROSPECTION', true, parseSwitch, 'on or off'),
    trustedDocuments,
    logLevel: check(
      'LOG_LEVEL',
      'info',
      (text) => LOG_LEVELS.find((level) => level === text),
      LOG_LEVELS.join(', '),
    ),
    poolSize: wholeNumber('POOL_SIZE', 1, 1_000),
    preparedStatements: check('PREPARED_STATEMENTS', true, parseSwitch, 'on or off'),
    tenantRole: check('TENANT_ROLE', true, parseSwitch, 'on or off'),
    replicaMaxLagMs: wholeNumber('REPLICA_MAX_LAG_MS', LEAST_LAG_MS, mostLagMs),
    workers: wholeNumber('WORKERS', 1, MAX_WORKERS),
    lookupCacheMs: wholeNumber('LOOKUP_CACHE_MS', 0, 60_000),
    limits,
    rateLimits: parseRates(wholeNumber),
    oauth: parseOauth(check, wholeNumber, authUrl),
    webhooks: parseWebhooks(check, wholeNumber),
    auditKeepDays: wholeNumber('AUDIT_KEEP_DAYS', 7, 36_500),
    jobs: check('JOBS', true, parseSwitch, 'on or off'),
    ...parseTelemetry(check),
  };
  const secrets: Secrets = {
    databaseUrl: check('DATABASE_URL', undefined, parseDatabaseUrl, A_CONNECTION_STRING),
    listenUrl: check('DATABASE_LISTEN_URL', undefined, parseDatabaseUrl, A_CONNECTION_STRING),
    replicaUrls: check(
      'DATABASE_REPLICA_URLS',
      [],
      parseDatabaseUrls,
      'connection strings such as postgresql://user:password@host:5432/database, separated by commas, each server once',
    ),
    secretKeys: check(
      'SECRET_KEY',
      [],
      parseSecretKeys,
      `at least ${MIN_SECRET_KEY_LENGTH} characters; several are separated by commas`,
    ),
    redisUrl: parseRedis(check),
    webhookProxy: parseWebhookProxy(check),
    webhookSecret: read('WEBHOOK_SECRET'),
    tracingHeaders: parseTracingHeaders(check),
  };
  const settings = { config, secrets, nearMisses: () => nearMisses(env) };
  if (problems.length > 0) throw new ConfigError(problems, settings);
  return settings;
}

/** The configuration with the actual port: with PORT=0 the system chooses it. */
export function withPort(config: Config, port: number): Config {
  const isDefault = config.authUrl === defaultAuthUrl(config.serviceHost, 0);
  return { ...config, port, authUrl: isDefault ? defaultAuthUrl(config.serviceHost, port) : config.authUrl };
}
