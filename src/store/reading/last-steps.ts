// Which step gave the last page of a list that a saved filter selects (refined.ts): the next page begins with it, and so needs one
// statement.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The short walk to the list's end, the far walk to a full page or to the list's end, or the source of this index. */
export type Step = 'near' | 'far' | 'end' | number;

/** What a source has is not counted again for so long, within which it cannot become much more. */
const KEPT_MS = 60_000;

/** By the digest of what is asked for: clients choose how long that is. An entry takes some 200 bytes. */
const lastSteps = new LRUCache<string, Step>({ max: 10_000, ttl: KEPT_MS });

/** The last step of pages that are asked for in the same way. @param asked what tells them from others, as JSON */
export function lastStepOf(...asked: readonly unknown[]): {
  readonly last: Step | undefined;
  remember(step: Step): void;
} {
  const text = JSON.stringify(asked, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const key = hash('sha256', text, 'base64');
  const last = lastSteps.get(key);
  return { last, remember: (step) => void (step !== last && lastSteps.set(key, step)) };
}
