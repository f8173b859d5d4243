// Names requests in the log and the metrics by the pattern of their route, if no handler sets a more precise name.
import type { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { toTemplate } from '../rest/route.ts';
import { servedPath } from '../rest/routing-path.ts';
import { type Endpoint, NO_ENDPOINT } from '../telemetry/request-facts.ts';
import type { HttpEnv } from './exchange.ts';

/** Lets every exchange find its endpoint on demand. To be called before routes are mounted. */
export function nameEndpoints(http: Hono<HttpEnv>): void {
  const endpointOf = createEndpoints();
  http.use((c, next) => {
    c.env.exchange.findEndpoint = () => {
      const route = matchedRoutes(c).findLast(({ path }) => path !== '/*')?.path;
      return route === undefined ? NO_ENDPOINT : endpointOf(route);
    };
    return next();
  });
}

/** The endpoint of a route's pattern. REST and GraphQL replace it by one that names the operation. */
function createEndpoints(): (pattern: string) => Endpoint {
  // Bounded by the number of routes.
  const endpoints = new Map<string, Endpoint>();
  return (pattern) => {
    const endpoint = endpoints.get(pattern) ?? { route: toTemplate(servedPath(pattern)), operation: '' };
    endpoints.set(pattern, endpoint);
    return endpoint;
  };
}
