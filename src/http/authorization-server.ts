// Mounts the OAuth routes: the authorization server below {auth_url}, and the metadata for its discovery.
import type { Hono } from 'hono';
import { PROTECTED_RESOURCE_PATH, protectedResourceMetadata } from '../auth/discovery.ts';
import { usableScopes } from '../auth/scopes.ts';
import type { App } from '../context.ts';
import { methodNotAllowed } from '../errors.ts';
import { graphqlScopes } from '../graphql/load.ts';
import { type AuthorizationServer, createAuthorizationServer } from '../oauth/authorization-server.ts';
import { createOauthRequest } from '../oauth/oauth-request.ts';
import { routes as restRoutes } from '../rest/nouns.ts';
import { SUBSCRIPTION_SCOPES } from '../services/webhooks/webhook-rights.ts';
import type { HttpEnv } from './exchange.ts';

/** The methods of read-only routes; a GET route serves HEAD too. */
const READ = ['GET', 'HEAD'];

/** The protected resource's metadata (spec §5 rule 5); custom domains offer no discovery (rule 7). */
export function mountDiscovery(http: Hono<HttpEnv>, app: App): void {
  const { authPath } = app.config;
  for (const path of new Set([PROTECTED_RESOURCE_PATH, authPath + PROTECTED_RESOURCE_PATH])) {
    http.all(`${path}/*`, async (c, next) => {
      const { exchange } = c.env;
      const document = protectedResourceMetadata(app.config, await exchange.resolveHost(), exchange.url);
      if (document === null) return next();
      if (!READ.includes(c.req.method)) throw methodNotAllowed(READ);
      return c.json(document);
    });
  }
}

/** The authorization server of an App. It offers the scopes that this gateway's APIs need. */
export function authorizationServerOf(app: App): AuthorizationServer {
  const ofRoutes = restRoutes.flatMap(({ scope }) => scope ?? []);
  return createAuthorizationServer(app, async () =>
    usableScopes(new Set([...ofRoutes, ...(await graphqlScopes()), ...SUBSCRIPTION_SCOPES])),
  );
}

/** Mounts the paths below {auth_url}, only on the service's own host. On other hosts they are 404. */
export function mountAuthorizationServer(
  http: Hono<HttpEnv>,
  app: App,
  { routes }: AuthorizationServer,
): void {
  const home = new URL(app.config.authUrl);
  for (const { methods, path, isPage, handle } of routes) {
    http.on([...methods], path, async (c, next) => {
      const { exchange } = c.env;
      if ((await exchange.resolveHost()).kind !== 'service') return next();
      const { request, requestId, url, address, signal, facts } = exchange;
      if (isPage && url.hostname !== home.hostname && request.method === 'GET')
        return c.redirect(home.origin + url.pathname + url.search, 307);
      const params = c.req.param();
      return handle(createOauthRequest({ raw: request, requestId, address, signal, facts, params }));
    });
  }
  for (const [path, served] of Map.groupBy(routes, (route) => route.path)) {
    const methods = served.flatMap(({ methods }) => methods);
    const allow = [...new Set(methods.flatMap((method) => (method === 'GET' ? READ : [method])))];
    http.all(path, async (c, next) => {
      if ((await c.env.exchange.resolveHost()).kind !== 'service') return next();
      throw methodNotAllowed(allow);
    });
  }
}
