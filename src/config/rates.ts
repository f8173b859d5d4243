// Parses the variables of rate limits. Pure.
import type { Check, WholeNumber } from './variables.ts';

/**
 * Parses the variables of rate limits: points per window for one key, client, team or address; 0: no limit. services/limits/rate-limits.ts defines
 * the costs.
 */
export function parseRates(wholeNumber: WholeNumber) {
  return {
    windowSeconds: wholeNumber('RATE_LIMIT_WINDOW_SECONDS', 1, 86_400),
    key: wholeNumber('RATE_LIMIT_KEY', 0, 999_999_999),
    client: wholeNumber('RATE_LIMIT_CLIENT', 0, 999_999_999),
    team: wholeNumber('RATE_LIMIT_TEAM', 0, 999_999_999),
    /** Applies only to requests without valid credentials. */
    address: wholeNumber('RATE_LIMIT_ADDRESS', 0, 999_999_999),
  };
}

export type RateLimits = Readonly<ReturnType<typeof parseRates>>;

/** The URL of the server for shared counts. It may contain a password. */
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
