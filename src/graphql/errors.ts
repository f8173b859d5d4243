// Maps every failure to the error, HTTP status and headers that GraphQL clients receive.
import { GraphQLError, Kind } from 'graphql';
import { challenge } from '../auth/challenge.ts';
import type { Context } from '../context.ts';
import { AppError, fieldErrorsOf, INTERNAL_MESSAGE } from '../errors.ts';
import type { RequestFacts } from '../telemetry/request-facts.ts';
import { messageWithNames } from './closed-sets.ts';
import { QueryTooLarge } from './limits/query-too-large.ts';
import { extensionsOf } from './request-errors.ts';

/**
 * The extension `http` of an error. Yoga applies it to the response and removes it. With `spec`, the status is only used for clients
 * that accept application/graphql-response+json; others get 200.
 */
export interface HttpExtensions {
  readonly status: number;
  readonly spec?: boolean;
  readonly headers?: Record<string, string>;
}

/** Messages of graphql-js quote parts of the document, which may be long. */
const MAX_MESSAGE_CHARS = 500;

/**
 * The error that the client receives: an AppError with its code, an error of graphql-js with its message, anything else masked and logged.
 * @param hasData whether the result has data; without data the error also determines the HTTP status
 */
export function toPublicError(thrown: Error, ctx: Context, hasData: boolean): GraphQLError {
  const error = toGraphQLError(thrown);
  const found = rootCause(error);
  const cause = found instanceof AppError ? withEnumNames(found) : found;
  if (cause instanceof AppError) {
    const extensions = {
      ...extensionsOf(cause, ctx),
      ...(cause instanceof QueryTooLarge && cause.extensions),
    };
    addRefusal(ctx.facts, extensions.code.toLowerCase(), cause.message);
    return withExtensions(error, cause.message, {
      ...extensions,
      ...httpExtension(cause, ctx, hasData),
    });
  }
  if (cause instanceof GraphQLError) {
    const extensions = foreignExtensionsOf(error, ctx, hasData);
    addRefusal(ctx.facts, String(extensions.code).toLowerCase(), withoutValues(error.message));
    return withExtensions(error, error.message, extensions);
  }
  addRefusal(ctx.facts, 'internal', 'A field failed: see the line of level error with this request id.');
  ctx.log.error(
    { err: cause, requestId: ctx.requestId, path: error.path?.join('.') },
    'GraphQL field failed',
  );
  return withExtensions(error, INTERNAL_MESSAGE, {
    code: 'INTERNAL',
    requestId: ctx.requestId,
    ...(!hasData && { http: { status: 500 } }),
  });
}

/** The error with the names of enums in place of values in its messages. */
export function withEnumNames(error: AppError): AppError {
  const { code, reason, retryAfterSeconds } = error;
  const fieldErrors = fieldErrorsOf(error);
  const sets = [error, ...fieldErrors].flatMap(({ values }) => (values === undefined ? [] : [values]));
  if (sets.length === 0) return error;
  const errors = fieldErrors.map(({ values, ...one }) => {
    return values === undefined ? one : { ...one, message: messageWithNames(one.message, values) };
  });
  return new AppError(code, [...new Set(sets)].reduce(messageWithNames, error.message), {
    errors,
    ...(reason && { reason }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: error,
  });
}

/** Whether error messages must not suggest names of the schema: for anonymous clients, and when introspection is off. */
export function mustHideSuggestions({ actor, config: { introspection } }: Context): boolean {
  return !introspection || actor.kind === 'anonymous';
}

/** Wraps anything that was thrown in a GraphQLError, which Yoga passes on unchanged. */
export function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error('thrown', { cause: error });
  const nodes = error instanceof QueryTooLarge ? error.excess.node : undefined;
  return new GraphQLError(originalError.message, { originalError, nodes });
}

/** The response when the client could not read any other. */
export function notAcceptable({ requestId, facts }: Context): Response {
  const message = 'The Accept header must allow application/graphql-response+json or application/json.';
  addRefusal(facts, 'bad_request', message);
  const errors = [{ message, extensions: { code: 'BAD_REQUEST', requestId } }];
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return Response.json({ errors }, { status: 406, headers });
}

/** Records the first error of an answer as the reason, and counts the others. */
export function addRefusal(facts: RequestFacts, code: string, reason: string): void {
  const { refusal } = facts;
  facts.refusal = refusal === null ? { code, reason } : { ...refusal, errors: (refusal.errors ?? 1) + 1 };
}

/** A quoted part of a message of graphql-js: a name when one of these words comes before it, otherwise perhaps a value. */
const QUOTED =
  /\b(field|type|argument|fragment|directive|variable|operation) "([$@]?\w{1,100})"|"(?:[^"\\]|\\.)*"?/gi;
/** After this word a message may contain a value without quotes. */
const VALUE = /\b(value:?|values?) .*$/s;

/** A message of graphql-js for the log: names are kept, values are removed since they may be secret. */
function withoutValues(message: string): string {
  return message
    .slice(0, MAX_MESSAGE_CHARS)
    .replace(QUOTED, (quoted, word: string | undefined) => (word === undefined ? '"…"' : quoted))
    .replace(VALUE, '$1 …');
}

/** What was originally thrown, inside any number of wrapping GraphQLErrors. */
export function rootCause(error: Error): unknown {
  let cause: unknown = error;
  while (cause instanceof GraphQLError && cause.originalError != null) cause = cause.originalError;
  return cause;
}

function httpExtension(error: AppError, ctx: Context, hasData: boolean): { http?: HttpExtensions } {
  if (error.code === 'unauthenticated') {
    const headers = { 'WWW-Authenticate': challenge(ctx.config, ctx.host, error) };
    return { http: { status: 401, headers } };
  }
  if (error.code === 'unavailable') {
    return { http: { status: 503, headers: retryAfter(error) } };
  }
  if (hasData) return {};
  if (error.code === 'too_many_requests') return { http: { status: 429, headers: retryAfter(error) } };
  return { http: { status: 400, spec: error.code === 'invalid' } };
}

function retryAfter({ retryAfterSeconds = 1 }: AppError): Record<string, string> {
  return { 'Retry-After': String(retryAfterSeconds) };
}

/**
 * The extensions of errors of graphql-js and Yoga. A malformed request is 400 for every client; an invalid document is 400 only for
 * clients that accept application/graphql-response+json.
 */
function foreignExtensionsOf(error: GraphQLError, { requestId }: Context, hasData: boolean) {
  const { http: foreign, code: foreignCode } = error.extensions;
  const foreignHttp = foreign as HttpExtensions | undefined;
  const code = foreignHttp?.status === 405 ? 'METHOD_NOT_ALLOWED' : (foreignCode ?? 'BAD_REQUEST');
  const malformed = foreignCode === 'BAD_REQUEST';
  const http = { ...(foreignHttp ?? { status: 400, spec: true }), ...(malformed && { spec: false }) };
  const field = error.extensions['field'] ?? variableOf(error);
  return { code, requestId, ...(field !== undefined && { field }), ...(!hasData && { http }) };
}

/** The variable that an error is about, for example a missing one. */
function variableOf({ nodes }: GraphQLError): string | undefined {
  const [node] = nodes ?? [];
  return node?.kind === Kind.VARIABLE_DEFINITION ? node.variable.name.value : undefined;
}

function withExtensions(
  error: GraphQLError,
  message: string,
  extensions: Record<string, unknown>,
): GraphQLError {
  const { nodes, source, positions, path } = error;
  const shortMessage =
    message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message;
  return new GraphQLError(shortMessage, { nodes, source, positions, path, extensions });
}
