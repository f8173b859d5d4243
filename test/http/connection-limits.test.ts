// The limits on the number of connections, and on slow reading of answers.
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { endSlowReaders } from '../../src/http/connection-limits.ts';
import { listen } from '../../src/http/listener.ts';
import { createGateway } from '../support/gateway.ts';

const gateway = await createGateway({ env: { PORT: '0', MAX_CONNECTIONS: '40', TRUST_PROXY: '127.0.0.9' } });
const listener = await listen(gateway.app);
afterAll(async () => {
  await listener.close();
  await gateway.close();
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Whether a new connection is served; it then stays open. */
async function isServed(localAddress: string): Promise<boolean> {
  const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress }).on('error', () => {});
  sockets.push(socket);
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true)).once('close', () => resolve(false));
  });
}

/** How many of this many are. */
async function served(count: number, address: (i: number) => string): Promise<number> {
  let number = 0;
  for (let i = 0; i < count; i++) if (await isServed(address(i))) number += 1;
  return number;
}

test('one address may have a tenth of all connections; other addresses and proxies are served, and closed connections count no more', async () => {
  expect(await served(10, () => '127.0.0.2')).toBe(4);
  expect(await served(1, () => '127.0.0.3')).toBe(1);
  expect(await served(10, () => '127.0.0.9')).toBe(10);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect(await isServed('127.0.0.2')).toBe(true), 60_000);
});

test('several addresses together leave room for the next one, and the total stays within the limit', async () => {
  const greedy = await served(200, (i) => `127.0.1.${1 + (i % 15)}`);
  expect(greedy).toBeGreaterThan(30);
  expect(greedy).toBeLessThan(40);
  expect(await isServed('127.0.2.1')).toBe(true);
  expect(await served(50, () => '127.0.0.9')).toBeLessThan(10);
});

/** A connection with this many written bytes, and this many unread ones. */
class FakeSocket {
  destroyed = false;
  writableLength: number;
  bytesWritten: number;
  constructor(bytesWritten: number, unread: number) {
    this.bytesWritten = bytesWritten;
    this.writableLength = unread;
  }
  resetAndDestroy() {
    this.destroyed = true;
    this.writableLength = 0;
  }
}

function look(sockets: readonly FakeSocket[], unread = new Map(), now = 0): typeof unread {
  endSlowReaders(
    new Set(sockets.filter(({ destroyed }) => !destroyed)) as unknown as Set<Socket>,
    unread,
    now,
  );
  return unread;
}

test('a client that reads less than 4 kB a second of its answer is disconnected; faster or finished clients are not', () => {
  const none = new FakeSocket(100_000, 50_000);
  const slow = new FakeSocket(100_000, 50_000);
  const steady = new FakeSocket(1_000_000, 500_000);
  const idle = new FakeSocket(100_000, 0);
  const sockets = [none, slow, steady, idle];
  const unread = look(sockets);
  slow.writableLength -= 10_000;
  steady.writableLength -= 50_000;
  look(sockets, unread, 9_999);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  look(sockets, unread, 10_000);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false]);
  // It stops.
  look(sockets, unread, 20_001);
  expect(steady.destroyed).toBe(true);
  expect(idle.destroyed).toBe(false);
});

test('the total of unread bytes is bounded: the client with the most is disconnected first', () => {
  const MB = 1024 * 1024;
  const sockets = [1, 30, 2, 40, 20].map((megabytes) => new FakeSocket(100 * MB, megabytes * MB));
  look(sockets);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false, true, false]);
});
