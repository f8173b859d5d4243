// Traces: what a collector gets over OTLP/HTTP, that no credential and no value is in it, and that requests do not depend on it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { closeApp, createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/output/log.ts';
import { createTracer } from '../../src/telemetry/opentelemetry.ts';
import type { Tracer } from '../../src/telemetry/tracing.ts';
import * as factories from '../support/factories.ts';
import { cloneTemplate, createGateway } from '../support/gateway.ts';
import { build, removeSplit } from '../support/removals.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
  readonly status: { code?: number };
}

/** A collector that stores what it receives. */
async function createCollector(status = 200) {
  const bodies: string[] = [];
  const requests: { path: string; headers: Record<string, unknown> }[] = [];
  const http = createServer((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      bodies.push(body);
      requests.push({ path: incoming.url ?? '', headers: incoming.headers });
      outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((done) => http.once('listening', done));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    bodies,
    requests,
    spans: () =>
      bodies.flatMap((body): OtlpSpan[] =>
        JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: OtlpSpan[] }[] }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    close: () => http.close(),
  };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const SECRET = 'hunter2-secret';

const collector = await createCollector();
let tracer: Tracer = tracerTo(collector.url);
const gateway = await createGateway({
  overrides: { tracer: { startExchange: (header) => tracer.startExchange(header), close: async () => {} } },
});
const teamId = (await factories.team(gateway.app)).id;
const workspaceId = (await factories.workspace(gateway.app, { teamId })).id;
const caller = await factories.apiKey(gateway.app, { teamId });
beforeEach(() => {
  collector.bodies.length = 0;
  tracer = tracerTo(collector.url);
});
afterAll(async () => {
  await gateway.close();
  collector.close();
});

/** @param told gets what it logs. A tracer that was given up in an earlier test may still log. */
function tracerTo(endpoint: string, env: Record<string, string> = {}, told: string[] = []): Tracer {
  const { config, secrets } = parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env }, '/');
  if (config.tracing === null) throw new Error('not configured');
  const log = createLogger('info', { write: (line) => told.push(line) });
  return createTracer(config.tracing, secrets.tracingHeaders, '1.2.3', log);
}

/** The data of the collector once the tracer is closed. */
async function received(): Promise<OtlpSpan[]> {
  await tracer.close();
  return collector.spans();
}

const attribute = ({ attributes }: OtlpSpan, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};

function graphql(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return gateway.send('/graphql', {
    method: 'POST',
    caller,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

test('a request is one trace: exchange, authentication, operation, statements, below the caller’s span', async () => {
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts?per_page=3`, {
    caller,
    headers: { traceparent },
  });
  const spans = await received();
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const exchange = spans.find(({ parentSpanId }) => parentSpanId === PARENT);
  if (exchange === undefined) throw new Error('no exchange');
  expect(exchange).toMatchObject({ name: 'GET /api/v2/workspaces/{workspace_id}/contacts', kind: 2 });
  expect(attribute(exchange, 'http.response.status_code')).toBe(200);
  expect(attribute(exchange, 'http.route')).toBe('/api/v2/workspaces/{workspace_id}/contacts');
  const below = spans.filter(({ parentSpanId }) => parentSpanId === exchange.spanId);
  expect(below.map(({ name }) => name).sort()).toEqual(['authenticate', 'listContacts']);
  const operation = below.find(({ name }) => name === 'listContacts');
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === operation?.spanId);
  expect(statements.map(({ name, kind }) => [name, kind])).toContainEqual(['contacts.under_id.asc', 3]);
  for (const statement of statements) {
    expect(attribute(statement, 'db.system.name')).toBe('postgresql');
    expect(attribute(statement, 'db.query.text')).toMatch(/^select .*\$1/s);
  }
  expect(spans).toHaveLength(3 + statements.length);
});

test('GraphQL operations are named by their root field, on the fast path too, and have their name and their refusal', async () => {
  const query = 'query Mine { team(by: { id: "of nothing" }) { name } }';
  await graphql({ query, operationName: 'Mine' });
  const known = { query: 'query Ours { viewer { teams { nodes { name } } } }' };
  await graphql(known);
  await graphql(known);
  const operations = (await received()).filter(({ name }) => name.startsWith('Query.'));
  expect(operations.map((span) => [span.name, attribute(span, 'graphql.operation.name')])).toEqual([
    ['Query.team', 'Mine'],
    ['Query.viewer', 'Ours'],
    ['Query.viewer', 'Ours'],
  ]);
  expect(operations.map((span) => attribute(span, 'funnel_gateway.code'))).toEqual([
    'invalid',
    undefined,
    undefined,
  ]);
});

test('the statements of a write are spans too, inside its transaction', async () => {
  const body = JSON.stringify({ contact: { email_address: 'traced@example.com', tag_ids: [] } });
  const headers = { 'Content-Type': 'application/json' };
  const path = `/api/v2/workspaces/${workspaceId}/contacts`;
  expect((await gateway.send(path, { caller, method: 'POST', headers, body })).status).toBe(201);
  const spans = await received();
  const operation = spans.find(({ name }) => name === 'createContact');
  const sent = spans.filter(
    ({ name, parentSpanId }) =>
      name === 'change' && parentSpanId !== '' && parentSpanId === operation?.spanId,
  );
  const texts = sent.map((span) => attribute(span, 'db.query.text')).join('; ');
  // Statements that were sent together are in one span.
  for (const text of [/^begin; /, /insert into audit_entries/, /; commit$/]) expect(texts).toMatch(text);
});

test("calls of Prisma's models are spans too, with the statements between them", async () => {
  const built = await build(gateway, workspaceId, [{ split: 'S', matched: ['A'], unmatched: ['B'] }]);
  expect(await removeSplit(gateway, caller, built, 'S')).toBe(204);
  const spans = await received();
  const operation = spans.find(({ name }) => name === 'removeConditionalSplitStep');
  const sent = spans.filter(({ parentSpanId }) => parentSpanId !== '' && parentSpanId === operation?.spanId);
  const names = sent.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['Funnel.findFirst', 'FunnelStep.updateMany']));
  const texts = sent.map((span) => attribute(span, 'db.query.text')).join('; ');
  expect(texts).toMatch(/insert into audit_entries/);
});

test('no credential and no value is in a span, whatever a client sends', async () => {
  const headers = {
    Cookie: `session=${SECRET}`,
    'X-Api-Key': SECRET,
    tracestate: `a=${SECRET}`,
    baggage: `b=${SECRET}`,
  };
  await gateway.send(`/api/v2/teams?per_page=${SECRET}&token=${caller.token}`, { caller, headers });
  await gateway.send(`/api/v2/contacts/${caller.token}`, { caller });
  await gateway.send('/api/v2/teams', { caller: { authorization: `Bearer ${SECRET}` } });
  await graphql({
    query:
      'query Q($id: ID!, $name: String!) { node(id: $id) { id } workspace(by: { subdomain: $name }) { id } }',
    variables: { id: SECRET, name: SECRET },
  });
  await graphql({
    query: `{ workspace(by: { subdomain: "${SECRET}" }) { id } }`,
    operationName: caller.token,
  });
  await gateway.send('/oauth/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `grant_type=authorization_code&code=${SECRET}&client_id=${SECRET}&client_secret=${SECRET}`,
  });
  expect((await received()).length).toBeGreaterThan(10);
  const sent = collector.bodies.join('\n');
  expect(sent).not.toContain(SECRET);
  expect(sent).not.toContain(caller.token.slice(0, 16));
});

describe('what a caller’s traceparent may say', () => {
  test.each([
    ['nothing', null, null],
    ['another version, with more behind it', `01-${TRACE}-${PARENT}-01-more`, PARENT],
    ['version 0 with more behind it', `00-${TRACE}-${PARENT}-01-more`, null],
    ['version ff', `ff-${TRACE}-${PARENT}-01`, null],
    ['ids of zeros', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, null],
    ['capital letters', `00-${TRACE.toUpperCase()}-${PARENT}-01`, null],
    ['nonsense', 'x'.repeat(5_000), null],
  ])('%s', async (_, traceparent, parent) => {
    const span = tracer.startExchange(traceparent);
    span?.end({ failure: null });
    const [sent] = await received();
    expect(sent?.parentSpanId ?? null).toBe(parent);
    expect(sent?.traceId === TRACE).toBe(parent !== null);
  });

  test('the sampled flag affects samplers based on the parent, not the one by ratio alone', () => {
    const header = `00-${TRACE}-${PARENT}-00`;
    const { url } = collector;
    const ratio = { OTEL_TRACES_SAMPLER_ARG: '1' };
    expect(tracerTo(url).startExchange(header)).toBeNull();
    expect(
      tracerTo(url, { ...ratio, OTEL_TRACES_SAMPLER: 'traceidratio' }).startExchange(header),
    ).not.toBeNull();
    expect(tracerTo(url, { OTEL_TRACES_SAMPLER: 'always_off' }).startExchange(null)).toBeNull();
  });
});

test('the resource and the headers are as configured, and the path is the standard’s', async () => {
  tracer = tracerTo(`${collector.url}/base`, {
    OTEL_SERVICE_NAME: 'mine',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%20b',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20the%20collector',
  });
  tracer.startExchange(null)?.end({ failure: null });
  await received();
  expect(collector.requests.at(-1)).toMatchObject({
    path: '/base/v1/traces',
    headers: { 'x-key': 'of the collector' },
  });
  const { attributes } = JSON.parse(collector.bodies[0] ?? '').resourceSpans[0].resource;
  const values = Object.fromEntries(
    attributes.map(({ key, value }: { key: string; value: { stringValue: string } }) => [
      key,
      value.stringValue,
    ]),
  );
  expect(values).toMatchObject({
    'service.name': 'mine',
    'service.version': '1.2.3',
    'deployment.environment.name': 'test',
    team: 'a b',
  });
});

test('an unreachable collector neither harms requests nor delays a stop', async () => {
  const gone = await createCollector();
  gone.close();
  tracer = tracerTo(gone.url);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => gateway.send('/api/v2/teams', { caller })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // More than wait at most.
  for (let n = 0; n < 5_000; n++) tracer.startExchange(null)?.end({ failure: null });
  await tracer.close();
});

test('a collector that refuses data is reported in one line, however often it does', async () => {
  const refusing = await createCollector(400);
  const told: string[] = [];
  tracer = tracerTo(refusing.url, {}, told);
  for (let n = 0; n < 1_100; n++) tracer.startExchange(null)?.end({ failure: null });
  await tracer.close();
  expect(refusing.bodies.length).toBeGreaterThan(1);
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0] ?? '')).toMatchObject({
    level: 'warn',
    msg: 'traces were not taken by the collector',
  });
  refusing.close();
});

test('closing the App sends the remaining spans', async () => {
  const database = await cloneTemplate();
  const app = createApp(
    gateway.app.config,
    { databaseUrl: database.url, secretKeys: () => [] },
    { log: gateway.app.log, tracer },
  );
  app.tracer?.startExchange(null)?.end({ name: 'last', failure: null });
  await closeApp(app);
  expect(collector.spans().map(({ name }) => name)).toEqual(['last']);
  await database.drop();
});
