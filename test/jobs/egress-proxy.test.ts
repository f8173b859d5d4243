// Deliveries by way of an HTTP proxy (src/jobs/delivery/egress-proxy.ts).

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSender, type Sender } from '../../src/jobs/delivery/sender.ts';
import { hasOpenssl, makeCertificate, networks, receive, receiveRaw, receiveTls } from './receiver.ts';

const PROXY_FAILED = { code: null, error: 'The proxy that webhooks are sent through did not connect.' };
const allowedNetworks = networks('127.0.0.1/32', '::1/128');

/** The requests to the proxy. */
let asked: { authority: string; headers: IncomingHttpHeaders }[];
let status: string;
let proxyPort: number;
let closeProxy: () => Promise<void>;
const senders: Sender[] = [];

beforeEach(async () => {
  asked = [];
  status = '200 Connected';
  const sockets = new Set<Socket>();
  const proxy = createServer((_, response) => void response.writeHead(500).end());
  proxy.on('connection', (socket) => sockets.add(socket));
  proxy.on('connect', ({ url = '', headers }, client) => {
    asked.push({ authority: url, headers });
    client.on('error', () => {});
    if (!status.startsWith('200')) {
      client.end(`HTTP/1.1 ${status}\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port || 80), hostname.replace(/[[\]]/g, ''), () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    sockets.add(upstream);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyPort = (proxy.address() as AddressInfo).port;
  closeProxy = async () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
    await once(proxy, 'close');
  };
});

afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
  await closeProxy();
});

function post(
  url: string,
  proxy = `http://127.0.0.1:${proxyPort}`,
  addresses: readonly string[] = ['127.0.0.1'],
) {
  const timeouts = { connectMs: 1_000, answerMs: 3_000 };
  const sender = createSender({ allowedNetworks, proxy, timeouts, lookup: async () => addresses });
  senders.push(sender);
  return sender.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
}

test('the proxy gets the checked address and its credentials, which the receiver never sees', async () => {
  let got: IncomingHttpHeaders = {};
  await using receiver = await receive(({ headers }, response) => {
    got = headers;
    response.end('fine');
  });
  const proxy = `http://me:se%3Acret@127.0.0.1:${proxyPort}`;
  const attempt = await post(`http://hooks.example:${receiver.port}/`, proxy);
  expect(attempt).toMatchObject({ code: 200, error: null, responseStart: 'fine' });
  expect(asked.map(({ authority }) => authority)).toEqual([`127.0.0.1:${receiver.port}`]);
  const credentials = Buffer.from('me:se:cret').toString('base64');
  expect(asked[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
  expect(got.host).toBe(`hooks.example:${receiver.port}`);
  expect(got['proxy-authorization']).toBeUndefined();
});

test('the proxy gets an IPv6 address in brackets', async () => {
  await using receiver = await receive((_, response) => void response.end(), '::1');
  const attempt = await post(`http://hooks.example:${receiver.port}/`, undefined, ['::1']);
  expect(attempt).toMatchObject({ code: 200, error: null });
  expect(asked.map(({ authority }) => authority)).toEqual([`[::1]:${receiver.port}`]);
});

test.skipIf(!hasOpenssl)('TLS ends at the receiver, under its name', async () => {
  const certificate = makeCertificate('DNS:hooks.example');
  setDefaultCACertificates([certificate.cert]);
  const names: string[] = [];
  await using receiver = await receiveTls(
    certificate,
    (_, response) => void response.end(),
    (name) => names.push(name),
  );
  expect(await post(`https://hooks.example:${receiver.port}/`)).toMatchObject({ code: 200, error: null });
  expect(await post(`https://other.example:${receiver.port}/`)).toMatchObject({
    ...{ code: null, error: 'The certificate is for another host name.' },
  });
  expect(names).toEqual(['hooks.example']);
  setDefaultCACertificates([]);
});

test.each(['127.0.0.2', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.2', 'fd00::1'])(
  'the proxy is not asked for %s',
  async (address) => {
    const error = 'The URL leads to an address that webhooks may not be sent to.';
    expect(await post('http://hooks.example/', undefined, [address])).toMatchObject({ code: null, error });
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(await post(`http://${literal}/`)).toMatchObject({ code: null, error: expect.any(String) });
    expect(asked.filter(({ authority }) => !authority.includes('127.0.0.1'))).toEqual([]);
  },
);

test.each(['403 Forbidden', '407 Proxy Authentication Required', '502 Bad Gateway'])(
  'a proxy that answers %s is to blame',
  async (answer) => {
    status = answer;
    expect(await post('http://hooks.example/')).toMatchObject(PROXY_FAILED);
    expect(await post('https://hooks.example/')).toMatchObject(PROXY_FAILED);
  },
);

test('a proxy that is down, hangs or disconnects is reported as the cause, without waiting for it', async () => {
  const gone = await receive(() => {});
  await gone[Symbol.asyncDispose]();
  expect(await post('http://hooks.example/', `http://127.0.0.1:${gone.port}`)).toMatchObject(PROXY_FAILED);
  await using closing = await receiveRaw((socket) => void socket.once('data', () => socket.destroy()));
  expect(await post('http://hooks.example/', `http://127.0.0.1:${closing.port}`)).toMatchObject(PROXY_FAILED);
  await using hanging = await receiveRaw(() => {});
  expect(await post('http://hooks.example/', `http://127.0.0.1:${hanging.port}`)).toMatchObject({
    ...{ code: null, error: 'Connecting took too long.' },
  });
});
