// The error response to a request that never got as far as an operation. It works before the GraphQL API has been loaded.
import type { Context } from '../context.ts';
import { AppError, INTERNAL_MESSAGE, shownErrors } from '../errors.ts';

/**
 * The response to a request that failed before its operation was parsed, for example an unknown host, a too large body, or an
 * unavailable database.
 * @param restResponse REST's response to the same error, whose status and headers are used
 */
export function requestErrorResponse(
  error: unknown,
  restResponse: Response,
  { request, requestId }: { request: Request; requestId: string },
): Response {
  const refusal = error instanceof AppError ? error : new AppError('internal', INTERNAL_MESSAGE);
  const type = request.headers.get('accept')?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json';
  const headers = new Headers(restResponse.headers);
  headers.set('Content-Type', `${type}; charset=utf-8`);
  const errors = [{ message: refusal.message, extensions: extensionsOf(refusal, { requestId }) }];
  return new Response(JSON.stringify({ errors }), { status: restResponse.status, headers });
}

/** The `extensions` that every refusal has. */
export function extensionsOf(error: AppError, { requestId }: Pick<Context, 'requestId'>) {
  const [first] = error.errors;
  return {
    code: error.code.toUpperCase(),
    requestId,
    ...(first !== undefined && { field: first.field, errors: shownErrors(error).map(inUpperCase) }),
    ...(error.scope !== undefined && { scope: error.scope }),
  };
}

function inUpperCase({ code, ...error }: ReturnType<typeof shownErrors>[number]) {
  return { ...error, code: code.toUpperCase() };
}
