// Counts that several processes share, in Redis or Valkey; loaded only if REDIS_URL is set. While the server does not answer, each process
// continues counting by itself.
import { LRUCache } from 'lru-cache';
import type { Logger } from '../output/log.ts';
import { connectRedis } from '../redis/connection.ts';
import type { BoundedMemory, CounterOptions, TakeShared } from './counter.ts';

const MAX_WAIT_MS = 50;
const MAX_NAMES = 20_000;

/**
 * Counts points if that many are left. Giving points back never goes below zero: a window that has ended has no record.
 * Takes KEYS[1], points, seconds, limit; returns the total with these points and the rest of the window in ms.
 */
const TAKE = `
local counted = tonumber(redis.call('get', KEYS[1]))
local points = tonumber(ARGV[1])
if points < 0 then
  if counted then redis.call('incrby', KEYS[1], math.max(points, -counted)) end
elseif (counted or 0) + points <= tonumber(ARGV[3]) then
  redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  redis.call('incrby', KEYS[1], points)
end
local ttl = redis.call('pttl', KEYS[1])
if ttl < 0 then ttl = 1000 * ARGV[2] end
return {(counted or 0) + points, ttl}
`;

export interface SharedCounts {
  /** Whether the server answers. */
  readonly isUp: boolean;
  /** Counts a limit on the server, or in `memory` while that is not possible. */
  limit(options: CounterOptions, memory: BoundedMemory): TakeShared;
  close(): void;
}

interface SharedOptions {
  readonly url: string;
  readonly log: Logger;
  /** The name of a key on the server; it must not reveal who the key belongs to. */
  readonly nameOf: (key: string) => string;
}

/** Connects in the background, and reconnects whenever the connection is lost. */
export function createSharedCounts({ url, log, nameOf }: SharedOptions): SharedCounts {
  const connection = connectRedis({
    ...{ url, log, maxWaitMs: MAX_WAIT_MS },
    awayMessage: 'Redis does not answer: rate limits are counted by each process for itself',
    backMessage: 'rate limits are counted in Redis again',
  });
  const names = new LRUCache<string, string>({ max: MAX_NAMES });
  connection.redis.defineCommand('takePoints', { numberOfKeys: 1, lua: TAKE });

  async function takeOnServer(options: CounterOptions, memory: BoundedMemory, key: string, points: number) {
    const { name, limit, windowSeconds } = options;
    const [total, restMs] = await connection.send(async (redis) =>
      parseAnswer(
        await (redis as unknown as Scripted).takePoints(serverKeyOf(name, key), points, windowSeconds, limit),
      ),
    );
    const accepted = total <= limit;
    const count = { points: accepted ? total : total - points, restMs };
    memory.mirror(key, count);
    return { accepted, ...count };
  }

  function serverKeyOf(limit: string, key: string): string {
    const cacheKey = `${limit}:${key}`;
    const cached = names.get(cacheKey);
    if (cached !== undefined) return cached;
    const name = `funnel-gateway:rate:${limit}:${nameOf(key)}`;
    names.set(cacheKey, name);
    return name;
  }

  return {
    get isUp() {
      return connection.isUp;
    },
    limit: (options, memory) => async (key, points) => {
      if (connection.isUp)
        try {
          return await takeOnServer(options, memory, key, points);
        } catch {
          // The connection has logged why.
        }
      return points < 0 ? { accepted: true, ...memory.add(key, points) } : memory.take(key, points);
    },
    close: connection.close,
  };
}

/**
 * The two numbers of the script's result.
 * @throws Error for anything else: a comparison with NaN would allow everything
 */
function parseAnswer(answer: unknown): readonly [total: number, restMs: number] {
  const [total, restMs] = Array.isArray(answer) ? (answer as unknown[]) : [];
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(restMs))
    throw new Error('The answer is not that of the script.');
  return [Number(total), Number(restMs)];
}

interface Scripted {
  takePoints(key: string, ...numbers: number[]): Promise<unknown>;
}
