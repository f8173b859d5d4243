// Bytes over a real socket: which are not a valid request, and that each error response has the usual form (RFC 9112).
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { listen } from '../../src/http/listener.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { breakages } from '../support/hostile.ts';
import { expectProblem } from '../support/problem.ts';
import { nextOf } from '../support/walk.ts';
import { sendBytes, toResponses } from '../support/wire.ts';

let now = new Date();

const gateway = await createGateway({
  env: { PORT: '0', REQUEST_TIMEOUT_MS: '1000' },
  overrides: { clock: () => now },
});
const listener = await listen(gateway.app);
const workspace = await factories.workspace(gateway.app, { subdomain: 'shop' });
const last = (await factories.contact(gateway.app, { workspaceId: workspace.id })).id;
const key = (await factories.apiKey(gateway.app, { teamId: workspace.teamId })).token;
const path = `/api/v2/workspaces/${workspace.id}/contacts`;
afterAll(async () => {
  await listener.close();
  await gateway.close();
});
/** Everything that was logged before the current test. */
const logged: string[] = [];
const forgetLines = () => logged.push(...gateway.logLines.splice(0));
beforeEach(() => {
  forgetLines();
  // Refusals are logged at a bounded rate: each test has a second of its own.
  now = new Date(now.getTime() + 1_000);
});

/** A request's head, by its first line and its other headers; the connection ends with its answer. */
const head = (line: string, ...headers: string[]) =>
  `${[line, ...headers, `Authorization: Bearer ${key}`, 'Connection: close'].join('\r\n')}\r\n\r\n`;
const get = (target: string, ...headers: string[]) => head(`GET ${target} HTTP/1.1`, ...headers);
const post = (...headers: string[]) =>
  head('POST /graphql HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...headers);

/** The only answer to these bytes. */
async function answerTo(bytes: string): Promise<Response> {
  const responses = toResponses(await sendBytes(listener.port, bytes));
  expect(responses).toHaveLength(1);
  return responses[0] as Response;
}

/** The only line about a request, without any sign of an internal error. */
async function expectOneLine(response: Response): Promise<Record<string, unknown>> {
  const id = response.headers.get('X-Request-Id');
  // The line of an answered request is written with its answer.
  await vi.waitFor(() => expect(gateway.logLines).toHaveLength(1), 60_000);
  const [line] = gateway.logLines.map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(line).toMatchObject({ level: 'info', requestId: id, status: response.status });
  return line ?? {};
}

const TWO = ['Host: localhost', 'Host: localhost'];
const UNREADABLE: [name: string, bytes: () => string][] = [
  ['two Host headers, though they are the same', () => get(path, ...TWO)],
  ['two Host headers of which one is empty', () => get(path, 'Host: localhost', 'host:')],
  ['two Host headers with an absolute target', () => get(`http://localhost${path}`, ...TWO)],
  ['no Host header', () => get(path)],
  ['no Host header with an absolute target', () => get(`http://localhost${path}`)],
  ['no Host header in HTTP/1.0', () => head(`GET ${path} HTTP/1.0`)],
  ...[
    '',
    ' ',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'user@localhost',
    'localhost:80:80',
    'localhost:x',
    'localhost:99999',
  ].map(badHost),
  ...['[::1', '::1', '[::1]x', 'http://localhost', '256.1.1.1', '1.2.3.4.5', '%00', '%zz', '\xe9', '\\'].map(
    badHost,
  ),
  ['a bad Host beside an absolute target', () => get(`http://localhost${path}`, 'Host: a b')],
  ['an absolute target without a host', () => get(`http:///${path}`, 'Host: localhost')],
  ['an absolute target with a user', () => get(`http://user:word@localhost${path}`, 'Host: localhost')],
  ['an absolute target with a bad port', () => get(`http://localhost:99999${path}`, 'Host: localhost')],
  ['an absolute target of another scheme', () => get(`ftp://localhost${path}`, 'Host: localhost')],
  ['a backslash in the path', () => get('/api\\v2/teams', 'Host: localhost')],
  ['a backslash in the path of an absolute target', () => get('http://localhost/api\\v2', 'Host: localhost')],
  ['a target that is no path', () => get('*', 'Host: localhost')],
  ['a target for the server as a whole', () => head('OPTIONS * HTTP/1.1', 'Host: localhost')],
  ['a tunnel that is asked for', () => head('CONNECT localhost:80 HTTP/1.1', 'Host: localhost')],
  ['a relative target', () => get('api/v2/teams', 'Host: localhost')],
  ['an unknown method', () => head(`FETCH ${path} HTTP/1.1`, 'Host: localhost')],
  ['a method in small letters', () => head(`get ${path} HTTP/1.1`, 'Host: localhost')],
  ['another version', () => head('GET / HTTP/2.0', 'Host: localhost')],
  ['the oldest version', () => head('GET / HTTP/0.9', 'Host: localhost')],
  ['what begins HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['what begins TLS', () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
  ['a control character in a header', () => get(path, 'Host: localhost', 'X: a\x01b')],
  ['a NUL in a header', () => get(path, 'Host: localhost', 'X: a\0b')],
  ['a space before the colon', () => get(path, 'Host : localhost')],
  ['a folded header', () => get(path, 'Host: localhost', 'X: a', ' b')],
  ['a bare line feed', () => get(path, 'Host: localhost').replaceAll('\r\n', '\n')],
  ['two lengths', () => `${post('Content-Length: 2', 'Content-Length: 3')}{}`],
  ['a length that is no number', () => `${post('Content-Length: -1')}{}`],
  [
    'a length beside chunks',
    () => `${post('Content-Length: 2', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
  ],
  ['an encoding that is not chunked at last', () => `${post('Transfer-Encoding: chunked, gzip')}x`],
];

function badHost(host: string): [string, () => string] {
  return [`the Host "${host}"`, () => get(path, `Host: ${host}`)];
}

describe('bytes that are not a valid request', () => {
  test.each(UNREADABLE)(
    '%s: 400 as a problem document, its connection closed, one line in the log',
    async (_, bytes) => {
      const response = await answerTo(bytes());
      expect(response.headers.get('Connection')).toBe('close');
      expect(response.headers.get('Cache-Control')).toBe('no-store');
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      await expectProblem(response, 'bad_request');
      const line = await expectOneLine(response);
      expect(line).toMatchObject({ address: '127.0.0.1', reason: expect.stringMatching(/\S/) });
      expect(breakages(gateway)).toEqual([]);
    },
  );

  test.each([
    ['headers of 20 kB', () => get('/', 'Host: localhost', `X: ${'x'.repeat(20_000)}`)],
    ['2,000 headers', () => get('/', 'Host: localhost', ...Array<string>(2_000).fill('X: 12345'))],
    ['201 headers', () => get('/', 'Host: localhost', ...Array<string>(199).fill('X: 1'))],
  ])('%s are 431', async (_, bytes) => {
    const response = await answerTo(bytes());
    await expectProblem(response, 'header_fields_too_large');
    await expectOneLine(response);
  });

  test.each([8_193, 16_000, 20_000, 60_000])('a target of %i characters is 414', async (length) => {
    const response = await answerTo(get(`/${'x'.repeat(length - 1)}`, 'Host: localhost'));
    await expectProblem(response, 'uri_too_long');
    await expectOneLine(response);
  });

  test('200 headers and a target of 8,192 characters are read', async () => {
    const target = `${path}?x=`.padEnd(8_192, 'x');
    const response = await answerTo(get(target, 'Host: localhost', ...Array<string>(197).fill('X: 1')));
    expect(response.status).toBe(200);
  });

  test('the client’s request id is used if it could be parsed', async () => {
    const response = await answerTo(get(path, ...TWO, 'X-Request-Id: mine'));
    expect(response.headers.get('X-Request-Id')).toBe('mine');
    await expectProblem(response, 'bad_request');
    expect(
      (await answerTo(get(path, ...TWO, 'X-Request-Id: "><script>'))).headers.get('X-Request-Id'),
    ).toMatch(/^[\w-]{36}$/);
  });

  test('HEAD is refused without a body', async () => {
    const text = await sendBytes(listener.port, head(`HEAD ${path} HTTP/1.1`, ...TWO));
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\n$/s);
  });

  test('nothing of a client’s bytes is in the log', async () => {
    for (const bytes of [
      get('/', 'Host: SECRET x'),
      get('SECRET'),
      'SECRET\r\n\r\n',
      get('/', 'Host: localhost', 'X: SECRET\x01'),
    ])
      await answerTo(bytes);
    await vi.waitFor(() => expect(gateway.logLines).toHaveLength(4), 60_000);
    expect(gateway.logLines.join()).not.toContain('SECRET');
  });

  test('of many in one second some are logged, and then the number of the others', async () => {
    for (let round = 0; round < 60; round++) await answerTo('nonsense\r\n\r\n');
    const before = gateway.logLines.length;
    expect(before).toBeLessThan(60);
    now = new Date(now.getTime() + 1_000);
    await answerTo('nonsense\r\n\r\n');
    expect(gateway.logLines).toHaveLength(before + 1);
    expect(JSON.parse(gateway.logLines.at(-1) ?? '')).toMatchObject({ unlogged: 60 - before });
  });
});

describe('a valid request', () => {
  test.each([
    ['localhost', 'http://localhost'],
    ['LOCALHOST', 'http://localhost'],
    ['localhost:', 'http://localhost'],
    ['localhost:80', 'http://localhost'],
    ['localhost:4000', 'http://localhost:4000'],
    ['localhost.', 'http://localhost.'],
    ['127.0.0.1:81', 'http://127.0.0.1:81'],
    ['[::1]:4000', 'http://[::1]:4000'],
    ['%6cocalhost', 'http://localhost'],
    ['shop.localhost', 'http://shop.localhost'],
  ])('is answered at the Host %s', async (host, origin) => {
    const response = await answerTo(get(path, `Host: ${host}`));
    expect(nextOf(response)).toBe(`${origin}${path}?after=${last}`);
  });

  test.each(['https://localhost', 'http://localhost', 'HTTP://LOCALHOST', 'http://localhost:80'])(
    'with the target %s has that host, and the scheme of its socket',
    async (origin) => {
      const response = await answerTo(get(`${origin}${path}?per_page=1`, 'Host: nobody.example'));
      expect(nextOf(response)).toBe(`http://localhost${path}?per_page=1&after=${last}`);
    },
  );

  test('with an absolute target goes to that host, whatever the Host header says', async () => {
    const response = await answerTo(get(`http://nobody.example${path}`, 'Host: localhost'));
    await expectProblem(response, 'misdirected_request');
    for (const target of ['http://localhost', 'http://localhost?a']) {
      const home = await answerTo(get(target, 'Host: nobody.example'));
      expect(await home.json()).toMatchObject({ graphql: '/graphql' });
    }
  });

  test('with TRACE gets 405, and nothing of it is sent back', async () => {
    for (const target of [path, '/graphql']) {
      const response = await answerTo(head(`TRACE ${target} HTTP/1.1`, 'Host: localhost', 'X: echo'));
      expect(response.status).toBe(405);
      expect(await response.text()).not.toContain('echo');
    }
  });

  test('may have an unknown Expect or Upgrade header, which is ignored', async () => {
    for (const header of ['Expect: the-impossible', 'Upgrade: websocket', 'Upgrade: h2c']) {
      const response = await answerTo(get(path, 'Host: localhost', header));
      expect([header, response.status]).toEqual([header, 200]);
    }
    const body = '{"query":"{ __typename }"}';
    const response = await answerTo(post(`Content-Length: ${body.length}`, 'Expect: 100-continue') + body);
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('a body that does not arrive as announced', () => {
  const BROKEN: [name: string, bytes: () => string][] = [
    ['a chunk without a length', () => `${post('Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk longer than its length', () => `${post('Transfer-Encoding: chunked')}1\r\n{}\r\n0\r\n\r\n`],
    ['an encoding besides chunked', () => `${post('Transfer-Encoding: gzip')}0\r\n\r\n`],
  ];

  test.each(BROKEN)('%s: 400 in the form of /graphql, one line in the log', async (_, bytes) => {
    const response = await answerTo(bytes());
    expect(response.status).toBe(400);
    expect(response.headers.get('Connection')).toBe('close');
    const { errors } = (await response.json()) as { errors: unknown[] };
    const requestId = response.headers.get('X-Request-Id');
    expect(errors).toEqual([{ message: expect.any(String), extensions: { code: 'BAD_REQUEST', requestId } }]);
    await expectOneLine(response);
  });

  test('extensions of chunks beyond 16 kB are 413', async () => {
    const response = await answerTo(
      `${post('Transfer-Encoding: chunked')}1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`,
    );
    expect(response.status).toBe(413);
    await expectOneLine(response);
  });

  const FORM = ['Host: localhost', 'Content-Type: application/x-www-form-urlencoded'];
  test.each([
    ['/graphql', () => post('Content-Length: 100')],
    ['/graphql, in chunks', () => `${post('Transfer-Encoding: chunked')}64\r\n`],
    ['/oauth/token', () => head('POST /oauth/token HTTP/1.1', ...FORM, 'Content-Length: 100')],
    ['/oauth/introspect', () => head('POST /oauth/introspect HTTP/1.1', ...FORM, 'Content-Length: 100')],
    [
      '/oauth/register',
      () => head('POST /oauth/register HTTP/1.1', 'Host: localhost', 'Content-Length: 100'),
    ],
  ])('a client that hangs up in the middle of it is no failure of ours: %s', async (_, bytes) => {
    for (const hangUp of ['end', 'reset'] as const) {
      forgetLines();
      await sendBytes(listener.port, `${bytes()}{`, { hangUp });
      await vi.waitFor(() => expect(gateway.logLines).toHaveLength(1), { timeout: 60_000 });
      expect(JSON.parse(gateway.logLines[0] ?? '')).toMatchObject({ level: 'info', status: 400 });
    }
  });
});

describe('a slow client', () => {
  test('gets 408 if its headers take too long', async () => {
    const response = await answerTo('GET / HTTP/1.1\r\nHost: localhost\r\n');
    await expectProblem(response, 'request_timeout');
    await expectOneLine(response);
  });

  test('gets 408 if its body takes too long, which is logged as no failure', async () => {
    const response = await answerTo(`${post('Content-Length: 100')}{`);
    expect(response.status).toBe(408);
    await expectOneLine(response);
  });
});

describe('pipelined requests on one connection', () => {
  const first = () => get(path, 'Host: localhost').replace('Connection: close\r\n', '');

  test.each([
    ['no request', 'nonsense\r\n\r\n'],
    ['a request with two Host headers', `GET / HTTP/1.1\r\n${TWO.join('\r\n')}\r\n\r\n`],
    ['a request for a tunnel', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'a chunk that is none',
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
  ])('are answered in their order, though one is followed by %s', async (_, second) => {
    const responses = toResponses(await sendBytes(listener.port, first() + first() + second));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(nextOf(responses[0] as Response)).toBe(`http://localhost${path}?after=${last}`);
  });

  test('are disconnected if more than 32 wait, and that is logged', async () => {
    const received = await sendBytes(listener.port, first().repeat(40));
    expect(received).toBe('');
    await vi.waitFor(() => expect(gateway.logLines.join()).toContain('More than 32 requests wait'), 60_000);
  });

  test('nothing behind a refused one is answered', async () => {
    const text = await sendBytes(
      listener.port,
      get(path, ...TWO).replace('Connection: close\r\n', '') + first(),
    );
    expect(toResponses(text).map(({ status }) => status)).toEqual([400]);
  });

  test('after one with Upgrade in the same packet get no answer, and the connection is closed', async () => {
    const bytes = [
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      get(path, 'Host: localhost'),
    ].join('');
    const response = await answerTo(bytes);
    expect([response.status, response.headers.get('Connection')]).toEqual([401, 'close']);
  });

  test('the connection stays open for further requests', async () => {
    const socket = connect(listener.port, '127.0.0.1');
    for (const round of [1, 2, 3]) {
      socket.write(first());
      const [bytes] = await once(socket, 'data');
      expect([round, String(bytes).slice(0, 15)]).toEqual([round, 'HTTP/1.1 200 OK']);
    }
    socket.destroy();
  });
});

test('behind a trusted proxy the scheme is the proxy’s, whatever the target says', async () => {
  const { app } = gateway;
  const { config } = parseConfig({ PORT: '0', TRUST_PROXY: '127.0.0.1' }, '/');
  const behind = await listen({ ...app, config });
  const sent = async (scheme: string) => {
    const bytes = get(`https://localhost${path}`, 'Host: localhost', `X-Forwarded-Proto: ${scheme}`);
    return toResponses(await sendBytes(behind.port, bytes))[0] as Response;
  };
  for (const scheme of ['https', 'http'])
    expect(nextOf(await sent(scheme))).toBe(`${scheme}://localhost${path}?after=${last}`);
  expect((await sent('gopher')).status).toBe(421);
  await behind.close();
});

test('afterwards no failure is logged', () => {
  forgetLines();
  expect(breakages({ logLines: logged })).toEqual([]);
});

test('over a socket too, a GraphQL answer has its content type, and a refusal its challenge', async () => {
  const ask = (query: string) =>
    fetch(`http://127.0.0.1:${listener.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    });
  for (const query of ['{ __typename }', '{ __schema { queryType { name } } }']) {
    const answer = await ask(query);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    await answer.body?.cancel();
  }
  const refused = await ask('{ viewer { kind } }');
  expect(refused.status).toBe(401);
  expect(refused.headers.get('content-type')).toMatch(/json/);
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
  await refused.body?.cancel();
});
