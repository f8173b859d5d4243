// Trusted documents are registered in advance, and clients refer to them by id. Finds the document of a request, in any of the forms that
// clients use, and refuses unknown ids.
import { type DocumentNode, GraphQLError } from 'graphql';

/** A document that clients refer to by id. */
export interface TrustedDocument {
  readonly text: string;
  /** Parsed and validated. */
  readonly document: DocumentNode;
}

export interface TrustedDocuments {
  /** The number of different documents. 0: none are configured, and clients send the text. */
  readonly size: number;
  /** Whether only trusted documents are executed. */
  readonly only: boolean;
  /** @param id as a client sends it, with or without the prefix `sha256:` */
  find(id: string): TrustedDocument | undefined;
}

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

/**
 * @returns the document with the id that the request sends; null when it sends a text, or neither
 * @throws GraphQLError for an unknown id, for an id together with a text, and for a text when only trusted documents are executed
 */
export function requestedDocument(params: SentParams, documents: TrustedDocuments): TrustedDocument | null {
  const { query } = params;
  const id = params.documentId ?? params.doc_id;
  const hash = hashOf(params.extensions);
  if (query != null) {
    if (id != null) throw refusal(400, 'BAD_REQUEST', 'Send either query or documentId.');
    // A hash in `extensions` is ignored: clients that send it together with the text want the text to be executed.
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
  // Some Apollo clients read this answer only with status 200, and then send the text.
  const status = id == null ? 200 : 404;
  if (documents.size === 0)
    throw refusal(status, 'PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  throw refusal(status, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
}

/** The hash that Apollo clients send; undefined without one. */
function hashOf(extensions: unknown): unknown {
  if (!(extensions instanceof Object) || !('persistedQuery' in extensions)) return undefined;
  const { persistedQuery } = extensions;
  return persistedQuery instanceof Object && 'sha256Hash' in persistedQuery ? persistedQuery.sha256Hash : '';
}

/** Messages and codes are Apollo's: its clients recognize the message, the code, or both. */
function refusal(status: number, code: string, message: string): GraphQLError {
  const headers = { 'Cache-Control': 'private, no-cache, must-revalidate' };
  return new GraphQLError(message, { extensions: { code, http: { status, headers } } });
}
