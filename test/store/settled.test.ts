// Lists never skip a late commit: in whatever order transactions commit, no row appears behind a position that a client already has.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeApp, createApp } from '../../src/app.ts';
import * as factories from '../support/factories.ts';
import { createCheckedServer, ownGateway, TEST_SECRET_KEY } from '../support/gateway.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { contactsOf, createSessions } from '../support/open-transactions.ts';
import { idsOf, json } from '../support/walk.ts';

let workspaceId: bigint;
const sessions = createSessions(() => gateway);
const { connect } = sessions;
const { insert, begin, list } = contactsOf(sessions, () => ({ gateway, caller, workspaceId }));

const gateway = await ownGateway();
const teamId = (await factories.team(gateway.app)).id;
const caller = (await factories.apiKey(gateway.app, { teamId })) as { authorization: string };
beforeEach(async () => {
  workspaceId = (await factories.workspace(gateway.app, { teamId })).id;
});
afterEach(() => sessions.endAll());

interface Connection {
  readonly nodes: readonly { databaseId: string }[];
  readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
}

async function query<Data>(text: string): Promise<Data> {
  const response = await gateway.send('/graphql', {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: text }),
  });
  const { data, errors } = await json<{ data: Data; errors?: unknown }>(response);
  expect(errors).toBeUndefined();
  return data;
}

async function connection(args: string): Promise<{ ids: bigint[]; pageInfo: Connection['pageInfo'] }> {
  const { workspace } = await query<{ workspace: { contacts: Connection } }>(
    `{ workspace(by: { databaseId: "${workspaceId}" }) { contacts(${args}) { nodes { databaseId } pageInfo { hasNextPage hasPreviousPage } } } }`,
  );
  const { nodes, pageInfo } = workspace.contacts;
  return { ids: nodes.map(({ databaseId }) => BigInt(databaseId)), pageInfo };
}

test('a row that commits late is never skipped: pages of both APIs end before it, from either end, until it is committed', async () => {
  const writer = await connect();
  const first = await insert(writer);
  const late = await begin();
  const second = await insert(writer);
  for (const expected of [[first], [first, late.id, second]]) {
    const newestFirst = expected.toReversed();
    expect(await list()).toEqual(expected);
    expect(await list('sort_order=desc')).toEqual(newestFirst);
    expect(await list(`filter[id]=${[first, late.id, second]}`)).toEqual(expected);
    expect((await connection('first: 10')).ids).toEqual(expected);
    expect((await connection('last: 10')).ids).toEqual(expected);
    expect(await list(`after=${first}`)).toEqual(expected.slice(1));
    expect(await connection('first: 1')).toEqual({
      ids: [first],
      pageInfo: { hasNextPage: expected.length > 1, hasPreviousPage: false },
    });
    expect((await connection('last: 1')).ids).toEqual(newestFirst.slice(0, 1));
    await late.client.query('commit');
  }
});

test('pages under many parents end there too, those of other tables do not', async () => {
  const other = (await factories.workspace(gateway.app, { teamId })).id;
  const writer = await connect();
  const [one, two] = [await insert(writer), await insert(writer, other)];
  const late = await begin();
  const [three, tag] = [await insert(writer, other), await factories.tag(gateway.app, other, 'New')];
  const lists = async () => {
    const {
      team: { workspaces },
    } = await query<{
      team: {
        workspaces: { nodes: { contacts: Connection; contactTags: Connection; databaseId: string }[] };
      };
    }>(
      `{ team(by: { databaseId: "${teamId}" }) { workspaces(first: 20) { nodes { databaseId contacts(first: 5) { nodes { databaseId } } contactTags(first: 5) { nodes { databaseId } } } } } }`,
    );
    const of = (id: bigint, kind: 'contacts' | 'contactTags') =>
      workspaces.nodes
        .find(({ databaseId }) => BigInt(databaseId) === id)
        ?.[kind].nodes.map(({ databaseId }) => BigInt(databaseId));
    return [of(workspaceId, 'contacts'), of(other, 'contacts'), of(other, 'contactTags')];
  };
  expect(await lists()).toEqual([[one], [two], [tag.id]]);
  await late.client.query('commit');
  expect(await lists()).toEqual([[one, late.id], [two, three], [tag.id]]);
});

test('a rollback, complete or to a savepoint, delays nothing', async () => {
  const writer = await connect();
  const late = await begin();
  await late.client.query('rollback; begin; savepoint a');
  await insert(late.client);
  await late.client.query('rollback to a');
  const one = await insert(writer);
  expect(await list()).toEqual([one]);
  const inner = await insert(late.client);
  const two = await insert(writer);
  expect(await list()).toEqual([one]);
  await late.client.query('commit');
  expect(await list()).toEqual([one, inner, two]);
});

test('a writer finds its own row by id at once, and in its next list, through any gateway', async () => {
  const { config, store } = gateway.app;
  const app = createApp(config, {
    databaseUrl: store.connection.connectionString as string,
    secretKeys: () => [TEST_SECRET_KEY],
  });
  const second = createCheckedServer(app);
  try {
    const seen = async () =>
      idsOf(
        await second.fetch(
          new Request(`http://localhost:4000/api/v2/workspaces/${workspaceId}/contacts`, {
            headers: { Authorization: caller.authorization },
          }),
        ),
      );
    const expected: bigint[] = [];
    for (let round = 0; round < 5; round++) {
      const created = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
        caller,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ contact: { first_name: 'New' } }),
      });
      expected.push(BigInt((await json<{ id: number }>(created)).id));
      expect(await seen()).toEqual(expected);
      expect(await list()).toEqual(expected);
    }
    const late = await begin();
    const held = await insert(await connect());
    expect(await seen()).toEqual(expected);
    const found = await gateway.send(`/api/v2/contacts/${held}`, { caller });
    expect(found.status).toBe(200);
    await late.client.query('commit');
    expect(await seen()).toEqual([...expected, late.id, held]);
  } finally {
    await closeApp(app);
  }
});

test('a page of old rows reads no high-water mark; one that reaches newer rows reads it once', async () => {
  const ids = await factories.contacts(gateway.app, workspaceId, 5);
  const asked = async () =>
    (await statementsOf(gateway, () => list('per_page=3'))).filter((name) => name === 'high_water_marks')
      .length;
  expect(await asked()).toBe(0);
  expect(await list()).toEqual(ids);
  const late = await begin();
  await insert(await connect());
  expect(await asked()).toBe(0);
  expect(
    (await statementsOf(gateway, () => list())).filter((name) => name === 'high_water_marks'),
  ).toHaveLength(1);
  await late.client.query('rollback');
});

test('explicit ids, above all sequence values, are listed when no transaction is open', async () => {
  const drawn = await insert(await connect());
  const given = 2n ** 40n + workspaceId;
  await factories.contact(gateway.app, { id: given, workspaceId });
  expect(await list()).toEqual([drawn, given]);
  expect(await list('sort_order=desc')).toEqual([given, drawn]);
  const late = await begin();
  expect(await list()).toEqual([drawn]);
  await late.client.query('commit');
  expect(await list()).toEqual([drawn, late.id, given]);
});
