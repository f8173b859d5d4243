// Reads the parameters of a GraphQL request, for the fast path and for Yoga. A request may send the id of a trusted document instead
// of its text.
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { AppError } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { toGraphQLError } from './errors.ts';
import type { Params } from './fast-path/fast-path.ts';
import { hasTooManyValues } from './limits/operation-limits.ts';
import { ID_PARAMETERS } from './operation-parameters.ts';
import type { TrustedDocument, TrustedDocuments } from './trusted-documents/request.ts';
import { requestedDocument, type SentParams } from './trusted-documents/request.ts';

/** A body of up to this length cannot have too many values in its variables. */
const SMALL_CHARS = 10_000;

/** The parsed JSON body, for the fast path and for Yoga; undefined when it is not a JSON object, which Yoga then refuses. */
export function parseBody(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return body instanceof Object ? body : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The parameters of an ordinary request body; null for any other body, valid or not, which Yoga then handles.
 * @param length of the body's text
 */
export function parseParams(
  body: object | undefined,
  length: number,
  documents: TrustedDocuments,
): Params | null {
  if (body === undefined) return null;
  const { query, variables, operationName, ...others } = body as Record<string, unknown>;
  if (Array.isArray(variables) || (variables != null && typeof variables !== 'object')) return null;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (length > SMALL_CHARS && hasTooManyValues({ ...variables })) return null;
  const named = { variables: { ...variables }, operationName: operationName ?? null };
  if (query == null) {
    const trusted = findTrusted(others, documents);
    return trusted && { ...named, query: trusted.text, trusted };
  }
  if (Object.keys(others).length > 0 || typeof query !== 'string' || documents.only) return null;
  return { ...named, query, trusted: null };
}

/** The trusted document whose id the parameters contain, if they contain nothing else; null in all other cases, which Yoga then handles. */
function findTrusted(params: SentParams, documents: TrustedDocuments): TrustedDocument | null {
  if (documents.size === 0 || Object.keys(params).some((name) => !KNOWN_PARAMETERS.has(name))) return null;
  try {
    return requestedDocument(params, documents);
  } catch {
    return null;
  }
}

const KNOWN_PARAMETERS = new Set<string>([...ID_PARAMETERS, 'extensions']);

/**
 * Yoga plugin that replaces the id of a trusted document by its text. It also turns a SyntaxError in a parameter's JSON, which Yoga would
 * report as an internal error, into a client error.
 */
export function requestParameters(documents: TrustedDocuments): Plugin<object, GraphContext> {
  return {
    onRequestParse({ requestParser, setRequestParser, url, serverContext }) {
      if (requestParser === undefined) return;
      setRequestParser(async (request) => {
        try {
          const params: GraphQLParams | GraphQLParams[] | Response =
            serverContext.state.body ?? (await requestParser(request));
          if (Array.isArray(params) || params instanceof Response) return params;
          if (request.method === 'GET') Object.assign(params, idsIn(url));
          const trusted = requestedDocument(params, documents);
          serverContext.state.trusted = trusted;
          return trusted === null ? params : { ...withoutIds(params), query: trusted.text };
        } catch (error) {
          throw error instanceof SyntaxError
            ? toGraphQLError(
                new AppError('bad_request', 'The parameters variables and extensions must be JSON.'),
              )
            : error;
        }
      });
    },
  };
}

function idsIn(url: URL): SentParams {
  return Object.fromEntries(ID_PARAMETERS.map((name) => [name, url.searchParams.get(name) ?? undefined]));
}

function withoutIds(params: GraphQLParams): GraphQLParams {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !ID_NAMES.has(name)));
}

const ID_NAMES = new Set<string>(ID_PARAMETERS);
