// Every answer of every face tells browsers to frame, sniff, run and leak nothing of it: of each route that is mounted, what is
// answered to a caller, to nobody, to a wrong method, to a preflight, over http and https, and what the listeners refuse.
import { afterAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { listen } from '../../src/http/listener.ts';
import { listenForMetrics } from '../../src/http/metrics-listener.ts';
import { SECURITY_HEADERS } from '../../src/http/security-headers.ts';
import { createAuthorizationServer } from '../../src/oauth/authorization-server.ts';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, OPERATIONS, requestOf, UNSAFE } from '../support/operations.ts';
import { sendBytes, toResponses } from '../support/wire.ts';

const PROXY = '10.0.0.1';

const gateway = await createGateway({ env: { PORT: '0', TRUST_PROXY: PROXY } });
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
const listener = await listen(gateway.app);
afterAll(async () => {
  await listener.close();
  await gateway.close();
});

const READS = OPERATIONS.filter((operation) => !UNSAFE.includes(operation));

const VALUES: Record<string, readonly string[]> = {
  'X-Content-Type-Options': ['nosniff'],
  'X-Frame-Options': ['DENY'],
  'Referrer-Policy': ['no-referrer', 'same-origin'],
  'Cross-Origin-Opener-Policy': ['same-origin', 'unsafe-none'],
  'Cross-Origin-Resource-Policy': ['same-origin'],
};

/** The headers of every answer, none of which reveals the software. */
function expectSecure({ headers }: Response): void {
  for (const [name, allowed] of Object.entries(VALUES)) expect(allowed, name).toContain(headers.get(name));
  const policy = headers.get('Content-Security-Policy') ?? '';
  expect(policy).toMatch(/^default-src 'none';/);
  // One policy, not two that were joined.
  expect(policy.match(/default-src/g)).toHaveLength(1);
  expect(policy).not.toMatch(/script-src[^;]*'unsafe|\*|https?:\/\//);
  expect(headers.get('Permissions-Policy')).toContain('camera=()');
  expect([headers.get('Server'), headers.get('X-Powered-By')]).toEqual([null, null]);
}

/** The parameters for the paths of patterns. */
const fill = (path: string) => path.replaceAll(/:\w+/g, '1');
const OTHERS = [
  '/',
  '/favicon.ico',
  '/healthz',
  '/readyz',
  '/graphql',
  '/nothing',
  '/api/v2',
  '/README.md',
].concat([
  '/api/v2/openapi.json',
  '/schema.graphql',
  '/.well-known/oauth-protected-resource',
  '/graphiql/assets/x',
]);

describe('every answer', () => {
  // The headers are set in one place.
  test.each([...sampleAt('read', READS, 4), ...sampleAt('secure', UNSAFE, 20)])(
    'of $route that succeeds',
    async (operation) => {
      const changes = UNSAFE.includes(operation);
      const fresh = changes ? await createTenant(gateway.app, 'fresh', tenant.team.id) : tenant;
      const answer = await gateway.send(operation.path(fresh), { caller, ...requestOf(operation, fresh) });
      expect(answer.status).toBe(operation.success);
      expectSecure(answer);
      expect(answer.headers.get('Content-Security-Policy')).toBe(SECURITY_HEADERS['Content-Security-Policy']);
    },
  );

  describe('of every path of REST, the authorization server and other pages', () => {
    const statuses = new Set<number>();
    test.each(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])(
      'by %s, whoever asks',
      async (method) => {
        const ofServer = createAuthorizationServer(gateway.app, async () => new Set()).routes.map(
          ({ path }) => path,
        );
        expect(ofServer.length).toBeGreaterThan(10);
        const paths = new Set(
          [...sampleAt(method, routes, 4).map(({ path }) => path), ...ofServer, ...OTHERS].map(fill),
        );
        const preflight = method === 'OPTIONS' && { 'Access-Control-Request-Method': 'GET' };
        for (const path of paths)
          for (const headers of [{ Accept: 'text/html' }, { Origin: 'http://localhost:1' }]) {
            const answer = await gateway.send(path, { method, headers: { ...headers, ...preflight } });
            statuses.add(answer.status);
            expectSecure(answer);
          }
      },
    );

    test('covers every kind of answer', () => {
      for (const status of [200, 204, 400, 401, 404, 405]) expect(statuses).toContain(status);
    });
  });

  test('of an unknown host, and of an internal error', async () => {
    const unknown = await gateway.send('/', { host: 'nobody.example' });
    expect(unknown.status).toBe(421);
    expectSecure(unknown);
    const broken = await createGateway({
      through: async () => 'postgresql://nobody@127.0.0.1:1/none',
    });
    for (const path of ['/api/v2/teams', '/graphql', '/readyz', '/oauth/jwks']) {
      const answer = await broken.send(path, { caller, headers: { Accept: 'text/html' } });
      expect([path, answer.status >= 500 || path === '/graphql']).toEqual([path, true]);
      expectSecure(answer);
    }
    await broken.close();
  });

  test('to invalid HTTP, and over a socket', async () => {
    const of = async (bytes: string) => toResponses(await sendBytes(listener.port, bytes))[0] as Response;
    expectSecure(await of('nonsense\r\n\r\n'));
    expectSecure(await of(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`));
    expectSecure(await of('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'));
  });

  test('of the port of the metrics', async () => {
    const { config } = parseConfig({ METRICS_PORT: '0' }, '/');
    const metrics = await listenForMetrics({ ...gateway.app, config });
    for (const path of ['metrics', 'nothing'])
      expectSecure(await fetch(`http://127.0.0.1:${metrics?.port}/${path}`));
    await metrics?.close();
  });
});

describe('Strict-Transport-Security', () => {
  const hsts = async (host: string, proto: string, address = PROXY) => {
    const headers = { 'X-Forwarded-Proto': proto, 'X-Forwarded-Host': host };
    return (await gateway.send('/healthz', { headers, address })).headers.get('Strict-Transport-Security');
  };

  test('is sent over https, by the service and its subdomains', async () => {
    for (const host of ['localhost', 'ours.localhost'])
      expect(await hsts(host, 'https')).toBe('max-age=31536000');
  });

  test('is not sent over http, where a stranger claims https, or on a custom domain', async () => {
    expect(await hsts('localhost', 'http')).toBeNull();
    expect(await hsts('localhost', 'https', '10.9.9.9')).toBeNull();
    expect(await hsts('shop.customer.example', 'https')).toBeNull();
  });
});

test('an application’s window may observe the sign-in that it opened; other answers are isolated', async () => {
  const opener = async (path: string) =>
    (await gateway.send(path, { headers: { Accept: 'text/html' } })).headers.get(
      'Cross-Origin-Opener-Policy',
    );
  expect(await opener('/oauth/authorize?client_id=nobody')).toBe('unsafe-none');
  expect(await opener('/graphql')).toBe('same-origin');
  expect(await opener('/')).toBe('same-origin');
});
