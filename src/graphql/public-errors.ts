// The errors of one answer as clients may see them, whether Yoga or the fast path executed the operation.
import { GraphQLError } from 'graphql';
import { AppError } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { rootCause, toPublicError } from './errors.ts';
import { isRefusal } from './fast-path/complete.ts';
import { AnswerTooLarge } from './limits/answer-size.ts';
import { oweRefusedFields } from './limits/points.ts';

/** So many errors of a result have locations: computing one scans the document. */
const MAX_LOCATED_ERRORS = 100;

/** A result with more errors is replaced by one error. */
const MAX_ERRORS = 1_000;

interface PublicErrors {
  readonly errors: readonly GraphQLError[];
  /** Whether the answer is the one error alone, without data. */
  readonly replaceData: boolean;
}

/**
 * The errors that clients get. Counts them for the rate limit, and keeps the operation from being compiled where anything failed.
 * @param hasData whether the result has data; without data the errors also decide the HTTP status
 */
export function toPublicErrors(thrown: readonly Error[], ctx: GraphContext, hasData: boolean): PublicErrors {
  oweRefusedFields(ctx, thrown.length);
  const refusal = ctx.state.isQuery ? refusalOfResult(thrown) : null;
  if (refusal !== null || thrown.some(isFailure)) ctx.state.validOperation = null;
  if (refusal !== null) return { errors: [toPublicError(refusal, ctx, false)], replaceData: true };
  const errors = thrown.map((error, index) =>
    toPublicError(index < MAX_LOCATED_ERRORS ? error : withoutLocation(error), ctx, hasData),
  );
  return { errors, replaceData: false };
}

/** Whether an error is none that a client has caused. */
function isFailure(error: Error): boolean {
  const cause = rootCause(error);
  if (cause instanceof AppError) return !isRefusal(cause);
  return !(cause instanceof GraphQLError);
}

function withoutLocation(error: Error): GraphQLError {
  if (!(error instanceof GraphQLError)) return new GraphQLError(error.message, { originalError: error });
  const { message, path, originalError, extensions } = error;
  return new GraphQLError(message, { path, originalError, extensions });
}

/** The one error that replaces a result with too many errors or too many bytes; null for any other result. */
function refusalOfResult(errors: readonly Error[]): AppError | null {
  if (errors.length > MAX_ERRORS)
    return new AppError('invalid', `The operation fails in more than ${MAX_ERRORS} places.`);
  const causes = errors.map(rootCause);
  return causes.find((cause) => cause instanceof AnswerTooLarge) ?? null;
}
