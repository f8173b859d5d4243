// A REST route is data: what it takes, what it needs, what it answers. The router enforces it, and the OpenAPI document is
// made from it, so that neither can say anything else than what is served.
import type { Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { Reply } from '../reply.ts';
import type { Schema } from './schemas.ts';

/** A parameter of the query, or a header of an answer. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

/** What a route takes from its query; what is unknown is ignored. */
export interface Query<Q> {
  readonly parameters: readonly Parameter[];
  /** @throws AppError `invalid` blaming the parameter */
  parse(query: URLSearchParams): Q;
}

/** What a route answers, and how a result is made an answer. */
export interface ResponseForm<Result> {
  readonly status: 200 | 204;
  readonly description: string;
  readonly headers?: readonly Parameter[];
  /** null: there is no body. */
  readonly schema: Schema | null;
  /** The schemas that it refers to, by the names that they have among the document's components. */
  components?(): Readonly<Record<string, Schema>>;
  /** @param url the public URL that the client asked for */
  reply(result: Result, url: URL): Reply;
}

/** The names of a path's parameters. */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** A request whose caller holds the route's scope. */
interface RestRequest<Name extends string, Q> {
  readonly ctx: Context;
  /** Path parameters, decoded, untrusted. */
  readonly params: Readonly<Record<Name, string>>;
  readonly query: Q;
}

interface RouteOf<Path extends string, Q, Result> {
  readonly method: 'GET' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: Path;
  /** What the operation is called in the OpenAPI document and in the clients that are made from it. */
  readonly operationId: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly query?: Query<Q>;
  readonly response: ResponseForm<Result>;
  /** @throws AppError, which becomes a problem document */
  readonly handle: (request: RestRequest<ParamsOf<Path>, Q>) => Promise<Result>;
}

export type Route = RouteOf<string, unknown, unknown>;

/** A route whose handler knows the names of its path's parameters and the types of its query and result. */
export function route<const Path extends string, Result, Q = undefined>(
  spec: RouteOf<Path, Q, Result>,
): Route {
  return spec as unknown as Route;
}
