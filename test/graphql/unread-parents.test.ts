// Objects of which only lists are selected (src/graphql/unread-parents.ts).
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { statementsOf } from '../support/graphql-statements.ts';

const LISTS =
  'query ($id: BigInt!) { workspace(by: { databaseId: $id }) { databaseId contacts(first: 2) { nodes { id } } } }';
const ID_ALONE = 'query ($id: BigInt!) { workspace(by: { databaseId: $id }) { databaseId } }';

const gateway = await sharedGateway();
const { app } = gateway;
const { id: teamId } = await factories.team(app);
const caller = await factories.apiKey(app, { teamId });
const filled = (await factories.workspace(app, { teamId })).id;
const empty = (await factories.workspace(app, { teamId })).id;
const foreign = (await factories.workspace(app)).id;
await factories.contacts(app, filled, 3);
await factories.contacts(app, foreign, 3);

async function ask(query: string, id: bigint, operationName?: string, more: object = {}) {
  const response = await gateway.send('/graphql', {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables: { id: String(id), ...more } }),
  });
  return (await response.json()) as {
    data: { workspace: { contacts?: { nodes: unknown[] } } | null };
    errors?: { path: string[]; extensions: { code: string } }[];
  };
}

test('a page of a workspace’s contacts is one statement, and an empty one two', async () => {
  await ask(LISTS, filled);
  expect(await statementsOf(gateway, () => ask(LISTS, filled))).toEqual([
    expect.stringContaining('contacts.under_id'),
  ]);
  expect((await ask(LISTS, filled)).data.workspace?.contacts?.nodes).toHaveLength(2);
  expect((await ask(LISTS, empty)).data.workspace?.contacts?.nodes).toEqual([]);
});

test.for([
  ['with a list', LISTS],
  ['by its id alone', ID_ALONE],
])(
  '%s: a workspace that is not the caller’s, or not there, is null without an error',
  async ([, query = '']) => {
    await ask(query, filled);
    await ask(query, filled);
    for (const id of [foreign, 2n ** 40n]) {
      const { data, errors } = await ask(query, id);
      expect(data.workspace).toBeNull();
      expect(errors).toBeUndefined();
    }
  },
);

test('an object is read if another operation of the same document selects its fields', async () => {
  const document = `
    fragment lists on Query { workspace(by: { databaseId: $id }) { databaseId contacts(first: 2) { nodes { id } } } }
    query lists($id: BigInt!) { ...lists }
    query both($id: BigInt!) { ...lists workspace(by: { databaseId: $id }) { team { name } } }`;
  const whole = await ask(document, filled, 'both');
  for (let i = 0; i < 3; i++) await ask(document, filled, 'lists');
  for (let i = 0; i < 3; i++) expect(await ask(document, filled, 'both')).toEqual(whole);
});

test('an object is read if its fields are selected under a condition', async () => {
  const document = `query ($id: BigInt!, $more: Boolean!) {
    workspace(by: { databaseId: $id }) { databaseId contacts(first: 2) { nodes { id } } }
    ... on Query @include(if: $more) { workspace(by: { databaseId: $id }) { name subdomain } }
  }`;
  const whole = await ask(document, filled, undefined, { more: true });
  for (let i = 0; i < 3; i++) await ask(document, filled, undefined, { more: false });
  for (let i = 0; i < 3; i++) expect(await ask(document, filled, undefined, { more: true })).toEqual(whole);
});

test('such an operation is executed only once', async () => {
  const document = `
    fragment lists on Query { workspace(by: { databaseId: $id }) { databaseId contacts(first: 2) { nodes { id } } } }
    query lists($id: BigInt!) { ...lists }
    query both($id: BigInt!) { ...lists workspace(by: { databaseId: $id }) { name } }`;
  for (let i = 0; i < 3; i++) await ask(document, filled, 'lists');
  await ask(document, filled, 'both');
  expect(await statementsOf(gateway, () => ask(document, filled, 'both'))).toHaveLength(2);
});
