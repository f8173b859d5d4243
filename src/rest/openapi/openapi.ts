// Makes the OpenAPI 3.1 document from the routes. `npm run codegen` writes it to openapi.json, from which it is served.
import { readFileSync } from 'node:fs';
import { SCOPES, scopeSentence } from '../../auth/scopes.ts';
import { STATUS_OF } from '../../errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../pagination.ts';
import { type Header, isRead, type Parameter, type Route, toTemplate } from '../route.ts';
import { ORIGIN, REF_SCHEMA } from '../schemas.ts';
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

/** The introduction of the document, as Markdown. */
function introduction(): string {
  return readFileSync(new URL('../openapi.md', import.meta.url), 'utf8')
    .trimEnd()
    .replaceAll('{defaultPageSize}', String(DEFAULT_PAGE_SIZE))
    .replaceAll('{maxPageSize}', String(MAX_PAGE_SIZE));
}

/**
 * The document.
 * @param version the version of the API
 * @param examples the examples of operations and refusals; optional
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
      description: introduction(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The host from which this document was loaded.' }],
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
    ...((route.gatewayOnly || resource.gatewayOnly === true) && ORIGIN),
    security: [{ bearer: scope === undefined ? [] : [scope] }],
    parameters: [
      ...path.matchAll(/:(\w+)/g).map(([, name = '']) => ({
        name,
        in: 'path',
        required: true,
        description: `The ${name === 'id' ? resource.title.toLowerCase() : name.replace(/_id$/, '')}: its integer id or public id.`,
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
              ...(schema === null || status === '204' ? COMMON_HEADERS : BODY_HEADERS),
              ...(isRead(route) ? {} : CHANGE_HEADERS),
              ...headersOf(headers, answer?.headers),
            },
            ...(schema !== null &&
              status !== '204' && {
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

/** Moves the default to the description, because generated clients always send a parameter that has a `default`. */
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
