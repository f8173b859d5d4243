// A team's API keys over GraphQL: who may list and revoke them, and that no key is ever disclosed.
import { beforeEach, describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, ownGateway } from '../support/gateway.ts';
import { ask, dataOf, post } from '../support/graphql.ts';

const KEYS = graphql(`
  query ApiKeys($team: BigInt!, $first: Int, $after: String) {
    team(databaseId: $team) {
      apiKeys(first: $first, after: $after) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          id
          databaseId
          publicId
          name
          hint
          isDefault
          scopes
          status
          teamId
          team {
            databaseId
          }
          createdAt
          expiresAt
          revokedAt
          lastUsedAt
        }
      }
    }
  }
`);

const REVOKE = graphql(`
  mutation RevokeApiKey($input: RevokeApiKeyInput!) {
    revokeApiKey(input: $input) {
      clientMutationId
      revokedApiKeyId
      apiKey {
        id
        status
        revokedAt
      }
    }
  }
`);

type Key = Awaited<ReturnType<typeof factories.apiKey>>;

const NOW = new Date('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
let teamId: bigint;
let caller: Key;

const gateway = await ownGateway({ overrides: { clock: () => NOW } });
beforeEach(async () => {
  teamId = (await factories.team(gateway.app)).id;
  caller = await factories.apiKey(gateway.app, { teamId, createdAt: NOW });
});

const globalId = ({ id }: { id: bigint }) => btoa(`ApiKey:${id}`);
const inputFor = (key: { id: bigint }) => ({ input: { apiKeyId: globalId(key) } });
const keysOf = async (by: Caller = caller, of = teamId, host?: string) =>
  (await dataOf(gateway, KEYS, { team: String(of) }, { caller: by, ...(host !== undefined && { host }) }))
    .team?.apiKeys;
const isLive = async (key: Caller) => (await gateway.send('/api/v2/teams', { caller: key })).status === 200;

describe('the list', () => {
  test('has every key of the team with its scopes and status, and no credential', async () => {
    const times = { createdAt: new Date(NOW.getTime() - DAY_MS) };
    const past = new Date(NOW.getTime() - 1);
    const others = [
      await factories.apiKey(gateway.app, { teamId, ...times, revokedAt: past }),
      await factories.apiKey(gateway.app, { teamId, ...times, revokedAt: new Date(NOW.getTime() + 1) }),
      await factories.apiKey(gateway.app, {
        teamId,
        ...times,
        expiresAt: past,
        scopes: ['read', 'contacts:write'],
      }),
    ];
    await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });
    const { response, data } = await ask(gateway, KEYS, { team: String(teamId) }, { caller });
    const nodes = data?.team?.apiKeys?.nodes ?? [];
    expect(nodes.map(({ id, status }) => [id, status])).toEqual([
      [globalId(caller), 'ACTIVE'],
      [globalId(others[0] ?? caller), 'REVOKED'],
      [globalId(others[1] ?? caller), 'ENDING'],
      [globalId(others[2] ?? caller), 'EXPIRED'],
    ]);
    const row = await gateway.app.store.prisma.apiKey.findUniqueOrThrow({
      where: { id: others[2]?.id ?? 0n },
    });
    expect(nodes[3]).toEqual({
      id: btoa(`ApiKey:${row.id}`),
      databaseId: Number(row.id),
      publicId: row.publicId,
      name: row.name,
      hint: row.hint,
      isDefault: false,
      scopes: ['read', 'contacts:write'],
      status: 'EXPIRED',
      teamId: Number(teamId),
      team: { databaseId: Number(teamId) },
      createdAt: times.createdAt.toISOString(),
      expiresAt: past.toISOString(),
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(response.status).toBe(200);
    const text = JSON.stringify(data);
    for (const key of [caller, ...others]) expect(text).not.toContain(key.token.slice(12));
    expect(text).not.toContain(Buffer.from(row.tokenHash).toString('hex'));
  });

  test('is paginated', async () => {
    const second = await factories.apiKey(gateway.app, { teamId });
    const variables = { team: String(teamId), first: 1 };
    const one = await dataOf(gateway, KEYS, variables, { caller });
    expect(one.team?.apiKeys).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
    const after = one.team?.apiKeys?.pageInfo.endCursor ?? null;
    const two = await dataOf(gateway, KEYS, { ...variables, after }, { caller });
    expect(two.team?.apiKeys?.nodes.map(({ id }) => id)).toEqual([globalId(second)]);
  });

  test('needs account:read, and a credential', async () => {
    const without = await factories.apiKey(gateway.app, {
      teamId,
      scopes: ['contacts:read', 'account:write'],
    });
    const query = `{ node(id: "${globalId(caller)}") { ... on ApiKey { name } } }`;
    const { data, errors } = await post(gateway, { query }, { caller: without });
    expect(data).toEqual({ node: null });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: 'account:read' });
    const { response } = await post(gateway, { query }, { caller: anonymous });
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('scope="account:read"');
  });

  test('shows nothing of another team: neither the list nor one key', async () => {
    const theirs = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });
    const query = `{ node(id: "${globalId(theirs)}") { id } }`;
    expect((await post(gateway, { query }, { caller })).data).toEqual({ node: null });
    const { errors } = await ask(gateway, KEYS, { team: String(teamId) }, { caller: theirs });
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test('is not offered over REST', async () => {
    for (const path of [`/api/v2/teams/${teamId}/api_keys`, `/api/v2/api_keys/${caller.id}`])
      expect((await gateway.send(path, { caller })).status).toBe(404);
  });
});

describe('revokeApiKey', () => {
  test('revokes a key at once; revoking it again does not change revokedAt', async () => {
    const other = await factories.apiKey(gateway.app, { teamId });
    expect(await isLive(other)).toBe(true);
    const input = { ...inputFor(other).input, clientMutationId: 'mine' };
    const ended = {
      clientMutationId: 'mine',
      revokedApiKeyId: globalId(other),
      apiKey: { id: globalId(other), status: 'REVOKED', revokedAt: NOW.toISOString() },
    };
    expect(await dataOf(gateway, REVOKE, { input }, { caller })).toEqual({ revokeApiKey: ended });
    expect(await isLive(other)).toBe(false);
    expect(await dataOf(gateway, REVOKE, { input }, { caller })).toEqual({ revokeApiKey: ended });
    expect(await isLive(caller)).toBe(true);
  });

  test('revokes the caller’s own key, too', async () => {
    const { revokeApiKey } = await dataOf(gateway, REVOKE, inputFor(caller), { caller });
    expect(revokeApiKey?.apiKey?.status).toBe('REVOKED');
    expect(await isLive(caller)).toBe(false);
  });

  test.each([
    ['account:read contacts:write', false],
    ['read', false],
    ['account:write', true],
    ['write', true],
  ])('with the scopes %s: %s', async (scopes, may) => {
    const other = await factories.apiKey(gateway.app, { teamId });
    const by = await factories.apiKey(gateway.app, { teamId, scopes: scopes.split(' ') });
    const { data, errors } = await ask(gateway, REVOKE, inputFor(other), { caller: by });
    expect(await isLive(other)).toBe(!may);
    // A caller who may not read keys is only told that it is done.
    const done = { clientMutationId: null, revokedApiKeyId: globalId(other), apiKey: null };
    expect(data?.revokeApiKey).toEqual(may ? done : null);
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.scope])).toEqual([
      ['INSUFFICIENT_SCOPE', may ? 'account:read' : 'account:write'],
    ]);
  });

  test('without a credential is 401 and names the needed scopes', async () => {
    const { response } = await ask(gateway, REVOKE, inputFor(caller), { caller: anonymous });
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('scope="account:read account:write"');
  });

  test("another team's key, and one that does not exist, is NOT_FOUND and nothing is changed", async () => {
    const theirs = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });
    for (const key of [theirs, { id: 999_999n }]) {
      const { data, errors } = await ask(gateway, REVOKE, inputFor(key), { caller });
      expect([data, errors?.[0]?.extensions.code]).toEqual([{ revokeApiKey: null }, 'NOT_FOUND']);
    }
    expect(await isLive(theirs)).toBe(true);
  });

  test('the id of something else is INVALID', async () => {
    for (const apiKeyId of ['x', btoa(`Team:${teamId}`), String(caller.id)]) {
      const { errors } = await ask(gateway, REVOKE, { input: { apiKeyId } }, { caller });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID', field: 'apiKeyId' });
    }
  });
});

describe('a restricted caller', () => {
  test('on the host of a workspace lists no keys and revokes none', async () => {
    const { subdomain } = await factories.workspace(gateway.app, { teamId });
    const other = await factories.apiKey(gateway.app, { teamId });
    const host = `${subdomain}.localhost`;
    expect(await keysOf(caller, teamId, host)).toMatchObject({ totalCount: 0, nodes: [] });
    const query = `{ node(id: "${globalId(other)}") { id } }`;
    expect((await post(gateway, { query }, { caller, host })).data).toEqual({ node: null });
    const { errors } = await ask(gateway, REVOKE, inputFor(other), { caller, host });
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect(await isLive(other)).toBe(true);
  });

  test("on another team's host revokes nothing", async () => {
    const { subdomain, teamId: theirTeam } = await factories.workspace(gateway.app);
    const theirs = await factories.apiKey(gateway.app, { teamId: theirTeam });
    const other = await factories.apiKey(gateway.app, { teamId });
    for (const key of [other, theirs]) {
      const options = { caller, host: `${subdomain}.localhost` };
      const { errors } = await ask(gateway, REVOKE, inputFor(key), options);
      expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
      expect(await isLive(key)).toBe(true);
    }
  });
});
