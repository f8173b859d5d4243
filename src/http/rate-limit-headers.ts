// The headers that say what is left of the rate limits (draft-ietf-httpapi-ratelimit-headers-11): lists of structured fields
// (RFC 9651), an item for each limit. The unit is the draft's default, requests, where one that reads much counts as several.
import type { RateReading } from '../telemetry/request-facts.ts';

const NONE = {};

/** The headers; none where the request was counted under no limit. `t` is in whole seconds, rounded up. */
export function rateLimitHeaders(rates: readonly RateReading[]): Readonly<Record<string, string>> {
  if (rates.length === 0) return NONE;
  let limits = '';
  let policies = '';
  for (const { name, limit, windowSeconds, remaining, resetMs } of rates) {
    const separator = limits === '' ? '' : ', ';
    limits += `${separator}"${name}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`;
    policies += `${separator}"${name}";q=${limit};w=${windowSeconds}`;
  }
  return { RateLimit: limits, 'RateLimit-Policy': policies };
}
