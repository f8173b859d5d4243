// Remembers which step read the last page of a list with a saved filter (refined.ts). The next page begins with that step, and so needs one
// statement.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * `near`: the short walk, to the list's end; `far`: the far walk, to a full page; `end`: the far walk, to the list's end; a number: the
 * source with this index.
 */
export type Step = 'near' | 'far' | 'end' | number;

/** How long a step is remembered. A source is not counted again in this time, in which it cannot grow much. */
const LIFETIME_MS = 60_000;

/** The key is a digest, because clients choose the length of the request. An entry takes some 200 bytes. */
const lastSteps = new LRUCache<string, Step>({ max: 10_000, ttl: LIFETIME_MS });

/** Reads and remembers the last step of equal requests. @param asked the request, which becomes JSON */
export function lastStepOf(...asked: readonly unknown[]): {
  readonly last: Step | undefined;
  remember(step: Step): void;
} {
  const text = JSON.stringify(asked, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const key = hash('sha256', text, 'base64');
  const last = lastSteps.get(key);
  return { last, remember: (step) => void (step !== last && lastSteps.set(key, step)) };
}
