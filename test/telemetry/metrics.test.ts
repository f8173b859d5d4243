// The metrics: what they count, that a client cannot choose their labels, and that the guide, the dashboard and the alert rules
// speak of the ones that are served.
import { request } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { App } from '../../src/context.ts';
import { STATUS_OF } from '../../src/errors.ts';
import { listenForMetrics } from '../../src/http/metrics-listener.ts';
import { createPrometheus } from '../../src/telemetry/prometheus.ts';
import { read, tableUnder } from '../docs/markdown.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const gateway = await ownGateway({
  env: { METRICS_PORT: '0', LOOKUP_CACHE_MS: '2000' },
  overrides: { metrics: createPrometheus() },
});
gateway.app.metrics.watch('replica', 'a:1', () => ({
  isUsed: true,
  lagSeconds: 0.1,
  requests: 1,
  resent: 0,
}));
gateway.app.metrics.watch('partitions', 'events', () => ({ aheadSeconds: 1, hasStray: false }));
const caller = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

async function scrape(): Promise<Sample[]> {
  const text = await gateway.app.metrics.render();
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]),
    ),
    value: Number(value),
  }));
}

async function numberOf(name: string, labels: Record<string, string> = {}): Promise<number> {
  const matching = (await scrape()).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  return matching.reduce((sum, { value }) => sum + value, 0);
}

function ask(query: string, operationName?: string): Promise<Response> {
  return gateway.send('/graphql', {
    method: 'POST',
    caller,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, operationName }),
  });
}

describe('requests', () => {
  test('are counted by route, operation and status, and timed', async () => {
    const labels = { method: 'GET', route: '/api/v2/teams', operation: 'listTeams' };
    const before = await numberOf('http_requests_total', { ...labels, status: '200' });
    await gateway.send('/api/v2/teams', { caller });
    await gateway.send('/api/v2/teams?per_page=0', { caller });
    expect(await numberOf('http_requests_total', { ...labels, status: '200' })).toBe(before + 1);
    expect(await numberOf('http_requests_total', { ...labels, status: '422' })).toBe(1);
    expect(await numberOf('http_request_duration_seconds_count', labels)).toBe(before + 2);
  });

  test.each([
    ['query A { webhookEventTypes { id } }', 'Query.webhookEventTypes'],
    ['query B { one: viewer { kind } two: viewer { name } }', 'Query.viewer'],
    ['query C { ...F } fragment F on Query { ... { viewer { kind } } }', 'Query.viewer'],
    ['query D { viewer { kind } webhookEventTypes { id } }', 'Query.several'],
    ['query E { __schema { queryType { name } } }', 'Query.introspection'],
    ['query F { nothing }', 'unknown'],
    ['query G {', 'unknown'],
  ])('GraphQL: %s is %s', async (query, operation) => {
    const labels = { route: '/graphql', operation };
    const before = await numberOf('http_requests_total', labels);
    await ask(query);
    // Compiled by then.
    await ask(query);
    expect(await numberOf('http_requests_total', labels)).toBe(before + 2);
  });

  test('refusals are counted by code, GraphQL errors inside a 200 too', async () => {
    const before = await Promise.all([
      numberOf('gateway_refusals_total', { route: '/api/v2/contacts/{id}', code: 'unauthenticated' }),
      numberOf('gateway_refusals_total', { route: '/graphql', code: 'invalid' }),
      numberOf('gateway_refusals_total', { route: '/oauth/token', code: 'invalid_client' }),
    ]);
    await gateway.send('/api/v2/contacts/1');
    expect((await ask('{ viewer { teams(first: -1) { nodes { name } } } }')).status).toBe(200);
    await gateway.send('/oauth/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=nobody&client_secret=x',
    });
    expect(
      await Promise.all([
        numberOf('gateway_refusals_total', { route: '/api/v2/contacts/{id}', code: 'unauthenticated' }),
        numberOf('gateway_refusals_total', { route: '/graphql', code: 'invalid' }),
        numberOf('gateway_refusals_total', { route: '/oauth/token', code: 'invalid_client' }),
      ]),
    ).toEqual(before.map((count) => count + 1));
  });

  test('nothing that a client chooses becomes a label', async () => {
    const choose = async (name: string) => {
      await gateway.send(`/${name}`, { caller });
      await gateway.send(`/api/v2/${name}/${name}`, { caller });
      await gateway.send(`/api/v2/contacts/${name}?${name}=${name}`, { caller });
      await gateway.send('/api/v2/teams', { method: name, headers: { 'X-Request-Id': name } });
      await gateway.send('/api/v2/teams', { host: `${name}.example.org` });
      await ask(`query ${name} { viewer { ${name}: teams { nodes { ${name}: id } } } }`, name);
      await ask(`query ${name} { ${name} }`, name);
      await gateway.send(`/oauth/${name}`, { caller });
      await gateway.send('/oauth/token', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `grant_type=${name}&client_id=${name}&scope=${name}`,
      });
    };
    // But for those of Node itself: a kind of garbage collection has its series from the first one on.
    const seriesNow = async () =>
      (await scrape())
        .filter(({ name }) => !name.startsWith('nodejs_'))
        .map(({ name, labels }) => name + JSON.stringify(labels));
    await choose('CHOSEN');
    const before = await seriesNow();
    await choose('OTHERWISE');
    const after = await seriesNow();
    expect(after.filter((series) => !before.includes(series))).toEqual([]);
    expect(after.join('\n')).not.toMatch(/CHOSEN|OTHERWISE/i);
  });

  test('the fast path and its caches count hits and misses', async () => {
    const query = '{ viewer { kind scopes } }';
    const read = () =>
      Promise.all([
        numberOf('gateway_graphql_fast_path_misses_total'),
        numberOf('gateway_graphql_fast_path_hits_total'),
        numberOf('gateway_cache_hits_total', { cache: 'graphql_compiled' }),
        numberOf('gateway_cache_misses_total', { cache: 'graphql_documents' }),
      ]);
    const [misses, hits, found, parsed] = await read();
    await ask(query);
    await ask(query);
    await ask(query);
    expect(await read()).toEqual([misses + 1, hits + 2, found + 2, parsed + 1]);
    expect(await numberOf('gateway_cache_size', { cache: 'graphql_compiled' })).toBeGreaterThan(0);
  });

  test('the metrics of the queue show what a team waits for', async () => {
    const { expensive } = gateway.app.store;
    const labels = { queue: 'expensive_reads' };
    const release = await expensive.acquire('1');
    const next = expensive.acquire('1');
    expect(await numberOf('gateway_queue_running', labels)).toBe(1);
    expect(await numberOf('gateway_queue_waiting', labels)).toBe(1);
    release();
    (await next)();
    expect(await numberOf('gateway_queue_running', labels)).toBe(0);
  });

  test('connections to the database are counted by kind', async () => {
    await gateway.send('/api/v2/teams', { caller });
    expect(await numberOf('gateway_db_connections', { kind: 'reads' })).toBeGreaterThan(0);
    expect(await numberOf('gateway_db_waiting')).toBe(0);
  });
});

describe('the metric names', () => {
  const OURS = /^(?!process_|nodejs_)/;
  const served = async () =>
    [...(await gateway.app.metrics.render()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
      ([, name = '', type]) => ({
        name,
        type,
      }),
    );

  test('in the guide are those that are served, with their types and labels', async () => {
    const rows = tableUnder(read('docs/observability.md'), 'Metrics').flatMap(
      ([names = '', type, labels = '']) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({
          name,
          type,
          labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
        })),
    );
    expect(rows.map(({ name, type }) => ({ name, type })).sort(byName)).toEqual(
      (await served()).filter(({ name }) => OURS.test(name)).sort(byName),
    );
    const samples = await scrape();
    for (const { name, labels } of rows) {
      const sample = samples.find((one) => [name, `${name}_count`].includes(one.name));
      expect([name, Object.keys(sample?.labels ?? {})]).toEqual([name, labels]);
    }
  });

  test('do not include shared rate limits if limits are not shared', async () => {
    const shared = 'gateway_rate_limits_shared';
    expect((await scrape()).filter(({ name }) => name === shared)).toEqual([]);
    const metrics = createPrometheus();
    metrics.watch('sharedRates', '', () => ({ isUp: false }));
    expect(await metrics.render()).toContain(`\n${shared} 0\n`);
  });

  test('of ours are all on the dashboard or in a rule', async () => {
    const shown = read('deploy/grafana-dashboard.json') + read('deploy/alert-rules.yml');
    const names = (await served()).map(({ name }) => name).filter((name) => OURS.test(name));
    expect(names.filter((name) => !shown.includes(name))).toEqual([]);
  });

  test.each(['deploy/grafana-dashboard.json', 'deploy/alert-rules.yml'])(
    'in %s are served, and so are the labels and the fixed values that it asks for',
    async (path) => {
      const text = read(path).replaceAll('\\"', '"');
      const samples = await scrape();
      const names = new Set([...samples, ...(await served())].map(({ name }) => name));
      const asked = [...text.matchAll(/\b(?:http|gateway|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
      expect(asked.length).toBeGreaterThanOrEqual(10);
      expect(asked.filter((name) => !names.has(name))).toEqual([]);
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
      const used = [
        ...[...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */)),
        ...[...text.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
      ];
      // Prometheus adds the first two when it scrapes.
      expect(used.filter((label) => !['job', 'instance'].includes(label) && !labels.has(label))).toEqual([]);
      const fixed = [...text.matchAll(/\b(queue|cache|kind|reason|code)=~?"([\w|]+)"/g)].flatMap(
        ([, label = '', values = '']) => values.split('|').map((value): [string, string] => [label, value]),
      );
      for (const [label, value] of fixed)
        expect(label === 'code' ? Object.keys(STATUS_OF) : samples.map((one) => one.labels[label])).toContain(
          value,
        );
    },
  );
});

describe('the metrics port', () => {
  const app = (port: number): App => ({
    ...gateway.app,
    config: { ...gateway.app.config, metrics: { port, host: '127.0.0.1' } },
  });

  function send(
    port: number,
    path: string,
    method = 'GET',
    headers: Record<string, string> = {},
  ): Promise<{ status?: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      })
        .on('error', reject)
        .end();
    });
  }

  test('serves only /metrics, until it is closed', async () => {
    const listener = await listenForMetrics(app(0));
    if (listener === null) throw new Error('no listener');
    const { status, text } = await send(listener.port, '/metrics');
    expect([status, text.includes('# TYPE http_requests_total counter')]).toEqual([200, true]);
    expect(await send(listener.port, '/metrics', 'HEAD')).toEqual({ status: 200, text: '' });
    expect((await send(listener.port, '/graphql')).status).toBe(404);
    expect((await send(listener.port, '/metrics', 'POST')).status).toBe(405);
    await listener.close();
    await expect(send(listener.port, '/metrics')).rejects.toThrow('ECONNREFUSED');
  });

  test('answers only under its own hosts: a web page cannot read it through another name', async () => {
    const listener = await listenForMetrics(app(0));
    if (listener === null) throw new Error('no listener');
    const { port } = listener;
    const statusAt = async (host: string) => (await send(port, '/metrics', 'GET', { host })).status;
    for (const host of [`127.0.0.1:${port}`, '10.1.2.3', '[::1]:9464', `localhost:${port}`, 'gateway:9464'])
      expect([host, await statusAt(host)]).toEqual([host, 200]);
    for (const host of ['evil.example', `127.0.0.1.evil.example:${port}`, 'localhost.'])
      expect([host, await statusAt(host)]).toEqual([host, 421]);
    await listener.close();
  });

  test('does not add /metrics to the gateway', async () => {
    expect((await gateway.send('/metrics', { caller })).status).toBe(404);
  });

  test('in use is reported in one sentence with the variable', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => taken.once('listening', done));
    const { port } = taken.address() as { port: number };
    await expect(listenForMetrics(app(port))).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use, so metrics cannot be served there. Stop what uses it, or choose another with METRICS_PORT=...`,
    );
    taken.close();
  });
});

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
