// Clients refer to a trusted document by its id, in the forms of GraphQL over HTTP, Relay and Apollo; with trusted documents only,
// nothing else is executed.
import { getIntrospectionQuery } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import * as factories from '../../support/factories.ts';
import { anonymous, type Caller, createGateway, type Gateway } from '../../support/gateway.ts';
import {
  apolloManifest,
  codegenManifest,
  md5,
  relayManifest,
  sha256,
  writeManifests,
} from '../../support/trusted-documents.ts';

const WORKSPACE = 'query Workspace($id: BigInt!) { workspace(by: { databaseId: $id }) { name } }';
const KIND = 'query Kind { viewer { kind } }';
const TWO = 'query One { viewer { kind } } query Other { viewer { __typename } }';
const RENAME = 'mutation Create($input: CreateContactInput!) { createContact(input: $input) { __typename } }';
const HASH = sha256(WORKSPACE);

const callers = new Map<Gateway, { caller: Caller; id: string; name: string }>();

const files = await writeManifests(
  codegenManifest(WORKSPACE, TWO),
  relayManifest(KIND),
  apolloManifest(WORKSPACE, RENAME),
);
const env = { TRUSTED_DOCUMENTS: files.paths.join(', ') };
const open = await createGateway({ env });
const strict = await createGateway({ env: { ...env, TRUSTED_DOCUMENTS_ONLY: 'on' } });
for (const gateway of [open, strict]) {
  const { id, teamId, name } = await factories.workspace(gateway.app);
  callers.set(gateway, { caller: await factories.apiKey(gateway.app, { teamId }), id: String(id), name });
}
afterAll(() => Promise.all([open.close(), strict.close(), files.remove()]));

const us = (gateway: Gateway) => callers.get(gateway) ?? expect.fail('no caller');

function send(gateway: Gateway, body: object, caller: Caller = us(gateway).caller) {
  return gateway.send('/graphql', {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function codeOf(response: Response): Promise<[number, unknown]> {
  const { errors, data } = (await response.json()) as {
    errors: { extensions: { code: string } }[];
    data?: object;
  };
  expect(data).toBeUndefined();
  expect(errors).toHaveLength(1);
  return [response.status, errors[0]?.extensions.code];
}

const FORMS: readonly [string, object][] = [
  ['documentId with the prefix of a hash', { documentId: `sha256:${HASH}` }],
  ['documentId', { documentId: HASH }],
  ['doc_id, as Relay', { doc_id: HASH }],
  ['a hash in extensions, as Apollo', { extensions: { persistedQuery: { version: 1, sha256Hash: HASH } } }],
];

const gateways: readonly [string, () => Gateway][] = [
  ['where others are executed too', () => open],
  ['where only these are executed', () => strict],
];

describe.each(gateways)('%s', (_, which) => {
  test.each(FORMS)('a document is identified by %s', async (_form, named) => {
    const { id, name } = us(which());
    // The first time through Yoga, then on the fast path.
    for (let time = 0; time < 3; time++) {
      const response = await send(which(), { ...named, variables: { id } });
      expect(await response.json()).toEqual({ data: { workspace: { name } } });
      expect(response.status).toBe(200);
    }
  });

  test.each(FORMS)('over GET too, by %s', async (_form, named) => {
    const { id, name, caller } = us(which());
    const texts = Object.entries({ ...named, variables: { id } }).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const response = await which().send(`/graphql?${new URLSearchParams(texts)}`, { caller });
    expect(await response.json()).toEqual({ data: { workspace: { name } } });
  });

  test('an id may be any text in the manifest', async () => {
    const response = await send(which(), { doc_id: md5(KIND) });
    expect(await response.json()).toEqual({ data: { viewer: { kind: 'API_KEY' } } });
  });

  test('a document with several operations needs an operation name', async () => {
    const documentId = sha256(TWO);
    expect(await codeOf(await send(which(), { documentId }))).toEqual([400, 'OPERATION_RESOLUTION_FAILURE']);
    expect(await codeOf(await send(which(), { documentId, operationName: 'None' }))).toEqual([
      400,
      'OPERATION_RESOLUTION_FAILURE',
    ]);
    for (const operationName of ['One', 'Other', 'One', 'Other']) {
      const answer = await (await send(which(), { documentId, operationName })).json();
      const viewer = operationName === 'One' ? { kind: 'API_KEY' } : { __typename: 'Viewer' };
      expect(answer).toEqual({ data: { viewer } });
    }
  });

  test('its variables, credentials, cost and rules are checked', async () => {
    const documentId = HASH;
    expect((await codeOf(await send(which(), { documentId })))[0]).toBe(400);
    expect(
      await codeOf(await send(which(), { documentId, variables: { id: us(which()).id } }, anonymous)),
    ).toEqual([401, 'UNAUTHENTICATED']);
    const mutation = { documentId: sha256(RENAME), variables: { input: { workspaceId: 'x' } } };
    const { errors } = (await (await send(which(), mutation)).json()) as { errors: object[] };
    expect(errors).toMatchObject([{ extensions: { field: 'workspaceId' } }]);
  });

  test('a mutation is not executed over GET', async () => {
    const variables = encodeURIComponent(JSON.stringify({ input: { workspaceId: 'x' } }));
    const path = `/graphql?documentId=${sha256(RENAME)}&variables=${variables}`;
    expect((await which().send(path, { caller: us(which()).caller })).status).toBe(405);
  });

  test.each<[string, object, number, string]>([
    ['an unknown id', { documentId: `sha256:${sha256('x')}` }, 404, 'PERSISTED_QUERY_NOT_FOUND'],
    [
      'an unknown hash of Apollo’s',
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
      200,
      'PERSISTED_QUERY_NOT_FOUND',
    ],
    [
      'a hash of Apollo’s without a hash',
      { extensions: { persistedQuery: {} } },
      200,
      'PERSISTED_QUERY_NOT_FOUND',
    ],
    ['the name of a member of every object', { documentId: '__proto__' }, 404, 'PERSISTED_QUERY_NOT_FOUND'],
    ['an id that is no text', { documentId: { sha256: HASH } }, 400, 'BAD_REQUEST'],
    ['an id beside a text', { documentId: HASH, query: KIND }, 400, 'BAD_REQUEST'],
    ['neither an id nor a text', {}, 400, 'BAD_REQUEST'],
  ])('%s is refused', async (_what, body, status, code) => {
    expect(await codeOf(await send(which(), body))).toEqual([status, code]);
  });
});

test('texts are executed in addition to trusted documents, also with the hash that Apollo’s clients send', async () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'x' } };
  for (const body of [{ query: KIND }, { query: KIND, extensions }])
    expect(await (await send(open, body)).json()).toEqual({ data: { viewer: { kind: 'API_KEY' } } });
});

describe('if only trusted documents are allowed', () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: HASH } };
  test.each<[string, object]>([
    ['a text', { query: '{ viewer { kind } }' }],
    ['the text of a trusted document', { query: KIND }],
    ['a text beside the hash of a trusted document', { query: '{ viewer { kind } }', extensions }],
    ['introspection', { query: getIntrospectionQuery() }],
    ['a name of a type', { query: '{ __typename }' }],
    ['a text that is no GraphQL', { query: 'x' }],
    ['an empty text', { query: '' }],
    ['something that is no text', { query: { kind: 'Document' } }],
  ])('%s is refused, with and without credentials, by POST and GET', async (_what, body) => {
    for (const caller of [us(strict).caller, anonymous]) {
      expect(await codeOf(await send(strict, body, caller))).toEqual([400, 'PERSISTED_QUERY_ID_REQUIRED']);
      const texts = Object.entries(body).map(([key, value]): [string, string] => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      const [status, code] = await codeOf(
        await strict.send(`/graphql?${new URLSearchParams(texts)}`, { caller }),
      );
      // Over GET an empty text counts as absent.
      expect([status, code]).toEqual([
        400,
        texts[0]?.[1] === '' ? 'BAD_REQUEST' : 'PERSISTED_QUERY_ID_REQUIRED',
      ]);
    }
  });

  test('a text that the fast path has compiled is refused too', async () => {
    const { id } = us(strict);
    for (let time = 0; time < 3; time++) await send(strict, { documentId: HASH, variables: { id } });
    expect(await codeOf(await send(strict, { query: WORKSPACE, variables: { id } }))).toEqual([
      400,
      'PERSISTED_QUERY_ID_REQUIRED',
    ]);
  });

  test('a browser learns that there is no GraphiQL, and why', async () => {
    const response = await strict.send('/graphql', { headers: { Accept: 'text/html' } });
    for (const parameter of ['documentId', 'doc_id']) {
      const opened = await strict.send(`/graphql?${parameter}=${HASH}`, {
        headers: { Accept: 'text/html, */*' },
      });
      expect(opened.status).not.toBe(404);
    }
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('only documents that are known beforehand are executed');
    const home = await strict.send('/', { headers: { Accept: 'text/html' } });
    expect(await home.text()).not.toContain('GraphiQL');
  });
});
