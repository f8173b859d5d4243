// A client that repeats a request, with the same idempotency key, until it gets a final answer.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Send } from './client.ts';

export interface Retrying {
  readonly send: Send;
  /**
   * Requests that were sent more than once, by their ids, with the attempt that was answered. Each attempt's id ends in a dash and its
   * number.
   */
  readonly retried: ReadonlyMap<string, number>;
}

/** REST's and GraphQL's codes for retryable errors. */
const LATER = /"code":"(?:unavailable|conflict|too_many_requests)"/i;
const PAUSE_MS = 20;

/** @param send rejects if there is no answer */
export function createRetrying(send: Send, maxAttempts: number): Retrying {
  const retried = new Map<string, number>();
  return {
    retried,
    async send(path, { headers, ...options }) {
      const { 'X-Request-Id': id = 'a-read' } = headers;
      for (let attempt = 1; ; attempt++) {
        const answer = await send(path, {
          ...options,
          headers: { ...headers, 'X-Request-Id': `${id}-${attempt}` },
        }).catch((error: unknown) => {
          if (attempt === maxAttempts) throw error;
          return null;
        });
        if (answer !== null && !LATER.test(answer.text)) return answer;
        if (attempt === maxAttempts) throw new Error(`No answer but ${answer?.text}`);
        retried.set(id, attempt + 1);
        await sleep(PAUSE_MS);
      }
    },
  };
}
