// The share of one process in the limits that the configuration sets for all processes. Pure.
import { StartupError } from '../errors.ts';
import type { Config } from './config.ts';

/** The minimum connections for writes in a process: one for changes that wait for locks, and one for everything else. */
const MIN_POOL_SIZE = 2;

/**
 * The configuration of each of `config.workers` processes.
 * @throws StartupError when a share is too small for a process to work
 */
export function configOfWorker(config: Config): Config {
  const { workers, limits } = config;
  const part = (whole: number) => Math.floor(whole / workers);
  const missing = [
    ['POOL_SIZE', config.poolSize, MIN_POOL_SIZE] as const,
    ['MAX_CONNECTIONS', limits.maxConnections, 1] as const,
    ['MAX_UNDER_WAY', limits.maxUnderWay, 1] as const,
  ].find(([, whole, least]) => part(whole) < least);
  if (missing !== undefined) {
    const [name, whole, least] = missing;
    throw new StartupError(
      `${name} is ${whole}, which is too little for ${workers} workers: it is divided among them, and each needs ${least}. Set ${name} to ${workers * least} or more, or use ${Math.floor(whole / least)} workers at most.`,
    );
  }
  return {
    ...config,
    poolSize: part(config.poolSize),
    limits: {
      ...limits,
      maxConnections: part(limits.maxConnections),
      maxUnderWay: part(limits.maxUnderWay),
    },
  };
}
