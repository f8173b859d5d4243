// Makes the OpenAPI 3.1 document from the routes. `npm run codegen` writes it to openapi.json, from which it is served.
import { readFileSync } from 'node:fs';
import { SCOPES, scopeSentence } from '../../auth/scopes.ts';
import { STATUS_OF } from '../../errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../pagination.ts';
import { type Header, isRead, type Route, toTemplate } from '../route.ts';
import { ORIGIN, REF_SCHEMA } from '../schemas.ts';
import { ISSUER, SERVERS } from './addresses.ts';
import {
  BODY_HEADERS,
  CHANGE_HEADERS,
  COMMON_HEADERS,
  HEADERS,
  REQUEST_HEADERS,
  requestHeadersOf,
} from './openapi-headers.ts';
import { descriptionOf, imperativeOf } from './operation-texts.ts';
import {
  PROBLEM,
  problemContent,
  problemSchema,
  REFUSALS,
  type RefusalCode,
  refusalsOf,
} from './refusals.ts';
import { shareParameters, shareSchemas } from './shared-parts.ts';
import { tagsOf } from './tag-groups.ts';
import { EVENT, eventSchema, webhooksOf } from './webhook-requests.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A real request for an operation, with its response. */
export interface Example {
  /** The values of the path's parameters. */
  readonly params: Readonly<Record<string, number>>;
  /** The body of the request. */
  readonly given?: unknown;
  readonly answer?: Answer;
  /** With another status. */
  readonly otherAnswer?: Answer;
  /** The operation of GraphQL that does the same: its field, such as `Workspace.contacts`, its text, and variables to fill in. */
  readonly graphql?: object;
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
  const nouns = new Map(routes.map(({ resource }) => [resource.type, resource])).values().toArray();
  const paths = Object.fromEntries(
    Map.groupBy(routes, ({ path }) => toTemplate(path))
      .entries()
      .map(([path, served]) => [
        path,
        Object.fromEntries(
          served.map((route) => [
            route.method.toLowerCase(),
            operationOf(route, operations[route.operationId], twinOf(route, served)),
          ]),
        ),
      ]),
  );
  const schemas = { ...Object.assign({}, ...components), [PROBLEM]: problemSchema, [EVENT]: eventSchema };
  const parameters = shareParameters(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Funnel Gateway REST API',
      version,
      description: introduction(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: SERVERS,
    ...tagsOf(routes),
    paths,
    webhooks: webhooksOf(nouns.filter(({ type }) => Object.hasOwn(schemas, type))),
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
        oauth2: {
          type: 'oauth2',
          description:
            'A client that acts for a person, by the authorization code flow with PKCE (RFC 7636).',
          flows: {
            authorizationCode: {
              authorizationUrl: `${ISSUER}/oauth/authorize`,
              tokenUrl: `${ISSUER}/oauth/token`,
              refreshUrl: `${ISSUER}/oauth/token`,
              scopes: Object.fromEntries(SCOPES.map((scope) => [scope, scopeSentence(scope)])),
            },
          },
        },
      },
      parameters: {
        ...Object.fromEntries(
          Object.entries(REQUEST_HEADERS).map(([name, header]) => [name, { in: 'header', ...header }]),
        ),
        ...parameters,
      },
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
      schemas: shareSchemas(schemas),
    },
  };
}

/** The route by which others have the same: PATCH for a PUT. */
function twinOf({ method, operationId }: Route, served: readonly Route[]): Route | undefined {
  return method === 'PUT' ? served.find((other) => other.operationId === `${operationId}ByPatch`) : undefined;
}

function operationOf(
  route: Route,
  { params, given, answer, otherAnswer, graphql }: Example = { params: {} },
  twin?: Route,
) {
  const { operationId, summary, resource, scope, path, query, body, response } = route;
  const { answers, headers = [], schema } = response;
  return {
    operationId,
    summary: imperativeOf(summary),
    description: descriptionOf(route, twin),
    tags: [resource.title],
    ...((route.gatewayOnly || resource.gatewayOnly === true) && ORIGIN),
    ...(graphql !== undefined && { 'x-graphql': graphql }),
    security: ['bearer', 'oauth2'].map((scheme) => ({ [scheme]: scope === undefined ? [] : [scope] })),
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
        ...parameter,
        in: 'query',
      })),
      ...requestHeadersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: body.required,
        content: { 'application/json': { schema: body.schema, ...exampleOf(given) } },
      },
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
                content: {
                  'application/json': {
                    schema,
                    ...exampleOf([answer, otherAnswer].find((one) => String(one?.status) === status)?.body),
                  },
                },
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
