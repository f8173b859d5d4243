// The routes of the authorization server, below {auth_url}. Its library takes hundreds of milliseconds to load, which would block other
// requests. So it is loaded after the process has begun to listen and before the process reports that it is ready.
import { setImmediate as nextTick } from 'node:timers/promises';
import { memoize } from '../concurrency/memoize.ts';
import type { App } from '../context.ts';
import { ACCOUNT_PATH, ENDPOINTS } from './endpoints.ts';
import type { HandlerName } from './handlers.ts';
import type { OauthRequest } from './oauth-request.ts';
import { AUTHORIZATION, type Bounds, requireShort, TOKEN } from './parameters.ts';

interface AuthorizationServerRoute {
  readonly methods: readonly string[];
  /** A path with `:parameters`. */
  readonly path: string;
  /**
   * Whether it is a page for people: a browser that opens it on another host of the service is redirected to {auth_url}, where its cookies
   * are.
   */
  readonly isPage: boolean;
  /** Answers a request. @throws AppError for requests that are refused before oidc-provider gets them */
  handle(request: OauthRequest): Promise<Response>;
}

export interface AuthorizationServer {
  readonly routes: readonly AuthorizationServerRoute[];
  /** Loads everything that the routes need; otherwise the first request does. */
  load(): Promise<unknown>;
}

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/**
 * The authorization server; without routes if an outside issuer issues the tokens.
 * @param findOffered finds the scopes that clients can request: those that some operation needs
 */
export function createAuthorizationServer(
  app: App,
  findOffered: () => Promise<ReadonlySet<string>>,
): AuthorizationServer {
  if (app.config.oauth.outside !== null) return { routes: [], load: async () => {} };
  const { authPath: base } = app.config;
  const load = memoize(async () => {
    // Loads in parts, so that the process can answer other requests between them.
    await import('jose');
    await nextTick();
    await import('oidc-provider');
    await nextTick();
    const [{ createEngine }, { HANDLERS }] = await Promise.all([
      import('./engine.ts'),
      import('./handlers.ts'),
    ]);
    return { engine: createEngine(app, await findOffered()), handlers: HANDLERS };
  });

  /** @param bounds the limits of a request, checked before any look-up */
  const api = (method: string, path: string, name: HandlerName, bounds?: Bounds) => ({
    methods: [method],
    path,
    isPage: false,
    async handle(request: OauthRequest) {
      if (bounds !== undefined) await requireShort(request, bounds);
      const { engine, handlers } = await load();
      return notCached(await handlers[name](engine, request));
    },
  });
  const page = (methods: readonly string[], path: string, name: HandlerName, bounds?: Bounds) => ({
    ...api('GET', base + path, name, bounds),
    methods,
    isPage: true,
  });

  const routes = [
    page(['GET'], ENDPOINTS.authorization, 'answer', AUTHORIZATION),
    page(['GET'], `${ENDPOINTS.authorization}/:uid`, 'answer', AUTHORIZATION),
    page(['GET', 'POST'], `${ENDPOINTS.interaction}/:uid`, 'interaction'),
    page(['GET', 'POST'], ACCOUNT_PATH, 'account'),
    api('POST', base + ENDPOINTS.token, 'token', TOKEN),
    api('POST', base + ENDPOINTS.pushed_authorization_request, 'answer', AUTHORIZATION),
    api('POST', base + ENDPOINTS.revocation, 'revoke', TOKEN),
    api('POST', base + ENDPOINTS.introspection, 'introspect', TOKEN),
    api('POST', base + ENDPOINTS.registration, 'register'),
    api('GET', base + ENDPOINTS.jwks, 'jwks'),
    // Below the issuer, and with the issuer's path inserted (RFC 8414 §3.1).
    ...[...new Set([base + WELL_KNOWN, WELL_KNOWN + base])].map((path) => api('GET', path, 'metadata')),
  ];
  return { routes, load };
}

/** Responses are not cached unless they say so themselves. */
function notCached(response: Response): Response {
  const { headers } = response;
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
  return response;
}
