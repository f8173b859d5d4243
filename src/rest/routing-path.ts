// The path by which a request is routed. Hono's fastest router, one regular expression for all routes, takes no route that has a fixed
// name where another one has a parameter: such names are routed as names of their own.
import { getPath } from 'hono/utils/url';

/** What stands below `/contacts/` and is no contact. */
const NAMED = /^\/api\/v2\/contacts\/(applied_tags|tags)(?=\/)/;
const BELOW = '/api/v2/contacts/';
const APART = '/api/v2/contacts~';
/** Nothing is served there. */
const NOWHERE = '/~';

/** The path of a route as the router knows it. */
export function routingPath(path: string): string {
  return path.startsWith(BELOW) ? path.replace(NAMED, `${APART}$1`) : path;
}

/** The path of a request as the router knows it. */
export function requestedPath(request: Request): string {
  const path = getPath(request);
  return path.startsWith(APART) ? NOWHERE : routingPath(path);
}

/** The path of a route, of what the router knows it by. */
export function servedPath(path: string): string {
  return path.startsWith(APART) ? BELOW + path.slice(APART.length) : path;
}
