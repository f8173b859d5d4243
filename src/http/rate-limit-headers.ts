// The headers that show what remains of the rate limits (draft-ietf-httpapi-ratelimit-headers-11): structured-field lists (RFC 9651) with
// one item per limit. The unit is the draft's default, requests; an expensive request counts as several.
import type { RateReading } from '../telemetry/request-facts.ts';

const NONE = {};

/** The headers; none if no limit applies to the request. `t` is in whole seconds, rounded up. */
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
