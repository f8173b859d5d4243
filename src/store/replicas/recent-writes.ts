// Remembers the credentials that have changed something within the time that a replica may lag. Their reads go to the primary for that
// time, unless the client sends the position of its last write (its token).
import { LRUCache } from 'lru-cache';
import { memoize } from '../../concurrency/memoize.ts';
import type { Logger } from '../../output/log.ts';
import type { RedisConnection } from '../../redis/connection.ts';

export interface RecentWrites {
  /** Makes `has` true from now on. @throws Error if other processes may not learn of it */
  note(credential: string): Promise<void>;
  /** Whether a credential has changed something within that time. @throws Error if that cannot be determined */
  has(credential: string): Promise<boolean>;
}

/** The maximum number of remembered credentials; if more write, all count as having written. */
const MAX_CREDENTIALS = 50_000;

/** Remembers writes in this process. @param lifeMs for how long */
export function createRecentWrites(lifeMs: number, max = MAX_CREDENTIALS): RecentWrites {
  let allUntil = 0;
  const credentials = new LRUCache<string, true>({
    max,
    ttl: lifeMs,
    dispose(_value, _credential, reason) {
      if (reason === 'evict') allUntil = performance.now() + lifeMs;
    },
  });
  return {
    note: async (credential) => void credentials.set(credential, true),
    has: async (credential) => performance.now() < allUntil || credentials.has(credential),
  };
}

/** A command that takes longer counts as failed. */
const MAX_WAIT_MS = 250;
const PREFIX = 'funnel-gateway:written:';

/**
 * Remembers writes in Redis, for all processes. Connects at its first use.
 * @param onLost called when Redis may have forgotten some
 */
export function createRedisWrites(
  url: string,
  lifeMs: number,
  onLost: () => void,
  log: Logger,
): RecentWrites & { close(): void } {
  let opened: RedisConnection | undefined;
  const open = memoize(async () => {
    const { connectRedis } = await import('../../redis/connection.ts');
    opened = connectRedis({
      ...{ url, log, onLost, maxWaitMs: MAX_WAIT_MS },
      awayMessage: 'Redis does not remember who has written: the primary answers',
      backMessage: 'Redis remembers again who has written',
    });
    return opened;
  });
  return {
    async note(credential) {
      const { send } = await open();
      await send((redis) => redis.set(PREFIX + credential, 1, 'PX', lifeMs));
    },
    async has(credential) {
      const { send } = await open();
      return (await send((redis) => redis.exists(PREFIX + credential))) > 0;
    },
    close: () => opened?.close(),
  };
}
