// Counts requests under the rate limits at three points of an exchange: before any look-up, after authentication, and at the end. The
// headers have the rest of the limits. services/limits/rate-limits.ts determines the cost.
import type { Actor } from '../auth/actor.ts';
import type { Reply } from '../messages/reply.ts';
import {
  admitCaller,
  admitUnknownClient,
  type CountedRequest,
  type Counting,
  chargeAnswer,
  chargeRejected,
  chargeUnread,
  type UnknownClient,
} from '../services/limits/rate-limits.ts';
import type { RateReading } from '../telemetry/request-facts.ts';
import { HEALTH_CHECKS } from './load-shedding.ts';

/** The part of an exchange that counting needs. Its sender counts as unauthenticated until it has an actor. */
interface CountedExchange extends CountedRequest, UnknownClient {
  readonly url: URL;
  readonly request: Pick<Request, 'method'>;
  readonly actor: Actor | null;
}

/** An exchange that has a response. */
interface AnsweredExchange extends CountedExchange {
  /** The reply of the REST or GraphQL handler; null for other responses. */
  readonly reply: Reply | null;
}

/**
 * Whether a request is a health check. Health checks are never counted, because unauthenticated clients behind the load balancer's address
 * could use up the limit of its own checks. They are very cheap, however many there are (services/health.ts).
 */
function isHealthCheck({ request, url }: CountedExchange): boolean {
  return HEALTH_CHECKS.includes(url.pathname) && (request.method === 'GET' || request.method === 'HEAD');
}

/** Counts a request that has just arrived, before its caller is authenticated. @throws AppError `too_many_requests` */
export function admitRequest(exchange: CountedExchange): Counting {
  return isHealthCheck(exchange) ? undefined : admitUnknownClient(exchange, exchange);
}

/** Counts a request whose caller has just been authenticated. @throws AppError `too_many_requests` */
export function admitActor(exchange: CountedExchange, actor: Actor): Counting {
  if (actor.kind !== 'anonymous') return admitCaller(exchange, actor, exchange);
  return actor.rejected === null ? undefined : chargeRejected(exchange, exchange);
}

/**
 * Counts the costs that depend on the response, and updates its rate-limit headers if it has counted any.
 */
export function countAnswer(exchange: AnsweredExchange, response: Response, isCompressed: boolean): Counting {
  const { facts, reply, actor } = exchange;
  const before = facts.points;
  const body = reply?.body;
  const sent = body instanceof Uint8Array ? body.length : Number(reply?.headers['content-length'] ?? 0);
  // Only requests to the APIs pay for the size of the response.
  const bytes = actor === null ? 0 : Math.max(sent, facts.answerBytes);
  const updateHeaders = (): undefined => {
    if (facts.points === before) return;
    for (const [name, value] of Object.entries(rateLimitHeaders(facts.rates)))
      response.headers.set(name, value);
  };
  const counting = chargeAnswer(exchange, { bytes, isCompressed });
  return counting === undefined ? updateHeaders() : counting.then(updateHeaders);
}

/** Counts an answered request whose credentials were never checked. */
export function countUnread(exchange: CountedExchange): void {
  const { actor, facts } = exchange;
  if (actor !== null || facts.points > 0 || facts.limit !== null) return;
  if (exchange.credentials !== null && !isHealthCheck(exchange)) void chargeUnread(exchange, exchange);
}

const NONE = {};

/**
 * The headers with the rest of the limits (draft-ietf-httpapi-ratelimit-headers-11): structured-field lists (RFC 9651) with one item per
 * limit; none if no limit applies to the request. The unit is the draft's default, requests; an expensive request counts as several. `t`
 * is in seconds, rounded up.
 */
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
