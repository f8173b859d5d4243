// Criteria in the arguments of a list select what a saved filter with the same criteria does, alone and together with others.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const { id: otherId } = await factories.workspace(app, { teamId });
const caller = await factories.apiKey(app, { teamId });
const { id: tagId } = await factories.tag(app, workspaceId, 'vip');
const ids: number[] = [];
for (const n of [0, 1, 2, 3, 4, 5]) {
  const { id } = await factories.contact(app, {
    workspaceId,
    firstName: n % 2 === 0 ? 'Ada' : 'Bob',
    emailAddress: `${n < 3 ? 'a' : 'b'}${n}@example.com`,
    ...(n > 3 && { unsubscribedAt: new Date() }),
  });
  ids.push(Number(id));
  if (n > 0) await factories.appliedTag(app, { workspaceId, contactId: id, tagId });
}
await factories.contact(app, { workspaceId: otherId, firstName: 'Ada', emailAddress: 'a9@example.com' });

const one = (attribute: string, clause: string, value: object | null = null) => ({
  attribute,
  clause,
  value,
});
const ADA = one('FIRST_NAME', 'EQUALS', { text: 'ada' });
const BEGINS_WITH_A = one('EMAIL_ADDRESS', 'STARTS_WITH', { text: 'A' });
const TAGGED = one('TAG', 'IN', { ids: [btoa(`ContactTag:${tagId}`)] });
const UNSUBSCRIBED = one('UNSUBSCRIBED_AT', 'IS_SET');

type Criteria = readonly ReturnType<typeof one>[];
interface List {
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly endCursor: string;
  };
}

async function ask(variables: object, args = 'criteria: $criteria') {
  const query = `query ($id: BigInt!, $criteria: [FilterCriterionInput!], $order: ContactListOrder, $after: String, $first: Int, $saved: ID, $filter: ContactFilter) {
    workspace(by: { databaseId: $id }) {
      contacts(${args}, orderBy: $order, after: $after, first: $first, savedFilterId: $saved, filter: $filter) {
        nodes { databaseId } totalCount pageInfo { hasNextPage hasPreviousPage endCursor } } } }`;
  const { data, errors } = await post(
    gateway,
    { query, variables: { id: Number(workspaceId), ...variables } },
    { caller },
  );
  const list = (data as { workspace: { contacts: List | null } } | null)?.workspace.contacts ?? null;
  return { list, errors };
}

test.each<[string, Criteria, number[]]>([
  ['text', [ADA], [0, 2, 4]],
  ['the beginning of an address', [BEGINS_WITH_A], [0, 1, 2]],
  ['a tag, which is a filter of the list too', [TAGGED], [1, 2, 3, 4, 5]],
  ['a time', [UNSUBSCRIBED], [4, 5]],
  ['two, of which both hold', [ADA, TAGGED], [2, 4]],
  ['three', [ADA, TAGGED, BEGINS_WITH_A], [2]],
  [
    'what it negates',
    [one('FIRST_NAME', 'EQUALS', { text: 'Bob' }), one('UNSUBSCRIBED_AT', 'IS_NOT_SET')],
    [1, 3],
  ],
])('%s', async (_, criteria, expected) => {
  const found = expected.map((index) => ids[index]);
  for (const field of ['ID', 'UPDATED_AT', 'EMAIL_ADDRESS'])
    for (const direction of ['ASC', 'DESC']) {
      const order = { field, direction };
      const { list, errors } = await ask({ criteria, order });
      expect(errors).toBeUndefined();
      const walked: (number | undefined)[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const { list: page } = await ask({ criteria, order, first: 1, after });
        walked.push(...(page?.nodes.map(({ databaseId }) => databaseId) ?? []));
        expect(page?.pageInfo.hasPreviousPage).toBe(walked.length > 1);
        ({ endCursor: after = null, hasNextPage: more = false } = page?.pageInfo ?? {});
      }
      const ordered = direction === 'ASC' ? found : found.toReversed();
      expect([order, list?.totalCount, list?.nodes.map(({ databaseId }) => databaseId), walked]).toEqual([
        order,
        found.length,
        ordered,
        ordered,
      ]);
    }
});

test('they hold together with a filter and with a saved filter, whatever its conjunction', async () => {
  const filtered = await ask({ criteria: [ADA], filter: { isUnsubscribed: false } });
  expect(filtered.list?.nodes).toEqual([ids[0], ids[2]].map((databaseId) => ({ databaseId })));
  const { id } = await factories.refineFilter(app, {
    workspaceId,
    conjunction: 'or',
    criteria: [
      { attribute: 'email_address', clause: 'sw', value: 'A' },
      { attribute: 'unsubscribed_at', clause: 'st', value: null },
    ],
  });
  const saved = btoa(`SavedFilter:${id}`);
  for (let times = 0; times < 2; times++) {
    const { list, errors } = await ask({ criteria: [ADA], saved });
    expect(errors).toBeUndefined();
    expect(list).toMatchObject({
      nodes: [ids[0], ids[2], ids[4]].map((databaseId) => ({ databaseId })),
      totalCount: 3,
    });
  }
  const { list } = await ask({ criteria: [one('FIRST_NAME', 'EQUALS', { text: 'Bob' })], saved });
  expect(list?.nodes).toEqual([ids[1], ids[5]].map((databaseId) => ({ databaseId })));
});

test('each of several workspaces has its own', async () => {
  const query = `{ nodes(ids: ["${btoa(`Workspace:${workspaceId}`)}", "${btoa(`Workspace:${otherId}`)}"]) { ... on Workspace {
    contacts(criteria: [{ attribute: FIRST_NAME, clause: EQUALS, value: { text: "Ada" } }, { attribute: EMAIL_ADDRESS, clause: STARTS_WITH, value: { text: "a" } }]) { nodes { firstName } totalCount } } } }`;
  const { data, errors } = await post(gateway, { query }, { caller });
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    nodes: [2, 1].map((count) => ({
      contacts: { nodes: Array.from({ length: count }, () => ({ firstName: 'Ada' })), totalCount: count },
    })),
  });
});

test.each<[string, Criteria, string[]]>([
  [
    'an attribute of other objects',
    [one('PRODUCT', 'IN', { ids: [btoa('Product:1')] })],
    ['criteria[0].attribute'],
  ],
  [
    'a clause that the attribute does not have',
    [ADA, one('FIRST_NAME', 'GREATER_THAN', { text: 'a' })],
    ['criteria[1].clause'],
  ],
  ['a value of another kind', [one('CREATED_AT', 'EQUALS', { text: 'soon' })], ['criteria[0].value']],
  ['the id of another type', [ADA, one('TAG', 'IN', { ids: [btoa('OrderTag:1')] })], ['criteria[1].value']],
  ['none', [], ['criteria']],
  ['too many', Array.from({ length: 51 }, () => ADA), ['criteria']],
])('%s is refused, naming it', async (_, criteria, fields) => {
  const { list, errors } = await ask({ criteria });
  expect(list).toBeNull();
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['INVALID']);
  const extensions = errors?.[0]?.extensions as unknown as { errors: { field: string }[] } | undefined;
  expect(extensions?.errors.map(({ field }) => field)).toEqual(fields);
});
