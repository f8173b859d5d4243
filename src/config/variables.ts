// The environment variables of the gateway. Pure.
import { LOG_LEVELS } from '../output/log.ts';
import type { Form } from './values.ts';

/** Default and meaning by name, for docs/configuration.md and `serve --help`. */
export const VARIABLES = {
  PORT: ['4000', 'port to listen on; 0 takes a free one'],
  HOST: ['127.0.0.1', 'address to listen on'],
  DATABASE_URL: [
    'embedded',
    'PostgreSQL connection string (percent-encode @ / ? # and % in user name and password); without it an embedded PostgreSQL is started',
  ],
  DATABASE_LISTEN_URL: [
    'DATABASE_URL',
    'connection for notifications (LISTEN): PostgreSQL itself, when DATABASE_URL leads to a pooler',
  ],
  DATABASE_REPLICA_URLS: [
    '',
    'connection strings of streaming replicas, separated by commas, which answer requests that only read; each leads to one server',
  ],
  REPLICA_MAX_LAG_MS: ['1000', 'largest lag behind the primary with which a replica is read'],
  PREPARED_STATEMENTS: [
    'on',
    'on or off: whether named prepared statements are used; off for poolers in transaction mode that do not support them',
  ],
  DATA_DIR: ['.data', 'folder of the embedded database, the secret key, and the credentials of the demo'],
  SERVICE_HOST: [
    'localhost',
    'domain or IP address that clients use for the service; `accounts`, `api` and `app` below it are the same, its other subdomains lead to teams and workspaces, any other host is 421',
  ],
  AUTH_URL: [
    'http://SERVICE_HOST:PORT for localhost and IP addresses, else https://SERVICE_HOST',
    'base of the /.well-known documents, named in challenges',
  ],
  TRUST_PROXY: [
    '',
    'addresses or CIDR ranges, separated by commas, whose X-Forwarded-For, -Host and -Proto count',
  ],
  CORS_ORIGINS: [
    'loopback origins with the embedded database, else none',
    'origins, separated by commas, whose pages may call the gateway from a browser; * allows all, an empty value none',
  ],
  SECRET_KEY: [
    'generated once, kept in DATA_DIR',
    'at least 32 characters that protect signing keys and cookies, the same for all processes; a new one goes before the old one, with a comma',
  ],
  ACCESS_TOKEN_TTL: ['300', 'lifetime of an OAuth access token, in seconds'],
  OAUTH_REGISTRATION: ['on', 'on or off: whether OAuth clients may register themselves'],
  OAUTH_ISSUER: ['', "accept the tokens of this authorization server instead of the gateway's own"],
  OAUTH_AUDIENCE: ['AUTH_URL', "audience that those tokens' aud must contain"],
  OAUTH_TEAM_CLAIM: ['team', "claim of those tokens with the team's id or public id"],
  OAUTH_WORKSPACES_CLAIM: [
    'workspaces',
    "claim of those tokens with a list of workspaces' ids; without it, all workspaces of the team",
  ],
  OAUTH_SCOPES_CLAIM: ['scope', 'claim of those tokens with the scopes, as a list or as text with spaces'],
  GRAPHIQL: ['on', 'on or off: whether a browser that opens /graphql gets GraphiQL'],
  INTROSPECTION: ['on', 'on or off: whether clients can read the GraphQL schema'],
  TRUSTED_DOCUMENTS: [
    '',
    'files, separated by commas, with GraphQL documents that clients name by an id, as the build of a front end writes them',
  ],
  TRUSTED_DOCUMENTS_ONLY: [
    'off',
    'on or off: whether only these GraphQL documents are executed; this also disables GraphiQL',
  ],
  JOBS: [
    'on',
    'on or off: whether `serve` also delivers webhooks and fetches images; `funnel-gateway work` does only this',
  ],
  WEBHOOK_ALLOWED_NETWORKS: [
    '',
    'addresses or CIDR ranges, separated by commas, that are not public but allowed for webhooks and for the sources of images',
  ],
  WEBHOOK_PROXY: [
    '',
    'HTTP proxy for sending webhooks and fetching images, such as http://user:password@proxy.example.com:3128; it must allow CONNECT to addresses',
  ],
  WEBHOOK_HEADER_PREFIX: [
    'X-Webhook-ClickFunnels',
    'prefix of the header names of a delivery: -Id, -Timestamp and -Signature follow',
  ],
  WEBHOOK_KEEP_DAYS: [
    '30',
    'days that events and deliveries are kept; they are deleted at most a tenth later',
  ],
  AUDIT_KEEP_DAYS: ['400', 'days that audit entries are kept'],
  VISITS_KEEP_DAYS: ['90', 'days that visits to pages are kept; their statistics stay'],
  WEBHOOK_SECRET: ['', 'secret that `webhook listen` verifies with'],
  LOG_LEVEL: ['info', LOG_LEVELS.join(', ')],
  METRICS_PORT: ['', 'port that serves /metrics in the text format of Prometheus; 0 takes a free one'],
  METRICS_HOST: ['127.0.0.1', 'address of METRICS_PORT; anybody who can reach it can read the metrics'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    '',
    'where OpenTelemetry traces are sent, as OTLP/HTTP in JSON, such as http://localhost:4318',
  ],
  OTEL_EXPORTER_OTLP_HEADERS: ['', 'headers for the collector, as name=value pairs separated by commas'],
  OTEL_SERVICE_NAME: ['funnel-gateway', 'name of the service in traces'],
  OTEL_RESOURCE_ATTRIBUTES: ['', 'attributes of every span, as name=value pairs separated by commas'],
  OTEL_TRACES_SAMPLER: ['parentbased_always_on', 'which requests are traced: one of the standard samplers'],
  OTEL_TRACES_SAMPLER_ARG: ['1', 'share of requests that a sampler by ratio traces, from 0 to 1'],
  POOL_SIZE: [
    '10',
    'database connections of a process for writes; it takes up to 8 more for reads (16 while some are stalled) and 5 to deliver webhooks',
  ],
  LOOKUP_CACHE_MS: [
    '2000',
    'how long keys and hosts are cached if the notification of a change is missed; 0 looks them up every time',
  ],
  RATE_LIMIT_WINDOW_SECONDS: ['60', 'window of the rate limits below, in seconds'],
  RATE_LIMIT_KEY: ['1000000', 'rate-limit points that one API key may use in a window; 0 is no limit'],
  RATE_LIMIT_CLIENT: ['1000000', 'points of one OAuth client for each person that it acts for'],
  RATE_LIMIT_TEAM: ['2000000', 'points of one team, with all its keys and clients'],
  RATE_LIMIT_ADDRESS: [
    '12000',
    'points of requests without valid credentials from one address (IPv6: from one /64)',
  ],
  REDIS_URL: [
    '',
    'Redis or Valkey where processes share their rate limits, such as redis://user:password@host:6379; without it each gateway counts by itself. With replicas it also records for some seconds which credentials have written; without it, each gateway records this for itself',
  ],
  MAX_BODY_BYTES: ['262144', 'largest request body; more is 413'],
  MAX_DOCUMENT_CHARS: ['100000', 'longest GraphQL document'],
  MAX_ANSWER_BYTES: [
    '10485760',
    'largest answer to a GraphQL operation, and largest page of a list over REST',
  ],
  REQUEST_TIMEOUT_MS: [
    '30000',
    'time limit of a request; after it the answer is 503, or 408 if the request is still arriving',
  ],
  STATEMENT_TIMEOUT_MS: ['15000', 'time limit of one SQL statement'],
  MAX_QUERY_DEPTH: ['16', 'nesting depth of a GraphQL operation'],
  MAX_QUERY_COST: [
    '50000',
    'rows that a GraphQL operation may request, by its page sizes; its answer may have five times as many values',
  ],
  MAX_QUERY_OPERATIONS: ['50', 'operations of a GraphQL document'],
  MAX_QUERY_ROOT_FIELDS: ['100', 'root fields of a GraphQL operation'],
  MAX_QUERY_ALIASES: [
    '500',
    'aliases of a GraphQL operation; those of a fragment count as often as it is spread',
  ],
  MAX_QUERY_DIRECTIVES: ['200', 'directives of a GraphQL operation, counted in the same way'],
  MAX_QUERY_FRAGMENTS: [
    '200',
    'fragments of a GraphQL document; an operation may spread them ten times as often',
  ],
  MAX_CONNECTIONS: [
    '10000',
    'open client connections; further ones are closed. One address may have a tenth of them, a proxy of TRUST_PROXY all of them',
  ],
  MAX_UNDER_WAY: [
    '1000',
    'requests that are answered at the same time, at most 128; further ones wait for half a second, then they get 503',
  ],
  SHUTDOWN_DELAY_MS: [
    '0',
    'how long the process continues to serve at shutdown while /readyz answers 503, so that load balancers stop using it first',
  ],
  SHUTDOWN_TIMEOUT_MS: ['10000', 'time that running requests get at shutdown'],
} as const satisfies Readonly<Record<string, readonly [fallback: string, meaning: string]>>;

export type Variable = keyof typeof VARIABLES;

type None = null | undefined;

/** Reads variables. An invalid value is reported, and counts as not set. */
export interface Read {
  /** The value of a variable, or its documented default. */
  value<T>(name: Variable, form: Form<T>): T;
  /** The value of a variable, or the fallback. */
  optional<T, Fallback extends T | None>(
    name: Variable,
    form: Form<T>,
    fallback: Fallback,
  ): T | Extract<Fallback, None>;
}

/** The variables that each check of `doctor` needs: while one of them is invalid, the check is skipped. */
export const VARIABLES_OF_CHECKS = {
  addresses: ['SERVICE_HOST', 'AUTH_URL', 'TRUST_PROXY', 'PORT'],
  listening: ['PORT'],
  database: ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'DATABASE_REPLICA_URLS'],
  'secret key': ['SECRET_KEY'],
  'trusted documents': ['TRUSTED_DOCUMENTS', 'TRUSTED_DOCUMENTS_ONLY'],
  'rate limits': ['REDIS_URL'],
} as const satisfies Record<string, readonly Variable[]>;
