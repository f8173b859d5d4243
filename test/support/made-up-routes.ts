// Serves routes that a test makes up like the real ones: through an exchange and the router.
import { Hono } from 'hono';
import { Exchange, type HttpEnv } from '../../src/http/exchange.ts';
import { errorResponse } from '../../src/rest/problem-documents.ts';
import type { Route } from '../../src/rest/route.ts';
import { mountRest } from '../../src/rest/router.ts';
import { requestedPath } from '../../src/rest/routing-path.ts';
import type { Caller, Gateway } from './gateway.ts';

export interface Sent {
  readonly by: Caller;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
}

/** A function that sends requests to only these routes. */
export function serveRoutes(routes: readonly Route[]) {
  const http = new Hono<HttpEnv>({ getPath: requestedPath });
  mountRest(http, routes);
  http.onError((error, c) => errorResponse(error, c.env.exchange));
  return async (
    gateway: Gateway,
    path: string,
    { by, method = 'GET', headers = {}, body }: Sent,
  ): Promise<Response> => {
    const request = new Request(`http://localhost:4000${path}`, {
      method,
      headers: { ...headers, Authorization: by.authorization ?? '' },
      ...(body !== undefined && { body, duplex: 'half' }),
    } as RequestInit);
    const exchange = new Exchange(gateway.app, request, undefined);
    return exchange.addCommonHeaders(await http.fetch(request, { exchange }));
  };
}
