// Limits of a single request, and of the process's total load.
import type { WholeNumber } from './variables.ts';

export interface Limits {
  /** Bytes of a request body; a larger one is 413. */
  readonly maxBodyBytes: number;
  /** Characters of a GraphQL document. */
  readonly maxDocumentChars: number;
  /** Bytes of a response to a GraphQL operation. */
  readonly maxAnswerBytes: number;
  /** Milliseconds that a request may take before it gets a 503. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that one SQL statement may take. */
  readonly statementTimeoutMs: number;
  /** Nesting of selections in a GraphQL operation. */
  readonly maxQueryDepth: number;
  /** Rows that a GraphQL operation may read, computed from its page sizes; its response may have five times as many values. */
  readonly maxQueryCost: number;
  /** Operations of a GraphQL document. */
  readonly maxQueryOperations: number;
  /** Root fields of a GraphQL operation. */
  readonly maxQueryRootFields: number;
  /** Aliases of a GraphQL operation; an alias in a fragment counts each time the fragment is spread. */
  readonly maxQueryAliases: number;
  /** Directives of a GraphQL document, and of an operation, where those in a fragment count each time the fragment is spread. */
  readonly maxQueryDirectives: number;
  /** Fragments of a GraphQL document, which may be spread ten times as often. */
  readonly maxQueryFragments: number;
  /** Open connections of clients. */
  readonly maxConnections: number;
  /** Requests that are processed at the same time; further ones wait, then get a 503. */
  readonly maxUnderWay: number;
  /** Milliseconds that the process continues to serve at shutdown while it reports not ready. */
  readonly shutdownDelayMs: number;
  /** Milliseconds that running requests get to finish at shutdown. */
  readonly shutdownTimeoutMs: number;
}

/** Parses the variables of limits. */
export function parseLimits(wholeNumber: WholeNumber): Limits {
  return {
    maxBodyBytes: wholeNumber('MAX_BODY_BYTES', 1_024, 100_000_000),
    maxDocumentChars: wholeNumber('MAX_DOCUMENT_CHARS', 1_000, 100_000_000),
    maxAnswerBytes: wholeNumber('MAX_ANSWER_BYTES', 100_000, 999_999_999),
    requestTimeoutMs: wholeNumber('REQUEST_TIMEOUT_MS', 100, 3_600_000),
    statementTimeoutMs: wholeNumber('STATEMENT_TIMEOUT_MS', 100, 3_600_000),
    maxQueryDepth: wholeNumber('MAX_QUERY_DEPTH', 3, 1_000),
    maxQueryCost: wholeNumber('MAX_QUERY_COST', 100, 999_999_999),
    maxQueryOperations: wholeNumber('MAX_QUERY_OPERATIONS', 1, 10_000),
    maxQueryRootFields: wholeNumber('MAX_QUERY_ROOT_FIELDS', 1, 10_000),
    maxQueryAliases: wholeNumber('MAX_QUERY_ALIASES', 0, 10_000),
    maxQueryDirectives: wholeNumber('MAX_QUERY_DIRECTIVES', 0, 10_000),
    maxQueryFragments: wholeNumber('MAX_QUERY_FRAGMENTS', 0, 10_000),
    maxConnections: wholeNumber('MAX_CONNECTIONS', 10, 1_000_000),
    maxUnderWay: wholeNumber('MAX_UNDER_WAY', 1, 100_000),
    shutdownDelayMs: wholeNumber('SHUTDOWN_DELAY_MS', 0, 3_600_000),
    shutdownTimeoutMs: wholeNumber('SHUTDOWN_TIMEOUT_MS', 0, 3_600_000),
  };
}
