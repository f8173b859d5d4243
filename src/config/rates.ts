// Parses the variables of rate limits. Pure.
import { secretUrl, wholeNumber } from './values.ts';
import type { Read } from './variables.ts';

/**
 * Parses the variables of rate limits: points per window for one key, client, team or address; 0: no limit. services/limits/rate-limits.ts defines
 * the costs.
 */
export function parseRates({ value }: Read) {
  return {
    windowSeconds: value('RATE_LIMIT_WINDOW_SECONDS', wholeNumber(1, 86_400)),
    key: value('RATE_LIMIT_KEY', wholeNumber(0, 999_999_999)),
    client: value('RATE_LIMIT_CLIENT', wholeNumber(0, 999_999_999)),
    team: value('RATE_LIMIT_TEAM', wholeNumber(0, 999_999_999)),
    /** Applies only to requests without valid credentials. */
    address: value('RATE_LIMIT_ADDRESS', wholeNumber(0, 999_999_999)),
  };
}

export type RateLimits = Readonly<ReturnType<typeof parseRates>>;

/** The URL of the server for shared counts. It may contain a password. */
export const redisUrl = secretUrl(
  'an address such as redis://user:password@host:6379/0, or rediss://',
  /^rediss?:\/\/[^/]/,
);
