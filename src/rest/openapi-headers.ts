// The headers of requests and answers that the OpenAPI document says once, among its components.
import { CONSISTENCY_TOKEN, TOKEN_PATTERN } from '../services/consistency.ts';
import { type Header, isRead, type Parameter, type Route } from './route.ts';

const REQUEST_ID: Header = {
  name: 'X-Request-Id',
  required: true,
  description: 'The id of the request, which the server’s log has too.',
  schema: { type: 'string' },
};
const ETAG: Header = {
  name: 'ETag',
  description: 'The strong entity tag of the body. That of a compressed answer ends in its coding.',
  schema: { type: 'string' },
};
const RATE_LIMIT: Header = {
  name: 'RateLimit',
  description:
    'What is left of each rate limit that the request was counted under: `r` points in the `t` seconds to come (draft-ietf-httpapi-ratelimit-headers).',
  schema: { type: 'string' },
};
const RATE_LIMIT_POLICY: Header = {
  name: 'RateLimit-Policy',
  description: 'Each of those limits: `q` points in `w` seconds.',
  schema: { type: 'string' },
};
const TOKEN: Header = {
  name: CONSISTENCY_TOKEN,
  description:
    'Where the service reads from replicas: sent with later requests that read, these see what was changed. Opaque.',
  schema: { type: 'string' },
};
/** The components. */
export const HEADERS = [REQUEST_ID, ETAG, RATE_LIMIT, RATE_LIMIT_POLICY, TOKEN];

/** Headers of requests, by the names that they have among the document's components. */
export const REQUEST_HEADERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    description: 'Entity tags that the client has; where one is that of the answer, it is 304.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    description:
      'Entity tags of the object, by strong comparison: where none is that of the object as a GET would show it, or there is no object yet, the answer is 412.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    description:
      '1 to 255 visible ASCII characters that the client makes up for this request, bare or in double quotes: a retry with the same key is answered as the first time.',
    schema: { type: 'string', minLength: 1 },
  },
  ConsistencyToken: {
    name: CONSISTENCY_TOKEN,
    description:
      'What the answer to a change has said: the answer is not older than that change. Without it the last change of the credential counts.',
    schema: { type: 'string', pattern: TOKEN_PATTERN },
  },
} satisfies Record<string, Parameter>;
/** Those of every answer, of every one with a body, and of answers to changes. */
export const COMMON_HEADERS = refsOf(REQUEST_ID, RATE_LIMIT, RATE_LIMIT_POLICY);
export const CHANGE_HEADERS = refsOf(TOKEN);
export const BODY_HEADERS = { ...COMMON_HEADERS, ...refsOf(ETAG) };

function refsOf(...headers: readonly Header[]): Record<string, { $ref: string }> {
  return Object.fromEntries(headers.map(({ name }) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that an operation takes, by their names among the components. */
export function requestHeadersOf(route: Route): (keyof typeof REQUEST_HEADERS)[] {
  return isRead(route) ? ['IfNoneMatch', 'ConsistencyToken'] : ['IdempotencyKey', 'IfMatch'];
}
