// The path by which a request is routed. Hono's fastest router, one regular expression for all routes, does not support a fixed segment
// where another route has a parameter: `/contacts/tags/:id` beside `/contacts/:id/applied_tags`. The fixed segment wins: such routes are
// mounted under a separate internal path, `/contacts~tags/:id`.
import { getPath } from 'hono/utils/url';
import { NOUNS } from '../resources/nouns.ts';

const API = '/api/v2/';
/** Joins the segments of an internal path. */
const JOINT = '~';
/** A path at which nothing is served. */
const NOWHERE = '/~';

const members = NOUNS.flatMap(({ path, members = path }) => members ?? []);
/** Paths of members below which another noun's are, the longest first. */
const below = members
  .filter((path) => members.some((other) => path.startsWith(`${other}/`)))
  .sort((one, other) => other.length - one.length);
const NAMED = new RegExp(`^${API}(${below.join('|')})(?=/)`);
const INTERNAL = new RegExp(`^${API}[^/]*${JOINT}`);

/** The internal path under which a route is mounted. */
export function routingPath(path: string): string {
  return path.replace(NAMED, (_, named: string) => API + named.replaceAll('/', JOINT));
}

/** Slashes that clients add where they join a base URL and a path, and at its end. Elsewhere they would skip an id. */
const EXTRA_SLASHES = /^\/+api\/v2\/+(?=[^/])|\/+$/g;

/** The path of the REST API that is meant by one with slashes too many; any other path as it is. */
export function canonicalPath(path: string): string {
  return /^\/+api\/v2\/+[^/]/.test(path)
    ? path.replace(EXTRA_SLASHES, (extra) => (extra.includes('api') ? API : ''))
    : path;
}

/** The internal path of a request. Internal paths cannot be requested from outside. */
export function requestedPath(request: Request): string {
  const path = canonicalPath(getPath(request));
  return INTERNAL.test(path) ? NOWHERE : routingPath(path);
}

/** The public path of a route, from its internal path. */
export function servedPath(path: string): string {
  return INTERNAL.test(path) ? path.replaceAll(JOINT, '/') : path;
}
