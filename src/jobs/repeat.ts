// Repeats work in the background.
import type { Logger } from '../output/log.ts';
import { toReason } from '../store/connections/failures.ts';

/** Work in the background of a process. */
export interface Background {
  /** Starts nothing new; resolves when the current work has ended. */
  close(): Promise<void>;
}

export interface Repeated extends Background {
  /** Runs the work now, or again after the current run. */
  soon(): void;
}

/**
 * Runs `work` soon, and again a fixed time after each end. Logs only the first of consecutive failures.
 * @param work may return how many milliseconds to wait before the next run
 * @param firstMs how long to wait before the first run
 */
export function repeat(
  log: Logger,
  what: string,
  intervalMs: number,
  work: () => Promise<number | undefined>,
  firstMs = 0,
): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isWanted = false;
  let hasFailed = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    isWanted = false;
    let waitMs = intervalMs;
    try {
      waitMs = (await work()) ?? intervalMs;
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn({ reason: toReason(error as Error) }, `${what} failed`);
      hasFailed = true;
    }
    running = null;
    if (isStopped) return;
    if (isWanted && !hasFailed) begin();
    else timer = setTimeout(begin, waitMs);
  }
  function begin(): void {
    clearTimeout(timer);
    if (running === null && !isStopped) running = run();
  }

  timer = setTimeout(begin, firstMs);
  return {
    soon() {
      isWanted = true;
      if (!hasFailed) begin();
    },
    async close() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
