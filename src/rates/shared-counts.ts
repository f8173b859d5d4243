// Counts that several processes share, in Redis or Valkey over ioredis; loaded only if REDIS_URL is set. No request waits long for the
// server: while it does not answer, each process continues counting by itself, and only a ping checks whether the server is back.
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { RateLimiterLike } from 'rate-limiter-flexible';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import type { Logger } from '../output/log.ts';
import type { BoundedMemory } from './bounded-memory.ts';
import type { CounterOptions } from './counter.ts';

/** A slower command counts as failed. A command normally takes a fraction of a millisecond. */
const MAX_WAIT_MS = 50;
const PROBE_INTERVAL_MS = 500;
/** A connection that is silent for this long while a command waits is replaced. */
const SOCKET_TIMEOUT_MS = 3_000;
const WARNING_INTERVAL_MS = 60_000;
const MAX_NAMES = 20_000;

/**
 * Counts points unless fewer are left. Giving points back never goes below zero: a window that has ended has no record. The library
 * defines the form: KEYS[1], points, seconds, limit; the result is the total after counting and the rest of the window in ms.
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
  /** A limiter that counts on the server, or in `memory` while that is not possible. */
  limiter(options: CounterOptions, memory: BoundedMemory): RateLimiterLike;
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
  const redis = new Redis(url, {
    socketTimeout: SOCKET_TIMEOUT_MS,
    connectTimeout: SOCKET_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => PROBE_INTERVAL_MS,
  });
  const names = new LRUCache<string, string>({ max: MAX_NAMES });
  let isUp = false;
  let warnedAt = Number.NEGATIVE_INFINITY;
  let probe: NodeJS.Timeout | undefined;

  function isBack(): void {
    if (!isUp && warnedAt > Number.NEGATIVE_INFINITY) log.info('rate limits are counted in Redis again');
    isUp = true;
  }
  function isAway(reason: string): void {
    isUp = false;
    const now = performance.now();
    if (now - warnedAt < WARNING_INTERVAL_MS) return;
    warnedAt = now;
    log.warn({ reason }, 'Redis does not answer: rate limits are counted by each process for itself');
  }
  function probeLater(): void {
    probe ??= setTimeout(() => {
      probe = undefined;
      // Without a connection, the event "ready" reports when the server is back.
      if (redis.status === 'ready') inTime(redis.ping()).then(isBack, probeLater);
    }, PROBE_INTERVAL_MS).unref();
  }

  redis.on('ready', isBack);
  redis.on('close', () => isAway('The connection ended.'));
  redis.on('error', (error: Error) => isAway(error.message));

  const isReady = () => isUp && redis.status === 'ready';

  /** The part of a client that the library uses; its status says whether Redis answers. It copies each count to `memory`. */
  const clientFor = (name: string, limit: number, memory: BoundedMemory) => ({
    get status() {
      return isReady() ? 'ready' : 'away';
    },
    defineCommand: redis.defineCommand.bind(redis),
    async rlflxIncr([key = '', points = '', ...numbers]: string[]) {
      const own = key.slice(name.length + 1);
      try {
        const answer = await inTime(
          (redis as unknown as Scripted).rlflxIncr(hidden(name, own), points, ...numbers),
        );
        const [total, restMs] = parseAnswer(answer);
        memory.mirror(own, total > limit ? total - Number(points) : total, restMs);
        return [total, restMs];
      } catch (error) {
        isAway(error instanceof Error ? error.message : 'It failed.');
        probeLater();
        throw error;
      }
    },
  });

  function hidden(limit: string, key: string): string {
    const whole = `${limit}:${key}`;
    const known = names.get(whole);
    if (known !== undefined) return known;
    const name = `funnel-gateway:rate:${limit}:${nameOf(key)}`;
    names.set(whole, name);
    return name;
  }

  return {
    get isUp() {
      return isReady();
    },
    limiter: ({ name, limit, windowSeconds }, memory) =>
      new RateLimiterRedis({
        storeClient: clientFor(name, limit, memory),
        keyPrefix: name,
        points: limit,
        duration: windowSeconds,
        customIncrTtlLuaScript: TAKE,
        rejectIfRedisNotReady: true,
        insuranceLimiter: memory,
      }),
    close() {
      clearTimeout(probe);
      redis.disconnect();
    },
  };
}

/**
 * The two numbers of the script's result.
 * @throws Error for anything else: a comparison with a value that is no number would allow everything
 */
function parseAnswer(answer: unknown): readonly [total: number, restMs: number] {
  const [total, restMs] = Array.isArray(answer) ? (answer as unknown[]) : [];
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(restMs))
    throw new Error('The answer is not that of the script.');
  return [Number(total), Number(restMs)];
}

/**
 * The result of `work`.
 * @throws Error when it takes too long; a busy event loop does not count, because data that has arrived is read first
 */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`There was no answer within ${MAX_WAIT_MS} ms.`));
  // Immediates run after sockets are read.
  const timer = setTimeout(() => setImmediate(() => setImmediate(fail)), MAX_WAIT_MS);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Scripted {
  rlflxIncr(key: string, ...numbers: string[]): Promise<unknown>;
}
