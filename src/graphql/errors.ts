// The one place that decides what a failure looks like to a GraphQL client.
import { GraphQLError } from 'graphql';
import { challenge } from '../auth/challenge.ts';
import type { Context } from '../context.ts';
import { AppError, type ErrorCode } from '../errors.ts';

/** HTTP's part of an error, taken out by Yoga. `spec`: only for clients that know GraphQL-over-HTTP statuses. */
interface HttpExtensions {
  readonly status: number;
  readonly spec?: boolean;
  readonly headers?: Record<string, string>;
}

/** Errors of Yoga's own that have a code of ours. */
const CODE_OF_STATUS: Record<number, ErrorCode> = {
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** Messages repeat what they are about. */
const MAX_MESSAGE_CHARS = 500;

const MASKED = 'Something went wrong inside. The request id helps us to find out what.';

/**
 * The answer to a request that failed before its operation was read: an unknown host, a body too large, no database.
 * @param asRest the answer that REST gives; status and headers are the same
 */
export function refuseRequest(
  error: unknown,
  asRest: Response,
  { request, requestId }: { request: Request; requestId: string },
): Response {
  const known = error instanceof AppError ? error : new AppError('internal', MASKED);
  const type = request.headers.get('accept')?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json';
  const headers = new Headers(asRest.headers);
  headers.set('Content-Type', `${type}; charset=utf-8`);
  const errors = [{ message: known.message, extensions: describe(known, { requestId }) }];
  return new Response(JSON.stringify({ errors }), { status: asRest.status, headers });
}

/**
 * An error as clients see it: a refusal of ours with its code, GraphQL's own as it is, anything else masked and logged.
 * @param answered whether there is an answer beside it; without one the HTTP status says so too
 */
export function toPublicError(thrown: Error, ctx: Context, answered: boolean): GraphQLError {
  const error = toGraphQLError(thrown);
  const cause = rootCause(error);
  if (cause instanceof AppError) {
    return rewrite(error, cause.message, { ...describe(cause, ctx), ...http(cause, ctx, answered) });
  }
  if (cause instanceof GraphQLError) {
    return rewrite(error, error.message, describeForeign(error, ctx, answered));
  }
  ctx.log.error(
    { err: cause, requestId: ctx.requestId, path: error.path?.join('.') },
    'GraphQL field failed',
  );
  return rewrite(error, MASKED, {
    code: 'INTERNAL',
    requestId: ctx.requestId,
    ...(!answered && { http: { status: 500 } }),
  });
}

/** Anything thrown, as an error that Yoga passes on untouched. */
export function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error('thrown', { cause: error });
  return new GraphQLError(originalError.message, { originalError });
}

const EXPLANATIONS: Record<number, readonly [ErrorCode, string]> = {
  406: ['bad_request', 'The answer is application/graphql-response+json or application/json.'],
  415: ['unsupported_media_type', 'Send the operation as application/json.'],
};

/** Yoga's answers without a body, with one. */
export function explain(response: Response, { requestId }: Context): Response {
  const [code, message] = EXPLANATIONS[response.status] ?? [];
  if (code === undefined) return response;
  const errors = [{ message, extensions: { code: code.toUpperCase(), requestId } }];
  return Response.json({ errors }, { status: response.status });
}

/** What an error was made of. */
export function rootCause(error: Error): unknown {
  let cause: unknown = error;
  while (cause instanceof GraphQLError && cause.originalError != null) cause = cause.originalError;
  return cause;
}

function describe(error: AppError, { requestId }: Pick<Context, 'requestId'>) {
  const [first] = error.errors;
  return {
    code: error.code.toUpperCase(),
    requestId,
    ...(first !== undefined && { field: first.field, errors: error.errors }),
    ...(error.scope !== undefined && { scope: error.scope }),
  };
}

function http(error: AppError, ctx: Context, answered: boolean): { http?: HttpExtensions } {
  if (error.code === 'unauthenticated') {
    const headers = { 'WWW-Authenticate': challenge(ctx.config, ctx.host, error) };
    return { http: { status: 401, headers } };
  }
  if (error.code === 'unavailable') {
    return { http: { status: 503, headers: retryAfter(error) } };
  }
  if (answered) return {};
  if (error.code === 'too_many_requests') return { http: { status: 429, headers: retryAfter(error) } };
  return { http: { status: 400, spec: error.code === 'invalid' } };
}

function retryAfter({ retryAfterSeconds = 1 }: AppError): Record<string, string> {
  return { 'Retry-After': String(retryAfterSeconds) };
}

/** GraphQL's own errors and Yoga's. An unreadable request is 400 for every client, an unfit document for new ones. */
function describeForeign({ extensions }: GraphQLError, { requestId }: Context, answered: boolean) {
  const { http: foreign, code: foreignCode } = extensions;
  const given = foreign as HttpExtensions | undefined;
  const code = (given && CODE_OF_STATUS[given.status]?.toUpperCase()) ?? foreignCode ?? 'BAD_REQUEST';
  const unreadable = foreignCode === 'BAD_REQUEST';
  const http = { ...(given ?? { status: 400, spec: true }), ...(unreadable && { spec: false }) };
  return { code, requestId, ...(!answered && { http }) };
}

function rewrite(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError {
  const { nodes, source, positions, path } = error;
  const short = message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message;
  return new GraphQLError(short, { nodes, source, positions, path, extensions });
}
