// Loads modules that a process needs soon, but not for its first requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import type { Logger } from '../output/log.ts';

/** Loading starts this long after listening, so that the first requests are not delayed. A readiness check loads earlier. */
export const LOAD_AFTER_MS = 500;
/** How long to wait before loading is tried again. */
const LOAD_AGAIN_MS = 1_000;

/**
 * Loads after a time, and retries until it succeeds or the signal is aborted.
 * @throws StartupError when loading can never succeed in this process: Node caches a module whose evaluation has failed, for instance
 * because no file handle was free for a moment, and rejects every later import with the same error
 */
export async function loadLater(
  load: () => Promise<unknown>,
  log: Logger,
  signal: AbortSignal,
  afterMs = LOAD_AFTER_MS,
): Promise<void> {
  let previous: unknown;
  for (let waitMs = afterMs; ; waitMs = LOAD_AGAIN_MS) {
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    try {
      await load();
      return;
    } catch (error) {
      if (error === previous)
        throw new StartupError(
          `A part of the gateway could not be loaded, and this process cannot load it again: ${(error as Error).message}`,
        );
      log.error({ err: error }, 'a part of the gateway could not be loaded');
      previous = error;
    }
  }
}
