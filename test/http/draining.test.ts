// The end of a listener: requests that have arrived are answered, and clients learn that the connection ends (RFC 9112 §9.6).
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Listener, listen } from '../../src/http/listener.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { toResponses } from '../support/wire.ts';

let gateway: Gateway;
let listener: Listener;
afterEach(async () => {
  await listener.close();
  await gateway.close();
});

async function start(env: Record<string, string> = {}): Promise<void> {
  gateway = await createGateway({ env: { PORT: '0', ...env } });
  listener = await listen(gateway.app);
}

interface Client {
  readonly socket: Socket;
  send(bytes: string): void;
  /** All received text, once it matches. */
  received(pattern: RegExp): Promise<string>;
  /** All received text until the connection ended. */
  ended(): Promise<Response[]>;
}

async function open(): Promise<Client> {
  const socket = connect(listener.port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  const closed = once(socket, 'close');
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    async received(pattern) {
      while (!pattern.test(text)) await once(socket, 'data');
      return text;
    },
    async ended() {
      await closed;
      return toResponses(text);
    },
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const connectionOf = (response: Response | undefined) => response?.headers.get('Connection');

test('a connection with a request soon afterwards gets its answer and the announcement of its end', async () => {
  await start();
  const client = await open();
  client.send(get('/healthz'));
  expect(await client.received(/alive/)).toContain('Connection: keep-alive');
  const closing = listener.close();
  client.send(get('/healthz'));
  const [, second, ...more] = await client.ended();
  expect(second?.status).toBe(200);
  expect(connectionOf(second)).toBe('close');
  expect(more).toHaveLength(0);
  await closing;
});

test('requests that arrive together are all answered, and the last answer closes the connection', async () => {
  await start();
  const client = await open();
  const closing = listener.close();
  client.send(get('/healthz').repeat(20));
  const responses = await client.ended();
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(responses.map(connectionOf)).toEqual([...Array(19).fill('keep-alive'), 'close']);
  await closing;
});

test('a draining process serves, and is not ready', async () => {
  await start({ SHUTDOWN_DELAY_MS: '300' });
  const closing = listener.close();
  const [ready, alive] = [await open(), await open()];
  ready.send(get('/readyz'));
  alive.send(get('/healthz'));
  const [refusal] = await ready.ended();
  expect(refusal?.status).toBe(503);
  expect(await refusal?.json()).toMatchObject({
    code: 'unavailable',
    detail: 'The gateway is shutting down. Try again shortly.',
  });
  const [answer] = await alive.ended();
  expect(answer?.status).toBe(200);
  expect(connectionOf(answer)).toBe('close');
  await closing;
});

test('an unread answer is not cut off', async () => {
  await start();
  const client = await open();
  client.socket.pause();
  client.send(get('/schema.graphql'));
  const closing = listener.close();
  client.socket.resume();
  const [schema] = await client.ended();
  expect(await schema?.text()).toContain('type Query');
  await closing;
});

test('idle connections do not delay it', async () => {
  await start({ SHUTDOWN_TIMEOUT_MS: '60000' });
  const [fresh, used] = [await open(), await open()];
  used.send(get('/healthz'));
  await used.received(/alive/);
  await listener.close();
  expect(await fresh.ended()).toHaveLength(0);
  expect(await used.ended()).toHaveLength(1);
});

test('accepted connections are answered before the port is closed', async () => {
  await start();
  const clients = await Promise.all(Array.from({ length: 40 }, open));
  for (const client of clients) client.send(get('/healthz').repeat(3));
  await listener.close();
  for (const client of clients)
    expect((await client.ended()).map(({ status }) => status)).toEqual([200, 200, 200]);
});
