// What is known of one request for its log line, its metrics and its trace: filled in while the request is processed, by whichever
// layer knows it. Pure.
import type { Span } from './tracing.ts';

/** What a request was routed to: names from our own routes and schema, never a client's. */
export interface Endpoint {
  /** The route's pattern, `/api/v2/contacts/{id}`. */
  readonly route: string;
  /** REST: the route's operationId. GraphQL: the root field, `Query.workspace`. Empty where the route says it all. */
  readonly operation: string;
}

/** Of a request that no route was found for, or that was refused before one was looked for. */
export const NO_ENDPOINT: Endpoint = { route: 'unknown', operation: '' };

/** Why a request was refused. */
interface Refusal {
  /** Of the closed list (errors.ts), or the error code of OAuth (RFC 6749 §5.2). */
  readonly code: string;
  /** A sentence for the operator. It is cleaned before it is logged, since it may quote the client. */
  readonly reason: string;
  /** How many errors a GraphQL answer has; the code and the reason are the first one's. */
  readonly errors?: number;
}

/** What is left of a rate limit that the request was counted under. */
export interface RateReading {
  /** As it is called in headers, the log and the metrics. */
  readonly name: string;
  /** Points in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

export interface RequestFacts {
  endpoint: Endpoint;
  /** The GraphQL operation's name, which the client chose: for logs and traces, never for metrics. */
  operationName: string | null;
  /** The OAuth client that the authorization server has found. */
  client: string | null;
  refusal: Refusal | null;
  /** The rate limits that it was counted under, as they were afterwards, and what it cost in points. */
  rates: readonly RateReading[];
  points: number;
  /** What it was found to cost besides, to be counted with its answer. */
  owed: number;
  /** About how many bytes its answer has, those that 304 leaves out included. */
  answerBytes: number;
  /** The network that pays for it: without valid credentials. */
  network: string | null;
  /** The rate limit that refused it. */
  limit: string | null;
  /** The span of the exchange; null when the request is not traced. */
  readonly span: Span | null;
}

/** The facts of a request that has just arrived. */
export function createFacts(span: Span | null): RequestFacts {
  return {
    endpoint: NO_ENDPOINT,
    operationName: null,
    client: null,
    refusal: null,
    rates: [],
    points: 0,
    owed: 0,
    answerBytes: 0,
    network: null,
    limit: null,
    span,
  };
}
