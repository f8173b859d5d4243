// `webhook listen` prints and verifies deliveries.
import { afterEach, expect, test } from 'vitest';
import { signatureHeaders } from '../../src/jobs/delivery/signatures.ts';
import { receive } from '../jobs/receiver.ts';
import { type Env, run, start, untilPrinted } from './cli.ts';

const SECRET = '4f1c'.repeat(16);
const BODY = '{"event_type":"contact.created","data":{"name":"Zoë \\u001b[31m"}}';
const running: ReturnType<typeof start>[] = [];

afterEach(async () => {
  for (const { child, result } of running.splice(0)) {
    child.kill('SIGINT');
    await result;
  }
});

/** Starts the command, and reads its address. */
async function listen(args: readonly string[], env: Env = {}) {
  const listener = start(['webhook', 'listen', '--port', '0', ...args], env);
  running.push(listener);
  const printed = await untilPrinted(listener, '\n');
  return { ...listener, url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '' };
}

function headersOf({
  secret = SECRET,
  at = new Date(),
  body = BODY,
  prefix = 'X-Webhook-ClickFunnels',
} = {}) {
  return signatureHeaders({ prefix, id: 'b4c2', at, body, secrets: { current: secret, previous: null } });
}

const post = (url: string, headers: Record<string, string>, body = BODY) =>
  fetch(`${url}/hook?a=b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

test('a script gets one line for each delivery, with the result of each signature check', async () => {
  const listener = await listen(['--json', '--secret', SECRET]);
  expect((await post(listener.url, headersOf())).status).toBe(200);
  expect((await post(listener.url, headersOf({ secret: 'other' }))).status).toBe(200);
  expect((await post(listener.url, {})).status).toBe(200);
  await untilPrinted(listener, '"missing"');
  const [first, ...deliveries] = listener.output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toEqual({ url: listener.url });
  expect(deliveries[0]).toMatchObject({
    method: 'POST',
    path: '/hook?a=b',
    body: JSON.parse(BODY),
    headers: { 'webhook-id': 'b4c2', 'content-type': 'application/json' },
    age_seconds: expect.any(Number),
    answered: 200,
  });
  expect(deliveries.map(({ signatures }) => signatures)).toEqual([
    { prefixed: 'valid', standard: 'valid' },
    { prefixed: 'invalid', standard: 'invalid' },
    { prefixed: 'missing', standard: 'missing' },
  ]);
});

test('the text output is readable, and no delivery can send control characters to the terminal', async () => {
  const env = { WEBHOOK_SECRET: SECRET, WEBHOOK_HEADER_PREFIX: 'X-Acme' };
  const listener = await listen(['--status', '503'], env);
  const at = new Date(Date.now() - 3_600_000);
  expect((await post(listener.url, headersOf({ prefix: 'X-Acme', at }))).status).toBe(503);
  const printed = await untilPrinted(listener, '}\n');
  expect(printed).toContain('POST /hook?a=b -> 503');
  expect(printed).toMatch(
    /X-Acme-Signature is valid, webhook-signature is valid, signed 36\d\d s ago, which receivers refuse/,
  );
  expect(printed).toContain('    "name": "Zoë \\u001b[31m"');
  await post(listener.url, {}, '\u001b]0;title\u0007 \u009b31m \u202e');
  await untilPrinted(listener, 'title');
  expect(listener.output.stdout).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  expect(listener.output.stdout).not.toContain(SECRET);
});

test('without a secret it reports that signatures are not checked', async () => {
  const listener = await listen([]);
  await post(listener.url, headersOf());
  const printed = await untilPrinted(listener, '}\n');
  expect(printed).toContain('give --secret or WEBHOOK_SECRET');
  expect(printed).toContain('webhook-signature is not checked');
});

test('refuses large bodies, and methods other than POST', async () => {
  const listener = await listen(['--json']);
  const tooLarge = await post(listener.url, {}, 'x'.repeat(6_000_000)).then(
    ({ status }) => status,
    () => 413,
  );
  expect(tooLarge).toBe(413);
  expect((await fetch(listener.url)).status).toBe(405);
});

test('Ctrl-C ends it cleanly, also during a delivery', async () => {
  const listener = await listen([]);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const hanging = fetch(listener.url, { method: 'POST', body, duplex: 'half' }).catch(() => {});
  listener.child.kill('SIGINT');
  expect(await listener.result).toMatchObject({ code: 0, stderr: '' });
  await hanging;
});

test('reports a port in use in one sentence', async () => {
  await using other = await receive(() => {});
  const { code, stderr } = await run(['webhook', 'listen', '--port', String(other.port)], {});
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `Port ${other.port} on 127.0.0.1 is in use. Choose another with --port.\n`,
  });
});
