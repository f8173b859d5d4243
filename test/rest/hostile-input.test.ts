// Every path and query parameter of every route, found in the router itself, and the headers that are read, with hostile values: each
// gets an answer or a refusal in the documented form, nothing breaks, nothing changes.
import { describe, expect, test } from 'vitest';
import { STATUS_OF } from '../../src/errors.ts';
import { createAuthorizationServer } from '../../src/oauth/authorization-server.ts';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { createCheckedServer, ownGateway } from '../support/gateway.ts';
import { all, breakages, digest, TEXTS } from '../support/hostile.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, OPERATIONS, requestOf, sampleOperations } from '../support/operations.ts';
import type { Problem } from '../support/problem.ts';

// Thousands of requests with one key: looking it up for each would take a tenth of the time.
const gateway = await ownGateway({ env: { TRUST_PROXY: '10.0.0.0/8', LOOKUP_CACHE_MS: '60000' } });
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
// The first signing key is created at its first use.
await gateway.send('/oauth/jwks');
const before = await digest(gateway);

/** Escapes that are not UTF-8, cut short, or stand for what divides a path. */
const ESCAPES = [
  '%00',
  '1%00',
  '%ff',
  '%C3%28',
  '%ED%A0%80',
  '%F4%90%80%80',
  '%',
  '%2',
  '%zz',
  '%u0000',
  '%2f',
  '%2e%2e',
  '%5c',
];
const escaped = TEXTS.map((text) => encodeURIComponent(text.toWellFormed()));
const VALUES = [...ESCAPES, ...escaped, '+1', '1;2', '1,2', '..', '\u00e9', '[1]'];

const MEMBERS = ['type', 'title', 'status', 'detail', 'code', 'errors', 'request_id', 'error'];

/** Requires a documented answer. Without `expect`, because there are thousands. */
async function requireAnswer(what: string, response: Response): Promise<void> {
  const { status, headers } = response;
  const text = await response.text();
  if (status < 400) return;
  const isProblem = headers.get('Content-Type') === 'application/problem+json';
  const problem = isProblem ? (JSON.parse(text) as Problem) : undefined;
  const isWhole = problem !== undefined && String(Object.keys(problem)) === String(MEMBERS);
  const isRight = isWhole && status < 500 && STATUS_OF[problem.code] === status;
  if (!isRight || problem.request_id !== headers.get('X-Request-Id'))
    expect.fail(`${what}: ${status} ${text}`);
}

/** Known to the rules of pages, of one route, of none. */
const PARAMETERS = [
  'per_page',
  'after',
  'sort_order',
  'expand[]',
  'branch',
  'filter[x]',
  'filter[id]',
  'filter[email_address]',
  'filter[tag_ids]',
  'filter[is_active]',
  'sort_property',
  'sort_property=updated_at&after',
  'sort_property=updated_at&after=1&after_updated_at',
  'x=&%00=&%ff=&&=&x[]',
];

test('the operations are those of the router', () => {
  expect(OPERATIONS.map(({ route }) => route).sort()).toEqual(
    routes.map(({ method, path }) => `${method} ${path}`).sort(),
  );
});

describe.each(sampleOperations('hostile input', OPERATIONS))('$route', (operation) => {
  const { route } = operation;
  const [method = '', path = ''] = route.split(' ');
  /** The path in our tenant. */
  const real = () => operation.path(tenant);
  /** An entity tag that nothing has prevents changes. */
  const harmless: Record<string, string> = method === 'GET' ? {} : { 'If-Match': '"nothing"' };
  const sendAll = (paths: readonly string[]) =>
    all(paths, async (to) => {
      const { headers, ...request } = requestOf(operation, tenant);
      const sent = { caller, ...request, headers: { ...headers, ...harmless } };
      await requireAnswer(`${method} ${to}`, await gateway.send(to, sent));
    });

  test('survives anything in its path, and after it', async () => {
    const parts = real().split('/');
    const places = [...parts.keys()].filter((at) => path.split('/')[at]?.startsWith(':'));
    const changed = VALUES.flatMap((value) => places.map((at) => parts.with(at, value).join('/')));
    const behind = ESCAPES.map((value) => real() + value);
    await sendAll(sampleAt(route, [...changed, ...behind], 40));
  });

  test('survives anything as a parameter', async () => {
    const queries = PARAMETERS.flatMap((name) => VALUES.map((value) => `${name}=${value}`));
    const sampled = sampleAt(`${route}?`, queries, 240);
    await sendAll(sampled.map((query) => `${real()}?${query}`));
  });
});

/** Paths of other forms of answers. */
async function requireNoBreakage(what: string, response: Response): Promise<void> {
  const text = await response.text();
  if (response.status >= 500 || /INTERNAL|\n {4}at /.test(text))
    expect.fail(`${what}: ${response.status} ${text}`);
  if (!response.headers.has('X-Request-Id')) expect.fail(`${what} has no request id`);
}

test('every other path survives anything in it and after it', async () => {
  const oauth = createAuthorizationServer(gateway.app, async () => new Set()).routes.map(({ path }) => path);
  const others = [
    '/graphql',
    '/graphiql/assets',
    '/healthz',
    '/api/v2',
    '/.well-known/oauth-protected-resource',
  ];
  const paths = [...new Set([...oauth, ...others])].flatMap((path) =>
    sampleAt(
      path,
      VALUES.flatMap((value) => [`${path}/${value}`, path + value, path.replace(/:\w+/, value), `/${value}`]),
    ),
  );
  await all([...new Set(paths)], async (to) => requireNoBreakage(to, await gateway.send(to, { caller })));
});

/** What the wire can carry: visible characters, spaces, tabs, and bytes beyond ASCII (RFC 9110 §5.5). */
const HEADER_VALUES = [
  ...TEXTS.filter((text) => /^[\t -~\u0080-\u00ff]*$/.test(text)),
  '\u00ff',
  '\t',
  '"',
  ',',
  ';;;',
  '='.repeat(100),
  'x'.repeat(8_000),
  'Bearer \u00ff',
  'Bearer e30.e30.',
  `Bearer ${token('{"alg":"RS256","kid":"\\u0000"}', '{}')}e30`,
  `Bearer ${token('{"alg":"none"}', '{"sub":"\\u0000","exp":1e400}')}`,
  'Basic AAAA',
  `Basic ${btoa('\0:\0')}`,
  '[::1',
  '[::ffff:1.2.3.4]:99999',
  'localhost:99999999999',
  'xn--',
  `${'a.'.repeat(200)}localhost`,
  '%00.localhost',
  'for=1.2.3.4;host=x',
];

function token(...parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.from(part).toString('base64url')}.`).join('');
}

const HEADERS = [
  'Authorization',
  'X-Request-Id',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-For',
].concat(
  ['Forwarded', 'Accept', 'Accept-Language', 'Content-Type', 'Content-Length', 'Cookie', 'Origin', 'Range'],
  ['If-None-Match', 'If-Modified-Since', 'If-Match', 'Idempotency-Key', 'Content-Encoding', 'traceparent'],
);

test.each(HEADERS)('the header %s may have any value', async (name) => {
  const server = createCheckedServer(gateway.app);
  const requests = [
    ['GET', '/api/v2/teams'],
    ['GET', '/account'],
    ['POST', '/graphql'],
    ['POST', '/oauth/token'],
    ['PATCH', '/api/v2/contacts/0'],
  ].flatMap(([method = '', path]) => HEADER_VALUES.map((value) => ({ method, path, value })));
  await all(sampleAt(name, requests, 20), async ({ method, path, value }) => {
    const headers = { Authorization: caller.authorization ?? '', [name]: value };
    const body = method === 'GET' ? {} : { body: '{"query":"{ viewer { teams { nodes { locale } } } }"}' };
    const request = new Request(`http://localhost:4000${path}`, { method, headers, ...body });
    const response = await server.fetch(request, { address: '10.0.0.1' });
    expect(response.headers.get('X-Request-Id')).toMatch(/^[\w.:+/=@-]{1,128}$/);
    await requireNoBreakage(`${name}: ${value} at ${path}`, response);
  });
});

test('afterwards no row is changed, and no failure is logged', async () => {
  expect(await digest(gateway)).toEqual(before);
  expect(breakages(gateway)).toEqual([]);
});
