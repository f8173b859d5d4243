// Whether the configured limits can be divided among the configured workers.
import { availableParallelism } from 'node:os';
import type { Config } from '../../config/config.ts';
import { configOfWorker } from '../../config/workers.ts';
import { StartupError } from '../../errors.ts';
import { type Finding, findingsOf } from './findings.ts';

const { fail, ok, warn } = findingsOf('workers');

/** Returns no findings for a single process. @param cores of this machine */
export function checkWorkers(config: Config, cores: number = availableParallelism()): Finding[] {
  const { workers } = config;
  if (workers === 1) return [];
  try {
    const { poolSize } = configOfWorker(config);
    const message = `${workers} workers, each with ${poolSize} of POOL_SIZE ${config.poolSize}`;
    if (workers > cores)
      return [warn(`${message}, on ${cores} cores`, 'more than one worker for each core does not help')];
    return [ok(message)];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return [fail(error.message, 'serve refuses to start')];
  }
}
