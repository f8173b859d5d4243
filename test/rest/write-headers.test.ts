// How a change reads the request's headers, and the headers of its answer, with made-up routes: Idempotency-Key, If-Match, 201.
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ContactRow, contact, contact as contactNoun } from '../../src/resources/contacts.ts';
import { bodyOf } from '../../src/rest/body.ts';
import { toOpenApi } from '../../src/rest/openapi/openapi.ts';
import { REQUEST_HEADERS } from '../../src/rest/openapi/openapi-headers.ts';
import { createdOf, objectOf, outputOf } from '../../src/rest/responses.ts';
import { putAndPatch, route } from '../../src/rest/route.ts';
import type { WriteOptions } from '../../src/services/input/write-options.ts';
import { readsOf } from '../../src/services/reading/reads.ts';
import * as factories from '../support/factories.ts';
import { type Caller, type Gateway, sharedGateway } from '../support/gateway.ts';
import { serveRoutes } from '../support/made-up-routes.ts';
import { expectProblem } from '../support/problem.ts';

const contacts = readsOf(contactNoun);

const objects = outputOf(contact);
const MEMBERS = '/api/v2/contacts/';
let isNew = true;
let given: WriteOptions | undefined;
/** Whether the condition holds for the contact as it is, however it was read, and as somebody else has changed it. */
let fits: (boolean | undefined)[] = [];

const common = { resource: contact, scope: contacts.scope, body: bodyOf(contact, 'change') } as const;
const routes = [
  route({
    ...common,
    method: 'POST',
    path: '/api/v2/contacts/:id/copies',
    operationId: 'copyContact',
    summary: 'Copies a contact',
    response: createdOf(objects, MEMBERS, { 201: 'The copy.' }),
    handle: async ({ ctx, params }) => ({ row: await contacts.get(ctx, params.id), outcome: 'created' }),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/api/v2/contacts/:id/upsert',
    operationId: 'upsertContact',
    summary: 'Creates or changes a contact',
    response: createdOf(objects, MEMBERS, { 201: 'It was made.', 200: 'It was changed.' }),
    handle: async ({ ctx, params }) => ({
      row: await contacts.get(ctx, params.id),
      outcome: isNew ? 'created' : 'updated',
    }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${MEMBERS}:id`,
    operationId: 'getContact',
    summary: 'Gets a contact',
    response: objectOf(objects, 'The contact.'),
    async handle({ ctx, params, options }) {
      given = options;
      return contacts.get(ctx, params.id);
    },
  }),
  ...putAndPatch({
    ...common,
    path: `${MEMBERS}:id`,
    operationId: 'updateContact',
    summary: 'Changes a contact',
    response: objectOf(objects, 'The contact.'),
    async handle({ ctx, params, options }) {
      given = options;
      const row = await contacts.get(ctx, params.id);
      const changed = { ...plain(row), firstName: 'changed meanwhile' };
      fits = [row, plain(row), changed].map((one) => options.precondition?.(one));
      return row;
    },
  }),
];

/** The row without PostgreSQL's bytes. */
const plain = (row: ContactRow): object =>
  Object.fromEntries(Object.keys(contact.fields).map((name) => [name, row[name as keyof ContactRow]]));

const sendTo = serveRoutes(routes);
let gateway: Gateway;
let by: Caller;
let path: string;

beforeAll(async () => {
  gateway = await sharedGateway();
  const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
  by = await factories.apiKey(gateway.app, { teamId });
  const { id } = await factories.contact(gateway.app, { workspaceId });
  path = MEMBERS + id;
});
beforeEach(() => {
  given = undefined;
});

const send = (method: string, headers: Record<string, string> = {}, below = '') =>
  sendTo(gateway, path + below, { by, method, headers });

describe('Idempotency-Key', () => {
  test.each([
    ['8e03978e-40d5', '8e03978e-40d5'],
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['"open', '"open'],
    ['k'.repeat(255), 'k'.repeat(255)],
  ])('%s is a key of method and path', async (value, key) => {
    for (const method of ['PUT', 'PATCH']) {
      expect((await send(method, { 'Idempotency-Key': value })).status).toBe(200);
      expect(given?.idempotencyKey).toEqual({ key, place: `${method} ${path}`, field: 'Idempotency-Key' });
    }
  });

  test.each(['', '""', 'a b', '"a b"', 'clé', 'k'.repeat(256), 'a, b'])('%j is none', async (value) => {
    const response = await send('PUT', { 'Idempotency-Key': value });
    const { errors } = await expectProblem(response, 'invalid');
    expect([errors.map(({ field }) => field), given]).toEqual([['Idempotency-Key'], undefined]);
  });

  test('has no meaning for a read', async () => {
    const response = await send('GET', { 'Idempotency-Key': '', 'If-Match': '' });
    expect([response.status, given]).toEqual([200, { idempotencyKey: null, precondition: null }]);
  });
});

describe('If-Match', () => {
  const tagOf = async () => (await send('GET')).headers.get('ETag') ?? '';

  test.each<[string, (tag: string) => string, boolean]>([
    ['the tag', (tag) => tag, true],
    ['the tag of the compressed answer', (tag) => tag.replace(/"$/, '-zstd"'), true],
    ['the tag in a coding that there is not', (tag) => tag.replace(/"$/, '-br"'), false],
    ['the tag among others', (tag) => `"a,b" ,, W/"c",\t${tag},`, true],
    ['the weak tag', (tag) => `W/${tag}`, false],
    ['the tag inside another one', (tag) => `"a,${tag.slice(1, -1)},b"`, false],
    ['others', () => '"a", ""', false],
  ])('%s', async (_, toValue, expected) => {
    const response = await send('PUT', { 'If-Match': toValue(await tagOf()) });
    expect([response.status, fits]).toEqual([200, [expected, expected, false]]);
  });

  test('* matches anything', async () => {
    await send('PATCH', { 'If-Match': '*' });
    expect(fits).toEqual([true, true, true]);
  });

  test('is optional', async () => {
    await send('PATCH');
    expect(given).toEqual({ idempotencyKey: null, precondition: null });
  });

  test.each([
    '',
    ',',
    'abc',
    '"a',
    '*, "a"',
    '"a" "b"',
    "'a'",
    '"a"\u00ff',
    '"'.repeat(9_001),
    ','.repeat(9_000),
  ])('that is malformed is refused: %j', async (value) => {
    const { errors } = await expectProblem(await send('PUT', { 'If-Match': value }), 'invalid');
    expect([errors.map(({ field }) => field), given]).toEqual([['If-Match'], undefined]);
  });
});

test('any headers are accepted or refused as invalid', async () => {
  const value = fc.string({ unit: fc.constantFrom(...'"\\,*W/ \tab\u00ff;='), maxLength: 12 });
  const names = fc.constantFrom('Idempotency-Key', 'If-Match');
  const property = fc.asyncProperty(names, value, async (name, text) => {
    expect([200, 422]).toContain((await send('PUT', { [name]: text })).status);
  });
  await fc.assert(property, { numRuns: 60, endOnFailure: true });
});

describe('the answer of a change', () => {
  test('has the object’s tag, and is never 304', async () => {
    const { headers } = await send('GET');
    const tag = headers.get('ETag') ?? '';
    for (const [method, below] of [
      ['PUT', ''],
      ['PATCH', ''],
      ['POST', '/copies'],
      ['POST', '/upsert'],
    ] as const) {
      const changed = await send(method, { 'If-None-Match': tag }, below);
      expect([changed.status < 300, changed.headers.get('ETag')]).toEqual([true, tag]);
      expect(changed.headers.get('Cache-Control')).toBe('private, no-cache');
    }
  });

  test('is 201 with the address of the new object', async () => {
    const created = await send('POST', {}, '/copies');
    expect([created.status, created.headers.get('Location')]).toEqual([201, `http://localhost:4000${path}`]);
    expect(await created.json()).toMatchObject({ workspace_id: expect.any(Number) });
  });

  test('is 201 or 200, depending on what happened', async () => {
    for (const [made, status] of [
      [true, 201],
      [false, 200],
    ] as const) {
      isNew = made;
      const response = await send('POST', {}, '/upsert');
      expect([response.status, response.headers.has('Location')]).toEqual([status, made]);
    }
  });
});

test('PUT and PATCH are the same change, and Allow has both', async () => {
  expect((await send('POST')).headers.get('Allow')).toBe('GET, HEAD, PUT, PATCH');
});

test('the document has the possible headers of a request, and their consequences', () => {
  type Operations = Record<string, Record<string, { parameters: { $ref?: string }[]; responses: object }>>;
  const { paths } = toOpenApi(routes, '1') as { paths: Operations };
  const { get, put, patch } = paths['/api/v2/contacts/{id}'] ?? {};
  const { post } = paths['/api/v2/contacts/{id}/upsert'] ?? {};
  const refs = (operation: typeof get) =>
    operation?.parameters
      .flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? [])
      .filter((name) => name in REQUEST_HEADERS);
  expect(refs(get)).toEqual(['IfNoneMatch', 'ConsistencyToken']);
  expect(refs(put)).toEqual(['IdempotencyKey', 'IfMatch']);
  expect(refs(post)).toEqual(['IdempotencyKey', 'IfMatch']);
  expect(Object.keys(get?.responses ?? {})).toEqual(expect.arrayContaining(['200', '304']));
  expect(Object.keys(put?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '409', '410', '412', '422']),
  );
  expect(Object.keys(post?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '201', '409', '410', '412']),
  );
  expect([put, patch]).toMatchObject([
    { operationId: 'updateContact' },
    { operationId: 'updateContactByPatch' },
  ]);
});
