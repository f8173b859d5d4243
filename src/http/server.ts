// The server as one fetch handler, with REST, GraphQL, OAuth and discovery mounted. It opens no port.
import { Hono } from 'hono';
import type { H, RouterRoute } from 'hono/types';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import type { DemoLink } from '../graphiql/demo-link.ts';
import { createGraphiqlPage } from '../graphiql/page.ts';
import { graphqlOf, type LoadGraphql } from '../graphql/load.ts';
import { OPERATION_PARAMETERS } from '../graphql/operation-parameters.ts';
import { requestErrorResponse } from '../graphql/request-errors.ts';
import type { Reply } from '../messages/reply.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import { isBelowAuthorizationServer } from '../oauth/endpoints.ts';
import { errorPage } from '../oauth/error-pages.ts';
import { buildInfo } from '../output/build-info.ts';
import { limitLines } from '../output/log.ts';
import { errorResponse } from '../rest/problem-documents.ts';
import { API_PATH, mountRest } from '../rest/router.ts';
import { requestedPath } from '../rest/routing-path.ts';
import { readiness } from '../services/health.ts';
import { NO_ENDPOINT } from '../telemetry/request-facts.ts';
import { authorizationServerOf, mountAuthorizationServer, mountDiscovery } from './authorization-server.ts';
import { createCompression } from './compression.ts';
import { corsHeaders, preflight } from './cors.ts';
import { mountDemoLink } from './demo-link.ts';
import type { Draining } from './draining.ts';
import { Exchange, type HttpEnv, incompleteRequest, type Peer, withCommonHeaders } from './exchange.ts';
import { graphiqlAssets } from './graphiql-assets.ts';
import { linksOf, mountHome } from './home.ts';
import { mountImages } from './images.ts';
import { HEALTH_CHECKS } from './load-shedding.ts';
import { pageNotBuilt } from './page-not-built.ts';
import { findGuides, mountGuides } from './pages/guides.ts';
import { notFoundAnswer } from './pages/not-found.ts';
import { acceptsHtml, refuseWrites } from './pages/reader.ts';
import { mountRestPage } from './pages/rest-page.ts';
import { admitRequest, countAnswer, countUnread } from './rate-limits.ts';
import { toRequestId } from './request-id.ts';
import { reportRefusal, reportRequest, toRefusal } from './request-report.ts';
import { createRequestQueues, createRequestSlot } from './request-turn.ts';
import { endpointOf } from './route-endpoints.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { TwoStepRouter } from './two-step-router.ts';

export interface Server {
  /** Answers any request and logs one line. Never throws or rejects. */
  fetch(request: Request, peer?: Peer): Promise<Response>;
  /** The error response to bytes that are not a valid request. Logs one line, at a limited rate. */
  refuse(error: unknown, peer: Peer): Response;
  /** Loads the modules that readiness needs but listening does not. `/readyz` waits for it. */
  load(): Promise<void>;
}

const REFUSALS_LOGGED_PER_SECOND = 20;

/**
 * Creates the server of an App.
 * @param demoLink the demo's sign-in link; null: none was printed
 * @param lifetime whether the listener is draining; the server is then not ready
 */
export function createServer(
  app: App,
  demoLink: DemoLink | null = null,
  lifetime: Pick<Draining, 'isBegun'> = { isBegun: false },
): Server {
  const graphql = graphqlOf(app);
  const authorization = authorizationServerOf(app);
  const router = new TwoStepRouter<[H, RouterRoute]>();
  const load = async () => {
    router.prepare();
    await graphql();
    await authorization.load();
    await app.store.loadPrisma();
  };
  const http = createHttp(app, { demoLink, lifetime, graphql, authorization, load, router });
  const compress = createCompression();
  const turns = createRequestQueues();
  app.metrics.watch('queue', 'turns', () => turns);
  app.rates.connect().catch((error: unknown) => app.log.error({ err: error }, 'rate limits are not shared'));
  const logRefusal = limitLines(app.accessLog, REFUSALS_LOGGED_PER_SECOND, app.clock);
  return {
    load,
    refuse(error, { address, incoming }) {
      const requestId = toRequestId(incoming?.headers['x-request-id']?.toString());
      const path = incoming?.url?.split('?', 1)[0] ?? '';
      const always = corsHeaders(app.config, path, incoming?.headers.origin ?? null);
      const problem = errorResponse(error, { app, requestId, host: null });
      const response = withCommonHeaders(problem, requestId, { defaults: SECURITY_HEADERS, always });
      logRefusal(reportRefusal(app, { requestId, address, status: response.status, error }), 'no request');
      return response;
    },
    async fetch(request, peer) {
      const startedAt = performance.now();
      const exchange = new Exchange(app, request, peer);
      const turn = createRequestSlot(turns, exchange);
      exchange.waitForSlot = turn.take;
      const plain = exchange.addCommonHeaders(await answer(http, exchange));
      const response = await compress(exchange, plain);
      turn.end();
      countUnread(exchange);
      const counting = countAnswer(exchange, response, response !== plain && response.status !== 304);
      if (counting !== undefined) await counting;
      const { facts } = exchange;
      if (facts.endpoint === NO_ENDPOINT && exchange.isRouted) facts.endpoint = endpointOf(router, request);
      reportRequest(exchange, response.status, performance.now() - startedAt);
      return response;
    },
  };
}

async function answer(http: Hono<HttpEnv>, exchange: Exchange): Promise<Response> {
  const { app, request, url } = exchange;
  try {
    const allowed = preflight(app.config, request, url.pathname);
    if (allowed !== null) return allowed;
    const respond = async () => {
      exchange.isRouted = true;
      return http.fetch(request, { exchange });
    };
    const counting = admitRequest(exchange);
    return await exchange.withinDeadline(counting === undefined ? respond() : counting.then(respond));
  } catch (error) {
    return refuse(error, exchange);
  }
}

/** The error response by path: REST's problem document, GraphQL errors, or a page. Also for errors before a handler was called. */
function refuse(thrown: unknown, exchange: Exchange): Response {
  // After a truncated body, any failure is the client's fault.
  const error = exchange.isTruncated && !(thrown instanceof AppError) ? incompleteRequest() : thrown;
  const { facts } = exchange;
  facts.refusal = toRefusal(error);
  const response = errorResponse(error, exchange);
  const { app, request, requestId, url } = exchange;
  if (url.pathname === '/graphql') return requestErrorResponse(error, response, exchange);
  const isPage =
    isBelowAuthorizationServer(app.config.authPath, url.pathname) &&
    acceptsHtml(request.headers.get('accept'));
  return isPage ? errorPage(app, error, response, requestId) : response;
}

/** The parts that `createHttp` mounts and that need more than the App. */
interface Parts {
  readonly demoLink: DemoLink | null;
  readonly lifetime: Pick<Draining, 'isBegun'>;
  readonly graphql: LoadGraphql;
  readonly authorization: AuthorizationServer;
  readonly load: () => Promise<void>;
  readonly router: TwoStepRouter<[H, RouterRoute]>;
}

function createHttp(app: App, parts: Parts): Hono<HttpEnv> {
  const { demoLink, lifetime, graphql, authorization, load, router } = parts;
  const http = new Hono<HttpEnv>({ getPath: requestedPath, router });
  http.onError((error, c) => refuse(error, c.env.exchange));

  // Health checks work on any host.
  http.get('/healthz', (c) => c.json({ status: 'alive', version: buildInfo().version }));
  http.get('/readyz', async (c) => {
    requireServing(lifetime);
    // Before the check, because loading would keep the process from reading the database's answer in time.
    await load();
    const found = await readiness(app);
    requireServing(lifetime);
    return c.json(found);
  });

  for (const path of HEALTH_CHECKS) refuseWrites(http, path);

  http.use((c, next) => {
    const host = c.env.exchange.resolveHost();
    return host instanceof Promise ? host.then(next) : next();
  });
  mountDiscovery(http, app);
  mountAuthorizationServer(http, app, authorization);
  mountGraphql(http, app, graphql);
  mountDemoLink(http, demoLink);
  const guides = findGuides(app.config);
  const links = linksOf(app.config, guides);
  mountRestPage(http, app.config.graphiql ? issuerOf(app) : null);
  mountRest(http);
  mountImages(http, app);
  mountGuides(http, guides);
  mountHome(http, app, links);
  const ways = links.filter(({ name }) => ['graphiql', 'rest', 'docs'].includes(name));
  http.notFound(({ env: { exchange }, req }) => {
    const error = new AppError('not_found', nothingAt(req.path));
    return notFoundAnswer(exchange, refuse(error, exchange), ways);
  });
  return http;
}

/** The message for an unknown path. Outside REST it says where the APIs are. */
function nothingAt(path: string): string {
  const nothing = 'Nothing is served at this path.';
  if (path.startsWith(`${API_PATH}/`)) return nothing;
  return `${nothing} The REST API is below ${API_PATH}, the GraphQL API is /graphql.`;
}

/** @throws AppError `unavailable` once the listener is draining */
function requireServing({ isBegun }: Pick<Draining, 'isBegun'>): void {
  if (isBegun) throw new AppError('unavailable', 'The gateway is shutting down. Try again shortly.');
}

/** `/graphql`: the API for programs, GraphiQL for a browser that asks for a page. */
function mountGraphql(http: Hono<HttpEnv>, app: App, graphql: LoadGraphql): void {
  const graphiqlPage = createGraphiqlPage();
  http.get('/graphiql/assets/*', graphiqlAssets);
  http.all('/graphql', async (c) => {
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
    const isBrowser = reads && acceptsHtml(c.req.header('accept'));
    if (isBrowser && app.config.graphiql) {
      const { kind } = await c.env.exchange.resolveHost();
      const issuer = kind === 'custom_domain' ? null : issuerOf(app);
      return graphiqlPage(issuer) ?? pageNotBuilt('GraphiQL');
    }
    if (isBrowser && OPERATION_PARAMETERS.every((name) => c.req.query(name) === undefined))
      throw new AppError('not_found', graphiqlIsOff(app));
    const handle = await graphql();
    const answer = await handle(c.req.raw, await c.env.exchange.context());
    return isResponse(answer) ? answer : c.env.exchange.respond(answer);
  });
}

/** The authorization server where people sign in; null if tokens come from an outside issuer. */
function issuerOf({ config: { authUrl, oauth } }: App): string | null {
  return oauth.outside === null ? authUrl : null;
}

function graphiqlIsOff({ config }: App): string {
  return config.trustedDocuments.only
    ? 'GraphiQL is switched off here: only documents that are known beforehand are executed.'
    : 'GraphiQL is switched off here. Programs send operations by POST.';
}

/** node-adapter.ts replaces the global Response, so `instanceof Response` would not recognize Yoga's responses. */
function isResponse(answer: Response | Reply): answer is Response {
  return answer.headers instanceof Headers;
}
