// Gives oidc-provider, a Koa app, a fetch Request in the form of node:http, without a network port. Sets host, scheme and address itself,
// and drops headers in which the client states its own.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Response as Answer, inject } from 'light-my-request';

interface NodeRequestOptions {
  /** The public URL of the authorization server, which becomes the request's host and scheme. */
  readonly issuer: URL;
  /** The path of that URL: the handler sees paths without it. */
  readonly mount: string;
  /** The client's address. */
  readonly address: string;
  /** The request's id in the log. It becomes the header `X-Request-Id`, whatever the client sent. */
  readonly requestId: string;
  /** The request's body, already read. */
  readonly body: Uint8Array | null;
}

/** A request and its response in the form of node:http. */
export interface NodeExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The answer, once `res` has ended. */
  readonly done: Promise<Response>;
}

/** Request headers that are not copied, because this file sets them, they are untrusted, or they belong to the HTTP server (CORS). */
const NOT_COPIED =
  /^(host|origin|forwarded|x-forwarded-.*|x-original-.*|x-real-ip|content-length|transfer-encoding|connection)$/;

/** Response headers that the HTTP server sets itself: those of the connection and of CORS. */
const NOT_RETURNED =
  /^(date|transfer-encoding|connection|content-length|vary|access-control-(allow-origin|expose-headers))$/;

/** The request as node:http would have received it at the issuer's own address, and a response that stores everything written to it. */
export function toNode(
  request: Request,
  { issuer, mount, address, requestId, body }: NodeRequestOptions,
): NodeExchange {
  const { pathname, search } = new URL(request.url);
  const path = pathname + search;
  const inner = path.startsWith(mount) ? path.slice(mount.length) : path;
  const copied = [...request.headers]
    .filter(([name]) => !NOT_COPIED.test(name))
    .map(([name, value]) => [name, name === 'authorization' ? collapseBlanks(value) : value]);
  const headers = { ...Object.fromEntries(copied), host: issuer.host, 'x-request-id': requestId };
  const { promise: done, resolve, reject } = Promise.withResolvers<Response>();
  let messages: Pick<NodeExchange, 'req' | 'res'> | undefined;
  inject(
    (req, res) => {
      Object.assign(req, { originalUrl: path, url: inner === '' ? '/' : inner });
      Object.assign(req.socket, { encrypted: issuer.protocol === 'https:' });
      messages = { req, res };
    },
    {
      method: request.method,
      url: '/',
      headers,
      remoteAddress: address,
      ...(body !== null && { payload: Buffer.from(body) }),
    },
    (error, answer) => (answer === undefined ? reject(error) : resolve(toResponse(answer))),
  );
  if (messages === undefined) throw new Error('The request was not dispatched at once.');
  return { ...messages, done };
}

/** Reduces the blanks before credentials to one: RFC 9110 §11.4 allows several, oidc-provider does not. */
function collapseBlanks(credentials: string): string {
  return credentials.replace(/^([^ ]+) +/, '$1 ');
}

function toResponse({ statusCode: status, headers: given, rawPayload }: Answer): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    if (!NOT_RETURNED.test(name)) for (const each of [value].flat()) headers.append(name, String(each));
  return new Response(rawPayload.length === 0 ? null : new Uint8Array(rawPayload), { status, headers });
}
