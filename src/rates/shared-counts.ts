// Counts that several processes share, in Redis or Valkey over ioredis; loaded only where REDIS_URL is set. No request waits longer than
// a short time for it: while it does not answer, each process goes on counting by itself from where it was, and only a ping asks whether it
// is back.
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { RateLimiterLike } from 'rate-limiter-flexible';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import type { Logger } from '../output/log.ts';
import type { BoundedMemory } from './bounded-memory.ts';
import type { CounterOptions } from './counter.ts';

/** A command that takes longer has failed. One takes a fraction of a millisecond. */
const MAX_WAIT_MS = 50;
const PROBE_INTERVAL_MS = 500;
/** A connection that is silent for so long while something is asked of it is replaced. */
const SOCKET_TIMEOUT_MS = 3_000;
const WARNING_INTERVAL_MS = 60_000;
const MAX_NAMES = 20_000;

/**
 * Counts points unless they are more than what is left, and never below zero: a window that has ended meanwhile has no record.
 * As the library wants it: KEYS[1], points, seconds, limit; the answer is what would be counted, and the rest of the window in ms.
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
  /** Whether it answers. */
  readonly isUp: boolean;
  /** A limiter that counts there, or in `memory` while that is not possible. */
  limiter(options: CounterOptions, memory: BoundedMemory): RateLimiterLike;
  close(): void;
}

interface SharedOptions {
  readonly url: string;
  readonly log: Logger;
  /** What a key is called there: nobody who reads it learns who it is. */
  readonly nameOf: (key: string) => string;
}

/** Connects in the background, and again whenever the connection is lost. */
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
      // While there is no connection, the event "ready" says when it is back.
      if (redis.status === 'ready') inTime(redis.ping()).then(isBack, probeLater);
    }, PROBE_INTERVAL_MS).unref();
  }

  redis.on('ready', isBack);
  redis.on('close', () => isAway('The connection ended.'));
  redis.on('error', (error: Error) => isAway(error.message));

  const isReady = () => isUp && redis.status === 'ready';

  /** The part of a client that the library uses, whose status says whether Redis answers. What it counts `memory` has, too. */
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

/** The two numbers of the script's answer. @throws Error for any other: a comparison with what is no number would let everything pass */
function parseAnswer(answer: unknown): readonly [total: number, restMs: number] {
  const [total, restMs] = Array.isArray(answer) ? (answer as unknown[]) : [];
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(restMs))
    throw new Error('The answer is not that of the script.');
  return [Number(total), Number(restMs)];
}

/** What `work` comes to. @throws Error when that takes too long; a busy event loop is no reason: what has arrived meanwhile is read first */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`There was no answer within ${MAX_WAIT_MS} ms.`));
  // Immediates run behind the reading of sockets.
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
