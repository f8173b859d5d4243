// Cross-origin resource sharing (Fetch §3.3): which other origins may read a response, and the responses to preflights. Cookies, which are
// credentials in the sense of CORS, are never allowed: callers send keys and tokens in `Authorization`.
import type { Config } from '../config/config.ts';
import { isLoopbackOrigin } from '../config/loopback.ts';
import { AppError } from '../errors.ts';
import { ENDPOINTS } from '../oauth/endpoints.ts';

type Headers = Readonly<Record<string, string>>;

/** Response headers that pages may read, in addition to the CORS-safelisted ones. */
const EXPOSED = [
  ...['ETag', 'Link', 'Location', 'Missing-Scope', 'Pagination-Next', 'Retry-After'],
  ...['WWW-Authenticate', 'X-Request-Id'],
  ...['RateLimit', 'RateLimit-Policy', 'Consistency-Token'],
].join(', ');

/** How long browsers may cache a preflight, in seconds: the maximum of Chromium. */
const PREFLIGHT_MAX_AGE = 7_200;

const PREFLIGHT: Headers = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Consistency-Token, Content-Type, GraphQL-Cost, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE),
};

const NO_HEADERS: Headers = {};
const VARY: Headers = { Vary: 'Origin' };
const ANY_ORIGIN: Headers = { 'Access-Control-Allow-Origin': '*' };

/** The paths of REST, also without its prefix, and GraphQL. */
const API = /^\/(graphql$|api\/v2(\/|$)|funnels\/)/;
const API_ENDPOINTS = [ENDPOINTS.token, ENDPOINTS.registration, ENDPOINTS.revocation];

/** Who may read the response: any origin, only the configured origins, or no other origin. */
function allowedReaders({ authPath }: Config, path: string): 'public' | 'configured' | 'nobody' {
  if (API.test(path) || API_ENDPOINTS.some((endpoint) => path === authPath + endpoint)) return 'configured';
  const isPublic =
    path.startsWith('/.well-known/') ||
    path.startsWith(`${authPath}/.well-known/`) ||
    path === authPath + ENDPOINTS.jwks;
  return isPublic ? 'public' : 'nobody';
}

function isAllowed({ corsOrigins }: Config, origin: string): boolean {
  if (corsOrigins === '*') return true;
  return corsOrigins === 'loopback' ? isLoopbackOrigin(origin) : corsOrigins.includes(origin);
}

/** The CORS headers of a response for `path`, also of error responses. @param origin null: the request has no Origin header */
export function corsHeaders(config: Config, path: string, origin: string | null): Headers {
  const audience = allowedReaders(config, path);
  if (audience === 'nobody') return NO_HEADERS;
  const unasked = audience === 'public' ? ANY_ORIGIN : defaultCorsHeaders(config);
  if (origin === null || (audience === 'configured' && !isAllowed(config, origin))) return unasked;
  const exposed = { ...unasked, 'Access-Control-Expose-Headers': EXPOSED };
  return unasked === ANY_ORIGIN ? exposed : { ...exposed, 'Access-Control-Allow-Origin': origin };
}

/** The constant headers of an API's response to a request without Origin, because a cache may later return the response to a page. */
export function defaultCorsHeaders({ corsOrigins }: Config): Headers {
  if (corsOrigins === '*') return ANY_ORIGIN;
  return corsOrigins.length === 0 ? NO_HEADERS : VARY;
}

/**
 * The response to a preflight (Fetch §4.8), without the CORS headers that every response gets; null for any other request. Host and caller
 * are not looked up, since a preflight has no credentials.
 * @throws AppError `origin_not_allowed`
 */
export function preflight(config: Config, { method, headers }: Request, path: string): Response | null {
  if (method !== 'OPTIONS') return null;
  const origin = headers.get('origin');
  if (origin === null || !headers.has('access-control-request-method')) return null;
  const audience = allowedReaders(config, path);
  if (audience === 'nobody') return null;
  if (audience === 'configured' && !isAllowed(config, origin))
    throw new AppError(
      'origin_not_allowed',
      'Pages of this origin may not call the gateway. The operator can add the origin to CORS_ORIGINS.',
    );
  return new Response(null, { status: 204, headers: PREFLIGHT });
}
