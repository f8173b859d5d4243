// Makes the OpenAPI 3.1 document from the routes. `npm run codegen` writes it to openapi.json, from which it is served. Pure.

import { SCOPES, scopeSentence } from '../auth/scopes.ts';
import { STATUS_OF } from '../errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../pagination.ts';
import {
  BODY_HEADERS,
  CHANGE_HEADERS,
  COMMON_HEADERS,
  HEADERS,
  REQUEST_HEADERS,
  requestHeadersOf,
} from './openapi-headers.ts';
import {
  PROBLEM,
  problemContent,
  problemSchema,
  REFUSALS,
  type RefusalCode,
  refusalsOf,
} from './refusals.ts';
import { type Header, isRead, type Parameter, type Route, toTemplate } from './route.ts';
import { REF_SCHEMA } from './schemas.ts';

/** A real request for an operation, with its response. */
export interface Example {
  /** The values of the path's parameters. */
  readonly params: Readonly<Record<string, number>>;
  /** Absent for an operation that changes data: its example is not sent. */
  readonly answer?: { readonly headers: Headers; readonly body: unknown };
}

export interface Examples {
  /** By operationId. */
  readonly operations: Readonly<Record<string, Example>>;
  /** Problem documents. */
  readonly refusals: Readonly<Partial<Record<RefusalCode, unknown>>>;
}

const DESCRIPTION = `Contacts, funnels and the other objects of a workspace, for programs.

**Authentication.** Send \`Authorization: Bearer\` with an API key or an OAuth access token. Each operation names the scope
that it needs, if any; the wildcards \`read\` and \`write\` include it. The challenge of a 401 leads to the OAuth metadata (RFC 9728).

**Ids.** A path takes an object's integer id or its public id. An object that the caller has no access to is 404, as if it did not exist.

**Lists** are arrays ordered by id, by default with ${DEFAULT_PAGE_SIZE} objects per page and with at most ${MAX_PAGE_SIZE}. Every page that is not empty has a
\`Link\` to the next one, the last page too; an empty array is the end. Unknown parameters are ignored, except \`filter\`, \`filter[...]\`,
\`sort_property\`, \`stored_filter_id\`, \`stable_id\` and \`after[...]\`: a list that does not support them answers 422, because ignoring them would return other objects than requested.

**Filters.** A list with \`filter[...]\` parameters returns only objects that match every filter. An object matches a filter if it has one of
its values. Values are separated by commas, or each is in its own parameter with \`[]\` after the name. An unknown filter, or one that is sent twice, is 400; an invalid value is 422.

**Changes.** With \`sort_property=updated_at\`, a client that follows \`Link\`, at once or later, never misses a change: the link contains the id
and the time of the last object (\`after\`, \`after_updated_at\`). With \`after\` alone, the list continues at the current position of that object:
the client may miss earlier changes, and gets 422 if the object was deleted.

**Errors** are problem documents (RFC 9457). \`code\` tells programs what is wrong, \`errors\` names the invalid parameters.
An unsupported method on an existing path is 405 with \`Allow\`. 429 and 503 say in \`Retry-After\` when to try again.

**Bodies** are \`application/json\`. The members of an object are in the body itself, or below one member that the schema names, such as
\`contact\`. If a body has only one member, which is an object and whose name ends in the noun's, such as \`contacts\`, it counts as that member.
Unknown members are ignored if there are known ones; \`null\` clears a member. A body with only unknown members is 422, but \`{}\` is valid and changes nothing.
No body, \`null\` and \`[]\` count as \`{}\`. Ids may be strings of digits.

**Conditional requests** (RFC 9110 §13). Responses with a body have an \`ETag\`, which changes whenever the body does; only the list of all
saved filters, which is streamed, has none. A read with \`If-None-Match\` is 304 if nothing has changed. A change with \`If-Match\`
is 412, and changes nothing, if the object is no longer as the client knows it.

**Retries.** A request that changes data may have an \`Idempotency-Key\`. If the same credential sends it again with the same key, method
and path within 24 hours, it is not carried out again but gets the first response, even if the client never received that. A different request
with a used key is 422. While the first request is still being processed, the second waits a few seconds for its response, and is then 409.
Errors are not stored: the key may be used again. If the first response has been erased since, the answer is 410.

**Rate limits.** A request costs one point, a page of more than 50 objects two. \`RateLimit\` says how many points remain for the API key
(\`key\`) or the OAuth client and its person (\`client\`), and for the team (\`team\`); without valid credentials, for the IP address
(\`address\`). A request above a limit is 429 and changes nothing.

**HEAD** is supported wherever GET is, and returns no body. Every response has an \`X-Request-Id\`: the one that the client sent, if it has
at most 128 letters, digits and \`_.:+/=@-\`, or else a new one. Clients should ignore members that they do not know.`;

/**
 * The document.
 * @param version the version of the API
 * @param examples the example of each operation; optional
 */
export function toOpenApi(
  routes: readonly Route[],
  version: string,
  { operations, refusals }: Examples = { operations: {}, refusals: {} },
): object {
  const refused = new Set(routes.flatMap(refusalsOf));
  const components = routes.flatMap(({ response, body }) => [response.components?.(), body?.components?.()]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Funnel Gateway REST API',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The host that this document was read from.' }],
    tags: [...new Map(routes.map(({ resource }) => [resource.title, resource])).values()].map(
      ({ title, description }) => ({ name: title, description }),
    ),
    paths: Object.fromEntries(
      Map.groupBy(routes, ({ path }) => toTemplate(path))
        .entries()
        .map(([path, served]) => [
          path,
          Object.fromEntries(
            served.map((route) => [
              route.method.toLowerCase(),
              operationOf(route, operations[route.operationId]),
            ]),
          ),
        ]),
    ),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: [
            'An API key or an OAuth access token. The scopes:',
            ...SCOPES.map((scope) => `- \`${scope}\`: ${scopeSentence(scope)}.`),
          ].join('\n'),
        },
      },
      parameters: Object.fromEntries(
        Object.entries(REQUEST_HEADERS).map(([name, header]) => [name, { in: 'header', ...header }]),
      ),
      headers: headersOf(HEADERS),
      responses: {
        notModified: {
          description:
            'The client already has the current version: a tag in If-None-Match matches the response.',
          headers: BODY_HEADERS,
        },
        ...Object.fromEntries([...refused].map((code) => [code, refusalResponse(code, refusals[code])])),
        other: {
          description:
            'Any other error, such as 400 for an invalid HTTP request, or 500 for an internal error.',
          headers: COMMON_HEADERS,
          content: problemContent(),
        },
      },
      schemas: Object.assign({}, ...components, { [PROBLEM]: problemSchema }),
    },
  };
}

function operationOf(route: Route, { params, answer }: Example = { params: {} }): object {
  const { operationId, summary, resource, scope, path, query, body, response } = route;
  const { answers, headers = [], schema } = response;
  return {
    operationId,
    summary,
    description:
      scope === undefined
        ? 'Needs no scope: any valid credential is enough.'
        : `Needs the scope \`${scope}\`.`,
    tags: [resource.title],
    security: [{ bearer: scope === undefined ? [] : [scope] }],
    parameters: [
      ...path.matchAll(/:(\w+)/g).map(([, name = '']) => ({
        name,
        in: 'path',
        required: true,
        description: `The ${name === 'id' ? resource.title.toLowerCase() : name.replace(/_id$/, '')}, by its integer id or its public id.`,
        schema: REF_SCHEMA,
        ...exampleOf(params[name]),
      })),
      ...[...(query?.parameters ?? []), ...(response.expansion?.parameters ?? [])].map((parameter) => ({
        ...withoutDefault(parameter),
        in: 'query',
      })),
      ...requestHeadersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body !== undefined && {
      requestBody: { required: body.required, content: { 'application/json': { schema: body.schema } } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, description]) => [
          status,
          {
            description,
            headers: {
              ...(schema === null ? COMMON_HEADERS : BODY_HEADERS),
              ...(isRead(route) ? {} : CHANGE_HEADERS),
              ...headersOf(headers, answer?.headers),
            },
            ...(schema !== null && {
              content: { 'application/json': { schema, ...exampleOf(answer?.body) } },
            }),
          },
        ]),
      ),
      ...(isRead(route) && { 304: { $ref: '#/components/responses/notModified' } }),
      ...Object.fromEntries(
        refusalsOf(route).map((code) => [STATUS_OF[code], { $ref: `#/components/responses/${code}` }]),
      ),
      default: { $ref: '#/components/responses/other' },
    },
  };
}

/** States the default in words, because client generators always send a value that has a `default`. */
function withoutDefault({
  description,
  schema: { default: initially, ...schema },
  ...parameter
}: Parameter): Parameter {
  const sentence = initially === undefined ? '' : ` By default ${initially}.`;
  return { ...parameter, description: description + sentence, schema };
}

function refusalResponse(code: RefusalCode, example: unknown): object {
  const { description, headers = [] }: { description: string; headers?: readonly Header[] } = REFUSALS[code];
  return {
    description,
    headers: { ...COMMON_HEADERS, ...headersOf(headers) },
    content: problemContent(example),
  };
}

function headersOf(headers: readonly Header[], examples?: Headers): Record<string, object> {
  return Object.fromEntries(
    headers.map(({ name, ...header }) => [
      name,
      { ...header, ...exampleOf(examples?.get(name) ?? undefined) },
    ]),
  );
}

function exampleOf(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}
