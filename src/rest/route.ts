// A REST route is data: what it takes, what it needs, what it answers. The router enforces it, and the OpenAPI document is
// made from it, so that neither can say anything else than what is served.
import type { Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { Reply } from '../messages/reply.ts';
import type { Resource } from '../resources/resource.ts';
import type { Writer } from '../rows/resource-writer.ts';
import type { WriteOptions } from '../services/write-options.ts';
import type { Schema } from './schemas.ts';

/** A parameter of the query, or a header of a request. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

/** A header of an answer. */
export interface Header extends Parameter {
  /** Every such answer has it. */
  readonly required?: true;
}

/** What a route takes from its query; what is unknown is ignored. */
export interface Query<Q> {
  readonly parameters: readonly Parameter[];
  /** @throws AppError `invalid` blaming the parameter */
  parse(query: URLSearchParams): Q;
}

/** What a route takes as its body, which is JSON. */
export interface Body<B> {
  readonly schema: Schema;
  /** Whether an empty body is wrong. */
  readonly required: boolean;
  /** As in ResponseForm. */
  components?(): Readonly<Record<string, Schema>>;
  /** @throws AppError `invalid` blaming the members that are wrong */
  parse(input: unknown): B;
}

/** What a route answers, and how a result is made an answer. */
export interface ResponseForm<Result> {
  /** By each status that it may have, what is answered. */
  readonly answers: Readonly<{ [Status in 200 | 201 | 204]?: string }>;
  readonly headers?: readonly Header[];
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

/** A request whose caller holds the route's scope, if it has one. */
interface RestRequest<Name extends string, Q, B> {
  readonly ctx: Context;
  /** Path parameters, decoded, untrusted. */
  readonly params: Readonly<Record<Name, string>>;
  readonly query: Q;
  readonly body: B;
  /** Of a request that reads: none. */
  readonly options: WriteOptions;
}

interface RouteOf<Path extends string, Q, B, Result> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: Path;
  /** What the operation is called in the OpenAPI document and in the clients that are made from it. */
  readonly operationId: string;
  readonly summary: string;
  /** The noun that it is about. */
  readonly resource: Resource;
  /** Absent: any valid credential will do, and what is answered is about the caller. */
  readonly scope?: Scope;
  readonly query?: Query<Q>;
  /** Without it a body is not read. */
  readonly body?: Body<B>;
  readonly response: ResponseForm<Result>;
  /** How a GET shows what is changed, where that is not the form of the noun: If-Match is about it. */
  readonly representation?: Writer<never>;
  /** @throws AppError, which becomes a problem document */
  readonly handle: (request: RestRequest<ParamsOf<Path>, Q, B>) => Promise<Result>;
}

export type Route = RouteOf<string, unknown, unknown, unknown>;

/** A route whose handler knows the names of its path's parameters and the types of its query, body and result. */
export function route<const Path extends string, Result, Q = undefined, B = undefined>(
  spec: RouteOf<Path, Q, B, Result>,
): Route {
  return spec as unknown as Route;
}

/** The routes of a change that PUT and PATCH make alike. */
export function putAndPatch<const Path extends string, Result, Q = undefined, B = undefined>(
  spec: Omit<RouteOf<Path, Q, B, Result>, 'method'>,
): readonly Route[] {
  const { operationId } = spec;
  return [
    route({ ...spec, method: 'PUT' }),
    route({ ...spec, method: 'PATCH', operationId: `${operationId}ByPatch` }),
  ];
}

/** Whether a route changes nothing. */
export function isRead({ method }: Pick<Route, 'method'>): boolean {
  return method === 'GET';
}

/** A route's path with `{name}` for parameters. */
export function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
