// Which trusted document a request asks for by id, in each of the forms in which clients send one, and refusals of requests that ask for
// none that there is.
import { GraphQLError } from 'graphql';
import type { TrustedDocument, TrustedDocuments } from './documents.ts';

/** The parameters of a request, as they were sent. */
export interface SentParams {
  readonly query?: unknown;
  /** GraphQL over HTTP, appendix A. */
  readonly documentId?: unknown;
  /** Relay's. */
  readonly doc_id?: unknown;
  /** Apollo's: `persistedQuery.sha256Hash`. */
  readonly extensions?: unknown;
}

/** The names of the parameters, beside extensions, that hold an id. */
export const ID_PARAMETERS = ['documentId', 'doc_id'] as const;

/**
 * @returns the document that the request names by its id; null where it has a text, or neither
 * @throws GraphQLError for an unknown id, for an id beside a text, and for a text where only trusted documents are executed
 */
export function requestedDocument(params: SentParams, documents: TrustedDocuments): TrustedDocument | null {
  const { query } = params;
  const id = params.documentId ?? params.doc_id;
  const hash = hashOf(params.extensions);
  if (query != null) {
    if (id != null) throw refusal(400, 'BAD_REQUEST', 'Send either query or documentId.');
    // Clients that send the hash again beside the text want it to be executed.
    if (documents.only)
      throw refusal(
        400,
        'PERSISTED_QUERY_ID_REQUIRED',
        'Only trusted documents are executed here: send documentId in place of query.',
      );
    return null;
  }
  const sent = id ?? hash;
  if (sent == null) return null;
  if (typeof sent !== 'string') throw refusal(400, 'BAD_REQUEST', 'The id of a document must be a string.');
  const found = documents.find(sent);
  if (found !== undefined) return found;
  // Some of Apollo's clients read the answer only with status 200; they then send the text.
  const status = id == null ? 200 : 404;
  if (documents.size === 0)
    throw refusal(status, 'PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  throw refusal(status, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
}

/** Apollo's hash; undefined where there is none. */
function hashOf(extensions: unknown): unknown {
  if (!(extensions instanceof Object) || !('persistedQuery' in extensions)) return undefined;
  const { persistedQuery } = extensions;
  return persistedQuery instanceof Object && 'sha256Hash' in persistedQuery ? persistedQuery.sha256Hash : '';
}

/** The messages and codes are Apollo's: its clients know the one, the other or both. */
function refusal(status: number, code: string, message: string): GraphQLError {
  const headers = { 'Cache-Control': 'private, no-cache, must-revalidate' };
  return new GraphQLError(message, { extensions: { code, http: { status, headers } } });
}
