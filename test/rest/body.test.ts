// Routes that take a body, tried with made-up ones: scope first, then the body and the query, then the handler.
import { describe, expect, test } from 'vitest';
import { contact } from '../../src/resources/contacts.ts';
import type { Field } from '../../src/resources/description/fields.ts';
import { writableFields } from '../../src/resources/description/inputs.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { bodyOf } from '../../src/rest/body.ts';
import { toOpenApi } from '../../src/rest/openapi/openapi.ts';
import { pageQuery } from '../../src/rest/page-query.ts';
import { emptyResponse } from '../../src/rest/responses.ts';
import { type Route, route } from '../../src/rest/route.ts';
import { parseFields } from '../../src/services/input/parse-fields.ts';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { serveRoutes } from '../support/made-up-routes.ts';
import { expectProblem } from '../support/problem.ts';

const MAX_BODY_BYTES = 1_024;
const { firstName, anonymous, id } = contact.fields;
const WRITABLE = { writable: 'always' } as const;
const thing: Resource = {
  ...contact,
  fields: { firstName, anonymous: { ...anonymous, ...WRITABLE }, id: { ...id, ...WRITABLE } },
  inputs: {
    factsOfContact: {
      type: 'jsonb',
      members: 'text',
      description: 'A known member that is called as a wrapper may be.',
    },
  },
};
const handled: unknown[] = [];

const routes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v2/things',
    operationId: 'createThing',
    summary: 'Creates a thing',
    resource: contact,
    scope: 'contacts:write',
    query: pageQuery,
    body: bodyOf(thing, 'change'),
    response: emptyResponse('Created.'),
    async handle({ body, query }) {
      // As services do.
      handled.push({ body: parseFields(writableFields(thing, 'change'), body, 'change'), size: query.size });
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/things',
    operationId: 'removeThings',
    summary: 'Removes all things',
    resource: contact,
    scope: 'contacts:write',
    response: emptyResponse('Removed.'),
    async handle({ body }) {
      handled.push({ body });
    },
  }),
];

const sendTo = serveRoutes(routes);

const gateway = await ownGateway({ env: { MAX_BODY_BYTES: String(MAX_BODY_BYTES) } });
const { id: teamId } = await factories.team(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });
const reader = await factories.apiKey(gateway.app, { teamId, scopes: ['contacts:read'] });

interface Sent {
  readonly by?: Caller;
  readonly method?: string;
  readonly type?: string | null;
  readonly coding?: string;
  /** The announced number of bytes; absent: none announced. */
  readonly length?: number;
  readonly query?: string;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
}

/** The answer, and the input of the handlers. */
async function send({
  by = caller,
  method = 'POST',
  type = 'application/json',
  coding,
  length,
  query = '',
  body = '{}',
}: Sent) {
  handled.length = 0;
  const headers = {
    ...(type !== null && { 'Content-Type': type }),
    ...(coding !== undefined && { 'Content-Encoding': coding }),
    ...(length !== undefined && { 'Content-Length': String(length) }),
  };
  const response = await sendTo(gateway, `/api/v2/things${query}`, { by, method, headers, body });
  return { response, handled: [...handled] };
}

test('the handler gets the body’s values in the form of rows', async () => {
  const answer = await send({ query: '?per_page=3', body: '{"first_name":"Ada","anonymous":0,"more":1}' });
  expect(answer.handled).toEqual([{ body: { firstName: 'Ada', anonymous: false }, size: 3 }]);
  expect(answer.response.status).toBe(204);
});

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/merge-patch+json'])(
  '%s is JSON',
  async (type) => {
    expect((await send({ type })).response.status).toBe(204);
  },
);

test.each([
  '{}',
  'null',
  '[]',
  '',
  '{"contact":{}}',
  '{"contact":null}',
  '{"contact":[]}',
  '{"contacts":{}}',
])('the body "%s" counts as {}', async (body) => {
  expect((await send({ body })).handled).toEqual([{ body: {}, size: 20 }]);
});

test('an empty body without a type counts as {}, and an empty coding name as none', async () => {
  expect((await send({ type: null, body: new Uint8Array() })).handled).toHaveLength(1);
  for (const coding of ['identity', 'Identity', 'IDENTITY', 'identity, Identity', ''])
    expect([coding, (await send({ coding })).handled.length]).toEqual([coding, 1]);
  for (const coding of ['gzip', 'GZIP', 'identity, gzip', 'identit'])
    expect([coding, (await send({ coding })).response.status]).toEqual([coding, 415]);
});

test.each([
  ['{"first_name":"Ada"}', { firstName: 'Ada' }],
  ['{"contact":{"first_name":"Ada"}}', { firstName: 'Ada' }],
  ['{"first_name":"bare","contact":{"first_name":"Ada"}}', { firstName: 'Ada' }],
  ['{"first_name":"bare","contact":{}}', {}],
  ['{"first_name":"Ada","contact":null}', { firstName: 'Ada' }],
  ['{"my_contact":{"first_name":"Ada"}}', { firstName: 'Ada' }],
  ['{"contacts":{"first_name":"Ada","more":1}}', { firstName: 'Ada' }],
  ['{"first_name":"Ada","contacts":{"first_name":"ignored"}}', { firstName: 'Ada' }],
  ['{"facts_of_contact":{"first_name":"Ada"}}', { factsOfContact: { first_name: 'Ada' } }],
  ['{"contacts":{"facts_of_contact":{"a":"b"}}}', { factsOfContact: { a: 'b' } }],
  ['{"first_name":"first","first_name":"Ada"}', { firstName: 'Ada' }],
  ['{"contact":{"first_name":"first"},"contact":{"first_name":"Ada"}}', { firstName: 'Ada' }],
  ['{"id":7}', { id: 7n }],
  ['{"id":"9223372036854775807"}', { id: 2n ** 63n - 1n }],
])('of %s the handler gets %o', async (body, expected) => {
  expect((await send({ body })).handled).toEqual([{ body: expected, size: 20 }]);
});

/** An object with an unknown member, nested to this many levels. */
const nested = (levels: number) =>
  `{"first_name":null,"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

test('a body of 32 levels is accepted', async () => {
  expect((await send({ body: nested(32) })).response.status).toBe(204);
});

describe('a refusal before the handler', () => {
  const stream = (bytes: number) =>
    new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < bytes; sent += 64) controller.enqueue(new Uint8Array(64).fill(0x20));
        controller.enqueue(Buffer.from('{}'));
        controller.close();
      },
    });

  test.each<[string, Parameters<typeof expectProblem>[1], Sent]>([
    ['text', 'unsupported_media_type', { type: 'text/plain' }],
    ['what does not say what it is', 'unsupported_media_type', { type: null, body: new Uint8Array(2) }],
    ['what only looks like JSON', 'unsupported_media_type', { type: 'application/jsonp' }],
    [
      'a form without a body',
      'unsupported_media_type',
      { type: 'application/x-www-form-urlencoded', body: '' },
    ],
    ['a compressed body', 'unsupported_media_type', { coding: 'gzip' }],
    ['white space', 'bad_request', { body: ' ' }],
    ['a byte order mark', 'bad_request', { body: '\ufeff{}' }],
    ['half a body', 'bad_request', { body: '{"first_name":' }],
    ['what is not UTF-8', 'bad_request', { body: new Uint8Array([0x22, 0xff, 0x22]) }],
    ['a body of very many levels', 'invalid', { body: `${'['.repeat(500)}${']'.repeat(500)}` }],
    ['a body of 33 levels', 'invalid', { body: nested(33) }],
    ['a body that is too large', 'payload_too_large', { body: ' '.repeat(MAX_BODY_BYTES) + 1 }],
    ['one that does not say how large it is', 'payload_too_large', { body: stream(MAX_BODY_BYTES) }],
    ['one that says that it is too large', 'payload_too_large', { length: MAX_BODY_BYTES + 1 }],
    [
      'one that is larger than it says',
      'payload_too_large',
      { length: 2, body: ' '.repeat(MAX_BODY_BYTES) + 1 },
    ],
    ['a list', 'invalid', { body: '[{}]' }],
    ['a text', 'invalid', { body: '"{}"' }],
    ['a wrapped text', 'invalid', { body: '{"contact":"{}"}' }],
    ['a wrapped list', 'invalid', { body: '{"contact":[{}]}' }],
    ['what is unknown', 'invalid', { body: '{"other":{}}' }],
    ['what is unknown, wrapped', 'invalid', { body: '{"contact":{"contact":{"first_name":"Ada"}}}' }],
    ['what is unknown, one that could be the wrapper', 'invalid', { body: '{"contacts":{"a":1},"b":2}' }],
    ['a bad query', 'invalid', { query: '?per_page=0' }],
  ])('%s', async (_, code, sent) => {
    const answer = await send(sent);
    expect(answer.handled).toEqual([]);
    await expectProblem(answer.response, code);
  });

  test('reports a wrong member by its name', async () => {
    const { response } = await send({ body: '{"first_name":1,"anonymous":2}' });
    const { errors } = await expectProblem(response, 'invalid');
    expect(errors.map(({ field }) => field)).toEqual(['first_name', 'anonymous']);
    const wrapped = await send({ body: '{"contact":{"first_name":1}}' });
    expect(await expectProblem(wrapped.response, 'invalid')).toMatchObject({
      errors: [{ field: 'first_name' }],
    });
  });
});

test('a body of exactly the limit is accepted, announced or not', async () => {
  const whole = `{}${' '.repeat(MAX_BODY_BYTES - 2)}`;
  expect((await send({ body: whole })).response.status).toBe(204);
  expect((await send({ body: whole, length: MAX_BODY_BYTES })).response.status).toBe(204);
  const streamed = new Blob([whole]).stream();
  expect((await send({ body: streamed })).response.status).toBe(204);
});

test('permission is checked first, before anything of the body is read', async () => {
  let isRead = false;
  const body = () =>
    new ReadableStream(
      {
        pull(controller) {
          isRead = true;
          controller.error(new Error('It was read'));
        },
      },
      { highWaterMark: 0 },
    );
  const sent = { type: 'text/plain', query: '?per_page=0' };
  await expectProblem((await send({ ...sent, by: reader, body: body() })).response, 'insufficient_scope');
  const anonymously = { authorization: null };
  await expectProblem((await send({ ...sent, by: anonymously, body: body() })).response, 'unauthenticated');
  expect(isRead).toBe(false);
});

test('a route that takes no body ignores one', async () => {
  const answer = await send({ method: 'DELETE', type: 'text/plain', body: 'x'.repeat(2 * MAX_BODY_BYTES) });
  expect([answer.response.status, answer.handled]).toEqual([204, [{ body: undefined }]]);
});

test('the document has the body in both forms, without required members, and with the possible errors', () => {
  const document = toOpenApi(routes, '1') as {
    paths: Record<string, Record<string, Record<string, object>>>;
    components: { schemas: object };
  };
  const { post, delete: removal } = document.paths['/api/v2/things'] ?? {};
  expect(document.components.schemas).toMatchObject({
    ContactChange: {
      type: 'object',
      properties: {
        first_name: { type: ['string', 'null'] },
        id: {
          anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d{1,19}$' }, { type: 'null' }],
        },
      },
    },
  });
  const bare = { $ref: '#/components/schemas/ContactChange' };
  const wrapped = { type: 'object', properties: { contact: bare }, required: ['contact'] };
  expect(post?.['requestBody']).toMatchObject({
    required: false,
    content: { 'application/json': { schema: { anyOf: [wrapped, bare] } } },
  });
  expect(Object.keys(post?.['responses'] ?? {})).toEqual(
    expect.arrayContaining(['204', '400', '409', '410', '413', '415', '422']),
  );
  expect(removal).not.toHaveProperty('requestBody');
  expect(Object.keys(removal?.['responses'] ?? {})).not.toContain('413');
});

test('a required member is required in both forms', () => {
  const { schema, required, components } = bodyOf(
    {
      ...thing,
      fields: { firstName: { ...firstName, required: true }, anonymous: thing.fields['anonymous'] as Field },
      wrapper: 'x',
    },
    'creation',
  );
  const bare = { $ref: '#/components/schemas/ContactCreation' };
  expect([required, schema]).toMatchObject([true, { anyOf: [{ properties: { x: bare } }, bare] }]);
  expect(components?.()).toMatchObject({ ContactCreation: { required: ['first_name'] } });
});
