// Dear work that anybody can ask for: so much of it at once, so much that waits, in the order that it came.
import { AppError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * A function to do work through. @param atOnce how much is under way at the same time @param waiting how much may wait
 * @returns what the work returns; it throws AppError `unavailable`, without beginning, when too much waits already
 */
export function createQueue({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) {
  const queue: (() => void)[] = [];
  let free = atOnce;

  return async function inQueue<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free -= 1;
    else if (queue.length < waiting) await new Promise<void>((begin) => queue.push(begin));
    else
      throw new AppError('unavailable', 'Too much is asked at once. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    try {
      return await work();
    } finally {
      // The place goes on to whoever is next.
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
