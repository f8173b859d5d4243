// The demo's sign-in link: a code that can be exchanged for the demo's API key once, within a few minutes. It exists only in the memory of
// the process that printed it. Independent of HTTP.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const DEMO_LINK_MINUTES = 5;

/** Exchanges the code for the demo key. */
export interface DemoLink {
  /** The demo key for the code, once; null for any other text, and after the time limit. */
  redeem(code: string): string | null | Promise<string | null>;
}

/** The link with its code, for printing it. */
export interface PrintedDemoLink extends DemoLink {
  /** The code, for the fragment of the link: browsers do not send fragments, so no log contains it. */
  readonly code: string;
}

const CODE_BYTES = 32;

/** @param clock returns the current time; the code is valid for `DEMO_LINK_MINUTES` from this call on */
export function createDemoLink(demoKey: string, clock: () => Date): PrintedDemoLink {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const expected = digest(code);
  const endsAt = clock().getTime() + DEMO_LINK_MINUTES * 60_000;
  let key: string | null = demoKey;
  return {
    code,
    redeem(given) {
      if (clock().getTime() >= endsAt) key = null;
      // Digests have equal length, and are compared in constant time.
      if (!timingSafeEqual(digest(given), expected)) return null;
      const redeemed = key;
      key = null;
      return redeemed;
    },
  };
}

const digest = (code: string): Buffer => createHash('sha256').update(code).digest();
