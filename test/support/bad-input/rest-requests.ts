// REST requests made from openapi.json: each starts as a valid one in a tenant, and has a few changes.
import { document } from '../openapi.ts';
import { OPERATIONS, requestOf, type Tenant } from '../operations.ts';
import { headersOf } from './headers.ts';
import { type Json, mutate, mutateBytes, toJson, toText } from './json-text.ts';
import type { Random } from './random.ts';
import { type Authorization, type BadRequest, toTarget } from './request.ts';
import { dereference, exampleOf, type Schema } from './schema-value.ts';
import {
  BODIES,
  BOMB,
  CONTENT_CODINGS,
  CONTENT_TYPES,
  ESCAPES,
  HEADER_VALUES,
  QUERY_NAMES,
} from './values.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

/** Every operation of the document, with the parts of a valid request for it. */
const DESCRIBED = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => {
    const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    const operation = OPERATIONS.find((one) => one.route === route);
    if (operation === undefined) throw new Error(`test/support/operations.ts does not know ${route}.`);
    return { path, operation, described: described as unknown as Described };
  }),
);

/** Methods that the document does not have. */
const METHODS = [
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'POST',
  'PATCH',
  'GET',
  'TRACE',
  'QUERY',
  'PROPFIND',
  'M-SEARCH',
];

/** A request that is wrong, or may be. */
export function restRequest(tenant: Tenant, authorization: Authorization, random: Random): BadRequest {
  const { path: template, operation, described } = random.pick(DESCRIBED);
  const valid = requestOf(operation, tenant);
  const parameters = (described.parameters ?? []).map(dereference);
  const at = (where: string) => parameters.filter((parameter) => parameter.in === where);
  const isIn = (share: number) => random.percent(share);
  const method = isIn(3) ? random.pick(METHODS) : valid.method;
  const path = isIn(25) ? hostilePath(template, operation.path(tenant), random) : operation.path(tenant);
  const query = isIn(at('query').length > 0 ? 70 : 15) ? hostileQuery(at('query'), random) : '';
  const body = bodyOf(described, valid.body, random);
  const headers = headersOf(authorization, random);
  for (const { name } of at('header')) {
    if (isIn(name === 'If-None-Match' ? 5 : 8)) headers.push([name, random.pick(HEADER_VALUES)]);
    // The same key for different requests, and for the same.
    else if (name === 'Idempotency-Key' && isIn(10)) headers.push([name, `key-${random.int(5)}`]);
  }
  if (body !== null) {
    if (!isIn(2)) headers.push(['Content-Type', isIn(5) ? random.pick(CONTENT_TYPES) : 'application/json']);
    if (body.equals(BOMB) || isIn(2)) headers.push(['Content-Encoding', random.pick(CONTENT_CODINGS)]);
  }
  return { what: described.operationId, method, target: path + query, headers, body };
}

/** The path with one of its parameters, or any part, replaced. */
function hostilePath(template: string, path: string, random: Random): string {
  const parts = path.split('/');
  const places = template.split('/').flatMap((part, index) => (part.startsWith('{') ? [index] : []));
  const place =
    places.length > 0 && random.percent(90) ? random.pick(places) : 1 + random.int(parts.length - 1);
  const part = random.pick(ESCAPES);
  const changed = parts.with(place, toTarget(random.percent(20) ? parts[place] + part : part)).join('/');
  return random.percent(4)
    ? random.pick([`${changed}/`, `/${changed}`, `${changed}//`, `${changed}/.`, `${changed};a=b`])
    : changed;
}

function hostileQuery(parameters: readonly Parameter[], random: Random): string {
  const pairs: string[] = [];
  for (const { name, schema } of parameters) {
    if (!random.percent(40)) continue;
    const valid = encodeURIComponent(String(exampleOf(schema, random, name)));
    const value = random.percent(50) ? toTarget(random.pick(ESCAPES)) : valid;
    pairs.push(`${random.percent(80) ? name : encodeURIComponent(name)}=${value}`);
    if (random.percent(10)) pairs.push(`${name}=${valid}`);
  }
  if (random.percent(25)) pairs.push(`${random.pick(QUERY_NAMES)}=${toTarget(random.pick(ESCAPES))}`);
  if (random.percent(2))
    pairs.push(random.pick(['&', '=', '&&&=', 'a'.repeat(4_000), 'x=1&'.repeat(500), '?', 'after']));
  return `?${pairs.join(random.percent(97) ? '&' : ';')}`;
}

/** Mostly a valid body, with one to three members changed. */
function bodyOf({ requestBody }: Described, valid: string | undefined, random: Random): Buffer | null {
  if (requestBody === undefined) return random.percent(4) ? random.pick(BODIES) : null;
  if (random.percent(5)) return random.pick(BODIES);
  const { schema } = requestBody.content['application/json'];
  let json: Json = toJson(
    random.percent(30) && valid !== undefined ? JSON.parse(valid) : exampleOf(schema, random),
  );
  if (random.percent(85)) for (let i = 0; i <= random.int(3); i++) json = mutate(json, random);
  const bytes = Buffer.from(toText(json));
  return random.percent(8) ? mutateBytes(bytes, random) : bytes;
}
