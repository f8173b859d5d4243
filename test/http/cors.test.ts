// Which pages of other origins may read an answer, and the answers to preflights (src/http/cors.ts, Fetch §3.3).
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { listen } from '../../src/http/listener.ts';
import { createServer } from '../../src/http/server.ts';
import * as factories from '../support/factories.ts';
import { type Gateway, ownGateway, type RequestOptions } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';
import { sendBytes, toResponses } from '../support/wire.ts';

const APP = 'https://app.example.com';
const OTHER = 'https://evil.example.com';
const LOOPBACK = ['http://localhost:5173', 'https://localhost', 'http://127.0.0.1:3000', 'http://[::1]:8080'];
const WELL_KNOWN = '/.well-known/oauth-authorization-server';

const gateway = await ownGateway({ env: { CORS_ORIGINS: `${APP}, http://shop.example.com:8080` } });
const workspace = await factories.workspace(gateway.app, { subdomain: 'shop' });
await factories.contact(gateway.app, { workspaceId: workspace.id });
await factories.refineFilter(gateway.app, { workspaceId: workspace.id });
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
const contacts = `/api/v2/workspaces/${workspace.id}/contacts`;

const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

function send(path: string, origin: string | null, options: RequestOptions = {}): Promise<Response> {
  const headers = { ...options.headers, ...(origin !== null && { Origin: origin }) };
  return gateway.send(path, { caller, ...options, headers });
}

function preflight(path: string, origin: string, method = 'POST', through = gateway): Promise<Response> {
  const headers = {
    Origin: origin,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': 'authorization,content-type',
  };
  return through.send(path, { method: 'OPTIONS', headers });
}

/** The gateway with other settings, on the same store. */
function withEnv(env: Record<string, string>): Gateway {
  const { config } = parseConfig({ LOOKUP_CACHE_MS: '0', ...env }, '/');
  const server = createServer({ ...gateway.app, config });
  const toRequest = (path: string, { method = 'GET', headers = {} }: RequestOptions) =>
    new Request(`http://localhost:4000${path}`, { method, headers });
  return { ...gateway, send: (path, options = {}) => server.fetch(toRequest(path, options)) };
}

const allowedOf = async (through: Gateway, origin: string) =>
  (await preflight('/graphql', origin, 'POST', through)).headers.get('Access-Control-Allow-Origin');

const EXPOSED = [
  'Link',
  'Location',
  'Pagination-Next',
  'ETag',
  'RateLimit',
  'X-Request-Id',
  'WWW-Authenticate',
];

describe('a preflight of an allowed origin', () => {
  test.each([
    ['/graphql', 'POST'],
    ['/api/v2/workspaces/1/contacts', 'GET'],
    ['/api/v2', 'GET'],
    ['/funnels/1/conditional_split_steps/2', 'DELETE'],
    ['/oauth/token', 'POST'],
    ['/oauth/register', 'POST'],
    ['/oauth/revoke', 'POST'],
    [WELL_KNOWN, 'GET'],
    ['/.well-known/oauth-protected-resource/graphql', 'GET'],
  ])('for %s is answered, and kept by the browser', async (path, method) => {
    const response = await preflight(path, APP, method);
    expect([response.status, await response.text()]).toEqual([204, '']);
    const headers = corsOf(response);
    expect([APP, '*']).toContain(headers['access-control-allow-origin']);
    expect(headers['access-control-allow-methods']).toContain(method);
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'])
      expect(headers['access-control-allow-headers']).toContain(name);
    expect(Number(headers['access-control-max-age'])).toBeGreaterThan(600);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('is answered without any look-up, even of the host', async () => {
    const app = { ...gateway.app };
    for (const part of ['store', 'lookups', 'keyring', 'signingKeyCache'] as const)
      Reflect.deleteProperty(app, part);
    const server = createServer(app);
    const headers = { Origin: APP, 'Access-Control-Request-Method': 'GET', Authorization: 'Bearer x' };
    const request = new Request('http://shop.example.net/api/v2/teams', { method: 'OPTIONS', headers });
    expect((await server.fetch(request)).status).toBe(204);
  });

  test.each([
    '/oauth/introspect',
    '/oauth/par',
    '/oauth/authorize',
    '/account',
    '/account/.well-known/x',
    '/',
    '/healthz',
  ])('for %s, which no other origin may call, has no CORS headers', async (path) => {
    const response = await preflight(path, APP);
    expect(response.ok).toBe(false);
    expect(corsOf(response)).toEqual({});
  });
});

describe('another origin', () => {
  test('gets a clear refusal of its preflight, without CORS headers', async () => {
    for (const origin of [
      OTHER,
      'null',
      `${APP}.evil.example`,
      'http://app.example.com',
      `${APP}:8443`,
      '*',
    ]) {
      const response = await preflight('/api/v2/teams', origin);
      expect(corsOf(response)).toEqual({ vary: 'Origin' });
      expect((await expectProblem(response, 'origin_not_allowed')).detail).toMatch(/CORS_ORIGINS/);
    }
    const refused = await preflight('/graphql', OTHER);
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'ORIGIN_NOT_ALLOWED' } }] });
  });

  test('gets its answers without CORS headers, as a page of the service itself does', async () => {
    const response = await send(contacts, OTHER);
    expect(response.status).toBe(200);
    expect(corsOf(response)).toEqual({ vary: 'Origin' });
  });

  test('may read the public documents, which are the same for everybody', async () => {
    for (const path of [WELL_KNOWN, '/.well-known/oauth-protected-resource', '/oauth/jwks']) {
      const response = await send(path, OTHER);
      expect([response.status, corsOf(response)]).toMatchObject([
        200,
        { 'access-control-allow-origin': '*' },
      ]);
      expect(response.headers.has('Vary')).toBe(false);
    }
  });
});

describe('an allowed origin may read', () => {
  const readable = (response: Response, vary = 'Origin') => {
    const headers = corsOf(response);
    expect(headers).toMatchObject({ 'access-control-allow-origin': APP, vary });
    for (const name of EXPOSED) expect(headers['access-control-expose-headers']?.split(', ')).toContain(name);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  };
  const askGraphql = (query: string, options: RequestOptions = {}) => {
    const headers = { 'Content-Type': 'application/json' };
    return send('/graphql', APP, { method: 'POST', headers, body: JSON.stringify({ query }), ...options });
  };

  test('answers of REST, streamed ones too, and of GraphQL, on both paths', async () => {
    for (const path of [contacts, contacts.replace('contacts', 'refine_filters'), '/api/v2/openapi.json']) {
      const response = await send(path, APP);
      expect(response.status).toBe(200);
      readable(response);
    }
    for (const _ of ['through Yoga', 'on the fast path']) {
      const response = await askGraphql('{ viewer { kind } }');
      expect(await response.json()).toEqual({ data: { viewer: { kind: 'API_KEY' } } });
      readable(response);
    }
  });

  test('refusals', async () => {
    const anonymous = { caller: { authorization: null } };
    const refusals: [Promise<Response>, number][] = [
      [send(contacts, APP, anonymous), 401],
      [askGraphql('{ viewer { teams { totalCount } } }', anonymous), 401],
      [send(`${contacts}?per_page=0`, APP), 422],
      [send('/api/v2/nothing', APP), 404],
      [send('/api/v2/teams', APP, { method: 'PUT' }), 405],
      [send('/api/v2/teams', APP, { host: 'shop.example.net' }), 421],
      [askGraphql('{ nothing }', { headers: { 'Content-Type': 'text/plain' } }), 415],
      [askGraphql(`{ viewer { kind } } #${'x'.repeat(300_000)}`), 413],
      [send('/oauth/token', APP, { method: 'POST', ...anonymous }), 400],
    ];
    for (const [answer, status] of refusals) {
      const response = await answer;
      expect([response.url, response.status]).toEqual([response.url, status]);
      // A person in a browser gets a page there.
      readable(response, status === 404 ? 'Accept, Authorization, Origin' : 'Origin');
    }
  });

  test('refusals of invalid HTTP', async () => {
    const listener = await listen({ ...gateway.app, config: { ...gateway.app.config, port: 0 } });
    const bytes = `GET ${contacts} HTTP/1.1\r\nHost: a b\r\nOrigin: ${APP}\r\nConnection: close\r\n\r\n`;
    const [response] = toResponses(await sendBytes(listener.port, bytes));
    expect(response?.status).toBe(400);
    readable(response as Response);
    await listener.close();
  });
});

test('an answer to a request without an origin has Vary: Origin where it depends on the origin', async () => {
  expect(corsOf(await send(contacts, null))).toEqual({ vary: 'Origin' });
  expect(corsOf(await send(`${contacts}?after=x`, null))).toEqual({ vary: 'Origin' });
  const alone = await withEnv({ CORS_ORIGINS: '' }).send('/api/v2');
  expect(corsOf(alone)).toEqual({ vary: 'Accept, Authorization' });
});

test('an OPTIONS request that is not a preflight gets 405', async () => {
  const response = await send('/api/v2/teams', APP, { method: 'OPTIONS' });
  await expectProblem(response, 'method_not_allowed');
});

test('* allows every origin, without echoing it', async () => {
  const open = withEnv({ CORS_ORIGINS: '*' });
  for (const origin of [APP, OTHER, 'null']) expect(await allowedOf(open, origin)).toBe('*');
  const { vary } = corsOf(await open.send('/api/v2', { headers: { Origin: OTHER } }));
  expect(vary).toBe('Accept, Authorization');
});

test('loopback origins, and no others, are allowed with the embedded database unless CORS_ORIGINS is set', async () => {
  const demo = withEnv({});
  for (const origin of LOOPBACK) expect(await allowedOf(demo, origin)).toBe(origin);
  for (const origin of [APP, 'null', 'http://localhost.evil.example', 'http://localhost:5173.evil.example'])
    expect(await allowedOf(demo, origin)).toBeNull();
  const DATABASE_URL = 'postgresql://user:password@localhost/gateway';
  for (const env of [{ DATABASE_URL }, { CORS_ORIGINS: '' }, { CORS_ORIGINS: APP }])
    for (const origin of LOOPBACK) expect(await allowedOf(withEnv(env), origin)).toBeNull();
});

test.each([
  ...[
    'app.example.com',
    'https://app.example.com/',
    'https://App.example.com',
    'https://app.example.com:443',
  ],
  ...['https://*.example.com', `${APP}, *`, `${APP},,`, 'null', 'ftp://app.example.com', `${APP}/path`],
  ...['https://user@app.example.com', 'https://bücher.example'],
])('CORS_ORIGINS is not valid: %s', (CORS_ORIGINS) => {
  expect(() => parseConfig({ CORS_ORIGINS }, '/')).toThrow(/^Configuration: CORS_ORIGINS must be origins/);
});
