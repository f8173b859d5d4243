// The results of attempts to deliver, with receivers of every kind (src/jobs/delivery/sender.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createSender, type Sender } from '../../src/jobs/delivery/sender.ts';
import { bodyOf, networks, receive, receiveRaw } from './receiver.ts';

const allowedNetworks = networks('127.0.0.1/32', '::1/128');
const SHORT = { connectMs: 400, answerMs: 400 };
const senders: Sender[] = [];

function newSender(options: Partial<Parameters<typeof createSender>[0]> = {}): Sender {
  const sender = createSender({
    allowedNetworks,
    timeouts: { connectMs: 3_000, answerMs: 3_000 },
    ...options,
  });
  senders.push(sender);
  return sender;
}

afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
});

const post = (
  sender: Sender,
  url: string,
  body: string | Buffer = '{}',
  signal = new AbortController().signal,
) => sender.send({ url, headers: { 'content-type': 'application/json', 'x-id': '7' }, body }, signal);

/** What comes of a delivery to a receiver that answers with these bytes, and then closes the connection if it is told to. */
async function answerOf(bytes: string | Buffer, { closes = true, timeouts = SHORT } = {}) {
  await using receiver = await receiveRaw((socket) => {
    socket.once('data', () => (closes ? socket.end(bytes) : socket.write(bytes)));
  });
  return await post(newSender({ timeouts }), `http://127.0.0.1:${receiver.port}/`);
}

test('the receiver gets exactly the body, the path and the headers', async () => {
  const got: unknown[] = [];
  await using receiver = await receive(async (request, response) => {
    const { method, url, headers } = request;
    got.push([method, url, headers.host, headers['x-id'], headers['content-length'], await bodyOf(request)]);
    response.writeHead(201).end('Thanks, Zoë');
  });
  const body = '{"name":"Zoë"}';
  const url = `http://127.0.0.1:${receiver.port}/hook/a%20b?key=c%26d`;
  const before = new Date();
  const attempt = await post(newSender(), url, body);
  expect(attempt).toEqual({
    ...{ startedAt: expect.any(Date), durationMs: expect.any(Number), code: 201, error: null },
    ...{ responseStart: 'Thanks, Zoë', retryAfterMs: null },
  });
  expect(attempt.startedAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect(Number.isInteger(attempt.durationMs)).toBe(true);
  const host = `127.0.0.1:${receiver.port}`;
  expect(got).toEqual([['POST', '/hook/a%20b?key=c%26d', host, '7', String(Buffer.byteLength(body)), body]]);
});

test('deliveries to one receiver reuse connections, and concurrent ones have one each', async () => {
  await using receiver = await receive((_, response) => void setImmediate(() => response.end()));
  const sender = newSender();
  const url = `http://127.0.0.1:${receiver.port}/`;
  for (let count = 0; count < 5; count++) await post(sender, url);
  // undici leaves a connection idle for an event loop tick, in which the next one may start.
  expect(receiver.connections).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 4 }, () => post(sender, url)));
  expect(receiver.connections).toBeGreaterThanOrEqual(4);
});

test('a receiver that closes each connection gets every delivery', async () => {
  await using receiver = await receive((_, response) => void response.setHeader('connection', 'close').end());
  const sender = newSender();
  for (let count = 0; count < 5; count++)
    expect(await post(sender, `http://127.0.0.1:${receiver.port}/`)).toMatchObject({
      code: 200,
      error: null,
    });
});

test.each([301, 302, 303, 307, 308])('a redirect with %d is not followed', async (status) => {
  await using inside = await receive((_, response) => void response.end());
  await using receiver = await receive((_, response) => {
    response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end();
  });
  const attempt = await post(newSender(), `http://127.0.0.1:${receiver.port}/`);
  expect(attempt).toMatchObject({ code: status, error: null });
  expect(inside.connections).toBe(0);
});

describe('an answer', () => {
  test('of any status is reported, with its first characters', async () => {
    const text = `${'é'.repeat(1_999)}😀 and more`;
    const bytes = Buffer.from(text);
    const attempt = await answerOf(
      Buffer.concat([Buffer.from(`HTTP/1.1 500 Oh\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]),
    );
    // The pair of 😀 does not fit whole.
    expect(attempt).toMatchObject({ code: 500, error: null, responseStart: 'é'.repeat(1_999) });
  });

  test('may be any bytes: the stored part is valid text', async () => {
    const bytes = Buffer.from([0x61, 0, 0xff, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x62]);
    const head = Buffer.from(`HTTP/1.1 200 \r\nContent-Length: ${bytes.length}\r\n\r\n`);
    const { code, responseStart } = await answerOf(Buffer.concat([head, bytes]));
    expect(code).toBe(200);
    expect(responseStart).toMatch(/^a\ufffd+b$/);
    expect(responseStart.isWellFormed()).toBe(true);
  });

  test('is cut at 64 kB, and its connection is closed', async () => {
    let written = 0;
    const closed = Promise.withResolvers<void>();
    await using receiver = await receive((_, response) => {
      response.on('close', closed.resolve);
      const chunk = Buffer.alloc(16_384, 'x');
      const write = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    const attempt = await post(newSender(), `http://127.0.0.1:${receiver.port}/`);
    expect(attempt).toMatchObject({ code: 200, error: null, responseStart: 'x'.repeat(2_000) });
    await closed.promise;
    // What was on its way, and not the rest of an answer without end.
    expect(written).toBeLessThan(50_000_000);
  });

  test('that is compressed stays compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    const attempt = await answerOf(Buffer.concat([Buffer.from(head), bomb]));
    expect(attempt).toMatchObject({ code: 200, error: null });
    expect(attempt.responseStart.length).toBeLessThanOrEqual(2_000);
  });

  test.each([
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
    ['one without a reason', 'HTTP/1.1 200\r\n\r\n', 200],
    ['one of HTTP/1.0, ended by closing', 'HTTP/1.0 200 OK\r\n\r\nfine', 200],
    [
      'one after early hints',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 0\r\n\r\n',
      202,
    ],
    ['a status out of any range', 'HTTP/1.1 999 Weird\r\nContent-Length: 0\r\n\r\n', 999],
    ['headers that come twice', 'HTTP/1.1 200 OK\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n', 200],
    [
      'one with garbage after it',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/9 garbage\r\n\r\n',
      200,
    ],
    [
      'one with a second answer after it',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
      200,
    ],
  ])('%s', async (_, bytes, code) => {
    expect(await answerOf(bytes)).toMatchObject({ code, error: null });
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'The answer was not valid HTTP.'],
    [
      'two different lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok',
      'The answer was not valid HTTP.',
    ],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\n${'X-Padding: abcdefghijklmnopqrstuvwxyz\r\n'.repeat(2_000)}`,
      'The headers of the answer were too large.',
    ],
    ['nothing', '', 'The connection was closed before the answer was complete.'],
    ['half a status line', 'HTTP/1.1 2', 'The connection was closed before the answer was complete.'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      expect.any(String),
    ],
  ])('that is %s is no answer', async (_, bytes, error) => {
    expect(await answerOf(bytes)).toMatchObject({ code: null, error });
  });

  test('that ends too early is incomplete, although it has a status', async () => {
    const attempt = await answerOf('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    expect(attempt).toMatchObject({
      code: 200,
      error: expect.stringMatching(/closed|valid HTTP/),
      responseStart: 'half',
    });
  });

  test.each([
    ['120', 120_000],
    ['0', 0],
    ['999999999', 86_400_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
    ['Friday, 31-Dec-9999 23:59:59 GMT', null],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
    ['Fri Dec 31 23:59:59 9999', 86_400_000],
    ['Sun Nov 6 08:49:37 1994 GMT', null],
    ['Sun, 06 Nov 1994 08:49:37', null],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['99999999999', 86_400_000],
    ['99999999999999999999', 86_400_000],
  ])('with Retry-After: %s', async (value, retryAfterMs) => {
    const bytes = `HTTP/1.1 503 Busy\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`;
    expect(await answerOf(bytes)).toMatchObject({ code: 503, retryAfterMs });
  });

  test.each([
    [
      'the usual form',
      ([day, date, month, year, time]: string[]) => `${day}, ${date} ${month} ${year} ${time} GMT`,
    ],
    [
      'the form of RFC 850',
      ([, date, month, year, time]: string[]) => `Wednesday, ${date}-${month}-${year?.slice(2)} ${time} GMT`,
    ],
    [
      'the form of asctime',
      ([day, date, month, year, time]: string[]) =>
        `${day} ${month} ${date?.replace(/^0/, ' ')} ${time} ${year}`,
    ],
  ])('with Retry-After as a date in %s', async (_, write) => {
    const date = write(new Date(Date.now() + 60_000).toUTCString().split(/,? /));
    const { retryAfterMs } = await answerOf(
      `HTTP/1.1 429 No\r\nRetry-After: ${date}\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('an attempt at a hanging receiver times out', () => {
  const LATE = 'The answer took too long.';

  test.each([
    ['after it took the request', '', null],
    ['within the status line', 'HTTP/1.1 20', null],
    ['within the headers', 'HTTP/1.1 200 OK\r\nX-A: 1\r\n', null],
    ['within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 200],
  ])('%s', async (_, bytes, code) => {
    expect(await answerOf(bytes, { closes: false })).toMatchObject({ code, error: LATE });
  });

  test.each([
    ['headers', 'HTTP/1.1 200 OK\r\n', 'X: 1\r\n'],
    ['early hints', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['body', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
  ])('also one that sends a little of its %s again and again', async (_, start, drop) => {
    await using receiver = await receiveRaw((socket) => {
      socket.write(start);
      const drip = setInterval(() => socket.write(drop), 50);
      socket.on('close', () => clearInterval(drip));
    });
    const attempt = await post(newSender({ timeouts: SHORT }), `http://127.0.0.1:${receiver.port}/`);
    expect(attempt.error).toBe(LATE);
  });

  test('if it sends early hints without end', async () => {
    await using receiver = await receiveRaw((socket) => {
      const hints = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1_000));
      const write = () => {
        while (!socket.destroyed && socket.write(hints));
        if (!socket.destroyed) socket.once('drain', write);
      };
      socket.once('data', write);
    });
    const attempt = await post(newSender(), `http://127.0.0.1:${receiver.port}/`);
    expect(attempt).toMatchObject({ code: null, error: 'The answer was not valid HTTP.' });
  });

  test('if it never reads', async () => {
    await using receiver = await receiveRaw((socket) => socket.pause());
    const body = Buffer.alloc(30_000_000);
    const attempt = await post(newSender({ timeouts: SHORT }), `http://127.0.0.1:${receiver.port}/`, body);
    expect(attempt).toMatchObject({ code: null, error: LATE });
  });

  test('if it never completes TLS', async () => {
    await using receiver = await receiveRaw(() => {});
    const attempt = await post(newSender({ timeouts: SHORT }), `https://127.0.0.1:${receiver.port}/`);
    expect(attempt).toMatchObject({ code: null, error: 'Connecting took too long.' });
  });

  test('without losing a delivery to others', async () => {
    await using hanging = await receiveRaw(() => {});
    await using good = await receive((_, response) => void response.end());
    const sender = newSender({ timeouts: { connectMs: 3_000, answerMs: 2_000 } });
    const hung = Array.from({ length: 50 }, () => post(sender, `http://127.0.0.1:${hanging.port}/`));
    let ended = false;
    void Promise.race(hung).then(() => {
      ended = true;
    });
    for (let count = 0; count < 20; count++)
      expect(await post(sender, `http://127.0.0.1:${good.port}/`)).toMatchObject({ code: 200 });
    expect(ended).toBe(false);
    for (const attempt of await Promise.all(hung)) expect(attempt.error).toBe(LATE);
  });
});

describe('a failure to send is explained in one sentence', () => {
  test.each(['', 'example.com', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'http://'])(
    'the URL %j',
    async (url) => {
      expect(await post(newSender(), url)).toMatchObject({ code: null, error: 'The URL is not valid.' });
    },
  );

  test('a closed port', async () => {
    const receiver = await receive(() => {});
    await receiver[Symbol.asyncDispose]();
    const attempt = await post(newSender(), `http://127.0.0.1:${receiver.port}/?key=secret`);
    expect(attempt).toMatchObject({ code: null, error: 'The connection was refused.', responseStart: '' });
    expect(JSON.stringify(attempt)).not.toContain('secret');
  });

  test('a header with a line break', async () => {
    await using receiver = await receive((_, response) => void response.end());
    const delivery = {
      url: `http://127.0.0.1:${receiver.port}/`,
      headers: { 'x-a': 'b\r\nX-C: d' },
      body: '',
    };
    const attempt = await newSender().send(delivery, new AbortController().signal);
    expect(attempt).toMatchObject({ code: null, error: 'The request could not be sent.' });
  });

  test('text in place of TLS', async () => {
    await using receiver = await receiveRaw((socket) => void socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
    const attempt = await post(newSender(), `https://127.0.0.1:${receiver.port}/`);
    expect(attempt).toMatchObject({ code: null, error: 'No TLS connection could be agreed on.' });
  });

  test('a name that DNS does not have, or does not answer for', async () => {
    const failing = (code: string) =>
      newSender({ lookup: () => Promise.reject(Object.assign(new Error(), { code })) });
    expect((await post(failing('ENOTFOUND'), 'http://a.example/')).error).toBe(
      'The host name was not found.',
    );
    expect((await post(failing('ESERVFAIL'), 'http://a.example/')).error).toBe(
      'The host name could not be resolved.',
    );
    const hanging = newSender({ timeouts: SHORT, lookup: () => new Promise(() => {}) });
    expect((await post(hanging, 'http://a.example/')).error).toBe('The host name could not be resolved.');
  });
});

describe('an attempt that is stopped', () => {
  const STOPPED = { code: null, error: 'The attempt was stopped.' };

  test('before it began, while it connects or while it waits, ends at once', async () => {
    expect(await post(newSender(), 'http://127.0.0.1:1/', '', AbortSignal.abort())).toMatchObject(STOPPED);

    const lookedUp = Promise.withResolvers<readonly string[]>();
    await using receiver = await receive(() => {});
    const connecting = new AbortController();
    const sender = newSender({ lookup: () => lookedUp.promise });
    const first = post(sender, `http://a.example:${receiver.port}/`, '', connecting.signal);
    connecting.abort();
    expect(await first).toMatchObject(STOPPED);
    lookedUp.resolve(['127.0.0.1']);

    const waiting = new AbortController();
    const asked = Promise.withResolvers<void>();
    await using silent = await receive(() => asked.resolve());
    const second = post(newSender(), `http://127.0.0.1:${silent.port}/`, '', waiting.signal);
    await asked.promise;
    waiting.abort();
    expect(await second).toMatchObject(STOPPED);
  });

  test('while it connected is not sent afterwards', async () => {
    const lookedUp = Promise.withResolvers<readonly string[]>();
    let requests = 0;
    await using receiver = await receive((_, response) => {
      requests++;
      response.end();
    });
    const sender = newSender({ lookup: () => lookedUp.promise });
    const stop = new AbortController();
    const url = `http://a.example:${receiver.port}/`;
    const stopped = post(sender, url, '', stop.signal);
    stop.abort();
    await stopped;
    lookedUp.resolve(['127.0.0.1']);
    expect(await post(sender, url)).toMatchObject({ code: 200 });
    // Long enough for the stopped request to arrive: nothing shows that it does not.
    await sleep(100);
    expect(requests).toBe(1);
  });

  test('ends with the sender, as does every later one', async () => {
    const asked = Promise.withResolvers<void>();
    await using receiver = await receive(() => asked.resolve());
    const sender = newSender();
    const url = `http://127.0.0.1:${receiver.port}/`;
    const attempt = post(sender, url);
    await asked.promise;
    await sender.close();
    expect(await attempt).toMatchObject(STOPPED);
    expect(await post(sender, url)).toMatchObject(STOPPED);
  });
});
