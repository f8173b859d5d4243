// Derived and invalid configuration (src/config/config.ts).
import { expect, test } from 'vitest';
import { parseConfig, withPort } from '../../src/config/config.ts';

const addressOf = (env: Record<string, string>) => {
  const { authUrl, authPath, authHostname } = parseConfig(env, '/').config;
  return [authUrl, authPath, authHostname];
};

test('the URL of the authorization server is split into path and host name', () => {
  expect(addressOf({})).toEqual(['http://localhost:4000', '', 'localhost']);
  expect(addressOf({ SERVICE_HOST: 'example.com' })).toEqual(['https://example.com', '', 'example.com']);
  expect(addressOf({ AUTH_URL: 'https://Auth.example.com:8443/a/b//' })).toEqual([
    'https://auth.example.com:8443/a/b',
    '/a/b',
    'auth.example.com',
  ]);
  const { authPath, authHostname } = withPort(parseConfig({ PORT: '0' }, '/').config, 4123);
  expect([authPath, authHostname]).toEqual(['', 'localhost']);
});

test('an invalid host is reported together with all other problems', () => {
  const env = { SERVICE_HOST: '1.2.3.999', PORT: 'x' };
  expect(() => parseConfig(env, '/')).toThrow(/^Configuration: PORT must be .*; SERVICE_HOST must be .*\.$/);
});

test('webhooks go directly to public addresses by default', () => {
  const { config, secrets } = parseConfig({}, '/');
  expect(config.jobs).toBe(true);
  expect(config.webhooks).toMatchObject({ headerPrefix: 'X-Webhook-ClickFunnels', keepDays: 30 });
  expect(config.webhooks.allowedNetworks.rules).toEqual([]);
  expect(secrets.webhookProxy).toBeUndefined();
});

test('no printed configuration contains the password of the webhook proxy', () => {
  const { config, secrets } = parseConfig(
    {
      JOBS: 'off',
      WEBHOOK_ALLOWED_NETWORKS: '10.1.0.0/16, fd12::/16',
      WEBHOOK_PROXY: 'http://me:secret@proxy.example.com:3128',
      WEBHOOK_HEADER_PREFIX: 'X-Acme',
      WEBHOOK_KEEP_DAYS: '7',
    },
    '/',
  );
  expect(config.jobs).toBe(false);
  expect(config.webhooks).toMatchObject({ headerPrefix: 'X-Acme', keepDays: 7 });
  expect(config.webhooks.allowedNetworks.check('10.1.2.3')).toBe(true);
  expect(config.webhooks.allowedNetworks.check('fd12::1', 'ipv6')).toBe(true);
  expect(secrets.webhookProxy).toBe('http://me:secret@proxy.example.com:3128');
  expect(JSON.stringify(config)).not.toContain('secret');
});

test('metrics and traces are off by default', () => {
  expect(parseConfig({ METRICS_HOST: '0.0.0.0', OTEL_SERVICE_NAME: 'mine' }, '/').config).toMatchObject({
    metrics: null,
    tracing: null,
  });
  const { config, secrets } = parseConfig(
    {
      METRICS_PORT: '9464',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    },
    '/',
  );
  expect(config.metrics).toEqual({ port: 9464, host: '127.0.0.1' });
  expect(config.tracing).toEqual({
    url: 'http://localhost:4318/v1/traces',
    serviceName: 'funnel-gateway',
    attributes: {},
    sampler: { name: 'traceidratio', ratio: 0.25 },
  });
  expect(JSON.stringify(config)).not.toContain('Bearer');
  expect(secrets.tracingHeaders).toEqual({ authorization: 'Bearer x' });
});

test('the allowed lag of a replica leaves time to answer a change that waits for it', () => {
  const parse = (REPLICA_MAX_LAG_MS: string) =>
    parseConfig({ REPLICA_MAX_LAG_MS, REQUEST_TIMEOUT_MS: '5000' }, '/').config.replicaMaxLagMs;
  expect(parse('4000')).toBe(4_000);
  expect(() => parse('4001')).toThrow('REPLICA_MAX_LAG_MS must be a whole number from 300 to 4000');
});

test.each([
  ['METRICS_PORT', '65536'],
  ['METRICS_PORT', 'on'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@localhost:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:1/secret@localhost:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['JOBS', 'secret'],
  ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/33'],
  ['WEBHOOK_ALLOWED_NETWORKS', 'localhost'],
  ['WEBHOOK_PROXY', 'proxy.example.com:3128'],
  ['WEBHOOK_PROXY', 'socks5://me:secret@proxy.example.com'],
  ['WEBHOOK_PROXY', 'http://me:secret@proxy.example.com/path'],
  ['WEBHOOK_PROXY', 'http://me:secret%zz@proxy.example.com'],
  ['WEBHOOK_HEADER_PREFIX', 'X-Webhook-'],
  ['WEBHOOK_HEADER_PREFIX', 'Webhook'],
  ['WEBHOOK_HEADER_PREFIX', 'X:Webhook'],
  ['WEBHOOK_HEADER_PREFIX', 'X-Webhook\r\nX'],
  ['WEBHOOK_KEEP_DAYS', '0'],
])('%s=%s is refused without its value', (name, value) => {
  const parse = () => parseConfig({ [name]: value }, '/');
  expect(parse).toThrow(new RegExp(`^Configuration: ${name} must be `));
  expect(parse).not.toThrow('secret');
});

test.each([
  ['postgresql://gw:se@cr/et@db.example/gateway', '@ as %40, / as %2F'],
  ['postgresql://gw:1/cret@db.example/gateway', '/ as %2F'],
  ['postgresql://gw:se/cret@db.example/gateway', '/ as %2F'],
  ['postgresql://gw:se@cret?ret@db.example/gateway', '@ as %40, ? as %3F'],
  ['postgresql://gw:12?a=cret@db.example:5432/gateway', '? as %3F'],
  ['postgresql://gw:se@cret#x@db.example/gateway', '@ as %40, # as %23'],
  ['postgresql://gw:se@cret#x', '# as %23'],
  ['postgresql://cret@tenant/x:pw@db.example/gateway', '@ as %40, / as %2F'],
])('%s is refused without a part of its password, and the character is named', (url, characters) => {
  for (const name of ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'DATABASE_REPLICA_URLS', 'REDIS_URL']) {
    const parse = () =>
      parseConfig({ [name]: name === 'REDIS_URL' ? url.replace('postgresql', 'redis') : url }, '/');
    expect(parse).toThrow(new RegExp(`^Configuration: ${name} must be .*user name and password have `));
    expect(parse).toThrow(characters);
    for (const part of ['cret', 'gw', '12', 'db.example']) expect(parse).not.toThrow(part);
  }
});

test.each([
  'postgresql://gw:se@cret@db.example/gateway',
  'postgresql://gw@tenant:se%2Fcret@db.example:5432/gate%40way?sslmode=verify-full',
  'postgresql://db.example/gateway?user=gw@tenant&password=a@b&sslmode=no-verify',
  'postgresql:///gateway?host=/var/run/postgresql',
])('%s is a connection string', (url) => {
  expect(parseConfig({ DATABASE_URL: url }, '/').secrets.databaseUrl).toBe(url);
});

test.each([
  ['?sslmode=require', '?sslmode=verify-full'],
  [
    '?application_name=mine&sslmode=verify-ca&sslrootcert=/ca.pem',
    '?sslmode=verify-full&sslrootcert=/ca.pem',
  ],
  ['?statement_timeout=0&sslmode=prefer', '?sslmode=verify-full'],
  ['?application_name=mine', ''],
  ['?uselibpqcompat=true&sslmode=require', '?uselibpqcompat=true&sslmode=require'],
])(
  'of %s the driver gets what it needs no warning for, and nothing that the gateway sets',
  (given, passed) => {
    const url = 'postgresql://gw:a%2Fb@db.example:5432/gateway';
    const { databaseUrl, replicaUrls } = parseConfig(
      { DATABASE_URL: url + given, DATABASE_REPLICA_URLS: url + given },
      '/',
    ).secrets;
    expect([databaseUrl, ...replicaUrls]).toEqual([url + passed, url + passed]);
  },
);

test('each server may be listed as a replica only once', () => {
  const parse = (DATABASE_REPLICA_URLS: string) =>
    parseConfig({ DATABASE_REPLICA_URLS }, '/').secrets.replicaUrls;
  expect(parse('postgresql://a@one/db,postgresql://a@two/db, postgresql://a@one/other')).toHaveLength(3);
  for (const other of ['postgresql://a@one/db', 'postgres://b:c@ONE:5432/db?sslmode=disable'])
    expect(() => parse(`postgresql://a@one/db,${other}`)).toThrow(/each server once/);
});

test('each documented default is a valid value of its variable', () => {
  const none = (_: string, value: unknown) => (value === undefined ? 'no value' : value);
  expect(JSON.stringify(parseConfig({}, '/').config, none)).not.toContain('no value');
});
