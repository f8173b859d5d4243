// A request's head may have 16 kB, from anybody. Whatever pattern fills it, reading it takes time in proportion to its length: no
// regular expression, ours or a library's, and no loop goes over it for each of its parts.
import { describe, expect, test } from 'vitest';
import { createAuthorizationServer } from '../src/oauth/authorization-server.ts';
import * as factories from './support/factories.ts';
import { createCheckedServer, ownGateway } from './support/gateway.ts';
import { sampleAt } from './support/nightly.ts';

const gateway = await ownGateway({ env: { TRUST_PROXY: '10.0.0.0/8', LOG_LEVEL: 'silent' } });
const server = createCheckedServer(gateway.app);
const { teamId } = await factories.workspace(gateway.app);
const authorization = (await factories.apiKey(gateway.app, { teamId })).authorization ?? '';

/** The rest of 16 kB when the other parts of a head are small. */
const LENGTH = 15_000;
/** What an event loop may be kept by one request: what reads in proportion takes a tenth, what does not takes more. */
const MAX_MS = 250;

/** Repeated, these find what reads on from each place, or from each place back. */
const PATTERNS = [
  ' ',
  '\t',
  ',',
  ';',
  '=',
  '"',
  '\\',
  '\\"',
  '%',
  '.',
  '/',
  'a',
  '0',
  ':',
  '[',
  '(',
  '*',
  '\u00ff',
].concat([
  'a;',
  'a,',
  ', ',
  ';q=',
  'a=b;',
  'a/b,',
  'a/b;q=0,',
  '-a',
  'aA',
  'eyJ',
  'eyJa.',
  'fgw_',
  'Bearer ',
  '10.0.0.1,',
]);
const QUERY_PATTERNS = [
  ...PATTERNS,
  '&',
  'a&',
  'x=1&',
  'x[]=1&',
  'after=1&',
  '%00',
  '%E2',
  '%25',
  '#',
  '?',
  '+',
  '../',
  '//',
];

const fill = (pattern: string, before = '', after = '') =>
  before + pattern.repeat((LENGTH - before.length) / pattern.length) + after;

/** Processor time, because others use the machine too; the best of some tries, because the first may include compilation. */
async function expectQuick(requests: readonly (() => Request)[]): Promise<void> {
  for (const toRequest of requests) {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 4 && best > MAX_MS; round++) {
      const request = toRequest();
      const { user: before } = process.cpuUsage();
      await (await server.fetch(request, { address: '10.0.0.1' })).arrayBuffer();
      best = Math.min(best, (process.cpuUsage().user - before) / 1_000);
    }
    const { method, url, headers } = toRequest();
    const shown = `${method} ${url.slice(0, 100)} ${JSON.stringify([...headers]).slice(0, 300)}`;
    if (best > MAX_MS) expect.fail(`${Math.round(best)} ms: ${shown}`);
  }
}

const BODIES: Record<string, RequestInit> = {
  '/graphql': {
    method: 'POST',
    body: '{"query":"{__typename}"}',
    headers: { 'Content-Type': 'application/json' },
  },
  '/oauth/token': { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) },
};
const PATHS = ['/api/v2/teams', '/graphql', '/oauth/token', '/account'];
const HEADERS: Record<string, readonly string[]> = {
  Authorization: ['', 'Bearer', 'Bearer eyJ', 'Basic '],
  Accept: ['', 'text/html', 'application/json;'],
  'Accept-Language': [''],
  'Accept-Encoding': ['', 'gzip;'],
  'Content-Type': ['', 'application/json', 'multipart/form-data; boundary='],
  Cookie: ['', '_session='],
  Origin: ['', 'http://'],
  'X-Request-Id': [''],
  'X-Forwarded-For': ['', '10.0.0.1,'],
  'X-Forwarded-Host': ['', 'localhost'],
  'X-Forwarded-Proto': [''],
  'If-None-Match': [''],
};

test.each(Object.entries(HEADERS))('the header %s', async (name, beginnings) => {
  const requests = PATHS.flatMap((path) =>
    beginnings.flatMap((before) =>
      PATTERNS.map((pattern) => () => {
        const { headers: own, ...init } = BODIES[path] ?? {};
        const headers = {
          Authorization: authorization,
          ...(own as object),
          [name]: fill(pattern, before, '\u00ff'),
        };
        return new Request(`http://localhost:4000${path}`, { ...init, headers });
      }),
    ),
  );
  await expectQuick(sampleAt(name, requests, 6));
});

describe('the path and the query', () => {
  const ofFaces = [
    '/',
    '/api/v2/',
    '/api/v2/contacts/',
    '/api/v2/teams?',
    '/api/v2/teams?after=',
    '/graphiql/assets/',
  ].concat([
    '/graphql?',
    '/graphql?query=',
    '/graphql?query={__typename}&',
    '/graphql?variables=',
    '/.well-known/oauth-protected-resource/',
  ]);
  const target = (path: string, method = 'GET', patterns = QUERY_PATTERNS) =>
    patterns.map(
      (pattern) => () =>
        new Request(`http://localhost:4000${fill(pattern, path)}`, {
          method,
          headers: { Authorization: authorization },
        }),
    );

  test.each(ofFaces)('%s', async (path) => expectQuick(target(path)));

  test('of every route of the authorization server', async () => {
    for (const { methods, path } of createAuthorizationServer(gateway.app, async () => new Set()).routes) {
      const filled = path.replaceAll(/:\w+/g, 'x');
      for (const method of methods) {
        for (const before of [`${filled}?`, `${filled}?client_id=x&scope=`, `${filled}?response_mode=x&`])
          await expectQuick(target(before, method, ['a', '&', 'a&', 'x=1&', '%00', ',', '+']));
      }
    }
  });
});
