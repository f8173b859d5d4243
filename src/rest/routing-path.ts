// The path by which a request is routed. Hono's fastest router, one regular expression for all routes, does not support a fixed segment
// where another route has a parameter. Such routes are mounted under a separate internal path.
import { getPath } from 'hono/utils/url';

/** Paths below `/contacts/` whose next segment is not a contact's id. */
const NAMED = /^\/api\/v2\/contacts\/(applied_tags|tags)(?=\/)/;
const BELOW = '/api/v2/contacts/';
const APART = '/api/v2/contacts~';
/** A path at which nothing is served. */
const NOWHERE = '/~';

/** The internal path under which a route is mounted. */
export function routingPath(path: string): string {
  return path.startsWith(BELOW) ? path.replace(NAMED, `${APART}$1`) : path;
}

/** The internal path of a request. Internal paths cannot be requested from outside. */
export function requestedPath(request: Request): string {
  const path = getPath(request);
  return path.startsWith(APART) ? NOWHERE : routingPath(path);
}

/** The public path of a route, from its internal path. */
export function servedPath(path: string): string {
  return path.startsWith(APART) ? BELOW + path.slice(APART.length) : path;
}
