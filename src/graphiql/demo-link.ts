// The demo's link that is signed in already: one code, in the memory of the process that printed it, good once and for a
// few minutes, for the demo's API key. Knows no HTTP.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const DEMO_LINK_MINUTES = 5;

/** Where the demo key can be had. */
export interface DemoLink {
  /** The demo key for the code, once; null for anything else, and when the time is over. */
  redeem(code: string): string | null | Promise<string | null>;
}

/** The link, where it was made. */
export interface PrintedDemoLink extends DemoLink {
  /** For the fragment of the link, which no server and no log ever sees. */
  readonly code: string;
}

const CODE_BYTES = 32;

/** @param clock the time now; the code is good for `DEMO_LINK_MINUTES` from this call on */
export function createDemoLink(demoKey: string, clock: () => Date): PrintedDemoLink {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const expected = digest(code);
  const endsAt = clock().getTime() + DEMO_LINK_MINUTES * 60_000;
  let key: string | null = demoKey;
  return {
    code,
    redeem(given) {
      if (clock().getTime() >= endsAt) key = null;
      // Of equal length whatever was given, and compared in a time that tells nothing.
      if (!timingSafeEqual(digest(given), expected)) return null;
      const redeemed = key;
      key = null;
      return redeemed;
    },
  };
}

const digest = (code: string): Buffer => createHash('sha256').update(code).digest();
