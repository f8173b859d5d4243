// The answer to an operation of the fast path that was refused completely or in part: the same bytes that Yoga would write.
import type { GraphQLError } from 'graphql';
import type { Reply } from '../../messages/reply.ts';
import type { GraphContext } from '../context.ts';
import type { HttpExtensions } from '../errors.ts';
import { toAnswerBody } from '../limits/large-answers.ts';
import { withCost } from '../limits/points.ts';
import { toPublicErrors } from '../public-errors.ts';
import { NULL } from './complete.ts';

/**
 * @param data the JSON of the answer's data; null when the operation was not executed
 * @param headers Yoga's response headers for status 200 and the same Accept header
 */
export function refusedReply(
  thrown: readonly GraphQLError[],
  data: Buffer<ArrayBuffer> | null,
  headers: Readonly<Record<string, string>>,
  ctx: GraphContext,
): Reply {
  const hasData = data !== null && !data.equals(NULL);
  const { errors, replaceData } = toPublicErrors(thrown, ctx, hasData);
  const texts = errors.map((error) => JSON.stringify(withoutHttp(error)));
  const parts = [Buffer.from(`{"errors":[${texts.join(',')}]`)];
  if (data !== null && !replaceData) parts.push(Buffer.from(',"data":'), data);
  parts.push(Buffer.from('}'));
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  const { status, added } = statusOf(errors, isJson);
  return {
    status,
    headers: { ...headers, ...added },
    body: toAnswerBody(withCost(Buffer.concat(parts), ctx), ctx),
  };
}

/** As in Yoga: the highest status of the errors, and the headers of all. @param isJson whether the answer is application/json */
function statusOf(errors: readonly GraphQLError[], isJson: boolean) {
  const added: Record<string, string> = {};
  let status: number | undefined;
  for (const error of errors) {
    const http = error.extensions['http'] as HttpExtensions | undefined;
    for (const [name, value] of Object.entries(http?.headers ?? {})) added[name.toLowerCase()] = value;
    if (http === undefined || (isJson && http.spec === true)) continue;
    status = Math.max(status ?? 0, http.status);
  }
  return { status: status ?? 200, added };
}

function withoutHttp(error: GraphQLError): object {
  const { http: _http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}
