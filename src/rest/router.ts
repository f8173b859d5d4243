// Mounts the REST routes, the overview of the API and the OpenAPI document on the HTTP app.

import type { Hono } from 'hono';
import { coversScope, isWriteScope, readScopeOf, requireCaller, requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { methodNotAllowed } from '../errors.ts';
import { publicFile } from '../messages/public-file.ts';
import type { Reply } from '../messages/reply.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../pagination.ts';
import { ownNameOf } from '../resources/description/names.ts';
import { type Writer, writerOf } from '../rows/resource-writer.ts';
import { chargePage, pointsOf, ROWS_PER_POINT } from '../services/limits/rate-limits.ts';
import {
  CONSISTENCY_TOKEN,
  changeWithToken,
  parseConsistencyToken,
  readFromReplicas,
} from '../services/reading/consistency.ts';
import type { RequestFacts } from '../telemetry/request-facts.ts';
import { readJson, refuseBody } from './body.ts';
import { withEntityTag } from './entity-tags.ts';
import { routes } from './nouns.ts';
import { withAddresses } from './openapi/addresses.ts';
import { isRead, type Route, refusesBody, toTemplate } from './route.ts';
import { routingPath } from './routing-path.ts';
import { withholdMembers } from './withheld.ts';
import { NO_OPTIONS, parseWriteHeaders } from './write-headers.ts';

/** The part of the HTTP app's `c.env` that REST needs. */
interface RestEnv {
  Bindings: {
    exchange: {
      readonly app: { readonly config: Parameters<typeof withAddresses>[1] };
      readonly request: Request;
      /** The URL that the client used. */
      readonly url: URL;
      /** The context, with caller and host. @throws AppError `misdirected_request` for an unknown host */
      context(): Promise<Context>;
      respond(reply: Reply): Response;
      readonly facts: RequestFacts;
    };
  };
}

/** The path of the overview of the API. */
export const API_PATH = '/api/v2';

/** The path of the OpenAPI document. */
export const OPENAPI_PATH = `${API_PATH}/openapi.json`;

const DOCUMENT = new URL('../../openapi.json', import.meta.url);

/** The version of the API in the OpenAPI document. */
export const OPENAPI_VERSION = '2';

/**
 * Mounts the routes, the overview and the OpenAPI document. GET routes serve HEAD too; another method on a known path is 405 with `Allow`
 * (RFC 9110 §15.5.6).
 */
export function mountRest<Env extends RestEnv>(http: Hono<Env>, served: readonly Route[] = routes): void {
  for (const route of served) {
    const { method, path, operationId, scope, query, body, response, handle } = route;
    const endpoint = { route: toTemplate(path), operation: operationId };
    const onlyReads = isRead(route);
    const takesNoBody = refusesBody(route);
    /** The scope to read the changed object. */
    const readScope = scope !== undefined && isWriteScope(scope) ? readScopeOf(scope) : null;
    const { parent } = route.resource;
    const parentKey = parent === undefined ? null : `${ownNameOf(parent)}_id`;
    const write = (route.representation ?? writerOf(route.resource)) as Writer<object>;
    http.on(method, routingPath(path), async (c) => {
      const { exchange } = c.env;
      exchange.facts.endpoint = endpoint;
      const ctx = await exchange.context();
      const { url, request } = exchange;
      // Authorization comes first: its error takes precedence over others.
      const caller = scope === undefined ? requireCaller(ctx) : requireScope(ctx, scope);
      // Parse `expand[]` before the change, so that an unknown name is refused in time.
      const shown = response.expansion?.askedBy(url.searchParams);
      const missing = readScope === null || coversScope(caller.scopes, readScope) ? null : readScope;
      const options = onlyReads
        ? NO_OPTIONS
        : parseWriteHeaders(request, url, shown?.write ?? write, missing);
      const position = onlyReads ? parseConsistencyToken(ctx, request.headers.get(CONSISTENCY_TOKEN)) : null;
      const input = body?.parse(await readJson(request, ctx));
      const parsedQuery = query?.parse(url.searchParams);
      if (takesNoBody) await refuseBody(request);
      const size = sizeOf(parsedQuery);
      if (size > ROWS_PER_POINT) await chargePage(ctx, size);
      const waiting = ctx.waitForSlot?.(pointsOf(size));
      if (waiting !== undefined) await waiting;
      const answered = { url, write: shown?.write ?? null, maxBytes: ctx.config.limits.maxAnswerBytes };
      const projection = shown?.projection ?? null;
      const work = () =>
        handle({ ctx, params: c.req.param(), query: parsedQuery, body: input, projection, options });
      if (onlyReads) {
        readFromReplicas(ctx, position);
        const reply = response.reply(await work(), answered);
        exchange.facts.answerBytes = reply.body instanceof Uint8Array ? reply.body.length : 0;
        return exchange.respond(withEntityTag(reply, request.headers.get('if-none-match')));
      }
      const { result, token } = await changeWithToken(ctx, work);
      const complete = response.reply(result, answered);
      const reply =
        missing === null
          ? withEntityTag(complete, null)
          : withholdMembers(complete, { scope: missing, given: body?.given?.(input) ?? {}, parentKey });
      return exchange.respond(token === null ? reply : withHeader(reply, CONSISTENCY_TOKEN, token));
    });
  }
  for (const [path, same] of Map.groupBy(served, (route) => route.path)) {
    const allow = same.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    refuseOthers(http, path, allow);
  }
  for (const path of [API_PATH, `${API_PATH}/`]) http.get(path, overview);
  let document: ReturnType<typeof publicFile> | undefined;
  http.get(OPENAPI_PATH, (c) => {
    const { exchange } = c.env;
    document ??= publicFile(DOCUMENT, 'application/json', (text) => withAddresses(text, exchange.app.config));
    return exchange.respond(document(c.req.header('if-none-match')));
  });
  for (const path of [API_PATH, `${API_PATH}/`, OPENAPI_PATH]) refuseOthers(http, path, ['GET', 'HEAD']);
}

function withHeader({ headers, ...reply }: Reply, name: string, value: string): Reply {
  return { ...reply, headers: { ...headers, [name]: value } };
}

/** The page size of the request; 0 for requests without pages. */
function sizeOf(query: unknown): number {
  const { size } = (query instanceof Object ? query : {}) as { size?: unknown };
  return typeof size === 'number' ? size : 0;
}

function refuseOthers<Env extends RestEnv>(http: Hono<Env>, path: string, allow: readonly string[]): void {
  http.all(routingPath(path), () => {
    throw methodNotAllowed(allow);
  });
}

/** The overview: endpoints and rules. It contains no data, so it needs no credentials. */
function describeApi() {
  return {
    name: 'Funnel Gateway REST API, version 2',
    authorization: 'Bearer <API key or access token>',
    pagination: `per_page (${DEFAULT_PAGE_SIZE}, at most ${MAX_PAGE_SIZE}), sort_order (asc or desc), after (an id); follow the Link header`,
    parameters:
      'unknown ones are ignored, except filter, filter[...], sort_property, stored_filter_id, stable_id, after[...], per_page[...] and sort_order[...], which are 422 on every list that does not support them',
    filters:
      'where the OpenAPI document names them: filter[name]=value,value (comma: or; several filters: and; an unknown one is 400)',
    order:
      'sort_property (id or updated_at) where the OpenAPI document names it; with updated_at, follow the Link header, which never misses a change: after alone may',
    removal:
      'removing a conditional split with branch=matched or branch=unmatched discards the pages of that branch, without branch the pages of both',
    openapi: OPENAPI_PATH,
    endpoints: routes.map(({ method, path }) => `${method} ${toTemplate(path)}`),
  };
}

function overview(): Response {
  return new Response(`${JSON.stringify(describeApi(), null, 2)}\n`, {
    headers: { 'Content-Type': 'application/json' },
  });
}
