// A connection to Redis or Valkey over ioredis; loaded only if REDIS_URL is set. No request waits long for the server: while it does not
// answer, commands fail at once, and only a ping checks whether it is back.
import { Redis } from 'ioredis';
import type { Logger } from '../output/log.ts';

export interface RedisConnection {
  readonly redis: Redis;
  /** Whether the server answers. */
  readonly isUp: boolean;
  /** The result of a command. @throws Error while the server is away, or when the command takes too long */
  send<Answer>(command: (redis: Redis) => Promise<Answer>): Promise<Answer>;
  close(): void;
}

interface RedisOptions {
  readonly url: string;
  /** A command that takes longer counts as failed. It normally takes a fraction of a millisecond. */
  readonly maxWaitMs: number;
  readonly log: Logger;
  /** The log lines: what happens while the server is away, and when it is back. */
  readonly awayMessage: string;
  readonly backMessage: string;
  /** Called when the connection is lost: the server may come back with an earlier state. */
  readonly onLost?: () => void;
}

const PROBE_INTERVAL_MS = 500;
/** A connection is replaced when it is silent for this long while a command waits. */
const SOCKET_TIMEOUT_MS = 3_000;
const WARNING_INTERVAL_MS = 60_000;

/** Connects in the background, and reconnects whenever the connection is lost. */
export function connectRedis({
  url,
  maxWaitMs,
  log,
  awayMessage: away,
  backMessage: back,
  onLost,
}: RedisOptions): RedisConnection {
  const redis = new Redis(url, {
    socketTimeout: SOCKET_TIMEOUT_MS,
    connectTimeout: SOCKET_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => PROBE_INTERVAL_MS,
  });
  const tried = Promise.withResolvers<void>();
  let isUp = false;
  let isClosed = false;
  let warnedAt = Number.NEGATIVE_INFINITY;
  let probe: NodeJS.Timeout | undefined;

  function isBack(): void {
    if (!isUp && warnedAt > Number.NEGATIVE_INFINITY) log.info(back);
    isUp = true;
    tried.resolve();
  }
  function isAway(reason: string): void {
    isUp = false;
    tried.resolve();
    const now = performance.now();
    if (isClosed || now - warnedAt < WARNING_INTERVAL_MS) return;
    warnedAt = now;
    log.warn({ reason }, away);
  }
  function probeLater(): void {
    probe ??= setTimeout(() => {
      probe = undefined;
      // Without a connection, the event "ready" reports when the server is back.
      if (redis.status === 'ready') withTimeout(redis.ping(), maxWaitMs).then(isBack, probeLater);
    }, PROBE_INTERVAL_MS).unref();
  }
  const isReady = () => isUp && redis.status === 'ready';

  redis.on('ready', isBack);
  redis.on('error', (error: Error) => isAway(error.message));
  redis.on('close', () => {
    isAway('The connection ended.');
    onLost?.();
  });

  return {
    redis,
    get isUp() {
      return isReady();
    },
    async send(command) {
      await withTimeout(tried.promise, maxWaitMs);
      if (!isReady()) throw new Error('Redis does not answer.');
      try {
        return await withTimeout(command(redis), maxWaitMs);
      } catch (error) {
        isAway(error instanceof Error ? error.message : 'It failed.');
        probeLater();
        throw error;
      }
    },
    close() {
      isClosed = true;
      clearTimeout(probe);
      redis.disconnect();
    },
  };
}

/**
 * The result of `work`.
 * @throws Error when it takes too long; a busy event loop does not count, because data that has arrived is read first
 */
async function withTimeout<T>(work: Promise<T>, maxWaitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`There was no answer within ${maxWaitMs} ms.`));
  // Immediates run after sockets are read.
  const timer = setTimeout(() => setImmediate(() => setImmediate(fail)), maxWaitMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
