// Where in an exchange requests are counted (services/rate-limits.ts says what they cost): before anything is looked up, once the
// caller is known, and at the end.
import type { Actor } from '../auth/actor.ts';
import type { Reply } from '../messages/reply.ts';
import {
  admitCaller,
  admitStranger,
  type Counted,
  type Counting,
  chargeAnswer,
  chargeRejected,
  chargeUnread,
  type Stranger,
} from '../services/rate-limits.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

/** An exchange, as far as it is counted. Whoever sends it is a stranger until it has its actor. */
interface CountedExchange extends Counted, Stranger {
  readonly url: URL;
  readonly request: Pick<Request, 'method'>;
  readonly actor: Actor | null;
}

/** An exchange that has its answer. */
interface AnsweredExchange extends CountedExchange {
  /** As its handler gave it; null for what others answer. */
  readonly reply: Reply | null;
}

const HEALTH_CHECKS = new Set(['/healthz', '/readyz']);

/**
 * Health checks are never counted: strangers who come through the balancer's own address must not have its checks refused. They cost
 * next to nothing, however many there are (services/health.ts).
 */
function isHealthCheck({ request, url }: CountedExchange): boolean {
  return HEALTH_CHECKS.has(url.pathname) && (request.method === 'GET' || request.method === 'HEAD');
}

/** Counts a request that has just arrived, as far as it can be told who pays. @throws AppError `too_many_requests` */
export function admitRequest(exchange: CountedExchange): Counting {
  return isHealthCheck(exchange) ? undefined : admitStranger(exchange, exchange);
}

/** Counts a request whose sender has just become known. @throws AppError `too_many_requests` */
export function admitActor(exchange: CountedExchange, actor: Actor): Counting {
  if (actor.kind !== 'anonymous') return admitCaller(exchange, actor, exchange);
  return actor.rejected === null ? undefined : chargeRejected(exchange, exchange);
}

/**
 * Counts what is only known with an answer, and says in its headers what is left. Headers that nothing is added to are not looked at: they
 * are sent as they were given.
 */
export function countAnswer(exchange: AnsweredExchange, response: Response, isCompressed: boolean): Counting {
  const { facts, reply, actor } = exchange;
  const before = facts.points;
  const body = reply?.body;
  const sent = body instanceof Uint8Array ? body.length : Number(reply?.headers['content-length'] ?? 0);
  // What is no request to the API is sent as it is.
  const bytes = actor === null ? 0 : Math.max(sent, facts.answerBytes);
  const tell = (): undefined => {
    if (facts.points === before) return;
    for (const [name, value] of Object.entries(rateLimitHeaders(facts.rates)))
      response.headers.set(name, value);
  };
  const counting = chargeAnswer(exchange, { bytes, isCompressed });
  return counting === undefined ? tell() : counting.then(tell);
}

/** Counts an answered request with credentials that nobody has looked at. */
export function countUnread(exchange: CountedExchange): void {
  const { actor, facts } = exchange;
  if (actor !== null || facts.points > 0 || facts.limit !== null) return;
  if (exchange.credentials !== null && !isHealthCheck(exchange)) void chargeUnread(exchange, exchange);
}
