// Checks answers of REST against openapi.json: status, headers and body must match the document, and the body must have no member that is
// not in the document (the published schemas allow later ones).
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = { readonly [name: string]: Json } & { readonly $ref?: string };

interface Answer {
  readonly headers: Readonly<Record<string, Json>>;
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Partial<Record<'bearer' | 'oauth2', readonly string[]>>>[];
  readonly responses: Readonly<Record<string, Json>>;
}

export const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Json & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** Statuses that any request can get, so that operations do not list them. */
const OF_ANY_REQUEST = [400, 408, 431, 500];
const MAX_CHECKED_BYTES = 4 * 2 ** 20;

const ajv = new Ajv2020({
  ...{ strict: true, allowUnionTypes: true, allErrors: true },
  // Each validator checks few bodies, so optimizing it takes longer than it saves.
  ...{ code: { optimize: false }, inlineRefs: false },
  // Of OpenAPI's registry of formats; the pattern of what is sent says the same.
  formats: { decimal: true },
});
formats.default(ajv);
// The document is no schema itself, but has them inside.
ajv.addVocabulary([...Object.keys(document), 'x-origin', 'x-graphql']);
ajv.addSchema(closed(document) as object, 'openapi.json');

const paths = Object.entries(document.paths).map(([path, operations]) => ({
  path,
  operations,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Closes schemas: objects with `properties` allow no other members. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return 'properties' in copy && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}

/**
 * Requires that the document describes an answer, and returns it. It reads the answer here, except a streamed one, which it checks as far as
 * the test reads it, and at its end.
 * @throws Error with the operation and the difference
 */
export async function requireDocumented(method: string, url: URL, response: Response): Promise<Response> {
  // Tests that request a coding check the bytes themselves.
  if (response.headers.has('Content-Encoding')) return response;
  const found = paths.find(({ pattern }) => pattern.test(url.pathname));
  // Preflights are the HTTP server's, and 405 is every other OPTIONS.
  if (found === undefined || (method === 'OPTIONS' && response.status !== 405)) return response;
  const operation = found.operations[(method === 'HEAD' ? 'get' : method).toLowerCase()];
  const pointer = `#/paths/${escapePointer(found.path)}/${method.toLowerCase()}/responses`;
  const fail = (what: string): never => {
    throw new Error(`openapi.json: ${method} ${found.path} answered ${response.status}, but ${what}.`);
  };
  const [at, answer] =
    operation === undefined
      ? answerAt('#/components/responses/other')
      : answerFor(operation, pointer, response.status, fail);
  if (operation === undefined && ![405, 421, 503].includes(response.status))
    fail('the document has no such operation');
  checkHeaders(at, answer, response.headers, fail);
  const [[type, { schema }] = [null, { schema: null }]] = Object.entries(answer.content ?? {});
  if (type !== response.headers.get('Content-Type'))
    fail(`it is ${response.headers.get('Content-Type')}, not ${type}`);
  if (method === 'HEAD' || response.body === null) return response;
  if (schema === null) return fail('there is a body');
  // The registry of saved filters, which is streamed and has no pages.
  const isWhole =
    operation?.operationId === 'listRefineFilters' &&
    !url.searchParams.has('after') &&
    !url.searchParams.has('per_page');
  const pointerOfSchema = `${at}/content/${escapePointer(type ?? '')}/schema`;
  // Who may not read an object is shown some of its members: whatever else is required is not there.
  const validate = validator(pointerOfSchema);
  const isPart = response.headers.has('Missing-Scope');
  const checkBody = (bytes: Uint8Array) => {
    if (bytes.length > MAX_CHECKED_BYTES) return;
    const body: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (!isPart && !validate(body)) fail(ajv.errorsText(validate.errors, { dataVar: 'body' }));
    if (Object.hasOwn(answer.headers, 'Pagination-Next') && !isWhole) {
      const leadsOn = Array.isArray(body) && body.length > 0;
      for (const name of ['Pagination-Next', 'Link'])
        if (response.headers.has(name) !== leadsOn) fail(`${name} is not where it should be`);
    }
  };
  if (isWhole && response.status === 200) return checkAtEnd(response, checkBody);
  checkBody(new Uint8Array(await response.clone().arrayBuffer()));
  return response;
}

/** The description of the answer with a status, and its pointer. */
function answerFor(
  operation: Operation,
  pointer: string,
  status: number,
  fail: (what: string) => never,
): [string, Answer] {
  const named = Object.hasOwn(operation.responses, String(status)) ? String(status) : null;
  if (named === null && !OF_ANY_REQUEST.includes(status)) fail('the operation does not name this status');
  const key = named ?? 'default';
  return answerAt(operation.responses[key]?.$ref ?? `${pointer.replace('/head/', '/get/')}/${key}`);
}

function answerAt(pointer: string): [string, Answer] {
  return [pointer, resolve(pointer) as unknown as Answer];
}

function checkHeaders(at: string, answer: Answer, headers: Headers, fail: (what: string) => never): void {
  for (const [name, described] of Object.entries(answer.headers)) {
    const pointer = described.$ref ?? `${at}/headers/${escapePointer(name)}`;
    const { required, schema } = resolve(pointer) as { readonly required?: Json; readonly schema?: Json };
    const value = headers.get(name);
    if (value === null) {
      if (required !== undefined) fail(`${name} is missing`);
      continue;
    }
    const validate = validator(`${pointer}/schema`);
    const isNumber = String(schema?.['type']) === 'integer';
    if (!validate(isNumber ? Number(value) : value)) fail(`${name} is ${value}`);
  }
}

function checkAtEnd(response: Response, check: (bytes: Uint8Array) => void): Response {
  const chunks: Uint8Array[] = [];
  const { status, headers } = response;
  const checking = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      chunks.push(chunk);
      controller.enqueue(chunk);
    },
    flush: () => check(Buffer.concat(chunks)),
  });
  return new Response(response.body?.pipeThrough(checking) ?? null, { status, headers });
}

const validators = new Map<string, ValidateFunction>();

/** The validator for the schema at a JSON pointer of the document; each is compiled once. */
export function validator(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known !== undefined) return known;
  const made = ajv.compile({ $ref: `openapi.json${pointer.replaceAll(/[{}]/g, encodeURIComponent)}` });
  validators.set(pointer, made);
  return made;
}

/** RFC 6901 §3. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function resolve(pointer: string): Json {
  const parts = pointer.slice(2).split('/');
  const value = parts.reduce<Json | undefined>(
    (at, part) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  if (value === undefined) throw new Error(`openapi.json has no ${pointer}`);
  return value;
}
