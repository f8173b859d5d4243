// Errors in the OpenAPI document: which ones an operation may return, and the schema of problem documents (RFC 9457).
import { type ErrorCode, FIELD_ERROR_CODES, STATUS_OF } from '../../errors.ts';
import { type Header, isRead, type Route } from '../route.ts';
import { type Schema, schemaRef } from '../schemas.ts';
import { FILTER } from '../served-parameters.ts';

interface Refusal {
  readonly description: string;
  readonly headers?: readonly Header[];
}

const CHALLENGE: Header = {
  name: 'WWW-Authenticate',
  required: true,
  description: 'The challenge (RFC 6750 §3), with the scope that the operation needs, if any.',
  schema: { type: 'string' },
};
const RETRY_AFTER: Header = {
  name: 'Retry-After',
  required: true,
  description: 'The number of seconds to wait before a retry.',
  schema: { type: 'integer', minimum: 0 },
};

/** The errors that the document describes. */
export const REFUSALS = {
  bad_request: {
    description:
      'The body is not JSON in UTF-8, a custom attribute has an empty name, or a filter is unknown or repeated.',
  },
  unauthenticated: {
    description: 'Credentials are missing, unknown, expired or revoked.',
    headers: [CHALLENGE],
  },
  insufficient_scope: {
    description: 'The credentials lack the scope that the operation needs.',
    headers: [CHALLENGE],
  },
  not_found: { description: 'The object does not exist, or the caller has no access to it.' },
  conflict: {
    description:
      'The request conflicts with the current state, or the first request with this Idempotency-Key is still being processed.',
  },
  gone: {
    description:
      'The response to the first request with this Idempotency-Key is no longer available, because its content was erased, replaced or removed.',
  },
  precondition_failed: {
    description: 'The object does not match If-Match, or does not exist yet. Nothing was changed.',
  },
  payload_too_large: { description: 'The body is larger than the server accepts.' },
  unsupported_media_type: { description: 'The body is not sent as JSON, or it has a content coding.' },
  misdirected_request: { description: 'This server does not serve the host of the request.' },
  invalid: {
    description: 'Parameters, headers or members of the body are invalid. `errors` lists them.',
  },
  too_many_requests: {
    description: 'Too many requests: above a rate limit, or too many expensive ones at once.',
    headers: [RETRY_AFTER],
  },
  unavailable: {
    description: 'The service cannot answer at the moment, or the request took too long.',
    headers: [RETRY_AFTER],
  },
} satisfies Partial<Record<ErrorCode, Refusal>>;

export type RefusalCode = keyof typeof REFUSALS;

/** The errors of an operation, without those of invalid HTTP requests, which any request may get. */
export function refusalsOf(route: Route): RefusalCode[] {
  const { path, scope, query, body } = route;
  const isFiltered = query?.parameters.some(({ name }) => FILTER.test(name)) ?? false;
  return [
    ...(body === undefined && !isFiltered ? [] : (['bad_request'] as const)),
    'unauthenticated',
    ...(scope === undefined ? [] : (['insufficient_scope'] as const)),
    // Routes about the caller itself are 404 on another team's host.
    ...(path.includes(':') || scope === undefined ? (['not_found'] as const) : []),
    ...(isRead(route) ? [] : (['conflict', 'gone', 'precondition_failed'] as const)),
    ...(body === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
    'misdirected_request',
    'invalid',
    'too_many_requests',
    'unavailable',
  ];
}

export const PROBLEM = 'Problem';

const text = (description: string): Schema => ({ type: 'string', description });

/** A list of codes with what each says. */
function meanings(codes: Readonly<Record<string, string>>): string {
  return Object.entries(codes)
    .map(([code, about]) => `\`${code}\`: ${about}`)
    .join(' ');
}

const problemProperties = {
  type: {
    type: 'string',
    format: 'uri-reference',
    description: 'Always `about:blank`. See `code` for the kind of error.',
  },
  title: text('The name of the HTTP status.'),
  status: { type: 'integer', description: 'The HTTP status of the answer.' },
  detail: text('The error message for people, with a sentence for each of `errors`.'),
  code: {
    type: 'string',
    enum: Object.keys(STATUS_OF),
    description: 'The error code for programs. Each code has one HTTP status.',
  },
  errors: {
    type: 'array',
    description: 'The invalid parameters and members, if any; only the first ones if there are many.',
    items: {
      type: 'object',
      properties: {
        field: text('The name of the parameter or member, as the client writes it.'),
        code: {
          type: 'string',
          enum: Object.keys(FIELD_ERROR_CODES),
          description: `What is wrong, for programs. ${meanings(FIELD_ERROR_CODES)}`,
        },
        message: text('The error message for the parameter or member.'),
      },
      required: ['field', 'code', 'message'],
    },
  },
  request_id: text('The id of the request, as in `X-Request-Id`.'),
  error: text('The same as `detail`, for clients of earlier versions.'),
};

/** The schema of the problem document. */
export const problemSchema: Schema = {
  description: 'A problem document: the reason why a request was refused (RFC 9457).',
  type: 'object',
  properties: problemProperties,
  required: Object.keys(problemProperties),
};

/** The content of a refusal. @param example a problem document */
export function problemContent(example?: unknown): object {
  return {
    'application/problem+json': { schema: schemaRef(PROBLEM), ...(example !== undefined && { example }) },
  };
}
