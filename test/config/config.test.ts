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

test('metrics and traces are off until they are asked for', () => {
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

test.each([
  ['METRICS_PORT', '65536'],
  ['METRICS_PORT', 'on'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@localhost:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
])('%s=%s is refused without its value', (name, value) => {
  const parse = () => parseConfig({ [name]: value }, '/');
  expect(parse).toThrow(new RegExp(`^Configuration: ${name} must be `));
  expect(parse).not.toThrow('secret');
});
