// The routes of the authorization server, below {auth_url}. Its library takes hundreds of milliseconds to load, which would block other
// requests. So it is loaded after the process has begun to listen and before the process reports that it is ready.
import { setImmediate as turn } from 'node:timers/promises';
import { once } from '../concurrency/once.ts';
import type { App } from '../context.ts';
import { ACCOUNT_PATH, ENDPOINTS } from './endpoints.ts';
import type { Engine } from './engine.ts';
import type { OauthRequest } from './oauth-request.ts';
import { AUTHORIZATION, type Bounds, requireShort, TOKEN } from './parameters.ts';

export interface AuthorizationServerRoute {
  readonly methods: readonly string[];
  /** A path with `:parameters`. */
  readonly path: string;
  /**
   * Whether people see it: a browser that opens it under another host of the service is redirected to {auth_url}, where its cookies are.
   */
  readonly isPage: boolean;
  /** @throws AppError for requests that are refused before oidc-provider gets them */
  handle(request: OauthRequest): Promise<Response>;
  /** Loads the handler; otherwise the first request does. */
  load(): Promise<void>;
}

type Handler = (engine: Engine, request: OauthRequest) => Promise<Response>;

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/**
 * Every route; none if an outside issuer issues the tokens.
 * @param offered the scopes that people can be asked for: those that some operation needs
 */
export function createAuthorizationServer(
  app: App,
  offered: ReadonlySet<string>,
): readonly AuthorizationServerRoute[] {
  if (app.config.oauth.outside !== null) return [];
  const { authPath: base } = app.config;
  const engineOf = once(async () => (await import('./engine.ts')).createEngine(app, offered));

  async function run(load: () => Promise<Handler>, request: OauthRequest): Promise<Response> {
    const [engine, handler] = await Promise.all([engineOf(), load()]);
    return notCached(await handler(engine, request));
  }

  function answering(load: () => Promise<Handler>): Pick<AuthorizationServerRoute, 'handle' | 'load'> {
    return {
      handle: (request) => run(load, request),
      load: async () => void (await Promise.all([engineOf(), load()])),
    };
  }

  function api(
    methods: readonly string[],
    path: string,
    load: () => Promise<Handler>,
  ): AuthorizationServerRoute {
    return { methods, path, isPage: false, ...answering(load) };
  }

  function page(
    methods: readonly string[],
    path: string,
    load: () => Promise<Handler>,
  ): AuthorizationServerRoute {
    return { methods, path: base + path, isPage: true, ...answering(load) };
  }

  const answer = async (): Promise<Handler> => (engine, request) => engine.answer(request);
  /** Wraps a handler: requests that exceed the bounds are refused before anything is looked up. */
  const short = (bounds: Bounds, load: () => Promise<Handler>) => async (): Promise<Handler> => {
    const handler = await load();
    return async (engine, request) => {
      await requireShort(request, bounds);
      return handler(engine, request);
    };
  };
  const metadata = async () => (await import('./metadata.ts')).metadata;
  return [
    page(['GET'], ENDPOINTS.authorization, short(AUTHORIZATION, answer)),
    page(['GET'], `${ENDPOINTS.authorization}/:uid`, short(AUTHORIZATION, answer)),
    page(
      ['GET', 'POST'],
      `${ENDPOINTS.interaction}/:uid`,
      async () => (await import('./interactions.ts')).handleInteraction,
    ),
    page(['GET', 'POST'], ACCOUNT_PATH, async () => (await import('./account.ts')).handleAccount),
    api(['POST'], base + ENDPOINTS.token, short(TOKEN, answer)),
    api(['POST'], base + ENDPOINTS.pushed_authorization_request, short(AUTHORIZATION, answer)),
    api(
      ['POST'],
      base + ENDPOINTS.revocation,
      short(TOKEN, async () => (await import('./revoke-introspect.ts')).revoke),
    ),
    api(
      ['POST'],
      base + ENDPOINTS.introspection,
      short(TOKEN, async () => (await import('./revoke-introspect.ts')).introspect),
    ),
    api(['POST'], base + ENDPOINTS.registration, async () => (await import('./registration.ts')).register),
    api(['GET'], base + ENDPOINTS.jwks, async () => (await import('./metadata.ts')).jwks),
    // Below the issuer, and with the issuer's path inserted (RFC 8414 §3.1).
    ...[...new Set([base + WELL_KNOWN, WELL_KNOWN + base])].map((path) => api(['GET'], path, metadata)),
  ];
}

/** Returns a function that loads everything that these routes need, in parts, so that other requests are answered between the parts. */
export function loaderOf(routes: readonly AuthorizationServerRoute[]): () => Promise<void> {
  const libraries = [() => import('jose'), () => import('oidc-provider')];
  const parts = routes.length === 0 ? [] : [...libraries, ...routes.map((route) => route.load)];
  return once(async () => {
    for (const load of parts) {
      await load();
      await turn();
    }
  });
}

/** Responses are not cached unless they say so themselves. */
function notCached(response: Response): Response {
  const { headers } = response;
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
  return response;
}
