// Parses environment variables into Config and Secrets, and reports every problem at once. Secrets are separate, so that Config can be
// logged. Pure.
import { BlockList } from 'node:net';
import { resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import { LOG_LEVELS } from '../output/log.ts';
import { inheritedSocket } from './inherited-socket.ts';
import { parseLimits } from './limits.ts';
import { type NearMiss, nearMisses } from './near-misses.ts';
import { parseOauth } from './oauth.ts';
import { parseRates, redisUrl } from './rates.ts';
import { type RetiredVariable, retiredVariables } from './retired.ts';
import { pairs, parseTelemetry } from './telemetry.ts';
import { parseTrustedDocuments } from './trusted-documents.ts';
import {
  addressList,
  anyText,
  baseUrl,
  databaseUrl,
  databaseUrlList,
  defaultAuthUrl,
  type Form,
  hostName,
  oneOf,
  onOrOff,
  originList,
  secretKeyList,
  wholeNumber,
} from './values.ts';
import { type Read, VARIABLES, type Variable } from './variables.ts';
import { parseWebhooks, proxyUrl } from './webhooks.ts';

/** The complete configuration from the environment. */
export interface Settings {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Finds variables whose names are almost those of the gateway. */
  readonly nearMisses: () => readonly NearMiss[];
}

/** A problem with one variable; never contains its value. */
interface Problem {
  readonly variable: Variable | RetiredVariable | 'LISTEN_FDS';
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

const MIN_LAG_MS = 300;
/** The default lag, even if the request timeout is shorter. */
const DEFAULT_LAG_MS = Number(VARIABLES.REPLICA_MAX_LAG_MS[0]);

type Env = Readonly<Record<string, string | undefined>>;

/** All values of variables, with defaults in place of invalid ones. @param problems gets the invalid variables */
function readAll(env: Env, { cwd, pid }: { cwd: string; pid: number | undefined }, problems: Problem[]) {
  const textOf = (name: Variable): string | undefined => env[name]?.trim() || undefined;

  const optional = ((name, form, fallback) => {
    const text = textOf(name);
    if (text === undefined) return fallback;
    const parsed = form.parse(text);
    if (parsed === undefined)
      problems.push({
        variable: name,
        message: `${name} must be ${form.expected}${form.hint?.(text) ?? ''}`,
      });
    return parsed ?? fallback;
  }) as Read['optional'];
  const value: Read['value'] = <T>(name: Variable, form: Form<T>) =>
    optional(name, form, form.parse(VARIABLES[name][0]) as T);
  const read = { value, optional };

  problems.push(...retiredVariables(env));
  const passed = inheritedSocket(pid === undefined ? {} : env, pid ?? 0);
  if (passed instanceof Error) problems.push({ variable: 'LISTEN_FDS', message: passed.message });
  const socket = passed instanceof Error ? { fd: null, unused: null } : passed;
  // An inherited socket has a port of its own.
  const port = socket.fd === null ? value('PORT', wholeNumber(0, 65_535)) : 0;
  const serviceHost = value('SERVICE_HOST', hostName);
  const authUrl = optional('AUTH_URL', baseUrl, defaultAuthUrl(serviceHost, port));
  const { pathname: authPath, hostname: authHostname } = new URL(authUrl);
  const trustedDocuments = parseTrustedDocuments(read, cwd);
  const limits = parseLimits(read);
  // A change may have to wait this long for replicas, and must still be answered within the request timeout.
  const maxLagMs = Math.max(MIN_LAG_MS, Math.min(60_000, limits.requestTimeoutMs - 1_000));
  const config = {
    port,
    host: value('HOST', anyText),
    /** The listening socket that a service manager passes, in place of HOST and PORT. */
    socket,
    dataDir: resolve(cwd, value('DATA_DIR', anyText)),
    /** The domain that the service owns, with all its subdomains. */
    serviceHost,
    /** The base of the well-known documents: `{auth_url}` of the specification, without a trailing slash. */
    authUrl,
    /** The path of `authUrl`; `''` when it has none. */
    authPath: authPath.replace(/\/$/, ''),
    /** The host name of `authUrl`, without the port. */
    authHostname,
    /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
    trustProxy: optional('TRUST_PROXY', addressList, new BlockList()),
    /** The origins whose pages may read responses (http/cors.ts). */
    corsOrigins: optional(
      'CORS_ORIGINS',
      originList,
      // The embedded database is for trying the gateway on this machine. An empty value disables CORS there, too.
      env['CORS_ORIGINS'] === undefined && textOf('DATABASE_URL') === undefined ? 'loopback' : [],
    ),
    // GraphiQL sends documents as text.
    /** Browsers get GraphiQL at /graphql; never if only trusted documents are executed. */
    graphiql: value('GRAPHIQL', onOrOff) && !trustedDocuments.only,
    /** Clients can read the schema: by introspection, and as a document. */
    introspection: value('INTROSPECTION', onOrOff),
    /** GraphQL documents that clients send by id. */
    trustedDocuments,
    logLevel: value('LOG_LEVEL', oneOf(LOG_LEVELS)),
    poolSize: value('POOL_SIZE', wholeNumber(1, 1_000)),
    /** Uses named prepared statements. */
    preparedStatements: value('PREPARED_STATEMENTS', onOrOff),
    /** Milliseconds that a replica may lag behind the primary. */
    replicaMaxLagMs: optional('REPLICA_MAX_LAG_MS', wholeNumber(MIN_LAG_MS, maxLagMs), DEFAULT_LAG_MS),
    /** The maximum time that keys and hosts are cached, in milliseconds; 0 disables the cache. */
    lookupCacheMs: value('LOOKUP_CACHE_MS', wholeNumber(0, 60_000)),
    limits,
    rateLimits: parseRates(read),
    oauth: parseOauth(read, authUrl),
    webhooks: parseWebhooks(read),
    /** Days that audit entries are kept. */
    auditKeepDays: value('AUDIT_KEEP_DAYS', wholeNumber(7, 36_500)),
    /** Days that visits are kept. */
    visitsKeepDays: value('VISITS_KEEP_DAYS', wholeNumber(2, 3_650)),
    /** `serve` delivers webhooks, too. */
    jobs: value('JOBS', onOrOff),
    ...parseTelemetry(read),
  };
  const secrets = {
    /** A PostgreSQL connection string; without one the embedded database is used. */
    databaseUrl: optional('DATABASE_URL', databaseUrl, undefined),
    /** The connection string for LISTEN, when `databaseUrl` is a pooler's. */
    listenUrl: optional('DATABASE_LISTEN_URL', databaseUrl, undefined),
    /** Connection strings of streaming replicas. */
    replicaUrls: optional('DATABASE_REPLICA_URLS', databaseUrlList, []),
    /**
     * Keys that encrypt signing keys and sign cookies: the first one for new data, all of them for existing data. Empty: one is generated
     * and stored in DATA_DIR.
     */
    secretKeys: optional('SECRET_KEY', secretKeyList, []),
    /** The server for shared rate limits. */
    redisUrl: optional('REDIS_URL', redisUrl, undefined),
    /** The proxy for webhooks, with its credentials. */
    webhookProxy: optional('WEBHOOK_PROXY', proxyUrl, undefined),
    /** The secret of the endpoint whose deliveries `webhook listen` receives. */
    webhookSecret: textOf('WEBHOOK_SECRET'),
    /** Headers for the collector of traces. */
    tracingHeaders: optional('OTEL_EXPORTER_OTLP_HEADERS', pairs, {}),
  };
  return { config, secrets };
}

export type Config = Readonly<ReturnType<typeof readAll>['config']>;
type Secrets = Readonly<ReturnType<typeof readAll>['secrets']>;

/**
 * Parses the configuration in `env`, with defaults.
 * @param cwd the base of relative paths
 * @param pid the id of this process, to which a service manager may have passed a socket; absent: none was passed
 * @throws ConfigError with the name of every invalid variable, without values, which may be secret
 */
export function parseConfig(env: Env, cwd: string, pid?: number): Settings {
  const problems: Problem[] = [];
  const settings = { ...readAll(env, { cwd, pid }, problems), nearMisses: () => nearMisses(env) };
  if (problems.length > 0) throw new ConfigError(problems, settings);
  return settings;
}

/** The configuration with the actual port: with PORT=0 the system chooses it. */
export function withPort(config: Config, port: number): Config {
  const isDefault = config.authUrl === defaultAuthUrl(config.serviceHost, 0);
  return { ...config, port, authUrl: isDefault ? defaultAuthUrl(config.serviceHost, port) : config.authUrl };
}
