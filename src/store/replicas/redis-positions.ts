// Stores the positions of writes in Redis or Valkey. While it does not answer, no request waits for it again: reads go to the primary, and
// writes wait until the replicas have caught up (write-positions.ts).
import type { Redis } from 'ioredis';
import { once } from '../../concurrency/once.ts';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import { DIGITS } from './positions.ts';
import type { SharedPositions } from './write-positions.ts';

/** A command that takes longer counts as failed. */
const MAX_WAIT_MS = 250;
/** How long after a failure the next command is tried. */
const PAUSE_MS = 500;
/** A connection with a pending command that receives nothing for so long is replaced. */
const SILENCE_MS = 1_000;
const PREFIX = 'funnel-gateway:position:';
/**
 * Longer than any replica may lag. Also two days: twice the longest rate limit window, so that `volatile-ttl` evicts the counts of rate
 * limits first.
 */
const KEPT_MS = 172_800_000;

/** Takes KEYS, a token and milliseconds. A token begins with its cluster; of two tokens of one cluster the later is greater as text. */
const KEEP = `
for _, key in ipairs(KEYS) do
  local known = redis.call('get', key)
  if known and known > ARGV[1] and string.sub(known, 1, ${DIGITS.system}) == string.sub(ARGV[1], 1, ${DIGITS.system}) then redis.call('pexpire', key, ARGV[2])
  else redis.call('set', key, ARGV[1], 'PX', ARGV[2]) end
end
return #KEYS
`;

/** Connects at its first use, and again whenever the connection is lost. */
export function createRedisPositions(url: string, log: Logger): SharedPositions {
  let client: Redis | undefined;
  let awayUntil = 0;
  let isClosed = false;
  let losses = 0;

  const open = once(async () => {
    const { Redis } = await import('ioredis');
    const redis = new Redis(url, {
      connectTimeout: 3_000,
      socketTimeout: SILENCE_MS,
      commandTimeout: MAX_WAIT_MS,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: () => PAUSE_MS,
    });
    redis.on('error', pause);
    redis.on('close', () => {
      losses += 1;
    });
    client = redis;
    if (isClosed) redis.disconnect();
    return redis;
  });

  function pause(error: Error): void {
    if (performance.now() >= awayUntil && !isClosed)
      log.warn({ reason: toReason(error) }, 'Redis does not keep positions of writes: the primary answers');
    awayUntil = performance.now() + PAUSE_MS;
  }

  async function ask<Answer>(command: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    if (performance.now() < awayUntil) throw new Error('Redis did not answer a moment ago.');
    try {
      return await command(await open());
    } catch (error) {
      pause(error as Error);
      throw error;
    }
  }

  const keysOf = (names: readonly string[]) => names.map((name) => PREFIX + name);

  return {
    find: (names) => ask((redis) => redis.mget(...keysOf(names))),
    keep: async (names, token) =>
      void (await ask((redis) => redis.eval(KEEP, names.length, ...keysOf(names), token, KEPT_MS))),
    keepFirst: async (name, text) => void (await ask((redis) => redis.set(PREFIX + name, text, 'NX'))),
    get losses() {
      return losses;
    },
    close() {
      isClosed = true;
      client?.disconnect();
    },
  };
}
