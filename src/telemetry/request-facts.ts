// Facts about one request for its log line, its metrics and its trace. Each layer fills in what it knows while the request is processed.
// Pure.
import type { Span } from './tracing.ts';

/** Where a request was routed: names from our own routes and schema, never from a client. */
export interface Endpoint {
  /** The route's pattern, `/api/v2/contacts/{id}`. */
  readonly route: string;
  /** REST: the route's operationId. GraphQL: the root field, `Query.workspace`. Empty if the route says enough. */
  readonly operation: string;
}

/** For a request without a matching route, or one that was refused before routing. */
export const NO_ENDPOINT: Endpoint = { route: 'unknown', operation: '' };

/** Why a request was refused. */
interface Refusal {
  /** One of the codes in errors.ts, or an error code of OAuth (RFC 6749 §5.2). */
  readonly code: string;
  /** A sentence for the operator. It is cleaned before it is logged, since it may quote the client. */
  readonly reason: string;
  /** How many errors a GraphQL answer has; the code and the reason are the first one's. */
  readonly errors?: number;
}

/** The state of a rate limit that the request was counted under. */
export interface RateReading {
  /** The name in headers, the log and the metrics. */
  readonly name: string;
  /** Points in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** The facts about one request. A new object has only the defaults. */
export class RequestFacts {
  endpoint: Endpoint = NO_ENDPOINT;
  /** The GraphQL operation's name, which the client chose: for logs and traces, never for metrics. */
  operationName: string | null = null;
  /** The OAuth client that the authorization server identified. */
  client: string | null = null;
  refusal: Refusal | null = null;
  /** The rate limits that the request was counted under, after counting, and its cost in points. */
  rates: readonly RateReading[] = [];
  points = 0;
  /** Points in addition to the cost, found during execution and counted with the response. */
  owed = 0;
  /** The approximate number of bytes of the response, including those that a 304 omits. */
  answerBytes = 0;
  /** The network that the request is counted for; null with valid credentials. */
  network: string | null = null;
  /** The rate limit that refused the request. */
  limit: string | null = null;
  /** The span of the exchange; null when the request is not traced. */
  readonly span: Span | null;

  constructor(span: Span | null) {
    this.span = span;
  }
}
