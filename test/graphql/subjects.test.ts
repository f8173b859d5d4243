// What audit entries and events are about, and who made the change: objects, also for records of applied tags and of what was deleted.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graphqlTypeNameOf, subjectTypeOf } from '../../src/resources/description/names.ts';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { createTenant } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { RESOURCES } from '../support/resources.ts';

const gateway = await ownGateway();
const { app } = gateway;
const tenant = await createTenant(app, 'subjects');
const { team, workspace, contact } = tenant;
const caller = await factories.apiKey(app, { teamId: team.id });
const workspaceId = workspace.id;
const globalId = (type: string, id: unknown) => btoa(`${type}:${id}`);

interface Record {
  readonly [name: string]: unknown;
}

/** The newest records of a new workspace; both executors must agree. */
async function recordsOf(list: string, selection: string, of = workspaceId, by: Caller = caller) {
  const query = `{ workspace(by: { databaseId: "${of}" }) { ${list}(last: 100) { nodes { ${selection} } } } }`;
  const [first, second] = [
    await post<Record>(gateway, { query }, { caller: by }),
    await post<Record>(gateway, { query }, { caller: by }),
  ];
  expect(second.data).toEqual(first.data);
  const { workspace } = first.data as { workspace: Record };
  return { nodes: (workspace[list] as { nodes: Record[] }).nodes, errors: first.errors };
}

describe('a subject', () => {
  const SUBJECTS = RESOURCES.filter(
    (noun) => noun.topic !== undefined && !noun.type.endsWith('AppliedTag') && noun.type in tenant.rows,
  );
  let readable: bigint;

  beforeAll(async () => {
    readable = (await factories.workspace(app, { teamId: team.id })).id;
  });

  test('of every noun is the object, by the global id that it has everywhere', async () => {
    for (const noun of SUBJECTS) {
      const subject = { subjectType: subjectTypeOf(noun), subjectId: tenant.rows[noun.type]?.id ?? 0n };
      await factories.auditEntry(app, { workspaceId: readable, ...subject, contactId: null });
      await factories.webhookEvent(app, { workspaceId: readable, ...subject, contactId: null });
    }
    expect(SUBJECTS.length).toBeGreaterThan(25);
    const expected = SUBJECTS.map((noun) => {
      const id = globalId(graphqlTypeNameOf(noun), tenant.rows[noun.type]?.id);
      return { subjectId: id, subjectType: graphqlTypeNameOf(noun), subject: { id }, tag: null };
    });
    for (const list of ['auditEntries', 'webhookEvents']) {
      const { nodes, errors } = await recordsOf(
        list,
        'subjectId subjectType subject { id } tag { id }',
        readable,
      );
      expect([list, nodes, errors]).toEqual([list, expected, undefined]);
    }
  });

  test('that needs another scope is null, with an error that names it, and the rest stands', async () => {
    const by = await factories.apiKey(app, { teamId: team.id, scopes: ['account:read', 'store:read'] });
    const { nodes, errors = [] } = await recordsOf(
      'auditEntries',
      'subjectType subject { id }',
      readable,
      by,
    );
    const hidden = nodes.filter(({ subject }) => subject === null).map(({ subjectType }) => subjectType);
    expect(hidden).toEqual(expect.arrayContaining(['Contact', 'Funnel']));
    expect(hidden).not.toContain('Order');
    expect(errors).toHaveLength(hidden.length);
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['INSUFFICIENT_SCOPE']));
    expect(errors[0]?.path?.slice(-1)).toEqual(['subject']);
  });

  test('that was deleted is null without an error, and its id stays; so does one of an unknown type', async () => {
    const { id } = await factories.workspace(app, { teamId: team.id });
    const gone = await factories.contact(app, { workspaceId: id });
    await gateway.send(`/api/v2/contacts/${gone.id}`, { method: 'DELETE', caller });
    await factories.auditEntry(app, { workspaceId: id, subjectType: 'Former', subjectId: 7n });
    const { nodes, errors } = await recordsOf('auditEntries', 'subjectId subject { id }', id);
    expect([nodes, errors]).toEqual([
      [
        { subjectId: globalId('Contact', gone.id), subject: null },
        { subjectId: globalId('Former', 7), subject: null },
      ],
      undefined,
    ]);
  });

  test('takes one statement for each type, however many records there are', async () => {
    const counts: number[] = [];
    const { id } = await factories.workspace(app, { teamId: team.id });
    const contacts = await factories.contacts(app, id, 12);
    const record = async (rows: readonly bigint[]) => {
      for (const subjectId of rows) {
        await factories.auditEntry(app, { workspaceId: id, subjectId, contactId: subjectId });
        await factories.webhookEvent(app, { workspaceId: id, subjectId, contactId: subjectId });
      }
    };
    // The name makes it another document, which no executor knows yet.
    const queryNamed = (name: string) => `query ${name} { workspace(by: { databaseId: "${id}" }) {
      auditEntries { nodes { subject { id ... on Contact { emailAddress } } actor { __typename } client { name } } }
      webhookEvents { nodes { subject { id } tag { id } } } } }`;
    for (const rows of [contacts.slice(0, 1), contacts.slice(1)]) {
      await record(rows);
      const query = queryNamed(`Of${rows.length}`);
      for (const _ of ['Yoga', 'the fast path'])
        counts.push(
          (
            await statementsOf(gateway, async () => {
              const { errors } = await post(gateway, { query }, { caller });
              expect(errors).toBeUndefined();
            })
          ).length,
        );
    }
    expect(counts.slice(2)).toEqual(counts.slice(0, 2));
  });
});

test.each([
  ['contact', 'Contact', 'ContactTag', () => contact.id, () => tenant.tag.id, 'contacts'],
  ['order', 'Order', 'OrderTag', () => tenant.rows['Order']?.id, () => tenant.rows['OrderTag']?.id, 'orders'],
] as const)(
  'of a tag on a %s the subject is the object that has it, with the tag beside it, after its removal too',
  async (_, type, tagType, objectOf, tagOf, path) => {
    const { id: after } = await prismaOf(app.store).auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const url = `/api/v2/${path}/${objectOf()}/applied_tags`;
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ tag_id: Number(tagOf()) });
    const made = await gateway.send(url, { method: 'POST', headers, body, caller });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: number };
    const removed = await gateway.send(`/api/v2/${path}/applied_tags/${id}`, { method: 'DELETE', caller });
    expect(removed.status).toBeLessThan(300);
    const about = {
      subjectId: globalId(type, objectOf()),
      subjectType: type,
      subject: { id: globalId(type, objectOf()) },
      tag: { id: globalId(tagType, tagOf()) },
    };
    const selection = 'databaseId subjectType subjectId subject { id } tag { id }';
    const entries = (await recordsOf('auditEntries', selection)).nodes.filter(
      ({ databaseId, tag }) => Number(databaseId) > Number(after) && tag !== null,
    );
    expect(entries).toHaveLength(2);
    for (const entry of entries) expect(entry).toMatchObject(about);
    if (path === 'orders') return;
    const events = (await recordsOf('webhookEvents', selection)).nodes.filter(({ tag }) => tag !== null);
    expect(events).toHaveLength(2);
    for (const event of events) expect(event).toMatchObject(about);
  },
);

describe('the actor of an entry', () => {
  const SELECTION = `actorKind tokenSubject actor { __typename ... on ApiKey { databaseId } ... on User { databaseId } ... on OauthClient { id clientId name } }
    client { id clientId name }`;
  let id: bigint;
  let key: Caller & { id: bigint };
  let grant: Awaited<ReturnType<typeof oauthGrant>>;
  let own: Awaited<ReturnType<typeof factories.oauthClient>>;
  let person: { id: bigint; publicId: string };

  beforeAll(async () => {
    id = (await factories.workspace(app, { teamId: team.id })).id;
    key = await factories.apiKey(app, { teamId: team.id });
    grant = await oauthGrant(app, { teamId: team.id });
    own = await factories.oauthClient(app, { teamId: team.id });
    person = await prismaOf(app.store).user.findUniqueOrThrow({ where: { id: grant.userId } });
    const entry = (actorKind: string, actorId: string, clientId: string | null) =>
      factories.auditEntry(app, { workspaceId: id, actorKind, actorId, clientId });
    const { publicId } = await prismaOf(app.store).apiKey.findUniqueOrThrow({ where: { id: key.id } });
    await entry('api_key', publicId, null);
    await entry('oauth', person.publicId, grant.clientId);
    await entry('oauth', own.id, own.id);
    await entry('oauth', 'somebody', 'elsewhere');
  });
  afterAll(async () => {
    await prismaOf(app.store).oauthGrant.deleteMany({ where: { id: grant.id } });
  });

  const clientOf = (clientId: string, name: string | null) => ({
    id: btoa(`OauthClient::${clientId}`),
    clientId,
    name,
  });

  test('is the key, the person, or the client on its own behalf; beside it the client and the subject of the token', async () => {
    const { nodes, errors } = await recordsOf('auditEntries', SELECTION, id);
    expect(errors).toBeUndefined();
    const named = await prismaOf(app.store).oauthClient.findUniqueOrThrow({ where: { id: grant.clientId } });
    const [theirs, alone] = [clientOf(named.id, named.name), clientOf(own.id, own.name)];
    expect(nodes).toEqual([
      {
        ...{ actorKind: 'API_KEY', tokenSubject: null, client: null },
        actor: { __typename: 'ApiKey', databaseId: Number(key.id) },
      },
      {
        ...{ actorKind: 'OAUTH', tokenSubject: person.publicId, client: theirs },
        actor: { __typename: 'User', databaseId: Number(person.id) },
      },
      {
        ...{ actorKind: 'OAUTH', tokenSubject: own.id, client: alone },
        actor: { __typename: 'OauthClient', ...alone },
      },
      {
        ...{ actorKind: 'OAUTH', tokenSubject: 'somebody', client: clientOf('elsewhere', null) },
        actor: null,
      },
    ]);
  });

  test('is found again by its id, by the team alone', async () => {
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on OauthClient { name } } }';
    const ids = [grant.clientId, own.id, 'elsewhere'].map((client) => btoa(`OauthClient::${client}`));
    const found = await post<{ nodes: Record[] }>(gateway, { query, variables: { ids } }, { caller });
    expect(found.errors).toBeUndefined();
    expect(found.data?.nodes.map((node) => node?.['id'] ?? null)).toEqual([ids[0], ids[1], null]);
    const { id: teamId } = await factories.team(app);
    const stranger = await factories.apiKey(app, { teamId });
    const theirs = await post<{ nodes: Record[] }>(
      gateway,
      { query, variables: { ids } },
      { caller: stranger },
    );
    expect(theirs.data?.nodes).toEqual([null, null, null]);
    const reader = await factories.apiKey(app, { teamId: team.id, scopes: ['contacts:read'] });
    const refused = await post(gateway, { query, variables: { ids } }, { caller: reader });
    expect(new Set(refused.errors?.map(({ extensions }) => extensions.scope))).toEqual(
      new Set(['account:read']),
    );
  });
});
