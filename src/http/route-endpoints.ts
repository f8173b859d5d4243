// Labels requests in the log and the metrics with the pattern of their route, unless a handler sets a more precise endpoint.
import type { H, RouterRoute } from 'hono/types';
import { toTemplate } from '../rest/route.ts';
import { requestedPath, servedPath } from '../rest/routing-path.ts';
import { type Endpoint, NO_ENDPOINT } from '../telemetry/request-facts.ts';
import type { TwoStepRouter } from './two-step-router.ts';

/** The endpoint of the last route that matches a request, except middleware; `NO_ENDPOINT` without a match. */
export function endpointOf(router: TwoStepRouter<[H, RouterRoute]>, request: Request): Endpoint {
  // Hono answers HEAD by the routes of GET.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const [matched] = router.match(method, requestedPath(request));
  const pattern = matched.map(([[, route]]) => route.path).findLast((path) => path !== '/*');
  return pattern === undefined ? NO_ENDPOINT : { route: toTemplate(servedPath(pattern)), operation: '' };
}
