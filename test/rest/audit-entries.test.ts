// Which caller may read which part of the audit trail, over both APIs.
import { describe, expect, test } from 'vitest';
import { graphqlTypeNameOf, subjectTypeOf } from '../../src/resources/description/names.ts';
import { scopesNeeded } from '../../src/services/accounts/audit-entries.ts';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { type Caller, sharedGateway } from '../support/gateway.ts';
import { dataOf } from '../support/graphql.ts';
import { RESOURCES } from '../support/resources.ts';
import { json } from '../support/walk.ts';

const ENTRIES = graphql(`
  query AuditEntries($id: BigInt!) {
    workspace(by: { databaseId: $id }) {
      auditEntries(first: 100) { nodes { databaseId subjectType before after } }
    }
  }
`);
const DATA_ALONE = graphql(`
  query AuditData($id: BigInt!) {
    workspace(by: { databaseId: $id }) {
      auditEntries(first: 100) { nodes { before after } }
    }
  }
`);
const ACTIONS_ALONE = graphql(`
  query AuditActions($id: BigInt!) {
    workspace(by: { databaseId: $id }) {
      auditEntries(first: 100) { totalCount nodes { action actorKind tokenSubject client { clientId } requestId erasedAt } }
    }
  }
`);
const NODE = graphql(`
  query AuditNode($id: ID!) {
    node(id: $id) {
      __typename
      ... on AuditEntry { subjectType before after workspace { databaseId } }
    }
  }
`);

/** Integers beyond doubles, and JSON that PostgreSQL writes with spaces. */
const BEFORE = '{"id":9007199254740993,"custom_attributes":{"a": "b c"}}';
const COMPACT = '{"id":9007199254740993,"custom_attributes":{"a":"b c"}}';
const UNKNOWN = 'Unknown';
/** Every recorded noun, and an unknown one. */
const SUBJECTS = [
  ...new Set(RESOURCES.filter(({ topic }) => topic !== undefined).map(subjectTypeOf)),
  UNKNOWN,
];
/** What an entry is about, by the name of GraphQL's type. */
const SUBJECT_OF = new Map(RESOURCES.map((noun) => [graphqlTypeNameOf(noun), subjectTypeOf(noun)]));
const subjectOf = (graphqlType: string) => SUBJECT_OF.get(graphqlType) ?? graphqlType;
const OF_CONTACTS = ['Contact', 'Contacts::Tag', 'Contacts::AppliedTag'];
const OF_FUNNELS = ['ConditionalSplitStep'];

const entryIds = new Map<string, bigint>();

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
for (const subjectType of SUBJECTS) {
  const { id } = await factories.auditEntry(gateway.app, {
    workspaceId,
    subjectType,
    ...(subjectType === 'ConditionalSplitStep' && { contactId: null }),
  });
  await gateway.app.store.pool.query('update audit_entries set before = $2, after = $3 where id = $1', [
    id,
    BEFORE,
    '{"later":true}',
  ]);
  entryIds.set(subjectType, id);
}

const callerWith = (...scopes: string[]): Promise<Caller> =>
  factories.apiKey(gateway.app, { teamId, scopes: ['account:read', ...scopes] });

/** The subject types of the entries with data; the others have null before and after. */
function shownOf(entries: readonly { type: string; before: unknown; after: unknown }[]): string[] {
  return entries
    .filter(({ before, after }) => {
      expect(before === null).toBe(after === null);
      return before !== null;
    })
    .map(({ type }) => type);
}

interface EntryJson {
  readonly subject_type: string;
  readonly before: unknown;
  readonly after: unknown;
}

describe.each([
  [[], [], [...OF_CONTACTS, ...OF_FUNNELS]],
  [['contacts:read'], OF_CONTACTS, OF_FUNNELS],
  [['funnels:read'], OF_FUNNELS, OF_CONTACTS],
  // A caller with every scope sees every known type.
  [['read'], SUBJECTS.filter((type) => type !== UNKNOWN), []],
  [['contacts:write', 'funnels:write', 'webhooks:read', 'store:read'], [], [...OF_CONTACTS, ...OF_FUNNELS]],
])('with account:read and %j', (scopes, shown, hidden) => {
  function expectShown(entries: Parameters<typeof shownOf>[0]): void {
    const types = shownOf(entries);
    expect(types).toEqual(expect.arrayContaining(shown));
    expect(types.filter((type) => [...hidden, UNKNOWN].includes(type))).toEqual([]);
  }

  test('REST returns an entry’s data only for objects that the caller may read, and the rest of every entry', async () => {
    const caller = await callerWith(...scopes);
    const list = await json<EntryJson[]>(
      await gateway.send(`/api/v2/workspaces/${workspaceId}/audit_entries?per_page=100`, { caller }),
    );
    expect(list.map(({ subject_type }) => subject_type)).toEqual(SUBJECTS);
    expectShown(list.map((entry) => ({ ...entry, type: entry.subject_type })));
    const single: EntryJson[] = [];
    for (const id of entryIds.values())
      single.push(await json<EntryJson>(await gateway.send(`/api/v2/audit_entries/${id}`, { caller })));
    expect(single).toEqual(list);
  });

  test('GraphQL returns the same in lists, with or without other fields, and by id', async () => {
    const caller = await callerWith(...scopes);
    const { workspace } = await dataOf(gateway, ENTRIES, { id: String(workspaceId) }, { caller });
    const nodes = workspace?.auditEntries?.nodes ?? [];
    expect(nodes).toHaveLength(SUBJECTS.length);
    expectShown(nodes.map((node) => ({ ...node, type: subjectOf(node.subjectType) })));
    const alone = await dataOf(gateway, DATA_ALONE, { id: String(workspaceId) }, { caller });
    expect(alone.workspace?.auditEntries?.nodes).toEqual(
      nodes.map(({ before, after }) => ({ before, after })),
    );
    const byId: { type: string; before: unknown; after: unknown }[] = [];
    for (const id of entryIds.values()) {
      const { node } = await dataOf(gateway, NODE, { id: btoa(`AuditEntry:${id}`) }, { caller });
      if (node?.__typename !== 'AuditEntry') throw new Error('no entry');
      byId.push({ ...node, type: subjectOf(node.subjectType) });
    }
    expectShown(byId);
  });
});

test('integers of 64 bits are exact and JSON is compact over both faces', async () => {
  const caller = await callerWith('read');
  const rest = await gateway.send(`/api/v2/audit_entries/${entryIds.get('Contact')}`, { caller });
  expect(await rest.text()).toContain(`"before":${COMPACT},"after":{"later":true}`);
  for (const query of [
    `{ workspace(by: { databaseId: ${workspaceId} }) { auditEntries(first: 1) { nodes { before } } } }`,
    `{ node(id: "${btoa(`AuditEntry:${entryIds.get('Contact')}`)}") { ... on AuditEntry { before } } }`,
  ]) {
    const response = await gateway.send('/graphql', {
      caller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(await response.text()).toContain(`"before":${COMPACT}`);
  }
});

test('an entry has its actor, its channel and its request', async () => {
  const caller = await callerWith();
  const { workspace } = await dataOf(gateway, ACTIONS_ALONE, { id: String(workspaceId) }, { caller });
  expect(workspace?.auditEntries).toEqual({
    totalCount: SUBJECTS.length,
    nodes: [...entryIds.values()].map((id) => ({
      action: 'contact.updated',
      actorKind: 'API_KEY',
      tokenSubject: null,
      client: null,
      requestId: `request-${id}`,
      erasedAt: null,
    })),
  });
});

test('every recorded noun has a scope that is needed to read its entries', () => {
  const recorded = RESOURCES.filter(({ topic }) => topic !== undefined).map(subjectTypeOf);
  expect([...scopesNeeded.keys()]).toEqual(expect.arrayContaining(recorded));
});
