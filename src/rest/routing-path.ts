// The path by which a request is routed. Hono's fastest router, one regular expression for all routes, does not support a fixed segment
// where another route has a parameter: `/contacts/tags/:id` and `/contacts/:id/applied_tags`. The fixed segment wins: such routes are
// mounted under a separate internal path, `/contacts~tags/:id`.
import { getPath } from 'hono/utils/url';
import { NOUNS } from '../resources/nouns.ts';

const API = '/api/v2/';
/** Joins the segments of an internal path. */
const JOINT = '~';
/** A path at which nothing is served. */
const NOWHERE = '/~';

const members = NOUNS.flatMap(({ path, members = path }) => members ?? []);
/** Paths of members that are the start of another noun's path, the longest first. */
const prefixes = members
  .filter((path) => members.some((other) => path.startsWith(`${other}/`)))
  .sort((one, other) => other.length - one.length);
const NAMED = new RegExp(`^${API}(${prefixes.join('|')})(?=/)`);
const INTERNAL = new RegExp(`^${API}[^/]*${JOINT}`);

/** The internal path under which a route is mounted. */
export function routingPath(path: string): string {
  return path.replace(NAMED, (_, named: string) => API + named.replaceAll('/', JOINT));
}

/** The start of a path of the REST API, with the extra slashes of clients that join a base URL and a path. One path has no prefix. */
const START = /^\/+(?:(api\/v2\/)\/*|(funnels\/))(?=[^/])/;

/** The path of the REST API without the extra slashes that clients add at its start and end; any other path unchanged. */
export function canonicalPath(path: string): string {
  const [start, prefix, bare = ''] = START.exec(path) ?? [];
  if (start === undefined) return path;
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return `/${prefix ?? bare}${path.slice(start.length, end)}`;
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
