// Limits of a single request, and of the process's total load.
import type { WholeNumber } from './variables.ts';

/** Parses the variables of limits. */
export function parseLimits(wholeNumber: WholeNumber) {
  return {
    /** Bytes of a request body; a larger one is 413. */
    maxBodyBytes: wholeNumber('MAX_BODY_BYTES', 1_024, 100_000_000),
    /** Characters of a GraphQL document. */
    maxDocumentChars: wholeNumber('MAX_DOCUMENT_CHARS', 1_000, 100_000_000),
    /** Bytes of a response to a GraphQL operation. */
    maxAnswerBytes: wholeNumber('MAX_ANSWER_BYTES', 100_000, 999_999_999),
    /** Milliseconds that a request may take before it gets a 503. */
    requestTimeoutMs: wholeNumber('REQUEST_TIMEOUT_MS', 100, 3_600_000),
    /** Milliseconds that one SQL statement may take. */
    statementTimeoutMs: wholeNumber('STATEMENT_TIMEOUT_MS', 100, 3_600_000),
    /** Nesting of selections in a GraphQL operation. */
    maxQueryDepth: wholeNumber('MAX_QUERY_DEPTH', 3, 1_000),
    /** Rows that a GraphQL operation may read, computed from its page sizes; its response may have five times as many values. */
    maxQueryCost: wholeNumber('MAX_QUERY_COST', 100, 999_999_999),
    /** Operations of a GraphQL document. */
    maxQueryOperations: wholeNumber('MAX_QUERY_OPERATIONS', 1, 10_000),
    /** Root fields of a GraphQL operation. */
    maxQueryRootFields: wholeNumber('MAX_QUERY_ROOT_FIELDS', 1, 10_000),
    /** Aliases of a GraphQL operation; an alias in a fragment counts each time the fragment is spread. */
    maxQueryAliases: wholeNumber('MAX_QUERY_ALIASES', 0, 10_000),
    /** Directives of a GraphQL document, and of an operation, where those in a fragment count each time the fragment is spread. */
    maxQueryDirectives: wholeNumber('MAX_QUERY_DIRECTIVES', 0, 10_000),
    /** Fragments of a GraphQL document, which may be spread ten times as often. */
    maxQueryFragments: wholeNumber('MAX_QUERY_FRAGMENTS', 0, 10_000),
    /** Open connections of clients. */
    maxConnections: wholeNumber('MAX_CONNECTIONS', 10, 1_000_000),
    /** Requests that are processed at the same time; further ones wait, then get a 503. */
    maxUnderWay: wholeNumber('MAX_UNDER_WAY', 1, 100_000),
    /** Milliseconds that the process continues to serve at shutdown while it reports not ready. */
    shutdownDelayMs: wholeNumber('SHUTDOWN_DELAY_MS', 0, 3_600_000),
    /** Milliseconds that running requests get to finish at shutdown. */
    shutdownTimeoutMs: wholeNumber('SHUTDOWN_TIMEOUT_MS', 0, 3_600_000),
  };
}

export type Limits = Readonly<ReturnType<typeof parseLimits>>;
