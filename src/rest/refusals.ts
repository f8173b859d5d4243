// What the OpenAPI document says of refusals: which ones an operation may answer, and the problem document that each is
// (RFC 9457, DESIGN §5). errors.ts makes them.
import { type ErrorCode, STATUS_OF } from '../errors.ts';
import { FILTER } from '../pagination.ts';
import { type Header, isRead, type Route } from './route.ts';
import { type Schema, schemaRef } from './schemas.ts';

interface Refusal {
  readonly description: string;
  readonly headers?: readonly Header[];
}

const CHALLENGE: Header = {
  name: 'WWW-Authenticate',
  required: true,
  description: 'The challenge (RFC 6750 §3). It names the scope that the operation needs, if it needs one.',
  schema: { type: 'string' },
};
const RETRY_AFTER: Header = {
  name: 'Retry-After',
  required: true,
  description: 'The number of seconds after which a retry makes sense.',
  schema: { type: 'integer', minimum: 0 },
};

/** The refusals that the document names. */
export const REFUSALS = {
  bad_request: {
    description:
      'The body is not JSON in UTF-8, a custom attribute has an empty name, or the list has no such filter, or it is given twice.',
  },
  unauthenticated: {
    description: 'Credentials are missing, unknown, expired or revoked.',
    headers: [CHALLENGE],
  },
  insufficient_scope: {
    description: 'The credentials lack the scope that the operation needs.',
    headers: [CHALLENGE],
  },
  not_found: { description: 'It does not exist, or it is not the caller’s.' },
  conflict: {
    description:
      'It does not fit what is there, or the first request with this Idempotency-Key is still under way.',
  },
  gone: { description: 'What the first request with this Idempotency-Key answered has been erased.' },
  precondition_failed: {
    description: 'It is not as If-Match says, or there is no object yet. Nothing was changed.',
  },
  payload_too_large: { description: 'The body is larger than the server takes.' },
  unsupported_media_type: { description: 'The body is not sent as JSON, or in a content coding.' },
  misdirected_request: { description: 'The host belongs to nobody whom this server serves.' },
  invalid: { description: 'Parameters, headers or members of the body are wrong. `errors` names each.' },
  too_many_requests: {
    description:
      'Too many requests for now: more than a rate limit allows, or too many expensive ones at once.',
    headers: [RETRY_AFTER],
  },
  unavailable: {
    description: 'The service cannot answer at the moment, or the request took too long.',
    headers: [RETRY_AFTER],
  },
} satisfies Partial<Record<ErrorCode, Refusal>>;

export type RefusalCode = keyof typeof REFUSALS;

/** What an operation may refuse. The rest, such as 400 for bytes that are no request, is the same for every request. */
export function refusalsOf(route: Route): RefusalCode[] {
  const { path, scope, query, body } = route;
  const isFiltered = query?.parameters.some(({ name }) => FILTER.test(name)) ?? false;
  return [
    ...(body === undefined && !isFiltered ? [] : (['bad_request'] as const)),
    'unauthenticated',
    ...(scope === undefined ? [] : (['insufficient_scope'] as const)),
    // On another team's host there is nothing of the caller either.
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

const problemProperties = {
  type: { type: 'string', format: 'uri-reference', description: 'Always `about:blank`: `code` says more.' },
  title: text('The name of the status.'),
  status: { type: 'integer', description: 'The status of the answer.' },
  detail: text('What is wrong, for people: one sentence, or one for each of `errors`.'),
  code: {
    type: 'string',
    enum: Object.keys(STATUS_OF),
    description: 'What is wrong, for programs. Each code has one status.',
  },
  errors: {
    type: 'array',
    description:
      'Every parameter and member to blame, the first ones where there are many; empty where none is.',
    items: {
      type: 'object',
      properties: {
        field: text('Its name, as the client writes it.'),
        message: text('What would be right.'),
      },
      required: ['field', 'message'],
    },
  },
  request_id: text('The request’s id, as in `X-Request-Id`.'),
  error: text('`detail` again, for clients of earlier versions.'),
};

/** The schema of the problem document. */
export const problemSchema: Schema = {
  description: 'Why a request was refused (RFC 9457).',
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
