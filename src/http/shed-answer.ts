// The response to a request that is shed under overload: 503 with `Retry-After`, in the format of REST or GraphQL. It is built from
// prepared parts, since it must cost far less than the work that it avoids.
import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import { corsHeaders } from './cors.ts';
import { toRequestId } from './request-id.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const DETAIL = 'Too many requests at the moment. Nothing was changed. Try again shortly.';
/** In seconds. The value is random up to this, so that clients that were refused together do not retry together. */
const MAX_RETRY_AFTER = 3;
const HEADERS = Object.entries(SECURITY_HEADERS).flat();

const PROBLEM = JSON.stringify({
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: DETAIL,
  code: 'unavailable',
  errors: [],
}).slice(0, -1);

/** Answers 503. @param config for the CORS headers, so that browser apps can read it */
export function answerShed(config: Config, { url = '', headers }: IncomingMessage, to: ServerResponse): void {
  const requestId = toRequestId(headers['x-request-id']?.toString());
  const path = url.split('?', 1)[0] ?? '';
  const isGraphql = path === '/graphql';
  const body = isGraphql
    ? `{"errors":[{"message":"${DETAIL}","extensions":{"code":"UNAVAILABLE","requestId":"${requestId}"}}]}`
    : `${PROBLEM},"request_id":"${requestId}","error":"${DETAIL}"}`;
  const type = isGraphql ? 'application/json; charset=utf-8' : 'application/problem+json';
  const more = [
    ...['Content-Type', type, 'Content-Length', String(body.length), 'Cache-Control', 'no-store'],
    ...['Retry-After', String(randomInt(1, MAX_RETRY_AFTER + 1)), 'X-Request-Id', requestId],
  ];
  const { origin } = headers;
  const cors = origin === undefined ? [] : Object.entries(corsHeaders(config, path, origin)).flat();
  to.writeHead(503, [...HEADERS, ...more, ...cors]);
  to.end(body);
}
