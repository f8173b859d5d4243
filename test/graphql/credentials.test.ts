// A team's API keys and OAuth grants over GraphQL: which callers may list and revoke them, and that no credential is ever disclosed.
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, ownGateway, type RequestOptions } from '../support/gateway.ts';
import { oauthGrant, tokensOf } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { bearerOf } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';
import { createObserver } from '../support/statements.ts';
import { refusalOf, USER_ERRORS } from '../support/user-errors.ts';

type Row = { readonly id: bigint };
type Key = Awaited<ReturnType<typeof factories.apiKey>>;
type Grant = Awaited<ReturnType<typeof oauthGrant>>;

const NOW = new Date();
const DAY_MS = 86_400_000;
const past = new Date(NOW.getTime() - 1);
const gateway = await ownGateway({ overrides: { clock: () => NOW } });
let teamId: bigint;
let workspaceId: bigint;
let subdomain: string;
let caller: Key;

beforeEach(async () => {
  ({ id: workspaceId, teamId, subdomain } = await factories.workspace(gateway.app));
  caller = await factories.apiKey(gateway.app, { teamId, createdAt: NOW });
});

const isLive = async (key: Caller) => (await gateway.send('/api/v2/teams', { caller: key })).status === 200;
const grantOf = (options: Partial<Parameters<typeof oauthGrant>[1]> = {}) =>
  oauthGrant(gateway.app, { teamId, ...options });
const anotherTeam = async () => (await factories.team(gateway.app)).id;

const KINDS = {
  ApiKey: {
    list: 'apiKeys',
    revoke: 'revokeApiKey',
    argument: 'apiKeyId',
    revoked: 'revokedApiKeyId',
    shown: 'apiKey',
    path: 'api_keys',
    make: (of: bigint): Promise<Row> => factories.apiKey(gateway.app, { teamId: of }),
    isLive: (key: Row) => isLive(key as Key),
  },
  OauthGrant: {
    list: 'oauthGrants',
    revoke: 'revokeOauthGrant',
    argument: 'oauthGrantId',
    revoked: 'revokedOauthGrantId',
    shown: 'oauthGrant',
    path: 'oauth_grants',
    make: (of: bigint): Promise<Row> => oauthGrant(gateway.app, { teamId: of }),
    async isLive(grant: Row) {
      const tokens = await tokensOf(gateway.app, grant as Grant);
      expect([
        { revoked: false, refreshTokens: 1 },
        { revoked: true, refreshTokens: 0 },
      ]).toContainEqual(tokens);
      return !tokens.revoked;
    },
  },
} as const;
type Kind = keyof typeof KINDS;

const globalId = (kind: string, { id }: Row) => btoa(`${kind}:${id}`);

/** @param selected what of the payload */
function revoke(
  kind: Kind,
  id: string,
  options: RequestOptions = { caller },
  selected = `${KINDS[kind].revoked} ${KINDS[kind].shown} { id status revokedAt }`,
) {
  const { revoke: field, argument } = KINDS[kind];
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { answer: ${field}(input: $input) { ${selected} ${USER_ERRORS} } }`;
  const variables = { input: { [argument]: id } };
  return post<{ answer: object | null }>(gateway, { query, variables }, options);
}

const codeOf = (answer: Awaited<ReturnType<typeof post>>) => refusalOf(answer)?.code;

async function listOf(kind: Kind, fields: string, args = '', options: RequestOptions = { caller }) {
  const { list } = KINDS[kind];
  const query = `{ team(by: { databaseId: ${teamId} }) { list: ${list}${args} { totalCount pageInfo { hasNextPage endCursor } nodes { ${fields} } } } }`;
  type List = {
    totalCount: number;
    pageInfo: { hasNextPage: boolean; endCursor: string };
    nodes: Record<string, unknown>[];
  };
  const answer = await post<{ team: { list: List } | null }>(gateway, { query }, options);
  return { ...answer, list: answer.data?.team?.list };
}

describe.each(Object.keys(KINDS) as Kind[])('%s', (kind) => {
  const { argument, revoked, shown, make, path } = KINDS[kind];
  const live = KINDS[kind].isLive;

  test('needs account:read, and a credential', async () => {
    const without = await factories.apiKey(gateway.app, {
      teamId,
      scopes: ['contacts:read', 'account:write'],
    });
    const query = `{ node(id: "${globalId(kind, await make(teamId))}") { ... on ${kind} { status } } }`;
    const { data, errors } = await post(gateway, { query }, { caller: without });
    expect(data).toEqual({ node: null });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: 'account:read' });
    const { response } = await post(gateway, { query }, { caller: anonymous });
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('scope="account:read"');
  });

  test('shows nothing of another team, over REST neither', async () => {
    const theirs = await make(await anotherTeam());
    const query = `{ node(id: "${globalId(kind, theirs)}") { id } }`;
    expect((await post(gateway, { query }, { caller })).data).toEqual({ node: null });
    const ids = (await listOf(kind, 'id')).list?.nodes.map(({ id }) => id);
    expect(ids).not.toContain(globalId(kind, theirs));
    const one = await make(teamId);
    const listed = await gateway.send(`/api/v2/teams/${teamId}/${path}?per_page=100`, { caller });
    const shownIds = ((await listed.json()) as { id: number }[]).map(({ id }) => id);
    expect(shownIds).toContain(Number(one.id));
    expect(shownIds).not.toContain(Number(theirs.id));
    expect((await gateway.send(`/api/v2/${path}/${theirs.id}`, { caller })).status).toBe(404);
    expect((await gateway.send(`/api/v2/${path}/${theirs.id}`, { method: 'DELETE', caller })).status).toBe(
      404,
    );
    expect(await live(theirs)).toBe(true);
  });

  test('is revoked over REST at once', async () => {
    const one = await make(teamId);
    for (let times = 0; times < 2; times++) {
      const response = await gateway.send(`/api/v2/${path}/${one.id}`, { method: 'DELETE', caller });
      expect(response.status).toBe(204);
    }
    expect(await live(one)).toBe(false);
  });

  test('is revoked at once; a second revocation does not change revokedAt', async () => {
    const row = await make(teamId);
    const id = globalId(kind, row);
    expect(await live(row)).toBe(true);
    const first = await revoke(kind, id, { caller });
    const object = { id, status: 'REVOKED', revokedAt: NOW.toISOString() };
    const answer = { [revoked]: id, [shown]: object, userErrors: [] };
    expect(first.data).toEqual({ answer });
    expect(await live(row)).toBe(false);
    expect((await revoke(kind, id, { caller })).data).toEqual(first.data);
    expect(await isLive(caller)).toBe(true);
  });

  test.each([
    ['account:read contacts:write', false],
    ['read', false],
    ['account:write', true],
    ['write', true],
  ])('with the scopes %s: %s', async (scopes, may) => {
    const row = await make(teamId);
    const by = await factories.apiKey(gateway.app, { teamId, scopes: scopes.split(' ') });
    const id = globalId(kind, row);
    // A caller who may not read the object is refused before it is revoked.
    const { data, errors } = await revoke(kind, id, { caller: by });
    expect(data?.answer).toBeNull();
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.scope])).toEqual([
      ['INSUFFICIENT_SCOPE', may ? 'account:read' : 'account:write'],
    ]);
    expect(await live(row)).toBe(true);
    const { data: byId } = await revoke(kind, id, { caller: by }, revoked);
    expect(byId?.answer).toEqual(may ? { [revoked]: id, userErrors: [] } : null);
    expect(await live(row)).toBe(!may);
  });

  test('without a credential gets 401 with the needed scopes', async () => {
    const { response } = await revoke(kind, globalId(kind, { id: 1n }), { caller: anonymous });
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('scope="account:read account:write"');
  });

  test('the id of another team, of nothing, or of another type changes nothing', async () => {
    const theirs = await make(await anotherTeam());
    for (const row of [theirs, { id: 999_999n }]) {
      const answer = await revoke(kind, globalId(kind, row));
      const userErrors = [{ code: 'NOT_FOUND', path: [argument], message: expect.any(String) }];
      expect(answer.data).toEqual({ answer: { [revoked]: null, [shown]: null, userErrors } });
    }
    expect(await live(theirs)).toBe(true);
    for (const id of ['x', btoa(`Team:${teamId}`), '1'])
      expect((await revoke(kind, id)).errors?.[0]?.extensions).toMatchObject({
        code: 'INVALID',
        field: argument,
      });
  });

  test('the host of a workspace or of another team neither lists nor revokes any', async () => {
    const own = await make(teamId);
    const others = await factories.workspace(gateway.app);
    const theirs = await make(others.teamId);
    for (const label of [subdomain, others.subdomain]) {
      const options = { caller, host: `${label}.localhost` };
      const list = `${KINDS[kind].list} { totalCount nodes { id } }`;
      const query = `{ viewer { teams { nodes { ${list} } } } node(id: "${globalId(kind, own)}") { id } }`;
      const { data } = await post<{ node: unknown; viewer: unknown }>(gateway, { query }, options);
      expect(data?.node).toBeNull();
      expect(JSON.stringify(data?.viewer)).not.toContain(globalId(kind, own));
      for (const row of [own, theirs])
        expect(codeOf(await revoke(kind, globalId(kind, row), options))).toBe('NOT_FOUND');
    }
    expect([await live(own), await live(theirs)]).toEqual([true, true]);
  });
});

test('the keys of a team are listed with scopes and status, without a credential, in pages', async () => {
  const times = { createdAt: new Date(NOW.getTime() - DAY_MS) };
  const make = (options: object) => factories.apiKey(gateway.app, { teamId, ...times, ...options });
  const others = [
    await make({ revokedAt: past }),
    await make({ revokedAt: new Date(NOW.getTime() + 1) }),
    await make({ expiresAt: past, scopes: ['read', 'contacts:write'] }),
  ];
  const fields = `id databaseId publicId name hint isDefault scopes status team { databaseId }
    createdAt expiresAt revokedAt lastUsedAt`;
  const { list, data } = await listOf('ApiKey', fields);
  const ids = [caller, ...others].map((key) => globalId('ApiKey', key));
  expect(list?.nodes.map(({ id }) => id)).toEqual(ids);
  expect(list?.nodes.map(({ status }) => status)).toEqual(['ACTIVE', 'REVOKED', 'ENDING', 'EXPIRED']);
  const row = await prismaOf(gateway.app.store).apiKey.findUniqueOrThrow({
    where: { id: others[2]?.id ?? 0n },
  });
  expect(list?.nodes[3]).toEqual({
    id: ids[3],
    databaseId: Number(row.id),
    publicId: row.publicId,
    name: row.name,
    hint: row.hint,
    isDefault: false,
    scopes: ['read', 'contacts:write'],
    status: 'EXPIRED',
    team: { databaseId: Number(teamId) },
    createdAt: times.createdAt.toISOString(),
    expiresAt: past.toISOString(),
    revokedAt: null,
    lastUsedAt: null,
  });
  const text = JSON.stringify(data);
  for (const key of [caller, ...others]) expect(text).not.toContain(key.token.slice(12));
  expect(text).not.toContain(Buffer.from(row.tokenHash).toString('hex'));

  const first = (await listOf('ApiKey', 'id', '(first: 1)')).list;
  expect(first).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: true } });
  const next = (await listOf('ApiKey', 'id', `(first: 1, after: "${first?.pageInfo.endCursor}")`)).list;
  expect(next?.nodes).toEqual([{ id: ids[1] }]);
});

test('a key is revoked while as many changes of its team as are made at once wait for a lock', async () => {
  const { id } = await factories.contact(gateway.app, { workspaceId });
  const leaked = await factories.apiKey(gateway.app, { teamId, createdAt: NOW });
  const observer = await createObserver(gateway);
  let answered = 0;
  const changes = await observer.whileLocked(`select from contacts where id = ${id} for update`, async () => {
    const waiting = ['A', 'B', 'C', 'D'].map(async (first_name) => {
      await gateway.send(`/api/v2/contacts/${id}`, {
        ...{ caller: leaked, method: 'PATCH' },
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ first_name }),
      });
      answered++;
    });
    await untilWaiting(gateway.app, 2);
    const query = `mutation { revokeApiKey(input: { apiKeyId: "${btoa(`ApiKey:${leaked.id}`)}" }) { __typename } }`;
    const { errors } = await post(gateway, { query }, { caller });
    expect({ errors, answered }).toEqual({ errors: undefined, answered: 0 });
    return waiting;
  });
  await Promise.all(changes);
  await observer.close();
  expect(await isLive(leaked)).toBe(false);
});

test('the caller’s own key can be revoked too', async () => {
  expect((await revoke('ApiKey', globalId('ApiKey', caller))).errors).toBeUndefined();
  expect(await isLive(caller)).toBe(false);
});

test('the grants of a team are listed with user, client, scopes and status once consent is complete', async () => {
  const whole = await grantOf({ scopes: ['read', 'contacts:write'] });
  const some = await grantOf({ workspaceIds: [workspaceId] });
  const expired = await grantOf({ expiresAt: past });
  const left = await grantOf();
  const prisma = prismaOf(gateway.app.store);
  await prisma.teamMember.deleteMany({ where: { userId: left.userId } });
  const { key } = await grantOf();
  await prisma.oauthGrant.update({ where: { key }, data: { teamId: null } });
  const fields = `id publicId client { clientId name } user { publicId } userName scopes isWholeTeam
    workspaces { databaseId } status team { databaseId } createdAt expiresAt revokedAt`;
  const { list, data } = await listOf('OauthGrant', fields);
  expect(list?.totalCount).toBe(4);
  expect(list?.nodes.map(({ id }) => id)).toEqual(
    [whole, some, expired, left].map((grant) => globalId('OauthGrant', grant)),
  );
  expect(list?.nodes.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE', 'EXPIRED', 'SUSPENDED']);
  const user = await prisma.user.findUniqueOrThrow({ where: { id: whole.userId } });
  const client = await prisma.oauthClient.findUniqueOrThrow({ where: { id: whole.clientId } });
  expect(list?.nodes[0]).toEqual({
    id: globalId('OauthGrant', whole),
    publicId: whole.publicId,
    client: { clientId: client.id, name: client.name },
    user: { publicId: user.publicId },
    userName: user.name,
    scopes: ['read', 'contacts:write'],
    isWholeTeam: true,
    workspaces: [],
    status: 'ACTIVE',
    team: { databaseId: Number(teamId) },
    createdAt: whole.createdAt.toISOString(),
    expiresAt: whole.expiresAt?.toISOString(),
    revokedAt: null,
  });
  expect(list?.nodes[1]).toMatchObject({
    isWholeTeam: false,
    workspaces: [{ databaseId: Number(workspaceId) }],
  });
  // Who has left the team is no longer shown, but for the name.
  expect(list?.nodes[3]).toMatchObject({ user: null, userName: expect.any(String) });
  // The authorization server's own name for a grant, and addresses of people, stay inside.
  for (const hidden of [whole.key, user.email]) expect(JSON.stringify(data)).not.toContain(hidden);
});

describe('a token', () => {
  const revokeBoth = async (by: Caller, grant: Row, key: Row) => [
    await revoke('OauthGrant', globalId('OauthGrant', grant), { caller: by }),
    await revoke('ApiKey', globalId('ApiKey', key), { caller: by }),
  ];

  test('for some workspaces reads its own grant alone, and revokes not even that', async () => {
    const grant = await grantOf({ scopes: ['account:read', 'account:write'], workspaceIds: [workspaceId] });
    const by = await bearerOf(gateway.app, grant);
    const nothing = { totalCount: 0, pageInfo: { hasNextPage: false }, nodes: [] };
    for (const kind of Object.keys(KINDS) as Kind[])
      expect((await listOf(kind, 'id', '', { caller: by })).list).toMatchObject(nothing);
    const ids = [globalId('OauthGrant', grant), globalId('ApiKey', caller)];
    const query = `{ nodes(ids: ${JSON.stringify(ids)}) { id } }`;
    expect((await post(gateway, { query }, { caller: by })).data).toEqual({
      nodes: [{ id: globalId('OauthGrant', grant) }, null],
    });
    expect((await revokeBoth(by, grant, caller)).map(codeOf)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect([await KINDS.OauthGrant.isLive(grant), await isLive(caller)]).toEqual([true, true]);
  });

  test('for the whole team may revoke its own grant, and is invalid afterwards', async () => {
    const grant = await grantOf({ scopes: ['account:read', 'account:write'] });
    const by = await bearerOf(gateway.app, grant);
    const { data } = await revoke('OauthGrant', globalId('OauthGrant', grant), { caller: by });
    expect(data?.answer).toMatchObject({ oauthGrant: { status: 'REVOKED' } });
    expect(await isLive(by)).toBe(false);
  });

  test('of a member revokes no credential: members cannot grant account:write', async () => {
    const grant = await grantOf({ role: 'member', scopes: ['read', 'write'] });
    for (const { errors } of await revokeBoth(await bearerOf(gateway.app, grant), grant, caller))
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: 'account:write' });
  });
});
