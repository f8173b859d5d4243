// Positions of writes that processes share: nothing that is lost, or cannot be kept, has a reader see less than it wrote.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/output/log.ts';
import { RowCollector } from '../../../src/rows/row-block.ts';
import { createRedisPositions } from '../../../src/store/replicas/redis-positions.ts';
import {
  createWritePositions,
  type SharedPositions,
  type WritePositions,
} from '../../../src/store/replicas/write-positions.ts';

const TOKEN = `${'a'.repeat(16)}00000001${'0'.repeat(14)}`;
const tokenOf = (log: number) => `${TOKEN}${log.toString(16).padStart(2, '0')}`;

/** Where the primary is. */
let log = 16;
let kept = new Map<string, string>();
let isAway = false;
let losses = 0;

/** One row with one text. */
function row(text: string) {
  const message = Buffer.alloc(2 + 4 + text.length);
  message.writeInt16BE(1);
  message.writeInt32BE(text.length, 2);
  message.write(text, 6);
  const rows = new RowCollector();
  rows.add(message, 0, message.length);
  return rows.take();
}

const shared: SharedPositions = {
  async find(names) {
    if (isAway) throw new Error('away');
    return names.map((name) => kept.get(name) ?? null);
  },
  async keep(names, token) {
    if (isAway) throw new Error('away');
    for (const name of names) kept.set(name, token);
  },
  async keepFirst(name, text) {
    if (!kept.has(name)) kept.set(name, text);
  },
  get losses() {
    return losses;
  },
  close() {},
};

function start(): { positions: WritePositions; interrupted: () => number } {
  let interruptions = 0;
  const positions = createWritePositions({
    lookups: { read: async () => row(tokenOf(log)) },
    shared,
    maxLagMs: 1_000,
    onInterruption: () => void interruptions++,
    log: createLogger('silent'),
  });
  return { positions, interrupted: () => interruptions };
}

afterEach(() => {
  vi.useRealTimers();
  log = 16;
  kept = new Map();
  isAway = false;
  losses = 0;
});

test('what one process keeps, another one finds; of others it finds nothing', async () => {
  const [one, other] = [start(), start()];
  for (const { positions } of [one, other])
    await vi.waitFor(async () => expect(await positions.find('a')).toBe(null));
  expect(await one.positions.keep('a')).toBe(tokenOf(16));
  log = 17;
  expect(await Promise.all([one.positions.keep('a'), one.positions.keep('b')])).toEqual([
    tokenOf(17),
    tokenOf(17),
  ]);
  expect(await other.positions.find('a')).toMatchObject({ timeline: 1, log: 17n });
  expect(await other.positions.find('c')).toBe(null);
});

test('nothing is known where all was lost, until replicas have come to where the primary was afterwards', async () => {
  const { positions, interrupted } = start();
  await vi.waitFor(async () => expect(await positions.find('a')).toBe(null));
  await positions.keep('a');
  const before = interrupted();
  kept.clear();
  expect(await positions.find('a')).toBe('unknown');
  expect(interrupted()).toBe(before + 1);
  isAway = true;
  expect(await positions.find('a')).toBe('unknown');
});

test('nothing is known after a connection was lost: Redis may be back with an earlier state, its mark in it', async () => {
  const { positions, interrupted } = start();
  await vi.waitFor(async () => expect(await positions.find('a')).toBe(null));
  const saved = new Map(kept);
  await positions.keep('a');
  const before = interrupted();
  kept = saved;
  losses += 1;
  expect(await positions.find('a')).toBe('unknown');
  expect(interrupted()).toBe(before + 1);
  expect(await positions.find('a')).toBe(null);
});

test('positions in Redis outlive counts of requests; that a connection to it was lost, or is silent, is noticed with the first answer of the next one', async () => {
  const answers: Record<string, string> = { info: '$0\r\n\r\n', mget: '*1\r\n$-1\r\n' };
  const sockets: Socket[] = [];
  let received = '';
  const silent = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      if (silent.has(socket)) return;
      received += String(data);
      for (const [, command] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        socket.write(answers[command?.toLowerCase() ?? ''] ?? '+OK\r\n');
    });
    sockets.push(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const redis = createRedisPositions(
    `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    createLogger('silent'),
  );
  const answered = async () => {
    await vi.waitFor(async () => expect(await redis.find(['a'])).toEqual([null]), { timeout: 60_000 });
    return redis.losses;
  };
  const before = await answered();
  expect(await answered()).toBe(before);
  await redis.keep(['a'], TOKEN);
  // Where memory is short `volatile-ttl` gives up first what ends first: strangers' requests must not push positions out.
  const keptMs = Number(/\d{6,}(?=\r\n$)/.exec(received)?.[0]);
  const env = { RATE_LIMIT_WINDOW_SECONDS: (keptMs / 1_000).toFixed() };
  expect(keptMs).toBeGreaterThan(0);
  expect(() => parseConfig(env, '/')).toThrow('RATE_LIMIT_WINDOW_SECONDS must be');
  for (const socket of sockets) socket.destroy();
  await once(server, 'connection');
  expect(await answered()).toBe(before + 1);
  // As where its machine is gone: nothing is said any more, not even that the connection is over.
  for (const socket of sockets) silent.add(socket);
  const next = once(server, 'connection');
  await expect(redis.find(['a'])).rejects.toThrow();
  await next;
  expect(await answered()).toBe(before + 2);
  redis.close();
  server.close();
});

test('a write whose position cannot be kept is answered when no replica is read any more that has not seen it', async () => {
  vi.useFakeTimers();
  const { positions } = start();
  isAway = true;
  let isAnswered = false;
  const answer = positions.keep('a').finally(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await answer).toBe(null);
});
