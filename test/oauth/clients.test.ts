// Clients that act for themselves, and those that register themselves (RFC 7591): by oauth4webapi, with strict checks on.
import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import * as clients from '../../src/services/operator/oauth-clients.ts';
import * as factories from '../support/factories.ts';
import { createGateway, ownGateway } from '../support/gateway.ts';
import {
  allow,
  createScene,
  discover,
  fetchOf,
  getTokens,
  Platform,
  requireLeft,
  requirePage,
  signIn,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const AUTH_URL = 'http://localhost:4000';

const gateway = await ownGateway();

function call(token: string, path = '/api/v2/teams') {
  return gateway.send(path, { caller: { authorization: `Bearer ${token}` } });
}

/** A client that the operator made for a team. */
async function createMachine(changes: { scopes?: string[]; workspaces?: bigint[] } = {}) {
  const { app } = gateway;
  const { id: team } = await factories.team(app);
  const workspace = await factories.workspace(app, { teamId: team });
  const { client, clientSecret } = await clients.create(app, {
    name: 'Machine',
    grants: ['client_credentials'],
    scopes: changes.scopes ?? ['contacts:read', 'account:read'],
    team,
    ...(changes.workspaces !== undefined && { workspaces: [workspace.id] }),
  });
  const fetch = fetchOf(gateway);
  const server = await discover(fetch, AUTH_URL);
  return {
    team,
    workspace,
    client,
    clientSecret,
    platform: new Platform(server, fetch, { id: client.id, secret: clientSecret }),
  };
}

/** Registers a client as a program does. */
async function register(metadata: Partial<oauth.Client>, to = gateway) {
  const fetch = fetchOf(to);
  const server = await discover(fetch, AUTH_URL);
  const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: fetch,
  });
  const client = await oauth.processDynamicClientRegistrationResponse(answer);
  const { client_id: id, client_secret: secret = null } = client as {
    client_id: string;
    client_secret?: string;
  };
  return { server, fetch, id, secret };
}

test.each([
  ['Basic  ', '/oauth/token', 200],
  ['basic    ', '/oauth/token', 200],
  ['Basic  ', '/oauth/introspect', 200],
  ['Basic  ', '/oauth/revoke', 200],
  ['Basic\t', '/oauth/token', 400],
  ['Bearer  ', '/oauth/token', 400],
])(
  'credentials may stand behind any number of blanks (RFC 9110 §11.4): %j to %s',
  async (scheme, path, status) => {
    const { client, clientSecret, platform } = await createMachine();
    const { access_token: token } = await platform.clientCredentials();
    const response = await gateway.send(path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Authorization: scheme + btoa(`${client.id}:${clientSecret}`),
      },
      body: `grant_type=client_credentials&token=${token}`,
    });
    expect([response.status, await response.text()]).toEqual([status, expect.any(String)]);
  },
);

test('a client gets tokens for its team with its secret, for at most its own scopes', async () => {
  const { platform, team, client } = await createMachine();
  const all = await platform.clientCredentials();
  expect(all).toMatchObject({ scope: 'contacts:read account:read', expires_in: 300 });
  expect(all.refresh_token).toBeUndefined();
  expect(await (await call(all.access_token)).json()).toMatchObject([{ id: Number(team) }]);
  expect(await platform.introspect(all.access_token)).toMatchObject({
    active: true,
    sub: client.id,
    team: String(team),
  });
  const fewer = await platform.clientCredentials({ scope: 'contacts:read' });
  expect((await call(fewer.access_token)).status).toBe(403);
  for (const scope of ['contacts:read', 'contacts:read offline_access'])
    expect(await platform.clientCredentials({ scope })).toMatchObject({ scope: 'contacts:read' });
  expect(await platform.clientCredentials({ scope: '' })).toMatchObject({ scope: all.scope });
  for (const scope of ['contacts:write', 'read', 'unknown', 'contacts:read unknown', 'openid'])
    await expect(platform.clientCredentials({ scope })).rejects.toMatchObject({ error: 'invalid_scope' });
  const resource = 'https://elsewhere.example';
  await expect(platform.clientCredentials({ resource })).rejects.toMatchObject({ error: 'invalid_target' });
});

test('a client for some workspaces reaches no others', async () => {
  const { platform, workspace, team } = await createMachine({ workspaces: [1n] });
  const other = await factories.workspace(gateway.app, { teamId: team });
  const { access_token: token } = await platform.clientCredentials();
  expect((await call(token, `/api/v2/workspaces/${workspace.id}/contacts`)).status).toBe(200);
  expect((await call(token, `/api/v2/workspaces/${other.id}/contacts`)).status).toBe(404);
});

test('a token ends when it is revoked, and all end when the client is removed', async () => {
  const { platform, client } = await createMachine();
  const [first, second] = [await platform.clientCredentials(), await platform.clientCredentials()];
  await platform.revoke(first.access_token);
  expect([(await call(first.access_token)).status, (await call(second.access_token)).status]).toEqual([
    401, 200,
  ]);
  await clients.remove(gateway.app, client.id);
  expect((await call(second.access_token)).status).toBe(401);
  await expect(platform.clientCredentials()).rejects.toMatchObject({ status: 401 });
});

test('a wrong, a well-formed foreign or a missing secret is refused', async () => {
  const { platform } = await createMachine();
  const { clientSecret } = await factories.oauthClient(gateway.app);
  for (const secret of ['wrong', clientSecret, `${clientSecret}x`]) {
    const guess = new Platform(platform.server, fetchOf(gateway), { id: platform.client.client_id, secret });
    await expect(guess.clientCredentials()).rejects.toMatchObject({ status: 401 });
  }
  const none = new Platform(platform.server, fetchOf(gateway), {
    id: platform.client.client_id,
    secret: null,
  });
  await expect(none.clientCredentials()).rejects.toMatchObject({ status: 401 });
});

test('a program registers itself, sends a person through consent and gets tokens', async () => {
  const scene = await createScene(gateway);
  const { server, fetch, id, secret } = await register({
    client_name: 'A program',
    redirect_uris: ['https://program.example/back'],
  });
  expect(secret).toMatch(/^fgs_/);
  const given = { id, secret, redirectUri: 'https://program.example/back' };
  const platform = new Platform(server, fetch, given);
  const page = requirePage(await scene.browser.open((await platform.request({ scope: 'account:read' })).url));
  const consent = requirePage(await signIn(scene.browser, page, scene.user.email));
  expect(consent.text).toContain('registered itself');
  const { tokens } = await getTokens({ ...scene, platform });
  expect((await call(tokens.access_token)).status).toBe(200);
  await expect(platform.clientCredentials()).rejects.toMatchObject({ status: 400 });
  const row = await prismaOf(gateway.app.store).oauthClient.findUniqueOrThrow({ where: { id } });
  expect(row).toMatchObject({ dynamic: true, teamId: null, name: 'A program' });
  expect(JSON.stringify(row.metadata)).not.toContain(secret);
});

test("a program without a secret on the person's own machine may use any port, whatever it registered as", async () => {
  const scene = await createScene(gateway);
  const { server, fetch, id, secret } = await register({
    redirect_uris: ['http://localhost:3000/callback'],
    token_endpoint_auth_method: 'none',
  });
  expect(secret).toBeNull();
  const given = { id, secret, redirectUri: 'http://localhost:61234/callback' };
  const platform = new Platform(server, fetch, given);
  const sent = await platform.request();
  const consent = requirePage(
    await signIn(scene.browser, requirePage(await scene.browser.open(sent.url)), scene.user.email),
  );
  const tokens = await platform.redeem(
    requireLeft(await allow(scene.browser, consent, { teamId: scene.teamId })),
    sent,
  );
  expect(tokens.scope).toBe('account:read');
});

test.each([
  ['http on a host of the network', { redirect_uris: ['http://program.example/back'] }],
  ['a fragment', { redirect_uris: ['https://program.example/back#x'] }],
  ['credentials', { redirect_uris: ['https://a:b@program.example/back'] }],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }],
  ['no address', { redirect_uris: ['program'] }],
  ['a wildcard', { redirect_uris: ['https://*.program.example/back'] }],
  ['client credentials', { redirect_uris: ['https://p.example/'], grant_types: ['client_credentials'] }],
  [
    'the implicit grant',
    { redirect_uris: ['https://p.example/'], response_types: ['token'], grant_types: ['implicit'] },
  ],
  ['an unknown scope', { redirect_uris: ['https://p.example/'], scope: 'everything' }],
  [
    'a name that turns its text around',
    { redirect_uris: ['https://p.example/'], client_name: 'Bank\u202eexe' },
  ],
  ['a name that hides something', { redirect_uris: ['https://p.example/'], client_name: 'Ba\u200bnk' }],
  ['a name of nothing but spaces', { redirect_uris: ['https://p.example/'], client_name: '  ' }],
  ['a name that is too long', { redirect_uris: ['https://p.example/'], client_name: 'x'.repeat(201) }],
  ['a team', { redirect_uris: ['https://p.example/'], funnel_gateway: '1' }],
  ['no redirect', {}],
])('nobody registers %s', async (_what, metadata) => {
  await prismaOf(gateway.app.store).signInFailure.deleteMany();
  await expect(register(metadata as Partial<oauth.Client>)).rejects.toMatchObject({
    error: expect.stringMatching(/^invalid_(client_metadata|redirect_uri)$/),
  });
});

test('an address may register a limited number of clients an hour', async () => {
  let now = Date.now();
  const bounded = await createGateway({ overrides: { clock: () => new Date(now) } });
  const send = () =>
    bounded.send('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://p.example/'] }),
    });
  const statuses = [];
  for (let i = 0; i < 21; i++) statuses.push((await send()).status);
  expect(statuses).toEqual([...Array(20).fill(201), 429]);
  expect(Number((await send()).headers.get('retry-after'))).toBeGreaterThan(3_000);
  now += 3_600_001;
  expect((await send()).status).toBe(201);
  await bounded.close();
});

test('if registration is off, there is no such endpoint, and none in the metadata', async () => {
  const closed = await createGateway({ env: { OAUTH_REGISTRATION: 'off' } });
  expect((await discover(fetchOf(closed), AUTH_URL)).registration_endpoint).toBeUndefined();
  const headers = { 'content-type': 'application/json' };
  expect((await closed.send('/oauth/register', { method: 'POST', headers, body: '{}' })).status).toBe(404);
  await closed.close();
});
