// The root field `viewer`: a caller's own credential.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { bearer, bearerOf, issue, ownClaimsOf, sign } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';

const VIEWER = `{ viewer {
  kind name databaseId publicId issuer client { clientId name } user { publicId name email }
  teamId workspaceIds scopes expiresAt
} }`;
const NOW = new Date('2026-06-01T12:00:00.000Z');

const gateway = await ownGateway({ overrides: { clock: () => NOW } });
const team = await factories.team(gateway.app);
const shop = await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'shop' });
await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'blog' });
await factories.workspace(gateway.app, { subdomain: 'theirs' });
const narrow = { workspaceIds: [shop.id], scopes: ['contacts:read'], expiresAt: new Date('2027-01-01') };
const grant = await oauthGrant(gateway.app, { teamId: team.id, ...narrow });

async function viewer(caller: Caller, host = 'localhost:4000', query = VIEWER) {
  const { data, errors } = await post(gateway, { query }, { caller, host });
  expect(errors).toBeUndefined();
  return (data as { viewer: Record<string, unknown> }).viewer;
}

describe('viewer describes', () => {
  test('an API key: its ids, and the team and workspaces it has access to', async () => {
    const key = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['read'] });
    expect(await viewer(key)).toEqual({
      kind: 'API_KEY',
      name: `Key ${key.id}`,
      databaseId: Number(key.id),
      publicId: expect.stringMatching(/^[a-zA-Z]{6,}$/),
      issuer: null,
      client: null,
      user: null,
      teamId: Number(team.id),
      workspaceIds: null,
      scopes: ['read'],
      expiresAt: null,
    });
  });

  test('a person’s access token: client, person, team, workspaces, scopes and expiry', async () => {
    const client = await prismaOf(gateway.app.store).oauthClient.findUniqueOrThrow({
      where: { id: grant.clientId },
    });
    const user = await prismaOf(gateway.app.store).user.findUniqueOrThrow({ where: { id: grant.userId } });
    expect(await viewer(await bearerOf(gateway.app, grant))).toEqual({
      kind: 'OAUTH',
      name: client.name,
      databaseId: null,
      publicId: null,
      issuer: 'http://localhost:4000',
      client: { clientId: client.id, name: client.name },
      user: { publicId: user.publicId, name: user.name, email: user.email },
      teamId: Number(team.id),
      workspaceIds: [Number(shop.id)],
      scopes: ['contacts:read'],
      expiresAt: '2026-06-01T12:05:00.000Z',
    });
  });

  test('the token of a client that acts for itself: no person', async () => {
    const { clientSecret: _, ...client } = await factories.oauthClient(gateway.app, { teamId: team.id });
    const claims = ownClaimsOf(gateway.app, client, 'write account:read');
    await issue(gateway.app, claims, null);
    expect(await viewer(bearer(await sign(gateway.app, claims)))).toMatchObject({
      client: { clientId: client.id, name: client.name },
      user: null,
      teamId: Number(team.id),
      workspaceIds: null,
      scopes: ['account:read', 'write'],
    });
  });

  test('the team and workspaces at this host', async () => {
    const caller = await bearerOf(gateway.app, grant);
    expect(await viewer(caller, 'shop.localhost')).toMatchObject({ workspaceIds: [Number(shop.id)] });
    expect(await viewer(caller, 'blog.localhost')).toMatchObject({
      teamId: Number(team.id),
      workspaceIds: [],
    });
    expect(await viewer(caller, 'theirs.localhost')).toMatchObject({ teamId: null, workspaceIds: [] });
  });
});

test('the team of the credential needs no scope', async () => {
  const query = '{ viewer { team { name workspaces { nodes { name } } } } }';
  const wide = await oauthGrant(gateway.app, {
    ...{
      teamId: team.id,
      workspaceIds: [shop.id],
      scopes: ['account:read'],
      expiresAt: new Date('2027-01-01'),
    },
  });
  const workspaces = { nodes: [{ name: shop.name }] };
  const caller = await bearerOf(gateway.app, wide);
  expect(await viewer(caller, undefined, query)).toEqual({ team: { name: team.name, workspaces } });
  const narrowed = await bearerOf(gateway.app, grant);
  expect(await viewer(narrowed, undefined, query)).toEqual({ team: { name: team.name, workspaces } });
});
