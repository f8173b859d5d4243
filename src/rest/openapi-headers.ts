// The headers of requests and answers that the OpenAPI document says once, among its components.
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
/** The components. */
export const HEADERS = [REQUEST_ID, ETAG];

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
} satisfies Record<string, Parameter>;
/** Those of every answer, and of every one with a body. */
export const REQUEST_ID_REF = { [REQUEST_ID.name]: { $ref: `#/components/headers/${REQUEST_ID.name}` } };
export const BODY_HEADERS = { ...REQUEST_ID_REF, [ETAG.name]: { $ref: `#/components/headers/${ETAG.name}` } };

/** The headers that an operation takes, by their names among the components. */
export function requestHeadersOf(route: Route): (keyof typeof REQUEST_HEADERS)[] {
  return isRead(route) ? ['IfNoneMatch'] : ['IdempotencyKey', 'IfMatch'];
}
