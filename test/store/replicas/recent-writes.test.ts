// Writers are remembered for as long as a replica may lag, whatever happens to the memory.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../../src/output/log.ts';
import { createRecentWrites, createRedisWrites } from '../../../src/store/replicas/recent-writes.ts';
import { createReplicas } from '../../../src/store/replicas/replicas.ts';

afterEach(() => void vi.useRealTimers());

test('a bounded number of writers is remembered; beyond it, everybody counts as having written', async () => {
  const writes = createRecentWrites(200, 2);
  await writes.note('a');
  expect([await writes.has('a'), await writes.has('b')]).toEqual([true, false]);
  for (const credential of ['b', 'c']) await writes.note(credential);
  for (const credential of ['a', 'c', 'stranger']) expect(await writes.has(credential)).toBe(true);
  for (const credential of ['a', 'c', 'stranger'])
    await expect.poll(() => writes.has(credential)).toBe(false);
});

/** A server with the protocol of Redis. */
async function startRedis() {
  const sockets = new Set<Socket>();
  const known = new Set<string>();
  const state = { isSilent: false };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (state.isSilent) return;
      for (const command of String(data).split(/(?=\*\d+\r\n\$)/)) {
        const [, , name = '', , key = ''] = command.split('\r\n');
        if (name === 'set') known.add(key);
        const answers: Record<string, string> = {
          info: '$0\r\n\r\n',
          exists: `:${Number(known.has(key))}\r\n`,
        };
        socket.write(answers[name.toLowerCase()] ?? '+OK\r\n');
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    forget() {
      known.clear();
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('over Redis all processes see one process’s writers, and possible losses are detected', async () => {
  const redis = await startRedis();
  let losses = 0;
  const [one, other] = [() => {}, () => void losses++].map((onLost) =>
    createRedisWrites(redis.url, 1_000, onLost, createLogger('silent')),
  ) as [ReturnType<typeof createRedisWrites>, ReturnType<typeof createRedisWrites>];
  await one.note('a');
  expect([await other.has('a'), await other.has('b')]).toEqual([true, false]);
  redis.state.isSilent = true;
  await expect(other.has('b')).rejects.toThrow();
  redis.state.isSilent = false;
  const before = losses;
  redis.forget();
  await expect.poll(() => other.has('a').catch(() => null), { timeout: 60_000 }).toBe(false);
  expect(losses).toBe(before + 1);
  for (const writes of [one, other]) writes.close();
  redis.close();
});

test('a write that cannot be announced waits for lagging replicas to be left out, and reads use the primary', async () => {
  const redis = await startRedis();
  redis.close();
  const replicas = createReplicas({
    ...{ urls: [], connection: {}, maxLagMs: 1_000, redisUrl: redis.url, log: createLogger('silent') },
    lookups: { read: () => Promise.reject(new Error('away')) },
    open: () => {
      throw new Error('There are none.');
    },
  });
  expect(await replicas.hasWritten('a')).toBe(true);
  vi.useFakeTimers();
  let isAnswered = false;
  const answer = replicas.noteWrite('a').finally(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(1_400);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(await answer).toBe(null);
  await replicas.close();
});
