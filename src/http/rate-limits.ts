// Where in an exchange requests are counted (services/rate-limits.ts says what they cost): before anything is looked up, once the
// caller is known, and at the end.
import type { Actor } from '../auth/actor.ts';
import {
  admitCaller,
  admitHealthCheck,
  admitStranger,
  type Counted,
  chargeRejected,
  chargeUnread,
  type Stranger,
} from '../services/rate-limits.ts';

/** An exchange, as far as it is counted. */
interface CountedExchange extends Counted {
  readonly request: Request;
  readonly url: URL;
  /** The client's. */
  readonly address: string;
  readonly actor: Actor | null;
}

const HEALTH_CHECKS = new Set(['/healthz', '/readyz']);

/** Counts a request that has just arrived, as far as it can be told who pays. @throws AppError `too_many_requests` */
export async function admitRequest(exchange: CountedExchange): Promise<void> {
  if (HEALTH_CHECKS.has(exchange.url.pathname)) await admitHealthCheck(exchange, exchange.address);
  else await admitStranger(exchange, strangerOf(exchange));
}

/** Counts a request whose sender has just become known. @throws AppError `too_many_requests` */
export async function admitActor(exchange: CountedExchange, actor: Actor): Promise<void> {
  if (actor.kind !== 'anonymous') await admitCaller(exchange, actor, strangerOf(exchange));
  else if (actor.rejected !== null) await chargeRejected(exchange, strangerOf(exchange));
}

/** Counts an answered request with credentials that nobody has looked at. */
export function countUnread(exchange: CountedExchange): void {
  const { actor, facts } = exchange;
  if (actor !== null || facts.points > 0 || facts.limit !== null) return;
  const stranger = strangerOf(exchange);
  if (stranger.credentials !== null) void chargeUnread(exchange, stranger);
}

/** The address is looked up when somebody asks for it: for most callers nobody does. */
function strangerOf(exchange: CountedExchange): Stranger {
  return {
    credentials: exchange.request.headers.get('authorization'),
    get address() {
      return exchange.address;
    },
  };
}
