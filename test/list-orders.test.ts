// Orders of lists over both APIs: a client that follows cursors or links has each object once, in the same order.
import { expect, test } from 'vitest';
import { sortsOf } from '../src/resources/description/lists.ts';
import { NOUNS } from '../src/resources/nouns.ts';
import * as factories from './support/factories.ts';
import { sharedGateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { expectProblem } from './support/problem.ts';
import { json, nextOf } from './support/walk.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const below = `/api/v2/workspaces/${workspaceId}`;

/** By name, in the order in which they are created. */
const FUNNELS = ['beta', 'Alpha', 'alpha', 'Zürich: ä', 'BETA', 'gamma'];
const ADDRESSES = ['m@x.example', null, 'A@x.example', null, 'z@x.example', 'b@x.example'];
const funnels: number[] = [];
for (const name of FUNNELS) funnels.push(Number((await factories.funnel(app, { workspaceId, name })).id));
const contacts: number[] = [];
for (const emailAddress of ADDRESSES)
  contacts.push(Number((await factories.contact(app, { workspaceId, emailAddress })).id));

const at = (ids: readonly number[], ...places: number[]) => places.map((place) => ids[place]);

/** Every list, its order, and the expected ids. */
const CASES: [string, string, string, string, () => (number | undefined)[]][] = [
  ['funnels', 'NAME', 'NamedListOrder', 'name', () => at(funnels, 1, 2, 0, 4, 5, 3)],
  ['funnels', 'CREATED_AT', 'NamedListOrder', 'created_at', () => funnels],
  ['contacts', 'EMAIL_ADDRESS', 'ContactListOrder', 'email_address', () => at(contacts, 1, 3, 2, 5, 0, 4)],
  ['contacts', 'UPDATED_AT', 'ContactListOrder', 'updated_at', () => contacts],
];

test.each(CASES)('%s by %s: cursors', async (list, field, type, _, expected) => {
  for (const direction of ['ASC', 'DESC']) {
    const query = `query ($order: ${type}, $after: String) { workspace(by: { databaseId: ${workspaceId} }) {
      list: ${list}(first: 2, after: $after, orderBy: $order) { nodes { databaseId } pageInfo { hasNextPage endCursor } } } }`;
    const walked: number[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const variables = { order: { field, direction }, after };
      const { data, errors } = await post(gateway, { query, variables }, { caller });
      expect(errors).toBeUndefined();
      const { nodes, pageInfo } = (data as { workspace: { list: Listed } }).workspace.list;
      walked.push(...nodes.map(({ databaseId }) => databaseId));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    }
    expect(walked).toEqual(direction === 'ASC' ? expected() : expected().toReversed());
  }
});

interface Listed {
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

test.each(CASES)(
  '%s by %s: links, and the id of the last object alone',
  async (list, _, __, property, expected) => {
    for (const order of ['asc', 'desc']) {
      const path = `${below}/${list}?per_page=2&sort_order=${order}&sort_property=${property}`;
      const ordered = order === 'asc' ? expected() : expected().toReversed();
      const walked: number[] = [];
      const byIds: number[] = [];
      for (let url: string | null = path; url !== null; ) {
        const response = await gateway.send(url, { caller });
        const rows = await json<{ id: number }[]>(response);
        walked.push(...rows.map(({ id }) => id));
        const next = nextOf(response);
        url = next === null ? null : next.slice('http://localhost:4000'.length);
      }
      expect(walked).toEqual(ordered);
      for (let after = ''; ; ) {
        const rows = await json<{ id: number }[]>(await gateway.send(path + after, { caller }));
        if (rows.length === 0) break;
        byIds.push(...rows.map(({ id }) => id));
        after = `&after=${rows.at(-1)?.id}`;
      }
      expect(byIds).toEqual(ordered);
    }
  },
);

test.each([
  ['sort_property=name&after_value=x', 'after_value'],
  ['sort_property=name&after=1&after_updated_at=2026-01-01T00:00:00.000Z', 'after_updated_at'],
  ['sort_property=created_at&after=1&after_value=soon', 'after_value'],
  ['sort_property=email_address', 'sort_property'],
])('funnels?%s is refused, naming it', async (query, name) => {
  const { errors } = await expectProblem(
    await gateway.send(`${below}/funnels?${query}`, { caller }),
    'invalid',
  );
  expect(errors.map(({ field }) => field)).toEqual([name]);
});

test('nouns with the same orders share one type', async () => {
  const { data } = await post(
    gateway,
    { query: '{ __schema { types { name inputFields { name } } } }' },
    { caller },
  );
  const { types } = (
    data as { __schema: { types: { name: string; inputFields: { name: string }[] | null }[] } }
  ).__schema;
  const orders = types.filter(({ inputFields }) =>
    ['field', 'direction'].every((name) => inputFields?.some((field) => field.name === name)),
  );
  const sets = new Set([
    // The list of the caller's teams can be ordered by id alone.
    '',
    ...NOUNS.filter(({ plural }) => plural !== undefined).map((noun) =>
      sortsOf(noun)
        .map(({ sort }) => sort)
        .join(' '),
    ),
  ]);
  expect(orders).toHaveLength(sets.size);
});
