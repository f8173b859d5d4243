// The rules of OAuth clients that the operator registers.
import { beforeEach, expect, test } from 'vitest';
import { SCOPES } from '../../../src/auth/scopes.ts';
import { hashOfClientSecret } from '../../../src/auth/tokens.ts';
import { create, legacyTermsOf, list, remove } from '../../../src/services/operator/oauth-clients.ts';
import { findClient } from '../../../src/store/accounts/oauth-clients.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';
import { oauthGrant } from '../../support/grants.ts';
import { prismaOf } from '../../support/prisma.ts';

const CALLBACK = 'https://app.example/callback';
let now: Date;
let team: bigint;

const gateway = await ownGateway({ overrides: { clock: () => now } });
beforeEach(async () => {
  now = new Date('2026-05-01T12:00:00Z');
  team = (await factories.team(gateway.app)).id;
});

type Input = Parameters<typeof create>[1];
/** Sends people through consent. */
const CODE = {
  name: 'Platform',
  grants: ['authorization_code', 'refresh_token'],
  scopes: ['contacts:read'],
  redirectUris: [CALLBACK],
};
/** Acts for a team by itself. */
const credentials = () => ({
  name: 'Export',
  grants: ['client_credentials'],
  scopes: ['contacts:read', 'read'],
  team,
});
const make = (input: Input) => create(gateway.app, input);

test('a client for consent has RFC 7591 metadata, a secret that is returned once, and no team', async () => {
  const { client, clientSecret } = await make(CODE);
  expect(client).toMatchObject({
    id: expect.stringMatching(/^fgc_[0-9A-Za-z]{22}$/),
    name: 'Platform',
    teamId: null,
    wholeTeam: true,
    dynamic: false,
    createdAt: now,
    disabledAt: null,
    metadata: {
      client_name: 'Platform',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'contacts:read',
      application_type: 'web',
    },
  });
  expect(client).not.toHaveProperty('secretHash');
  expect(clientSecret).toMatch(/^fgs_[0-9A-Za-z]{49}$/);
  const row = await findClient(gateway.app, client.id);
  expect(Buffer.from(row?.secretHash ?? [])).toEqual(
    Buffer.from(hashOfClientSecret(clientSecret ?? '') ?? [0]),
  );
  expect(JSON.stringify(row?.metadata)).not.toContain(clientSecret);
});

test('a public client has no secret; one on a loopback address or with its own scheme is native', async () => {
  for (const uri of ['http://127.0.0.1/callback', 'com.example.app:/callback']) {
    const { client, clientSecret } = await make({ ...CODE, redirectUris: [uri], isPublic: true });
    expect(clientSecret).toBeNull();
    expect(client.metadata).toMatchObject({ token_endpoint_auth_method: 'none', application_type: 'native' });
    expect(await findClient(gateway.app, client.id)).toMatchObject({ secretHash: null });
  }
});

test('a client with client_credentials acts for a team, or for some of its workspaces', async () => {
  const whole = await make(credentials());
  expect(whole.client).toMatchObject({ teamId: team, wholeTeam: true, workspaceIds: [] });
  expect(whole.client.metadata).toMatchObject({
    response_types: [],
    redirect_uris: [],
    scope: 'contacts:read read',
  });
  const { id, publicId } = await factories.workspace(gateway.app, { teamId: team });
  const { client } = await make({ ...credentials(), workspaces: [publicId, String(id), id] });
  expect(client).toMatchObject({ teamId: team, wholeTeam: false, workspaceIds: [id] });
});

test('a workspace of another team is not found, and no client is created', async () => {
  const { id } = await factories.workspace(gateway.app);
  for (const ref of [id, 999_999n, 'nonsense!'])
    await expect(make({ ...credentials(), workspaces: [ref] })).rejects.toMatchObject({ code: 'not_found' });
  expect(await list(gateway.app, { team })).toEqual([]);
});

test('the operator chooses the id; no two clients have the same, not even after a removal', async () => {
  const id = `Old_importer-${crypto.randomUUID()}.~`;
  expect((await make({ ...CODE, id })).client).toMatchObject({ id });
  await remove(gateway.app, id);
  const taken = { code: 'conflict', errors: [{ field: 'id', code: 'taken' }] };
  await expect(make({ ...CODE, id })).rejects.toMatchObject(taken);
  expect((await findClient(gateway.app, id))?.disabledAt).toEqual(now);
});

test('a legacy client is marked in its metadata, with the lifetime of its grants', async () => {
  const [ordinary, endless, limited] = [
    await make(CODE),
    await make({ ...CODE, isLegacy: true }),
    await make({ ...CODE, isLegacy: true, isPublic: true, grantLifetimeMs: 90 * 86_400_000 }),
  ];
  expect(legacyTermsOf(ordinary.client)).toBeNull();
  expect(ordinary.client.metadata).not.toHaveProperty('funnel_gateway_legacy');
  expect(legacyTermsOf(endless.client)).toEqual({ grant_seconds: null });
  expect(legacyTermsOf(limited.client)).toEqual({ grant_seconds: 7_776_000 });
  expect(legacyTermsOf({ ...endless.client, dynamic: true })).toBeNull();
});

test.each<[string, Partial<Input>]>([
  ['id', { id: '' }],
  ['id', { id: 'a b' }],
  ['id', { id: 'a:b' }],
  ['id', { id: 'ä' }],
  ['id', { id: 'nul\0' }],
  ['id', { id: 'x'.repeat(201) }],
  ['id', { id: 'graphiql' }],
  ['legacy', { isLegacy: true, grants: ['authorization_code', 'client_credentials'], team: '1' }],
  ['grant_lifetime', { grantLifetimeMs: 86_400_000 }],
  ['grant_lifetime', { isLegacy: true, grantLifetimeMs: 0 }],
  ['grant_lifetime', { isLegacy: true, grantLifetimeMs: 3_651 * 86_400_000 }],
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(201) }],
  ['name', { name: 'a\nb' }],
  ['name', { name: 'Bank\u202eexe' }],
  ['grants', { grants: [] }],
  ['grants', { grants: ['password'] }],
  ['grants', { grants: ['implicit', 'authorization_code'] }],
  ['grants', { grants: ['refresh_token'] }],
  ['scopes', { scopes: [] }],
  ['scopes', { scopes: ['contacts:read', 'openid'] }],
  ['redirect_uris', { redirectUris: [] }],
  ['redirect_uris', { redirectUris: ['http://app.example/callback'] }],
  ['redirect_uris', { grants: ['client_credentials'], team: '1' }],
  ['public', { grants: ['authorization_code', 'client_credentials'], isPublic: true, team: '1' }],
  ['team', { team: '1' }],
  ['team', { grants: ['client_credentials'], redirectUris: [] }],
  ['workspaces', { workspaces: ['1'] }],
])('%s is to blame for %j', async (field, input) => {
  await expect(make({ ...CODE, ...input })).rejects.toMatchObject({ code: 'invalid', errors: [{ field }] });
});

test('every scope of the table may be requested', async () => {
  const { client } = await make({ ...CODE, scopes: SCOPES });
  expect(client.metadata).toMatchObject({ scope: SCOPES.join(' ') });
});

test('the list has every client, or those that act for one team, and never a secret', async () => {
  const [code, ours] = [await make(CODE), await make(credentials())];
  const theirs = await make({ ...credentials(), team: (await factories.team(gateway.app)).id });
  const all = await list(gateway.app);
  for (const { client } of [code, ours, theirs]) expect(all.map(({ id }) => id)).toContain(client.id);
  expect(all.some((row) => 'secretHash' in row)).toBe(false);
  expect((await list(gateway.app, { team })).map(({ id }) => id)).toEqual([ours.client.id]);
  await expect(list(gateway.app, { team: 999_999n })).rejects.toMatchObject({ code: 'not_found' });
});

test('removing a client ends its grants and tokens, and keeps the first time; others stay', async () => {
  const prisma = prismaOf(gateway.app.store);
  const [mine, other] = [(await make(CODE)).client.id, (await make(CODE)).client.id];
  const grants = [
    await oauthGrant(gateway.app, { teamId: team, clientId: mine }),
    await oauthGrant(gateway.app, { teamId: team, clientId: other }),
  ];
  const expiresAt = new Date('2027-01-01');
  const own = { jti: crypto.randomUUID(), kind: 'ClientCredentials', payload: {}, clientId: mine, expiresAt };
  await prisma.oauthAccessToken.create({ data: own });
  const at = now;
  expect(await remove(gateway.app, mine)).toMatchObject({ id: mine, disabledAt: at });
  now = new Date(now.getTime() + 1_000);
  expect(await remove(gateway.app, mine)).toMatchObject({ disabledAt: at });
  const endsOf = async (clientId: string) =>
    [
      ...(await prisma.oauthGrant.findMany({ where: { clientId } })),
      ...(await prisma.oauthAccessToken.findMany({ where: { clientId } })),
    ].map(({ revokedAt }) => revokedAt);
  expect(await endsOf(mine)).toEqual([at, at, at]);
  expect(await endsOf(other)).toEqual([null, null]);
  expect(await prisma.oauthGrant.count({ where: { id: { in: grants.map(({ id }) => id) } } })).toBe(2);
});

test('an unknown client cannot be removed', async () => {
  for (const id of ['fgc_nobody', '', 'nul\0'])
    await expect(remove(gateway.app, id)).rejects.toMatchObject({ code: 'not_found' });
});
