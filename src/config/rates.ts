// Parses the variables of rate limits. Pure.
import type { Check, WholeNumber } from './variables.ts';

/** Points that may be used in a window by one of each kind; 0: no limit. services/rate-limits.ts says what costs how much. */
export interface RateLimits {
  readonly windowSeconds: number;
  readonly key: number;
  readonly client: number;
  readonly team: number;
  /** Only requests without valid credentials use them. */
  readonly address: number;
}

/** What the variables say of rate limits. */
export function parseRates(wholeNumber: WholeNumber): RateLimits {
  return {
    windowSeconds: wholeNumber('RATE_LIMIT_WINDOW_SECONDS', 1, 86_400),
    key: wholeNumber('RATE_LIMIT_KEY', 0, 999_999_999),
    client: wholeNumber('RATE_LIMIT_CLIENT', 0, 999_999_999),
    team: wholeNumber('RATE_LIMIT_TEAM', 0, 999_999_999),
    address: wholeNumber('RATE_LIMIT_ADDRESS', 0, 999_999_999),
  };
}

/** Where processes share their counts. It may have a password. */
export function parseRedis(check: Check): string | undefined {
  return check(
    'REDIS_URL',
    undefined,
    parseRedisUrl,
    'an address such as redis://user:password@host:6379/0, or rediss://',
  );
}

function parseRedisUrl(text: string): string | undefined {
  return /^rediss?:\/\/[^/]/.test(text) && URL.canParse(text) ? text : undefined;
}
