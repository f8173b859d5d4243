// The OpenAPI 3.1 document of a list of routes. It is written to openapi.json by `npm run codegen`, and served from there. Pure.

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

/** A real request for an operation, and its answer. */
export interface Example {
  /** The values of the path's parameters. */
  readonly params: Readonly<Record<string, number>>;
  /** Absent: it was not sent, for it changes something. */
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
that it needs, if any; a wildcard, \`read\` or \`write\`, covers it too. The challenge of a 401 leads to the OAuth metadata (RFC 9728).

**Ids.** A path takes an object's integer id or its public id. What belongs to somebody else is 404, as if it did not exist.

**Lists** are arrays in the order of ids, ${DEFAULT_PAGE_SIZE} objects a page and at most ${MAX_PAGE_SIZE}. Every page that is not empty has a \`Link\` to the
next one, the last page too; an empty array is the end. Unknown parameters are ignored, but \`filter\`, \`filter[...]\`,
\`sort_property\`, \`stored_filter_id\`, \`stable_id\` and \`after[...]\` are 422 on every list that does not serve them, for to ignore them would answer other objects.

**Filters.** A list that names \`filter[...]\` parameters answers only objects that have one of the values of each, which stand
with commas between them, or each in a parameter of its own with \`[]\` behind the name. A filter that it does not name, or one that is sent twice, is 400, a bad value 422.

**Changes.** By \`sort_property=updated_at\` whoever follows \`Link\`, or keeps it for later, never misses a change: it has the id
and the time of the last object (\`after\`, \`after_updated_at\`). \`after\` alone goes on where that object is now: it may miss
what was changed before, and is 422 when the object is gone.

**Refusals** are problem documents (RFC 9457). \`code\` tells programs what is wrong, \`errors\` which parameter is to blame.
Another method on a path that is served is 405 with \`Allow\`. 429 and 503 say in \`Retry-After\` when to try again.

**Bodies** are \`application/json\`. The members of an object stand in the body itself, or below its one member that the schema names,
such as \`contact\`; a body's only member counts as that one where it is an object and its name ends in the noun's, such as \`contacts\`.
Unknown members are ignored beside known ones, \`null\` clears. A body without any known member is 422, but \`{}\` is a change of nothing. No
body, \`null\` and \`[]\` count as \`{}\`. Ids may be strings of digits.

**Conditional requests** (RFC 9110 §13). Answers with a body have an \`ETag\`, which changes whenever the body would; only the list of
all saved filters, which is streamed, has none. A read with \`If-None-Match\` is 304 where nothing has changed, a change with
\`If-Match\` is 412, and changes nothing, where the object is not any more as the client knows it.

**Retries.** A request that changes something may carry an \`Idempotency-Key\`. When it is sent again with the same key by the same
credential to the same method and path, within 24 hours, it is not carried out again but answered as the first time, also when the first answer
was lost. Another request with a used key is 422. While the first one is under way, the second waits for its answer for a few
seconds, and is 409 then. Refusals are not kept: the key may be used again. What has been erased since is 410.

**Rate limits.** A request costs one point, a page of more than 50 objects two. \`RateLimit\` says how many points are left to the API key
(\`key\`) or the OAuth client and its person (\`client\`), and to the team (\`team\`); without valid credentials to the address
(\`address\`). What would be more is 429 and changes nothing.

**HEAD** is answered wherever GET is, without a body. Every answer has an \`X-Request-Id\`: the one that the client sent, if
that is at most 128 letters, digits and \`_.:+/=@-\`, or a new one. Clients should ignore members that they do not know.`;

/**
 * The document.
 * @param version the version of the API
 * @param examples what is shown of each operation; without them the document is complete but for these
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
          description: 'The client has what would be answered: a tag of If-None-Match is that of the answer.',
          headers: BODY_HEADERS,
        },
        ...Object.fromEntries([...refused].map((code) => [code, refusalResponse(code, refusals[code])])),
        other: {
          description:
            'Any other refusal, such as 400 for what is no HTTP request, or 500 for a fault of ours.',
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
      scope === undefined ? 'Needs no scope: any valid credential will do.' : `Needs the scope \`${scope}\`.`,
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
      ...(query?.parameters ?? []).map((parameter) => ({ ...withoutDefault(parameter), in: 'query' })),
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

/** Its default in words: generators of clients take `default` for a value that is always sent. */
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
