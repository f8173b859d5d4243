// Limits of a single request, and of the process's total load.
import { wholeNumber } from './values.ts';
import type { Read } from './variables.ts';

/** Parses the variables of limits. */
export function parseLimits({ value }: Read) {
  return {
    /** Bytes of a request body; a larger one is 413. */
    maxBodyBytes: value('MAX_BODY_BYTES', wholeNumber(1_024, 100_000_000)),
    /** Characters of a GraphQL document. */
    maxDocumentChars: value('MAX_DOCUMENT_CHARS', wholeNumber(1_000, 100_000_000)),
    /** Bytes of a response to a GraphQL operation. */
    maxAnswerBytes: value('MAX_ANSWER_BYTES', wholeNumber(100_000, 999_999_999)),
    /** Milliseconds that a request may take before it gets a 503. */
    requestTimeoutMs: value('REQUEST_TIMEOUT_MS', wholeNumber(100, 3_600_000)),
    /** Milliseconds that one SQL statement may take. */
    statementTimeoutMs: value('STATEMENT_TIMEOUT_MS', wholeNumber(100, 3_600_000)),
    /** Nesting of selections in a GraphQL operation. */
    maxQueryDepth: value('MAX_QUERY_DEPTH', wholeNumber(3, 1_000)),
    /** Rows that a GraphQL operation may read, computed from its page sizes; its response may have five times as many values. */
    maxQueryCost: value('MAX_QUERY_COST', wholeNumber(100, 999_999_999)),
    /** Operations of a GraphQL document. */
    maxQueryOperations: value('MAX_QUERY_OPERATIONS', wholeNumber(1, 10_000)),
    /** Root fields of a GraphQL operation. */
    maxQueryRootFields: value('MAX_QUERY_ROOT_FIELDS', wholeNumber(1, 10_000)),
    /** Aliases of a GraphQL operation; an alias in a fragment counts each time the fragment is spread. */
    maxQueryAliases: value('MAX_QUERY_ALIASES', wholeNumber(0, 10_000)),
    /** Directives of a GraphQL document, and of an operation, where those in a fragment count each time the fragment is spread. */
    maxQueryDirectives: value('MAX_QUERY_DIRECTIVES', wholeNumber(0, 10_000)),
    /** Fragments of a GraphQL document, which may be spread ten times as often. */
    maxQueryFragments: value('MAX_QUERY_FRAGMENTS', wholeNumber(0, 10_000)),
    /** Open connections of clients. */
    maxConnections: value('MAX_CONNECTIONS', wholeNumber(10, 1_000_000)),
    /** Requests that are processed at the same time; further ones wait, then get a 503. */
    maxUnderWay: value('MAX_UNDER_WAY', wholeNumber(1, 100_000)),
    /** Milliseconds that the process continues to serve at shutdown while it reports not ready. */
    shutdownDelayMs: value('SHUTDOWN_DELAY_MS', wholeNumber(0, 3_600_000)),
    /** Milliseconds that running requests get to finish at shutdown. */
    shutdownTimeoutMs: value('SHUTDOWN_TIMEOUT_MS', wholeNumber(0, 3_600_000)),
  };
}

export type Limits = Readonly<ReturnType<typeof parseLimits>>;
