// A REST route is data: its input, its scope, its responses. The router enforces it, and the OpenAPI document is made from it, so both
// always agree.
import type { Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { Reply } from '../messages/reply.ts';
import type { Resource } from '../resources/description/resource.ts';
import type { Writer } from '../rows/resource-writer.ts';
import type { WriteOptions } from '../services/input/write-options.ts';
import type { Schema } from './schemas.ts';

/** A parameter of the query, or a header of a request. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** Whether a request without it is refused. */
  readonly required?: true;
  /** Whether another parameter takes its place. */
  readonly deprecated?: true;
}

/** A response header. */
export interface Header extends Parameter {
  /** Whether every such response has it. */
  readonly required?: true;
}

/** The query parameters of a route. Unknown ones are ignored. */
export interface Query<Q> {
  readonly parameters: readonly Parameter[];
  /** A request with a body is refused, since a parameter in the body would be ignored. */
  readonly refusesBody?: true;
  /** @throws AppError `invalid` with the name of the parameter */
  parse(query: URLSearchParams): Q;
}

/** The JSON body of a route. */
export interface Body<B> {
  readonly schema: Schema;
  /** Whether an empty body is an error. */
  readonly required: boolean;
  /** As in ResponseForm. */
  components?(): Readonly<Record<string, Schema>>;
  /** The known members that a body contains. A caller who may not read the object gets only these back. */
  given?(body: B): Readonly<Record<string, unknown>>;
  /** @throws AppError `invalid` with the names of the wrong members */
  parse(input: unknown): B;
}

/** The form of objects with the fields that a request's `expand[]` lists. */
export interface Expansion {
  readonly parameters: readonly Parameter[];
  /** @throws AppError `invalid` for the name of any other field */
  askedBy(query: URLSearchParams): OutputRequest;
}

/** The form of objects for one request: their writer, and the properties to read; null for all. */
export interface OutputRequest {
  readonly write: Writer<object>;
  readonly projection: readonly string[] | null;
}

/** What of a request its response depends on. */
interface Answered {
  /** The public URL. */
  readonly url: URL;
  /** How objects are written with the fields that the request names (`Expansion`); null where the response has none to name. */
  readonly write: Writer<object> | null;
  /** The most bytes that a page may have. */
  readonly maxBytes: number;
}

/** The responses of a route, and how a result becomes a response. */
export interface ResponseForm<Result> {
  /** Absent: the same fields for every request. */
  readonly expansion?: Expansion | undefined;
  /** The description of the response, by its status. */
  readonly answers: Readonly<{ [Status in 200 | 201 | 202 | 204]?: string }>;
  readonly headers?: readonly Header[];
  /** null: no body. */
  readonly schema: Schema | null;
  /** The schemas that it refers to, by their names among the document's components. */
  components?(): Readonly<Record<string, Schema>>;
  /** @throws AppError `invalid` when a page is larger than allowed */
  reply(result: Result, request: Answered): Reply;
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
  /** The properties that the response contains; null for all. */
  readonly projection: readonly string[] | null;
  /** Empty for a request that only reads. */
  readonly options: WriteOptions;
}

/** The standard operations of nouns (`noun-routes.ts`). */
export type OperationKind =
  | 'list'
  | 'get'
  | 'create'
  | 'update'
  | 'archive'
  | 'unarchive'
  | 'remove'
  | 'reorder';

interface RouteOf<Path extends string, Q, B, Result> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: Path;
  /** The operation's name in the OpenAPI document and in generated clients. */
  readonly operationId: string;
  /** What it does: a sentence in the third person, without a full stop. Its first clause has at most 60 characters. */
  readonly summary: string;
  /** More sentences about it, for what does not follow from `kind`. */
  readonly about?: string;
  /** Which standard operation of its noun it is. */
  readonly kind?: OperationKind;
  /** The noun of the route. */
  readonly resource: Resource;
  /** Absent: any valid credential is enough. */
  readonly scope?: Scope;
  /** The public API has no such operation. */
  readonly gatewayOnly?: true | undefined;
  readonly query?: Query<Q>;
  /** Without it, the body of a POST must be empty; that of another method is not read, unless the query refuses it. */
  readonly body?: Body<B>;
  readonly response: ResponseForm<Result>;
  /** How a GET writes the changed object, if not in the noun's form. If-Match is compared with the entity tag of that. */
  readonly representation?: Writer<never>;
  /** @throws AppError, which becomes a problem document */
  readonly handle: (request: RestRequest<ParamsOf<Path>, Q, B>) => Promise<Result>;
}

export type Route = RouteOf<string, unknown, unknown, unknown>;

/** Defines a route, and infers its path parameters and the types of its query, body and result. */
export function route<const Path extends string, Result, Q = undefined, B = undefined>(
  spec: RouteOf<Path, Q, B, Result>,
): Route {
  return spec as unknown as Route;
}

/** The routes of a change for which PUT and PATCH do the same. */
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

/** Whether the route refuses a body with content, since it would be ignored. */
export function refusesBody({ method, query, body }: Route): boolean {
  return body === undefined && (method === 'POST' || query?.refusesBody === true);
}

/** A route's path with `{name}` for parameters. */
export function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
