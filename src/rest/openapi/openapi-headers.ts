// The request and response headers that the OpenAPI document describes once, among its components.
import { CONSISTENCY_TOKEN, TOKEN_PATTERN } from '../../services/reading/consistency.ts';
import { type Header, isRead, type Parameter, type Route } from '../route.ts';
import { MISSING_SCOPE } from '../withheld.ts';

const REQUEST_ID: Header = {
  name: 'X-Request-Id',
  required: true,
  description: 'The id of the request, which is also in the server’s log.',
  schema: { type: 'string' },
};
const ETAG: Header = {
  name: 'ETag',
  description:
    'The strong entity tag of the body. For a compressed response it ends in the name of the content coding.',
  schema: { type: 'string' },
};
const RATE_LIMIT: Header = {
  name: 'RateLimit',
  description:
    'The rest of each rate limit that applies to the request: `r` points for the next `t` seconds (draft-ietf-httpapi-ratelimit-headers).',
  schema: { type: 'string' },
};
const RATE_LIMIT_POLICY: Header = {
  name: 'RateLimit-Policy',
  description: 'The rate limits that apply to the request, each with `q` points in `w` seconds.',
  schema: { type: 'string' },
};
const TOKEN: Header = {
  name: CONSISTENCY_TOKEN,
  description:
    'An opaque token, present if the service reads from replicas. Later reads that send it see this change.',
  schema: { type: 'string' },
};
const MISSING: Header = {
  name: MISSING_SCOPE,
  description:
    'The missing scope, if the credential may change but not read the object. The body then contains only the ids and the times of the object and the members that the request sent, whatever the schema requires.',
  schema: { type: 'string' },
};
/** The response headers among the components. */
export const HEADERS = [REQUEST_ID, ETAG, RATE_LIMIT, RATE_LIMIT_POLICY, TOKEN, MISSING];

/** Request headers, by their names among the document's components. */
export const REQUEST_HEADERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    description: 'Entity tags that the client has. If one of them matches the response, the answer is 304.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    description:
      'Entity tags of the object, as a GET returns them (strong comparison). If none of them matches the current object, or the object does not exist yet, the answer is 412.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    description:
      '1 to 255 visible ASCII characters that the client chooses for this request, bare or in double quotes. A retry with the same key gets the response to the first request.',
    schema: { type: 'string', minLength: 1 },
  },
  ConsistencyToken: {
    name: CONSISTENCY_TOKEN,
    description:
      'The token from the response to a change. The answer is then at least as recent as that change. Without it, this applies to the last change by the same credential.',
    schema: { type: 'string', pattern: TOKEN_PATTERN },
  },
} satisfies Record<string, Parameter>;
/** The headers of every response, of responses to changes, and of responses with a body. */
export const COMMON_HEADERS = refsOf(REQUEST_ID, RATE_LIMIT, RATE_LIMIT_POLICY);
export const CHANGE_HEADERS = refsOf(TOKEN, MISSING);
export const BODY_HEADERS = { ...COMMON_HEADERS, ...refsOf(ETAG) };

function refsOf(...headers: readonly Header[]): Record<string, { $ref: string }> {
  return Object.fromEntries(headers.map(({ name }) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The names, among the components, of an operation's request headers. */
export function requestHeadersOf(route: Route): (keyof typeof REQUEST_HEADERS)[] {
  return isRead(route) ? ['IfNoneMatch', 'ConsistencyToken'] : ['IdempotencyKey', 'IfMatch'];
}
