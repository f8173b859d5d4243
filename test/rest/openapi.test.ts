// The public REST contract: the committed file is the served one, it is a valid OpenAPI document, and its examples are true.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/auth/scopes.ts';
import { EVENT_TYPES, subjectOfEventType } from '../../src/resources/event-types.ts';
import { routes } from '../../src/rest/nouns.ts';
import { routingPath } from '../../src/rest/routing-path.ts';
import { ownGateway } from '../support/gateway.ts';
import { nightly } from '../support/nightly.ts';
import { document, escapePointer, validator } from '../support/openapi.ts';
import { exampleClock, openApiText } from '../support/openapi-examples.ts';
import { expectProblem } from '../support/problem.ts';

const PATH = '/api/v2/openapi.json';

const gateway = await ownGateway({ overrides: { clock: exampleClock } });

test('openapi.json equals the document from the routes and the demo data; if not, run npm run codegen', async () => {
  expect(await openApiText(gateway.app)).toBe(await readFile('openapi.json', 'utf8'));
});

nightly('Redocly finds nothing, by its recommended rules but one', async () => {
  const lint = promisify(execFile)('npm', ['run', '--silent', 'lint:openapi', '--', '--format=json']);
  // With findings it exits with 1 and prints them as well.
  const { stdout } = await lint.catch((error) => error);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
});

// `no-ambiguous-paths`, which is left out, is about `/contacts/{id}/gdpr_destroy` beside `/contacts/tags/{id}`: both are given.
test('if a path matches two routes, the one with the fixed segment wins', () => {
  const isParameter = (part = '') => part.startsWith(':');
  const isSame = (part = '', other = '') => part === other || isParameter(part) || isParameter(other);
  const ambiguous = (all: readonly string[]) =>
    all.flatMap((one) =>
      all
        .filter((other) => other < one && other.split('/').length === one.split('/').length)
        .filter((other) => other.split('/').every((part, at) => isSame(part, one.split('/')[at]))),
    );
  const paths = [...new Set(routes.map(({ path }) => path))];
  expect(ambiguous(paths)).toContain('/api/v2/contacts/:id/gdpr_destroy');
  expect(ambiguous(paths.map(routingPath))).toEqual([]);
});

describe('the document is served', () => {
  test('without a key, with the addresses of the service, and may be kept for a while', async () => {
    const response = await gateway.send(PATH);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/json']);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    const { servers, components, ...served } = JSON.parse(await response.text());
    const committed = JSON.parse(await readFile('openapi.json', 'utf8'));
    expect(served).toEqual({ ...committed, servers: undefined, components: undefined });
    const { authUrl, serviceHost } = gateway.app.config;
    const { authorizationUrl, scopes } = components.securitySchemes.oauth2.flows.authorizationCode;
    expect([authorizationUrl, Object.keys(scopes)]).toEqual([`${authUrl}/oauth/authorize`, SCOPES]);
    expect(new URL(servers[1].url.replace('{workspace}', 'acme')).hostname).toBe(`acme.${serviceHost}`);
    expect(JSON.stringify(components)).not.toContain('example.com/oauth');
    const head = await gateway.send(PATH, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('and not again to a client that has it', async () => {
    const etag = (await gateway.send(PATH)).headers.get('ETag') ?? '';
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const response = await gateway.send(PATH, { headers: { 'If-None-Match': known } });
      expect([response.status, await response.text(), response.headers.get('ETag')]).toEqual([304, '', etag]);
    }
    const changed = await gateway.send(PATH, { headers: { 'If-None-Match': '"another"' } });
    expect(changed.status).toBe(200);
  });

  test('to GET and HEAD only, on our hosts only, and the overview links to it', async () => {
    const refused = await gateway.send(PATH, { method: 'POST' });
    expect(refused.headers.get('Allow')).toBe('GET, HEAD');
    await expectProblem(refused, 'method_not_allowed');
    await expectProblem(await gateway.send(PATH, { host: 'nobody.example' }), 'misdirected_request');
    expect(await (await gateway.send('/api/v2')).json()).toMatchObject({ openapi: PATH });
  });
});

/** Every JSON pointer below a value, with what is there. */
function* walk(value: unknown, pointer = '#'): Generator<[string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [pointer, value as Readonly<Record<string, unknown>>];
  for (const [name, member] of Object.entries(value))
    yield* walk(member, `${pointer}/${escapePointer(name)}`);
}

test('every schema is a valid JSON Schema 2020-12', () => {
  const schemas = [...walk(document)].filter(
    ([pointer]) =>
      /\/schema$|^#\/components\/schemas\/[^/]+$/.test(pointer) && !pointer.includes('/example/'),
  );
  expect(schemas.length).toBeGreaterThan(50);
  // Equal schemas of several places are compiled once, because compiling takes long.
  const different = new Map(schemas.map(([pointer, schema]) => [JSON.stringify(schema), pointer]));
  for (const pointer of different.values()) expect(validator(pointer)).toBeTypeOf('function');
});

test('every example matches its schema', () => {
  const withExample = [...walk(document)].filter(
    ([pointer, value]) => 'schema' in value && 'example' in value && !pointer.includes('/example/'),
  );
  for (const [pointer, { example }] of withExample) {
    const validate = validator(`${pointer}/schema`);
    expect([pointer, validate(example), validate.errors]).toEqual([pointer, true, null]);
  }
  expect(withExample.length).toBeGreaterThan(40);
});

/** The operations, with their bodies. */
const OPERATIONS = Object.values(document.paths).flatMap(
  (path) => Object.values(path) as unknown as OperationWithBodies[],
);
type Content = { readonly content?: { readonly 'application/json'?: { readonly example?: unknown } } };
interface OperationWithBodies {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly $ref?: string }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

test('every body and every answer of a success has an example, which the demo accepted and gave', () => {
  const without = OPERATIONS.flatMap(({ operationId, requestBody, responses }) =>
    [requestBody, ...Object.entries(responses).map(([status, one]) => (/^2/.test(status) ? one : undefined))]
      .map((one) => one?.content?.['application/json'])
      .filter((json) => json !== undefined && !('example' in json))
      .map(() => operationId),
  );
  expect(without).toEqual([]);
  const lists = OPERATIONS.filter(({ operationId }) => operationId.startsWith('list'));
  const empty = lists.filter(({ responses }) => {
    const example = responses['200']?.content?.['application/json']?.example;
    return Array.isArray(example) && example.length === 0;
  });
  expect(empty.map(({ operationId }) => operationId)).toEqual(['listEmailBroadcastRecipients']);
});

test('summaries are short and in the imperative, and descriptions say more', () => {
  expect(OPERATIONS.filter(({ summary }) => summary.length > 60).map(({ summary }) => summary)).toEqual([]);
  const verbs = new Set(OPERATIONS.map(({ summary }) => summary.split(' ')[0] ?? ''));
  expect([...verbs].filter((verb) => !/^[A-Z][a-z]*[^s]$/.test(verb))).toEqual([]);
  const thin = OPERATIONS.filter(({ description }) => description.split(/[.:] /).length < 2);
  expect(thin.map(({ operationId }) => operationId)).toEqual([]);
});

test('tags are in groups, each in one', () => {
  const { tags, 'x-tagGroups': groups } = document as unknown as {
    tags: { name: string }[];
    'x-tagGroups': { name: string; tags: string[] }[];
  };
  expect(groups.flatMap((group) => group.tags)).toEqual(tags.map(({ name }) => name));
  expect(new Set(OPERATIONS.flatMap((operation) => operation.tags))).toEqual(
    new Set(tags.map(({ name }) => name)),
  );
});

test('what is the same in several places is written once', () => {
  const inline = OPERATIONS.flatMap(({ parameters }) => parameters)
    .filter(({ $ref }) => $ref === undefined)
    .map((parameter) => JSON.stringify(parameter));
  expect(inline.filter((one, index) => inline.indexOf(one) !== index)).toEqual([]);
  const objects = [...walk(document['components']?.['schemas'] ?? {})]
    .filter(([pointer, value]) => 'properties' in value && !pointer.includes('/example/'))
    .map(([, { description: _, ...schema }]) => JSON.stringify({ ...schema, type: 'object' }));
  const bodies = /(?:Creation|Change|Reques)/;
  expect(
    objects.filter((one, index) => objects.indexOf(one) !== index && !bodies.test(one)).length,
  ).toBeLessThan(20);
});

test('parameters of several lists are components, and those that others replace are deprecated', () => {
  const inline = OPERATIONS.flatMap(({ parameters }) => parameters).map((parameter) =>
    JSON.stringify(parameter),
  );
  expect(inline.filter((parameter) => /filter\[(?:created|updated)_at\]/.test(parameter))).toEqual([]);
  const deprecated = [...walk(document)]
    .filter(([, value]) => 'deprecated' in value)
    .map(([, value]) => ('name' in value ? value['name'] : value));
  expect(deprecated).toEqual(['stored_filter_id', 'stable_id']);
});

test('each event that an endpoint can get has its payload', () => {
  const { webhooks } = document as unknown as { webhooks: Record<string, object> };
  const served = EVENT_TYPES.filter(({ id }) => subjectOfEventType(id) !== null).map(({ id }) => id);
  expect(Object.keys(webhooks)).toEqual(served);
});

interface Given {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

test('defaults of new objects are described in words, and so are merges', () => {
  const schemas = (document['components'] as unknown as { schemas: Record<string, Given> }).schemas;
  const { TagCreation, TagChange, ContactChange } = schemas;
  expect(TagCreation?.properties['color']?.description).toContain('By default #888888.');
  expect(TagChange?.properties['color']?.description).not.toContain('By default');
  expect(ContactChange?.properties['custom_attributes']?.description).toContain('stay unchanged');
});

// openapi-typescript makes members with a default required, openapi-zod-client takes `const` for anything and no null in an enum. orval
// applies a pattern to each of several types.
test('no schema has what client generators misread: a default, const, null in an enum, or a pattern with several types', () => {
  const schemas = [...walk(document)].filter(([pointer]) => !pointer.includes('/example/'));
  // Parameters have a default: no generator sends it.
  const isSchema = (pointer: string) =>
    /\/schemas?\//.test(`${pointer}/`) && !pointer.includes('/parameters/');
  // Not the members of objects, which may be called anything.
  const named = (name: string) =>
    schemas.flatMap(([pointer, value]) =>
      isSchema(pointer) && !pointer.endsWith('/properties') && name in value ? [`${pointer}/${name}`] : [],
    );
  expect(named('default')).toEqual([]);
  expect(named('const')).toEqual([]);
  expect(
    schemas.filter(([pointer, value]) => pointer.endsWith('/enum') && Object.values(value).includes(null)),
  ).toEqual([]);
  expect(named('enum').length).toBeGreaterThan(5);
  const ofSeveralTypes = schemas.filter(
    ([, value]) => Array.isArray(Reflect.get(value, 'type')) && ('pattern' in value || 'enum' in value),
  );
  expect(ofSeveralTypes.map(([pointer]) => pointer)).toEqual([]);
});

test('the document has every route, and no other', () => {
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  );
  expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});
