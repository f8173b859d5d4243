// Names a request in the log and the metrics by the pattern of its route, if no handler sets a more precise name.
import type { H, RouterRoute } from 'hono/types';
import { toTemplate } from '../rest/route.ts';
import { requestedPath, servedPath } from '../rest/routing-path.ts';
import { type Endpoint, NO_ENDPOINT } from '../telemetry/request-facts.ts';
import type { TwoStepRouter } from './two-step-router.ts';

/** The endpoint of the last route that matches a request, middleware apart; `NO_ENDPOINT` where there is none. */
export function endpointOf(router: TwoStepRouter<[H, RouterRoute]>, request: Request): Endpoint {
  // Hono answers HEAD by the routes of GET.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const [matched] = router.match(method, requestedPath(request));
  const pattern = matched.map(([[, route]]) => route.path).findLast((path) => path !== '/*');
  return pattern === undefined ? NO_ENDPOINT : { route: toTemplate(servedPath(pattern)), operation: '' };
}
