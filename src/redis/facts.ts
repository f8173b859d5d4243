// Facts about the Redis or Valkey server with the shared counts, for `doctor`.
import { Redis } from 'ioredis';

export interface SharedFacts {
  /** The version of Redis, or the one that Valkey is compatible with. */
  readonly version: string;
  /** Whether the server is a replica, which accepts no writes. */
  readonly isReplica: boolean;
  readonly isCluster: boolean;
  /** 0: no limit. */
  readonly maxMemoryBytes: number;
  /** Which keys the server removes at that limit, such as `noeviction`. */
  readonly evictionPolicy: string;
}

/** Asks the server over a separate connection. @throws Error when it does not answer in time, or refuses the connection */
export async function readSharedFacts(url: string, timeoutMs: number): Promise<SharedFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The rejection of a failed connection does not contain the cause.
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    return toFacts(await redis.info());
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

function toFacts(info: string): SharedFacts {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? '';
  return {
    version: field('redis_version'),
    isReplica: field('role') === 'slave',
    isCluster: field('cluster_enabled') === '1',
    maxMemoryBytes: Number(field('maxmemory')),
    evictionPolicy: field('maxmemory_policy'),
  };
}
