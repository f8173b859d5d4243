// Converts the errors of one answer to the form that clients may see, for both Yoga and the fast path.
import { GraphQLError } from 'graphql';
import { AppError } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { rootCause, toPublicError } from './errors.ts';
import { isRefusal } from './fast-path/complete.ts';
import { chargeRefusedFields } from './limits/points.ts';
import { QueryTooLarge } from './limits/query-too-large.ts';

/** How many errors of a result get locations: computing one scans the document. */
const MAX_LOCATED_ERRORS = 100;

/** One error replaces a result with more errors than this. */
const MAX_ERRORS = 1_000;

/**
 * The errors that the client receives. Counts them for the rate limit, and prevents the fast path from compiling a failed operation.
 * @param hasData whether the result has data; without data the errors also decide the HTTP status
 * @returns `replaceData`: whether the answer is the one error alone, without data
 */
export function toPublicErrors(thrown: readonly Error[], ctx: GraphContext, hasData: boolean) {
  chargeRefusedFields(ctx, thrown.length);
  const refusal = ctx.state.isQuery ? refusalOfResult(thrown) : null;
  if (refusal !== null || thrown.some(isFailure)) ctx.state.validOperation = null;
  if (refusal !== null) return { errors: [toPublicError(refusal, ctx, false)], replaceData: true };
  const errors = thrown.map((error, index) =>
    toPublicError(index < MAX_LOCATED_ERRORS ? error : withoutLocation(error), ctx, hasData),
  );
  return { errors, replaceData: false };
}

/** Whether an error is the gateway's failure rather than the client's. */
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

/** The one error that replaces a result with too many errors, bytes or rows; null for any other result. */
function refusalOfResult(errors: readonly Error[]): AppError | null {
  if (errors.length > MAX_ERRORS)
    return new AppError(
      'invalid',
      `The operation fails in more than ${MAX_ERRORS} places. Ask for fewer fields.`,
    );
  for (const error of errors) {
    const cause = rootCause(error);
    if (cause instanceof QueryTooLarge)
      return cause.at(error instanceof GraphQLError ? error.path : undefined);
  }
  return null;
}
