// The authorization code flow, from discovery to the last refresh, as oauth4webapi drives it with its strict checks on.
import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import {
  allow,
  createPlatform,
  createScene,
  getTokens,
  Platform,
  requireLeft,
  requirePage,
  signIn,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await sharedGateway();

/** The teams that a token shows over REST. */
async function call(token: string, path = '/api/v2/teams') {
  return gateway.send(path, { caller: { authorization: `Bearer ${token}` } });
}

test('a person signs in and allows, and the platform calls both APIs with its token', async () => {
  const scene = await createScene(gateway);
  const { tokens, back } = await getTokens(scene);
  expect(back.searchParams.get('iss')).toBe('http://localhost:4000');
  expect(tokens).toMatchObject({
    token_type: 'bearer',
    expires_in: 300,
    scope: 'contacts:read account:read',
  });
  expect(await (await call(tokens.access_token)).json()).toMatchObject([{ id: Number(scene.teamId) }]);
  const answer = await gateway.send('/graphql', {
    method: 'POST',
    caller: { authorization: `Bearer ${tokens.access_token}` },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { teams { nodes { databaseId } } } }' }),
  });
  expect(await answer.json()).toEqual({
    data: { viewer: { teams: { nodes: [{ databaseId: Number(scene.teamId) }] } } },
  });
});

test('the access token is a JWT as RFC 9068 has it, with team, workspaces and scopes', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene, { workspaceIds: [scene.first.id], scopes: ['contacts:read'] });
  const request = new Request('http://localhost:4000/api/v2/teams', {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  const claims = await oauth.validateJwtAccessToken(
    scene.platform.server,
    request,
    'http://localhost:4000',
    scene.platform.options,
  );
  expect(claims).toMatchObject({
    sub: scene.user.publicId,
    client_id: scene.platform.client.client_id,
    scope: 'contacts:read',
    team: String(scene.teamId),
    workspaces: [String(scene.first.id)],
  });
  expect(claims.exp - claims.iat).toBe(300);
});

test('unticked scopes are not granted, over either API and in introspection', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene, { workspaceIds: [scene.second.id], scopes: ['contacts:read'] });
  expect(tokens.scope).toBe('contacts:read');
  expect((await call(tokens.access_token)).status).toBe(403);
  expect((await call(tokens.access_token, `/api/v2/workspaces/${scene.second.id}/contacts`)).status).toBe(
    200,
  );
  expect((await call(tokens.access_token, `/api/v2/workspaces/${scene.first.id}/contacts`)).status).toBe(404);
  expect(await scene.platform.introspect(tokens.access_token)).toMatchObject({
    active: true,
    scope: 'contacts:read',
    workspaces: [String(scene.second.id)],
  });
});

test('without scopes, workspaces or a team of theirs the page says so and nothing is granted', async () => {
  const scene = await createScene(gateway);
  const { platform, browser, teamId, user } = scene;
  const stranger = await createScene(gateway);
  const sent = await platform.request({ scope: 'contacts:read' });
  let page = requirePage(await browser.open(sent.url));
  page = requirePage(await signIn(browser, page, user.email));
  for (const choice of [
    { teamId, scopes: [] },
    { teamId, workspaceIds: [] },
    { teamId, workspaceIds: [stranger.first.id] },
    { teamId: stranger.teamId },
    { teamId, scopes: ['contacts:write'] },
  ]) {
    page = requirePage(await allow(browser, page, choice));
    expect([page.status, page.text.includes('role="alert"')]).toEqual([422, true]);
  }
  expect(await prismaOf(gateway.app.store).oauthGrant.count({ where: { userId: user.id } })).toBe(0);
});

test('denying, while signing in or at the consent page, sends the person back with access_denied and the state', async () => {
  const scene = await createScene(gateway);
  const { platform, browser, user } = scene;
  for (const signsInFirst of [false, true]) {
    const sent = await platform.request();
    let page = requirePage(await browser.open(sent.url));
    if (signsInFirst) page = requirePage(await signIn(browser, page, user.email));
    const back = requireLeft(await browser.submit(page, [], 'deny'));
    expect(back.origin + back.pathname).toBe('https://client.example/callback');
    expect(() => oauth.validateAuthResponse(platform.server, platform.client, back, sent.state)).toThrow(
      expect.objectContaining({ error: 'access_denied' }),
    );
  }
});

test('a second request for the same needs neither sign-in nor consent; a wider one asks again', async () => {
  const scene = await createScene(gateway);
  await getTokens(scene, { workspaceIds: [scene.first.id] });
  const again = await scene.platform.request({ scope: 'contacts:read' });
  const tokens = await scene.platform.redeem(requireLeft(await scene.browser.open(again.url)), again);
  expect(tokens.scope).toBe('contacts:read');
  expect((await call(tokens.access_token, `/api/v2/workspaces/${scene.second.id}/contacts`)).status).toBe(
    404,
  );
  const wider = await scene.platform.request({ scope: 'contacts:read funnels:write' });
  expect(requirePage(await scene.browser.open(wider.url)).text).toContain('value="funnels:write"');
});

test('a refresh token is valid once; it gives a new pair with the same reach', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene, { workspaceIds: [scene.first.id] });
  const next = await scene.platform.refresh(tokens.refresh_token ?? '');
  expect(next.refresh_token).not.toBe(tokens.refresh_token);
  expect(next.scope).toBe(tokens.scope);
  expect((await call(next.access_token, `/api/v2/workspaces/${scene.first.id}/contacts`)).status).toBe(200);
  expect((await call(next.access_token, `/api/v2/workspaces/${scene.second.id}/contacts`)).status).toBe(404);
  const narrower = await scene.platform.refresh(next.refresh_token ?? '', { scope: 'account:read' });
  expect(narrower.scope).toBe('account:read');
});

test('revoking a token of either kind ends all tokens of the grant, and introspection says no more of it', async () => {
  const scene = await createScene(gateway);
  for (const kind of ['access_token', 'refresh_token'] as const) {
    const { tokens } = await getTokens(scene);
    expect((await call(tokens.access_token)).status).toBe(200);
    expect(await scene.platform.introspect(tokens.refresh_token ?? '')).toMatchObject({ active: true });
    await scene.platform.revoke(tokens[kind] ?? '');
    expect((await call(tokens.access_token)).status).toBe(401);
    expect(await scene.platform.introspect(tokens.access_token)).toEqual({ active: false });
    expect(await scene.platform.introspect(tokens.refresh_token ?? '')).toEqual({ active: false });
    await expect(scene.platform.refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  }
});

test('a client neither revokes nor inspects the tokens of another', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene);
  const other = await createPlatform(gateway.app, scene.fetch);
  for (const token of [tokens.access_token, tokens.refresh_token ?? '']) {
    expect(await other.introspect(token)).toEqual({ active: false });
    await other.revoke(token);
  }
  const { jti } = (await scene.platform.introspect(tokens.access_token)) as { jti: string };
  expect(await scene.platform.introspect(jti)).toEqual({ active: false });
  await scene.platform.revoke(jti);
  expect((await call(tokens.access_token)).status).toBe(200);
});

test('a request may be pushed first (RFC 9126), and its URI is valid once', async () => {
  const scene = await createScene(gateway);
  const { platform } = scene;
  const sent = await platform.request({ scope: 'contacts:read' });
  const { server, client, auth, options } = platform;
  const answer = await oauth.pushedAuthorizationRequest(
    server,
    client,
    auth,
    new URL(sent.url).searchParams,
    options,
  );
  const { request_uri } = await oauth.processPushedAuthorizationResponse(server, client, answer);
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({ client_id: client.client_id, request_uri }).toString();
  let page = requirePage(await scene.browser.open(url.href));
  page = requirePage(await signIn(scene.browser, page, scene.user.email));
  const back = requireLeft(await allow(scene.browser, page, { teamId: scene.teamId }));
  expect((await platform.redeem(back, sent)).scope).toBe('contacts:read');
  expect(requirePage(await scene.browser.open(url.href)).status).toBe(400);
});

test('a token can be requested for one API of an owned host, and is valid only there (RFC 8707)', async () => {
  const scene = await createScene(gateway);
  const resource = 'http://localhost:4000/api/v2';
  const { tokens } = await getTokens(scene, {}, { resource });
  expect(await scene.platform.introspect(tokens.access_token)).toMatchObject({ aud: resource });
  expect((await call(tokens.access_token)).status).toBe(200);
  const graphql = await gateway.send('/graphql?query={viewer{teams{nodes{createdAt}}}}', {
    caller: { authorization: `Bearer ${tokens.access_token}` },
  });
  expect(graphql.status).toBe(401);
  const foreign = await scene.platform.request({ resource: 'https://elsewhere.example/' });
  expect(requireLeft(await scene.browser.open(foreign.url)).searchParams.get('error')).toBe('invalid_target');
});

test("a program on the person's own machine may come back on any port of its loopback address", async () => {
  const metadata = { redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native' };
  const scene = await createScene(gateway, { isPublic: true, metadata });
  const { server, client } = scene.platform;
  const redirectUri = 'http://127.0.0.1:53211/callback';
  const platform = new Platform(server, scene.fetch, { id: client.client_id, secret: null, redirectUri });
  const { tokens } = await getTokens({ ...scene, platform });
  expect((await call(tokens.access_token)).status).toBe(200);
  const again = requirePage(await scene.browser.open((await platform.request()).url));
  expect(again.text).toContain('<strong>127.0.0.1:53211</strong>, on this computer.');
  const next = await platform.refresh(tokens.refresh_token ?? '');
  expect((await call(next.access_token)).status).toBe(200);
});

test('GraphiQL is a client without registration, until the operator disables it', async () => {
  const scene = await createScene(gateway);
  const given = { id: 'graphiql', secret: null, redirectUri: 'http://localhost:4000/graphql' };
  const platform = new Platform(scene.platform.server, scene.fetch, given);
  const sent = await platform.request({ scope: 'account:read' });
  let page = requirePage(await scene.browser.open(sent.url));
  page = requirePage(await signIn(scene.browser, page, scene.user.email));
  // Its redirect is on the gateway's own host: the browser opens it.
  const explorer = requirePage(await allow(scene.browser, page, { teamId: scene.teamId }));
  const tokens = await platform.redeem(new URL(explorer.url), sent);
  expect((await call(tokens.access_token)).status).toBe(200);
  const prisma = prismaOf(gateway.app.store);
  await prisma.oauthClient.update({ where: { id: 'graphiql' }, data: { disabledAt: new Date() } });
  expect((await call(tokens.access_token)).status).toBe(401);
  expect(requirePage(await scene.browser.open((await platform.request()).url)).status).toBe(400);
});

test('scopes beyond those of the platform are refused before anybody sees a page', async () => {
  const scene = await createScene(gateway, { metadata: { scope: 'contacts:read' } });
  for (const scope of ['openid', 'contacts:write', 'contacts:read everything', 'read']) {
    const back = requireLeft(await scene.browser.open((await scene.platform.request({ scope })).url));
    expect([scope, back.searchParams.get('error')]).toEqual([scope, 'invalid_scope']);
  }
  const plain = requirePage(await scene.browser.open((await scene.platform.request()).url));
  expect(plain.text).toContain('Sign in');
});

test('a client without the refresh grant gets only an access token, and its code is used up as usual', async () => {
  const scene = await createScene(gateway, { metadata: { grant_types: ['authorization_code'] } });
  const { sent, back, tokens } = await getTokens(scene);
  expect(tokens.refresh_token).toBeUndefined();
  expect(await scene.platform.introspect(tokens.access_token)).toMatchObject({ active: true });
  await expect(scene.platform.redeem(back, sent)).rejects.toMatchObject({ error: 'invalid_grant' });
  expect(await scene.platform.introspect(tokens.access_token)).toEqual({ active: false });
});

test.each(['form_post', 'fragment', 'web_message', 'form_post.jwt', 'other'])(
  'the response mode %s is refused, in the query of the redirect: no page is shown that cannot go on',
  async (mode) => {
    const { platform } = await createScene(gateway, { isPublic: true });
    for (const changes of [{}, { code_challenge: null, code_challenge_method: null }, { scope: 'unknown' }]) {
      const { url, state } = await platform.request({ response_mode: mode, ...changes });
      const answer = await gateway.send(url.slice(new URL(url).origin.length), {
        headers: { accept: 'text/html' },
      });
      expect(answer.status).toBe(303);
      const back = new URL(answer.headers.get('location') ?? '');
      expect(back.href.startsWith(platform.redirectUri)).toBe(true);
      expect(Object.fromEntries(back.searchParams)).toMatchObject({
        state,
        error: expect.stringMatching(/^invalid_/),
      });
    }
    const { url } = await platform.request({ response_mode: mode });
    const pushed = await gateway.send('/oauth/par', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URL(url).search.slice(1),
    });
    expect([pushed.status, await pushed.json()]).toEqual([
      400,
      expect.objectContaining({
        error: expect.stringMatching(/^(unsupported_response_mode|invalid_request)$/),
      }),
    ]);
  },
);

test('the response mode query is the same as none', async () => {
  const { platform } = await createScene(gateway);
  const { url } = await platform.request({ response_mode: 'query' });
  const answer = await gateway.send(url.slice(new URL(url).origin.length), {
    headers: { accept: 'text/html' },
  });
  expect(new URL(answer.headers.get('location') ?? '', url).pathname).toMatch(/^\/oauth\/interaction\//);
});
