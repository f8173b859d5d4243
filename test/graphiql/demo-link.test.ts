// The demo's signed-in link: which clients get the demo key for its code, and which do not.
import { beforeEach, describe, expect, test } from 'vitest';
import { createDemoLink, DEMO_LINK_MINUTES, type PrintedDemoLink } from '../../src/graphiql/demo-link.ts';
import { createServer, type Server } from '../../src/http/server.ts';
import { ownGateway } from '../support/gateway.ts';

const KEY = 'fgw_the_demo_key';
const ORIGIN = 'http://127.0.0.1:4000';
let now = new Date('2026-01-01T12:00:00Z');
let link: PrintedDemoLink;
let server: Server;

const gateway = await ownGateway({ env: { TRUST_PROXY: '10.0.0.1', SERVICE_HOST: 'localhost' } });
beforeEach(() => {
  link = createDemoLink(KEY, () => now);
  server = createServer(gateway.app, link);
});

interface Attempt {
  readonly code?: string;
  readonly body?: string;
  readonly origin?: string;
  readonly method?: string;
  /** null: without it. */
  readonly headers?: Record<string, string | null>;
  /** Of the socket. */
  readonly address?: string;
}

/** The request of GraphiQL's page, with the changes of an attempt. */
async function redeem({
  code = link.code,
  body,
  origin = ORIGIN,
  ...attempt
}: Attempt = {}): Promise<Response> {
  const headers = new Headers({
    origin,
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
  });
  for (const [name, value] of Object.entries(attempt.headers ?? {}))
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  const request = new Request(`${origin}/graphiql/demo-key`, {
    method: attempt.method ?? 'POST',
    headers,
    ...(attempt.method === undefined && { body: body ?? JSON.stringify({ code }) }),
  });
  return server.fetch(request, { address: 'address' in attempt ? attempt.address : '127.0.0.1' });
}

async function expectRefused(attempt: Attempt, status = 404): Promise<void> {
  const response = await redeem(attempt);
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  expect(await response.text()).not.toContain(KEY);
}

test('the page on this machine gets the key, once, and no cache stores it', async () => {
  const response = await redeem();
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  expect(await response.json()).toEqual({ key: KEY });
  await expectRefused({});
});

test('of many concurrent requests one gets it', async () => {
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await redeem()).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

test.each([
  ['[::1]', '::1'],
  ['localhost', '::ffff:127.0.0.1'],
  ['127.0.0.1', '127.8.9.10'],
])('by the name %s and from %s as well', async (host, address) => {
  expect((await redeem({ origin: `http://${host}:4000`, address })).status).toBe(200);
});

test('its code is random, and new for each process', () => {
  const codes = new Set(Array.from({ length: 100 }, () => createDemoLink(KEY, () => now).code));
  expect(codes.size).toBe(100);
  for (const code of codes) expect(code).toMatch(/^[\w-]{43}$/);
});

test('no log has the code or the key', async () => {
  gateway.logLines.length = 0;
  await redeem({ code: 'wrong' });
  await redeem();
  const lines = gateway.logLines.join('');
  expect(lines).toContain('/graphiql/demo-key');
  expect(lines).not.toContain(link.code);
  expect(lines).not.toContain(KEY);
});

describe('refused is', () => {
  test('another code of any length; the right one works afterwards', async () => {
    const half = link.code.slice(0, 21);
    for (const code of ['', 'a', half, `${link.code}a`, link.code.toLowerCase(), 'a'.repeat(43)])
      await expectRefused({ code });
    expect((await redeem()).status).toBe(200);
  });

  test('an expired code', async () => {
    const start = now;
    now = new Date(start.getTime() + DEMO_LINK_MINUTES * 60_000);
    await expectRefused({});
    now = start;
    await expectRefused({});
  });

  test('a request that came through a proxy, trusted or not', async () => {
    for (const name of [
      'Forwarded',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Forwarded-Anything',
      'X-Forwarded',
      'X-Real-IP',
      'X-Client-IP',
      'True-Client-IP',
      'CF-Connecting-IP',
      'Via',
    ])
      await expectRefused({ headers: { [name]: '127.0.0.1' } });
    await expectRefused({ headers: { 'X-Forwarded-For': '127.0.0.1' }, address: '10.0.0.1' });
  });

  test('a client on another machine, or without an address', async () => {
    for (const address of [
      '192.168.1.7',
      '10.0.0.1',
      '::ffff:192.168.1.7',
      'fe80::1',
      '128.0.0.1',
      '',
      undefined,
    ])
      await expectRefused({ address } as Attempt);
  });

  test('a host name other than a loopback one, such as an attacker\u2019s name that resolves to this machine', async () => {
    await expectRefused({ origin: 'http://evil.localhost:4000' }, 421);
    await expectRefused({ origin: 'http://evil.example' }, 421);
    await expectRefused({ origin: 'http://127.0.0.1.evil.example:4000' }, 421);
  });

  test('a page of another origin, and a client that is not a page', async () => {
    for (const origin of [
      'http://localhost:4000',
      'http://127.0.0.1:5173',
      'http://127.0.0.1',
      'https://127.0.0.1:4000',
      'https://evil.example',
      'null',
      null,
    ])
      await expectRefused({ headers: { origin } });
    for (const site of ['same-site', 'cross-site', 'none'])
      await expectRefused({ headers: { 'sec-fetch-site': site } });
  });

  test('a request that a form could send without a preflight', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', null])
      await expectRefused({ headers: { 'content-type': type } });
  });

  test('an invalid or large body, without harm', async () => {
    for (const body of ['', 'null', '[]', '"x"', '{', '{"code":7}', '{"code":null}', '{"code":["x"]}'])
      await expectRefused({ body });
    await expectRefused({ body: JSON.stringify({ code: 'a'.repeat(300) }) }, 413);
    expect((await redeem()).status).toBe(200);
  });

  test('another method', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS'])
      expect((await redeem({ method })).status).not.toBe(200);
    expect((await redeem()).status).toBe(200);
  });

  test('every request if no link was printed', async () => {
    server = createServer(gateway.app);
    await expectRefused({});
  });
});
