// Connections whose last request was shed wait unread (src/http/waiting-connections.ts): what they have sent is answered all the same,
// and those that have sent nothing end like any other.
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { listen } from '../../src/http/listener.ts';
import { handleRequests } from '../../src/http/node-adapter.ts';
import { createServer } from '../../src/http/server.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';
import { toResponses } from '../support/wire.ts';

const IDLE_MS = 100;
/** More connections than a look at the event loop reads again. */
const MANY = 40;

let gateway: Gateway;
let heldPath: string;
let token: string;
let letGo = async () => {};

beforeAll(async () => {
  gateway = await createGateway({ env: { PORT: '0', MAX_UNDER_WAY: '1' } });
  const workspace = await factories.workspace(gateway.app);
  token = (await factories.apiKey(gateway.app, { teamId: workspace.teamId })).token;
  heldPath = `/api/v2/workspaces/${workspace.id}/contacts`;
});
afterAll(() => gateway.close());
// Nobody is read again before the test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(async () => {
  await letGo();
  vi.useRealTimers();
});

const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** Waits without a hand on the clock, which `vi.waitFor` puts forward. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 500) throw new Error('It does not come about.');
    await sleep(10);
  }
}

/** Looks at the event loop until something has come about. */
const lookUntil = (holds: () => boolean) =>
  until(() => {
    vi.advanceTimersByTime(20);
    return holds();
  });

interface Client {
  readonly socket: Socket;
  readonly statuses: () => number[];
}

async function open(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { socket, statuses: () => toResponses(text).map(({ status }) => status) };
}

/** Sends a request, and waits for the answer that it was shed. */
async function getShed({ socket, statuses }: Client): Promise<void> {
  socket.write(get('/api/v2/teams'));
  await until(() => statuses().length > 0);
  expect(statuses()).toEqual([503]);
}

/** A request that is under way until `letGo`: meanwhile all others are shed. */
async function occupy(port: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isHeld = false;
  const stop = intercept(gateway, async (name, run) => {
    if (!name.startsWith('contacts.under_id')) return run();
    isHeld = true;
    await promise;
    return run();
  });
  const first = await open(port);
  first.socket.write(get(heldPath));
  await until(() => isHeld);
  letGo = async () => {
    stop();
    resolve();
    await until(() => first.statuses().length > 0);
    letGo = async () => {};
  };
}

/** A listener whose idle connections end soon. */
async function listenBriefly(keepAliveTimeout = IDLE_MS): Promise<{ http: HttpServer; port: number }> {
  const http = createHttpServer({ keepAliveTimeout, keepAliveTimeoutBuffer: 0 });
  handleRequests(http, createServer(gateway.app), gateway.app);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return { http, port: (http.address() as AddressInfo).port };
}

test('one that waits is not idle: the request that it has sent is answered, whenever it is read', async () => {
  const { http, port } = await listenBriefly();
  await occupy(port);
  const client = await open(port);
  await getShed(client);
  client.socket.write(get('/api/v2/teams'));
  await sleep(5 * IDLE_MS);
  await letGo();
  await lookUntil(() => client.statuses().length > 1);
  expect(client.statuses()).toEqual([503, 200]);
  http.closeAllConnections();
  http.close();
});

test('one that has sent nothing ends once it is read again, however many there are', async () => {
  const { http, port } = await listenBriefly();
  await occupy(port);
  const clients = await Promise.all(Array.from({ length: MANY }, () => open(port)));
  await Promise.all(clients.map(getShed));
  await sleep(5 * IDLE_MS);
  expect(clients.filter(({ socket }) => socket.readyState === 'open')).toHaveLength(MANY);
  await letGo();
  await lookUntil(() => clients.every(({ socket }) => socket.destroyed));
  http.closeAllConnections();
  http.close();
});

test('while the listener ends the request of one that waits is answered as the last one', async () => {
  const listener = await listen(gateway.app);
  await occupy(listener.port);
  const client = await open(listener.port);
  await getShed(client);
  client.socket.write(get('/api/v2/teams'));
  const ended = once(client.socket, 'close');
  const closing = listener.close();
  // Longer than idle connections have.
  await sleep(900);
  await letGo();
  await lookUntil(() => client.statuses().length > 1);
  expect(client.statuses()).toEqual([503, 200]);
  await ended;
  await closing;
});

test('of those who ask for /healthz all the time without room four of a network are read on, and the others wait as well', async () => {
  const { http, port } = await listenBriefly(60_000);
  await occupy(port);
  const clients = await Promise.all(Array.from({ length: 7 }, () => open(port)));
  for (const { socket, statuses } of clients) {
    socket.write(get('/healthz'));
    await until(() => statuses().length === 1);
  }
  for (const { socket } of clients) socket.write(get('/healthz'));
  await until(() => clients.slice(0, 4).every(({ statuses }) => statuses().length === 2));
  await sleep(50);
  expect(clients.map(({ statuses }) => statuses().length)).toEqual([2, 2, 2, 2, 1, 1, 1]);
  await lookUntil(() => clients.every(({ statuses }) => statuses().length === 2));
  for (const { statuses } of clients) expect(statuses()).toEqual([200, 200]);
  await letGo();
  http.closeAllConnections();
  http.close();
});

test('what is pipelined behind such a question for /healthz is dropped with the connection', async () => {
  const { http, port } = await listenBriefly(60_000);
  await occupy(port);
  const { socket, statuses } = await open(port);
  socket.write(get('/healthz').repeat(30));
  await once(socket, 'close');
  // Four are answered without a look, then one and the last.
  expect(statuses().length).toBeLessThan(7);
  expect(new Set(statuses())).toEqual(new Set([200]));
  await letGo();
  http.closeAllConnections();
  http.close();
});
