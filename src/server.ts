// createServer(app): one fetch handler with everything mounted. Opens no port.
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { authorizationServerMetadata, protectedResourceMetadata } from './auth/discovery.ts';
import { redactTokens } from './auth/tokens.ts';
import type { App } from './context.ts';
import { AppError } from './errors.ts';
import { createGraphiql } from './graphiql/page.ts';
import { refuseRequest } from './graphql/errors.ts';
import { createGraphqlHandler } from './graphql/handler.ts';
import { Exchange, type HttpEnv, type Peer } from './http.ts';
import { errorResponse } from './rest/errors.ts';
import { mountRest } from './rest/router.ts';
import { requireReady } from './services/health.ts';

export interface Server {
  /** Answers any request; never throws, never rejects. */
  fetch(request: Request, peer?: Peer): Promise<Response>;
}

/** Everything that the gateway serves, behind one function. */
export function createServer(app: App): Server {
  const http = createHttp(app);
  return {
    async fetch(request, peer) {
      const startedAt = performance.now();
      const exchange = new Exchange(app, request, peer);
      const response = exchange.dress(await answer(http, exchange));
      logRequest(exchange, response.status, performance.now() - startedAt);
      return response;
    },
  };
}

async function answer(http: Hono<HttpEnv>, exchange: Exchange): Promise<Response> {
  const { requestTimeoutMs } = exchange.app.config.limits;
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new AppError('unavailable', 'The request took too long.', { retryAfterSeconds: 5 }));
  }, requestTimeoutMs);
  try {
    return await Promise.race([http.fetch(exchange.request, { exchange }), deadline]);
  } catch (error) {
    return refuse(error, exchange);
  } finally {
    clearTimeout(timer);
  }
}

/** Each face's clients read failures in their own form, also those from before the face was reached. */
function refuse(error: unknown, exchange: Exchange): Response {
  const response = errorResponse(error, exchange);
  return exchange.url.pathname === '/graphql' ? refuseRequest(error, response, exchange) : response;
}

function createHttp(app: App): Hono<HttpEnv> {
  const http = new Hono<HttpEnv>();
  http.onError((error, c) => refuse(error, c.env.exchange));

  // Asked by whoever runs the process, at whatever address it has.
  http.get('/healthz', (c) => c.json({ status: 'alive' }));
  http.get('/readyz', async (c) => {
    await requireReady(app);
    return c.json({ status: 'ready' });
  });

  http.use(async (c, next) => {
    await c.env.exchange.resolveHost();
    await next();
  });
  mountDiscovery(http, app);
  mountGraphql(http, app);
  mountRest(http);
  http.get('/', (c) => c.redirect('/graphql'));
  http.notFound(() => {
    throw new AppError('not_found', 'Nothing is served at this path.');
  });
  return http;
}

/** Under {auth_url} (spec §5 rule 5); custom domains offer no discovery (rule 7). */
function mountDiscovery(http: Hono<HttpEnv>, app: App): void {
  const base = new URL(app.config.authUrl).pathname.replace(/\/$/, '');
  const documents = {
    'oauth-protected-resource': protectedResourceMetadata(app.config),
    'oauth-authorization-server': authorizationServerMetadata(app.config),
  };
  for (const [name, document] of Object.entries(documents)) {
    http.get(`${base}/.well-known/${name}`, async (c, next) => {
      const host = await c.env.exchange.resolveHost();
      return host.kind === 'custom_domain' ? next() : c.json(document);
    });
  }
}

/** `/graphql`: the API for programs, GraphiQL for a browser that asks for a page. */
function mountGraphql(http: Hono<HttpEnv>, app: App): void {
  const graphiql = createGraphiql();
  const graphql = createGraphqlHandler(app);
  const { maxBodyBytes } = app.config.limits;
  http.get('/graphiql/assets/*', async (c, next) => (await graphiql.asset(c.req.raw)) ?? next());
  const countWhileReading = bodyLimit({
    maxSize: maxBodyBytes,
    onError: () => {
      throw tooLarge(maxBodyBytes);
    },
  });
  http.use('/graphql', async (c, next) => {
    // A length that was announced is the body's: node:http sees to that. Only what is not announced has to be counted.
    const length = c.req.header('content-length');
    if (length === undefined) return countWhileReading(c, next);
    if (Number(length) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    return next();
  });
  http.all('/graphql', async (c) => {
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
    if (reads && acceptsHtml(c.req.header('accept')) && c.req.query('query') === undefined) {
      return graphiql.page();
    }
    const answer = await graphql(c.req.raw, await c.env.exchange.context());
    return answer instanceof Response ? answer : c.env.exchange.respond(answer);
  });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The request body is larger than ${maxBytes} bytes.`);
}

/** Browsers name text/html first; programs name JSON or nothing. */
function acceptsHtml(accept: string | undefined): boolean {
  return accept !== undefined && /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(accept);
}

function logRequest(
  { app, request, requestId, url, actor }: Exchange,
  status: number,
  durationMs: number,
): void {
  const line = {
    requestId,
    method: request.method,
    host: url.host,
    path: redactTokens(url.pathname),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(actor?.kind === 'api_key' && { apiKey: actor.publicId }),
  };
  app.accessLog.info(line, 'request');
}
