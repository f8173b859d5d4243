// The page at `/` with what it leads to, the icon, and the switches for GraphiQL and introspection (src/http/home.ts).
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { createServer } from '../../src/http/server.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const CUSTOM = 'shop.acme.example';

const gateway = await sharedGateway();
const workspace = await factories.workspace(gateway.app, { subdomain: 'shop' });
await factories.customDomain(gateway.app, workspace.id, CUSTOM);
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });

/** A server with other settings, on the same store. */
function serverWith(env: Record<string, string>) {
  const { config } = parseConfig({ LOOKUP_CACHE_MS: '0', ...env }, '/');
  const server = createServer({ ...gateway.app, config });
  return (path: string, init: RequestInit = {}) =>
    server.fetch(new Request(`http://localhost:4000${path}`, init));
}

const linksIn = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '');

test.each(['localhost:4000', '127.0.0.1:4000', 'shop.localhost'])(
  'a browser at %s gets a page without script, and each of its links leads somewhere',
  async (host) => {
    const response = await gateway.send('/', { host, headers: BROWSER });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Vary')).toBe('Accept');
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy).not.toMatch(/script-src|unsafe|https?:/);
    const text = await response.text();
    expect(text).not.toMatch(/<script|<img|\son\w+=/);
    for (const part of ['<html lang="en">', '<title>', '<main>', '<nav aria-label=', '<h1>'])
      expect(text).toContain(part);
    const links = linksIn(text);
    expect(links).toEqual(
      expect.arrayContaining([
        ...['/graphql', '/api/v2', '/api/v2/openapi.json', '/schema.graphql', '/README.md'],
        ...['oauth-protected-resource', 'oauth-authorization-server'].map(
          (name) => `http://localhost:4000/.well-known/${name}`,
        ),
      ]),
    );
    for (const href of links) {
      const { host: at, pathname } = new URL(href, `http://${host}`);
      const target = await gateway.send(pathname, { host: at, headers: BROWSER });
      // GraphiQL and the REST reference say by themselves that they have not been built.
      const isBuilt = ['/graphql', '/api/v2'].includes(href);
      expect([href, target.status]).toEqual([href, isBuilt ? target.status : 200]);
      expect([200, 503]).toContain(target.status);
    }
  },
);

test('the page says what runs here, and has the documents of OAuth last', async () => {
  const text = await (await gateway.send('/', { headers: BROWSER })).text();
  expect(text).toMatch(/<dt>Version<\/dt><dd>\d+\.\d+\.\d+/);
  expect(text).toContain('<dt>Status</dt><dd>Healthy</dd>');
  expect(text).toContain('<dt>Data</dt><dd>A store of its own, not the demo.</dd>');
  const links = linksIn(text);
  expect(links.slice(0, 2)).toEqual(['/graphql', '/api/v2']);
  expect(links.slice(-2).every((href) => href.includes('/.well-known/'))).toBe(true);
});

test('a program gets the same content as JSON', async () => {
  const response = await gateway.send('/');
  expect(response.headers.get('Content-Type')).toBe('application/json');
  expect(await response.json()).toMatchObject({
    name: 'Funnel Gateway',
    graphql: '/graphql',
    rest: '/api/v2',
    openapi: '/api/v2/openapi.json',
    schema: '/schema.graphql',
    authorization_server: 'http://localhost:4000/.well-known/oauth-authorization-server',
  });
  expect(await (await gateway.send('/schema.graphql')).text()).toContain('type Query {');
});

test('the schema is compressed, and not sent again while it is the same', async () => {
  const headers = { 'Accept-Encoding': 'gzip' };
  const response = await gateway.send('/schema.graphql', { headers });
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('Content-Encoding')).toBe('gzip');
  const sent = Buffer.from(await response.arrayBuffer());
  const text = gunzipSync(sent).toString();
  expect(text).toBe(await (await gateway.send('/schema.graphql')).text());
  expect(sent.length).toBeLessThan(text.length / 5);
  const known = { 'If-None-Match': response.headers.get('ETag') ?? '' };
  const again = await gateway.send('/schema.graphql', { headers: { ...headers, ...known } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('the icon has a format that every browser reads', async () => {
  const response = await gateway.send('/favicon.ico');
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/x-icon']);
  expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 6)]).toEqual([0, 0, 1, 0, 1, 0]);
});

test('a custom domain shows no home page, an unknown host gets 421, and another method 405', async () => {
  for (const path of ['/', '/schema.graphql', '/README.md'])
    await expectProblem(await gateway.send(path, { host: CUSTOM, headers: BROWSER }), 'not_found');
  const { detail } = await expectProblem(
    await gateway.send('/', { host: '192.168.1.20:4000' }),
    'misdirected_request',
  );
  expect(detail).toMatch(/192\.168\.1\.20.*serves localhost.*SERVICE_HOST/);
  expect(detail).not.toMatch(/shop|acme/);
  const response = await gateway.send('/', { method: 'POST' });
  expect(response.headers.get('Allow')).toBe('GET, HEAD');
  await expectProblem(response, 'method_not_allowed');
});

test('SERVICE_HOST may be an address, which then is in AUTH_URL too', async () => {
  const send = serverWith({ SERVICE_HOST: '192.168.1.20' });
  const response = await send('/');
  expect(response.status).toBe(421);
  const { config } = parseConfig({ SERVICE_HOST: '192.168.1.20', PORT: '8080' }, '/');
  expect(config.authUrl).toBe('http://192.168.1.20:8080');
});

test('GRAPHIQL=off removes GraphiQL and its OAuth client', async () => {
  const send = serverWith({ GRAPHIQL: 'off' });
  const page = await send('/graphql', { headers: BROWSER });
  expect(page.status).toBe(404);
  expect(await page.json()).toMatchObject({ errors: [{ message: expect.stringMatching(/switched off/) }] });
  expect((await send('/graphiql/assets/index.js')).status).toBe(404);
  expect(await (await send('/', { headers: BROWSER })).text()).not.toContain('GraphiQL');
  const query = new URLSearchParams({
    ...{ client_id: 'graphiql', redirect_uri: 'http://localhost:4000/graphql', response_type: 'code' },
    ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
  });
  expect((await send(`/oauth/authorize?${query}`)).status).toBe(400);
  const answer = await send('/graphql?query={__typename}', { headers: BROWSER });
  expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
});

test('INTROSPECTION=off refuses __schema and __type on every way, and nothing else', async () => {
  const send = serverWith({ INTROSPECTION: 'off' });
  const ask = async (query: string, variables = {}) => {
    const headers = { 'Content-Type': 'application/json', Authorization: caller.authorization ?? '' };
    const body = JSON.stringify({ query, variables });
    const response = await send('/graphql', { method: 'POST', headers, body });
    return (await response.json()) as { data?: unknown; errors?: { message: string; extensions: object }[] };
  };
  const queries = [
    '{ __schema { types { name } } }',
    '{ __type(name: "Contact") { name } }',
    '{ viewer { kind } s: __schema { queryType { name } } }',
    'query A { ...F } fragment F on Query { __schema { description } }',
    '{ ... @include(if: true) { __type(name: "Query") { name } } }',
  ];
  for (const query of [...queries, ...queries]) {
    const { data, errors } = await ask(query);
    expect([query, data]).toEqual([query, undefined]);
    expect(errors?.[0]?.message).toMatch(/introspection has been disabled/);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
  }
  for (const _ of ['through Yoga', 'on the fast path'])
    expect(await ask('{ __typename viewer { __typename kind } }')).toEqual({
      data: { __typename: 'Query', viewer: { __typename: 'Viewer', kind: 'API_KEY' } },
    });
  expect((await ask('{ viewe { kind } }')).errors?.[0]?.message).not.toMatch(/viewer|mean/);
  const sorted =
    'query ($order: SortDirection) { viewer { teams(first: 1, orderBy: { direction: $order }) { nodes { id } } } }';
  expect((await ask(sorted, { order: 'AS' })).errors?.[0]?.message).toMatch(
    /does not exist in "SortDirection" enum\.$/,
  );
  expect((await send('/schema.graphql')).status).toBe(404);
  expect(await (await send('/', { headers: BROWSER })).text()).not.toContain('/schema.graphql');
});

test.each(['/orders', '/contact', '/api/v3/contacts', '/graphql/x'])(
  'a program that asks for %s is told where the APIs are',
  async (path) => {
    const problem = await expectProblem(await gateway.send(path, { caller }), 'not_found');
    expect(problem.detail).toMatch(/^Nothing is served at this path\. .*\/api\/v2.*\/graphql\.$/);
  },
);

test('however many browsers ask at once, the store is asked once whether it has the demo', async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await Promise.all(Array.from({ length: 20 }, () => gateway.send('/', { headers: BROWSER })));
  const questions = query.mock.calls.filter(
    ([statement]: readonly unknown[]) => (statement as { name?: string }).name === 'demo.exists',
  );
  query.mockRestore();
  expect(questions.length).toBeLessThanOrEqual(1);
});
