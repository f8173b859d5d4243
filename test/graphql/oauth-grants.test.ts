// A team's OAuth grants over GraphQL: who may list them, and revoke them with all their tokens.
import { beforeEach, describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, sharedGateway } from '../support/gateway.ts';
import { oauthGrant, tokensOf } from '../support/grants.ts';
import { ask, dataOf, post } from '../support/graphql.ts';
import { bearerOf } from '../support/oauth-tokens.ts';

const GRANTS = graphql(`
  query OauthGrants($team: BigInt!) {
    team(databaseId: $team) {
      oauthGrants {
        totalCount
        nodes {
          id
          publicId
          clientId
          clientName
          userPublicId
          userName
          scopes
          isWholeTeam
          workspaceIds
          workspaces {
            databaseId
          }
          status
          teamId
          team {
            databaseId
          }
          createdAt
          expiresAt
          revokedAt
        }
      }
    }
  }
`);

const REVOKE = graphql(`
  mutation RevokeOauthGrant($input: RevokeOauthGrantInput!) {
    revokeOauthGrant(input: $input) {
      clientMutationId
      revokedGrantId
      oauthGrant {
        id
        status
        revokedAt
      }
    }
  }
`);

let workspaceId: bigint;
let teamId: bigint;
let caller: Caller;

const gateway = await sharedGateway();
beforeEach(async () => {
  const workspace = await factories.workspace(gateway.app);
  workspaceId = workspace.id;
  teamId = workspace.teamId;
  caller = await factories.apiKey(gateway.app, { teamId });
});

const make = (options: Partial<Parameters<typeof oauthGrant>[1]> = {}) =>
  oauthGrant(gateway.app, { teamId, ...options });
const globalId = ({ id }: { id: bigint }) => btoa(`OauthGrant:${id}`);
const inputFor = (grant: { id: bigint }) => ({ input: { grantId: globalId(grant) } });
const LIVE = { revoked: false, refreshTokens: 1 };
const ENDED = { revoked: true, refreshTokens: 0 };

describe('the list', () => {
  test('has every grant of the team: user, client, scopes and status', async () => {
    const whole = await make({ scopes: ['read', 'contacts:write'] });
    const some = await make({ workspaceIds: [workspaceId] });
    const expired = await make({ expiresAt: new Date(Date.now() - 1000) });
    const left = await make();
    const { prisma } = gateway.app.store;
    await prisma.teamMember.deleteMany({ where: { userId: left.userId } });
    await make({ teamId: (await factories.team(gateway.app)).id });
    const { team } = await dataOf(gateway, GRANTS, { team: String(teamId) }, { caller });
    const nodes = team?.oauthGrants?.nodes ?? [];
    expect(team?.oauthGrants?.totalCount).toBe(4);
    expect(nodes.map(({ id, status }) => [id, status])).toEqual([
      [globalId(whole), 'ACTIVE'],
      [globalId(some), 'ACTIVE'],
      [globalId(expired), 'EXPIRED'],
      [globalId(left), 'SUSPENDED'],
    ]);
    const user = await prisma.user.findUniqueOrThrow({ where: { id: whole.userId } });
    const client = await prisma.oauthClient.findUniqueOrThrow({ where: { id: whole.clientId } });
    expect(nodes[0]).toEqual({
      id: globalId(whole),
      publicId: whole.publicId,
      clientId: client.id,
      clientName: client.name,
      userPublicId: user.publicId,
      userName: user.name,
      scopes: ['read', 'contacts:write'],
      isWholeTeam: true,
      workspaceIds: [],
      workspaces: [],
      status: 'ACTIVE',
      teamId: Number(teamId),
      team: { databaseId: Number(teamId) },
      createdAt: whole.createdAt.toISOString(),
      expiresAt: whole.expiresAt.toISOString(),
      revokedAt: null,
    });
    expect(nodes[1]).toMatchObject({
      isWholeTeam: false,
      workspaceIds: [Number(workspaceId)],
      workspaces: [{ databaseId: Number(workspaceId) }],
    });
    // The authorization server's own name for a grant, and addresses of people, stay inside.
    for (const hidden of [whole.key, user.email]) expect(JSON.stringify(team)).not.toContain(hidden);
  });

  test('leaves out grants whose consent is not completed', async () => {
    const { key } = await make();
    await gateway.app.store.prisma.oauthGrant.update({ where: { key }, data: { teamId: null } });
    const { team } = await dataOf(gateway, GRANTS, { team: String(teamId) }, { caller });
    expect(team?.oauthGrants?.nodes).toEqual([]);
  });

  test('needs account:read, and a credential', async () => {
    const without = await factories.apiKey(gateway.app, {
      teamId,
      scopes: ['contacts:read', 'account:write'],
    });
    const query = `{ node(id: "${globalId(await make())}") { ... on OauthGrant { userName } } }`;
    const { data, errors } = await post(gateway, { query }, { caller: without });
    expect(data).toEqual({ node: null });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: 'account:read' });
    expect((await post(gateway, { query }, { caller: anonymous })).response.status).toBe(401);
  });

  test('shows nothing of another team, and is not offered over REST', async () => {
    const theirs = await make({ teamId: (await factories.team(gateway.app)).id });
    const query = `{ node(id: "${globalId(theirs)}") { id } }`;
    expect((await post(gateway, { query }, { caller })).data).toEqual({ node: null });
    for (const path of [`/api/v2/teams/${teamId}/oauth_grants`, `/api/v2/oauth_grants/${theirs.id}`])
      expect((await gateway.send(path, { caller })).status).toBe(404);
  });
});

describe('revokeOauthGrant', () => {
  test('revokes a grant with its tokens at once; revoking it again does not change revokedAt', async () => {
    const grant = await make();
    const input = { ...inputFor(grant).input, clientMutationId: 'mine' };
    const first = await dataOf(gateway, REVOKE, { input }, { caller });
    expect(first.revokeOauthGrant).toMatchObject({
      clientMutationId: 'mine',
      revokedGrantId: globalId(grant),
      oauthGrant: { id: globalId(grant), status: 'REVOKED' },
    });
    expect(await tokensOf(gateway.app, grant)).toEqual(ENDED);
    expect(await dataOf(gateway, REVOKE, { input }, { caller })).toEqual(first);
  });

  test.each([
    ['account:read contacts:write', false],
    ['read', false],
    ['account:write', true],
    ['write', true],
  ])('with the scopes %s: %s', async (scopes, may) => {
    const grant = await make();
    const by = await factories.apiKey(gateway.app, { teamId, scopes: scopes.split(' ') });
    const { data, errors } = await ask(gateway, REVOKE, inputFor(grant), { caller: by });
    expect(await tokensOf(gateway.app, grant)).toEqual(may ? ENDED : LIVE);
    const done = { clientMutationId: null, revokedGrantId: globalId(grant), oauthGrant: null };
    expect(data?.revokeOauthGrant).toEqual(may ? done : null);
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.scope])).toEqual([
      ['INSUFFICIENT_SCOPE', may ? 'account:read' : 'account:write'],
    ]);
  });

  test('without a credential is 401 and names the needed scopes', async () => {
    const { response } = await ask(gateway, REVOKE, inputFor({ id: 1n }), { caller: anonymous });
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('scope="account:read account:write"');
  });

  test("another team's grant, and one that does not exist, is NOT_FOUND and nothing is changed", async () => {
    const theirs = await make({ teamId: (await factories.team(gateway.app)).id });
    for (const grant of [theirs, { id: 999_999n }]) {
      const { data, errors } = await ask(gateway, REVOKE, inputFor(grant), { caller });
      expect([data, errors?.[0]?.extensions.code]).toEqual([{ revokeOauthGrant: null }, 'NOT_FOUND']);
    }
    expect(await tokensOf(gateway.app, theirs)).toEqual(LIVE);
  });

  test('the id of something else is INVALID', async () => {
    for (const grantId of ['x', btoa('ApiKey:1'), '1']) {
      const { errors } = await ask(gateway, REVOKE, { input: { grantId } }, { caller });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID', field: 'grantId' });
    }
  });
});

describe('a restricted caller', () => {
  test('on the host of a workspace or of another team lists no grants and revokes none', async () => {
    const grant = await make();
    const mine = await gateway.app.store.prisma.workspace.findUniqueOrThrow({ where: { id: workspaceId } });
    const others = await factories.workspace(gateway.app);
    for (const { subdomain } of [mine, others]) {
      const options = { caller, host: `${subdomain}.localhost` };
      const query = `{ teams { nodes { oauthGrants { totalCount nodes { id } } } } node(id: "${globalId(grant)}") { id } }`;
      const { data } = await post<{ node: unknown; teams: unknown }>(gateway, { query }, options);
      expect(data?.node).toBeNull();
      expect(JSON.stringify(data?.teams)).not.toContain(globalId(grant));
      const { errors } = await ask(gateway, REVOKE, inputFor(grant), options);
      expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    }
    expect(await tokensOf(gateway.app, grant)).toEqual(LIVE);
  });

  test('with a grant for some workspaces lists and revokes no credential, not even its own', async () => {
    const grant = await make({ scopes: ['account:read', 'account:write'], workspaceIds: [workspaceId] });
    const key = await factories.apiKey(gateway.app, { teamId });
    const by = await bearerOf(gateway.app, grant);
    const list = 'totalCount pageInfo { hasNextPage } nodes { id }';
    const query = `{ team(databaseId: ${teamId}) { name apiKeys { ${list} } oauthGrants { ${list} } }
      nodes(ids: ["${globalId(grant)}", "${btoa(`ApiKey:${key.id}`)}"]) { id } }`;
    const { data, errors } = await post(gateway, { query }, { caller: by });
    const nothing = { totalCount: 0, pageInfo: { hasNextPage: false }, nodes: [] };
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({ team: { apiKeys: nothing, oauthGrants: nothing }, nodes: [null, null] });
    const attempts = [
      await ask(gateway, REVOKE, inputFor(grant), { caller: by }),
      await post(gateway, { query: revokeKey(key) }, { caller: by }),
    ];
    expect(attempts.map((attempt) => attempt.errors?.[0]?.extensions.code)).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
    expect(await tokensOf(gateway.app, grant)).toEqual(LIVE);
    expect((await gateway.send('/api/v2/teams', { caller: key })).status).toBe(200);
  });

  test('unlike these, a token for the whole team may revoke its own grant, and is invalid afterwards', async () => {
    const grant = await make({ scopes: ['account:read', 'account:write'] });
    const by = await bearerOf(gateway.app, grant);
    const { revokeOauthGrant } = await dataOf(gateway, REVOKE, inputFor(grant), { caller: by });
    expect(revokeOauthGrant?.oauthGrant?.status).toBe('REVOKED');
    expect((await gateway.send('/api/v2/teams', { caller: by })).status).toBe(401);
  });

  test('with a member’s grant revokes no credential: members cannot grant account:write', async () => {
    const grant = await make({ role: 'member', scopes: ['read', 'write'] });
    const key = await factories.apiKey(gateway.app, { teamId });
    const by = await bearerOf(gateway.app, grant);
    for (const attempt of [
      await ask(gateway, REVOKE, inputFor(grant), { caller: by }),
      await post(gateway, { query: revokeKey(key) }, { caller: by }),
    ]) {
      expect(attempt.errors?.[0]?.extensions).toMatchObject({
        code: 'INSUFFICIENT_SCOPE',
        scope: 'account:write',
      });
    }
  });

  const revokeKey = ({ id }: { id: bigint }) =>
    `mutation { revokeApiKey(input: { apiKeyId: "${btoa(`ApiKey:${id}`)}" }) { revokedApiKeyId } }`;
});
