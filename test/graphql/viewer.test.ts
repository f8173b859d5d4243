// The root field `viewer`: a caller's own credential.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { bearer, bearerOf, issue, ownClaimsOf, sign } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';

const VIEWER = `{ viewer {
  id kind name issuer client { id clientId name } user { id publicId firstName lastName email: emailAddress }
  credential { __typename ... on ApiKey { databaseId name scopes team { name } } ... on OauthGrant { databaseId client { name } scopes status workspaces { name } } }
  teams { nodes { databaseId workspaces { nodes { databaseId } } } }
  scopes expiresAt
} }`;
const NOW = new Date('2026-06-01T12:00:00.000Z');

const gateway = await ownGateway({ overrides: { clock: () => NOW } });
const team = await factories.team(gateway.app);
const shop = await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'shop' });
const blog = await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'blog' });
await factories.workspace(gateway.app, { subdomain: 'theirs' });
const narrow = { workspaceIds: [shop.id], scopes: ['contacts:read'], expiresAt: new Date('2027-01-01') };
const grant = await oauthGrant(gateway.app, { teamId: team.id, ...narrow });

const teamsWith = (...ids: bigint[]) => ({
  nodes: [
    {
      databaseId: Number(team.id),
      workspaces: { nodes: ids.map((id) => ({ databaseId: Number(id) })) },
    },
  ],
});

async function viewer(caller: Caller, host = 'localhost:4000', query = VIEWER) {
  const { data, errors } = await post(gateway, { query }, { caller, host });
  expect(errors).toBeUndefined();
  return (data as { viewer: Record<string, unknown> }).viewer;
}

describe('viewer describes', () => {
  test('an API key: itself, and the team and workspaces that it may enter', async () => {
    const key = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['store:read'] });
    expect(await viewer(key)).toEqual({
      id: expect.any(String),
      kind: 'API_KEY',
      name: `Key ${key.id}`,
      issuer: null,
      client: null,
      user: null,
      credential: {
        __typename: 'ApiKey',
        databaseId: Number(key.id),
        name: `Key ${key.id}`,
        scopes: ['store:read'],
        team: { name: team.name },
      },
      teams: teamsWith(shop.id, blog.id),
      scopes: ['store:read'],
      expiresAt: null,
    });
  });

  test('a person’s access token: client, person, grant, team, workspaces, scopes and expiry', async () => {
    const client = await prismaOf(gateway.app.store).oauthClient.findUniqueOrThrow({
      where: { id: grant.clientId },
    });
    const user = await prismaOf(gateway.app.store).user.findUniqueOrThrow({ where: { id: grant.userId } });
    expect(await viewer(await bearerOf(gateway.app, grant))).toMatchObject({
      kind: 'OAUTH',
      name: client.name,
      issuer: 'http://localhost:4000',
      client: { id: btoa(`OauthClient::${client.id}`), clientId: client.id, name: client.name },
      user: { id: btoa(`User:${user.id}`), publicId: user.publicId, email: user.email },
      credential: {
        __typename: 'OauthGrant',
        databaseId: Number(grant.id),
        client: { name: client.name },
        scopes: ['contacts:read'],
        status: 'ACTIVE',
        workspaces: [{ name: shop.name }],
      },
      teams: teamsWith(shop.id),
      scopes: ['contacts:read'],
      expiresAt: '2026-06-01T12:05:00.000Z',
    });
  });

  test('the token of a client that acts for itself: no person and no credential', async () => {
    const { clientSecret: _, ...client } = await factories.oauthClient(gateway.app, { teamId: team.id });
    const claims = ownClaimsOf(gateway.app, client, 'write account:read');
    await issue(gateway.app, claims, null);
    expect(await viewer(bearer(await sign(gateway.app, claims)))).toMatchObject({
      client: { clientId: client.id, name: client.name },
      user: null,
      credential: null,
      teams: teamsWith(shop.id, blog.id),
      scopes: ['account:read', 'write'],
    });
  });

  test('the team and workspaces at this host', async () => {
    const caller = await bearerOf(gateway.app, grant);
    expect(await viewer(caller, 'shop.localhost')).toMatchObject({
      credential: { databaseId: Number(grant.id) },
      teams: teamsWith(shop.id),
    });
    for (const host of ['blog.localhost', 'theirs.localhost'])
      expect(await viewer(caller, host)).toMatchObject({ credential: null, teams: { nodes: [] } });
  });
});

describe('viewer is a node', () => {
  const NODES =
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Viewer { kind } ... on OauthClient { clientId } ... on ApiKey { name } } }';
  const ask = async (ids: readonly string[], caller: Caller) =>
    post<{ nodes: unknown[] }>(gateway, { query: NODES, variables: { ids } }, { caller });

  test('that its own caller finds by its id, with every token of one grant, and nobody else', async () => {
    const caller = await bearerOf(gateway.app, grant);
    const again = await bearerOf(gateway.app, grant);
    const key = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['read'] });
    const { id, client } = await viewer(caller);
    const ids = [String(id), (client as { id: string }).id];
    for (const one of [caller, again]) {
      const { data } = await ask(ids, one);
      expect(data?.nodes).toEqual([
        { __typename: 'Viewer', id, kind: 'OAUTH' },
        { __typename: 'OauthClient', id: ids[1], clientId: grant.clientId },
      ]);
    }
    // A client that acts for the team is seen by the team.
    expect((await ask(ids, key)).data?.nodes).toMatchObject([null, { clientId: grant.clientId }]);
    expect((await viewer(key))['id']).not.toBe(id);
  });

  test('and so is its key, without a scope; the other keys of the team need account:read', async () => {
    const key = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['store:read'] });
    const other = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['store:read'] });
    const ids = [key, other].map(({ id }) => btoa(`ApiKey:${id}`));
    const { data, errors } = await ask(ids, key);
    expect(data?.nodes).toEqual([{ __typename: 'ApiKey', id: ids[0], name: `Key ${key.id}` }, null]);
    expect(errors).toMatchObject([
      { path: ['nodes', 1], extensions: { code: 'INSUFFICIENT_SCOPE', scope: 'account:read' } },
    ]);
  });
});
