// Names requests in the log and the metrics by the pattern of their route, if no handler sets a more precise name.
import type { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { toTemplate } from '../rest/route.ts';
import { servedPath } from '../rest/routing-path.ts';
import { NO_ENDPOINT } from '../telemetry/request-facts.ts';
import type { HttpEnv } from './exchange.ts';

/** Lets every exchange find its endpoint on demand. To be called before routes are mounted. */
export function nameEndpoints(http: Hono<HttpEnv>): void {
  http.use((c, next) => {
    // REST and GraphQL set an endpoint that names the operation, too.
    c.env.exchange.findEndpoint = () => {
      const pattern = matchedRoutes(c).findLast(({ path }) => path !== '/*')?.path;
      return pattern === undefined ? NO_ENDPOINT : { route: toTemplate(servedPath(pattern)), operation: '' };
    };
    return next();
  });
}
