// A REST route is data: method, path, handler. The router mounts it; a document can be made from it.
import type { Context } from '../context.ts';
import type { Reply } from '../reply.ts';

export interface RestRequest {
  readonly ctx: Context;
  /** Path parameters, decoded, untrusted. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The public URL that the client asked for. */
  readonly url: URL;
}

export interface Route {
  readonly method: 'GET' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: string;
  /** @throws AppError; the router maps it to a problem document */
  readonly handle: (request: RestRequest) => Promise<Reply>;
}

/** A path parameter. The router has matched the path, so it is there. */
export function param(request: RestRequest, name: string): string {
  const value = request.params[name];
  if (value === undefined) throw new TypeError(`The route has no parameter ${name}`);
  return value;
}
