// The table of attacks on the authorization server (RFC 9700): each is tried, and comes to nothing.
import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import * as users from '../../src/services/operator/users.ts';
import * as factories from '../support/factories.ts';
import { createGateway, ownGateway } from '../support/gateway.ts';
import {
  allow,
  Browser,
  createPlatform,
  createScene,
  fetchOf,
  getTokens,
  requireLeft,
  requirePage,
  type Shown,
  signIn,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await ownGateway();

async function statusOf(token: string): Promise<number> {
  return (await gateway.send('/api/v2/teams', { caller: { authorization: `Bearer ${token}` } })).status;
}

/** The successful one of many attempts; every other one was refused for the right reason. */
function theOnlyOne<T>(tries: PromiseSettledResult<T>[]): T {
  const reasons = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  for (const reason of reasons) expect(reason).toMatchObject({ error: 'invalid_grant' });
  const [won, ...more] = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (won === undefined || more.length > 0) throw new Error('None or several were let through.');
  return won;
}

type Scene = Awaited<ReturnType<typeof createScene>>;

/** A code that has not been redeemed. */
async function getCode(scene: Scene) {
  const { platform, browser, user, teamId } = scene;
  const sent = await platform.request({ scope: 'account:read' });
  const page = requirePage(await signIn(browser, requirePage(await browser.open(sent.url)), user.email));
  return { sent, back: requireLeft(await allow(browser, page, { teamId })) };
}

describe('codes', () => {
  test('a reused code gives nothing, and ends its tokens', async () => {
    const scene = await createScene(gateway);
    const { sent, back } = await getCode(scene);
    const tokens = await scene.platform.redeem(back, sent);
    expect(await statusOf(tokens.access_token)).toBe(200);
    await expect(scene.platform.redeem(back, sent)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await statusOf(tokens.access_token)).toBe(401);
    await expect(scene.platform.refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('of many concurrent redemptions of a code one succeeds, and its tokens are revoked', async () => {
    const scene = await createScene(gateway);
    const { sent, back } = await getCode(scene);
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => scene.platform.redeem(back, sent)),
    );
    expect(await statusOf(theOnlyOne(tries).access_token)).toBe(401);
  });

  test('a code is refused from another client, for another redirect URI, and with a wrong or missing verifier', async () => {
    const scene = await createScene(gateway);
    const { sent, back } = await getCode(scene);
    const { platform } = scene;
    const other = await createPlatform(gateway.app, scene.fetch);
    const state = { state: sent.state, verifier: sent.verifier };
    await expect(other.redeem(back, state)).rejects.toMatchObject({ error: 'invalid_grant' });
    const verifier = oauth.generateRandomCodeVerifier();
    await expect(platform.redeem(back, { ...state, verifier })).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const answer = await scene.fetch(platform.server.token_endpoint ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: 'https://client.example/callback',
        client_id: platform.client.client_id,
      }),
    });
    expect(answer.status).toBe(401);
    await expect(platform.redeem(back, state)).resolves.toMatchObject({ scope: 'account:read' });
  });

  test('a request without S256 is refused: no challenge, an empty one, the plain method (RFC 7636 §4.4.1)', async () => {
    const scene = await createScene(gateway);
    for (const changes of [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge: '', code_challenge_method: 'S256' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: null },
    ]) {
      const sent = await scene.platform.request(changes);
      const back = requireLeft(await scene.browser.open(sent.url));
      expect(back.searchParams.get('error')).toBe('invalid_request');
      expect(back.searchParams.has('code')).toBe(false);
    }
  });

  test('every answer has its issuer, so that clients detect one of another server (RFC 9207)', async () => {
    const scene = await createScene(gateway);
    const { sent, back } = await getCode(scene);
    expect(scene.platform.server.authorization_response_iss_parameter_supported).toBe(true);
    const forged = new URL(back);
    forged.searchParams.set('iss', 'https://attacker.example');
    await expect(scene.platform.redeem(forged, sent)).rejects.toThrow('iss');
    forged.searchParams.delete('iss');
    await expect(scene.platform.redeem(forged, sent)).rejects.toThrow('iss');
    const failed = requireLeft(await scene.browser.open((await scene.platform.request({ scope: 'x' })).url));
    expect(failed.searchParams.get('iss')).toBe('http://localhost:4000');
  });
});

describe('redirects', () => {
  test.each([
    'https://client.example/callback/',
    'https://client.example/callback?x=1',
    'https://client.example/callback/../evil',
    'https://client.example/Callback',
    'http://client.example/callback',
    'https://client.example:444/callback',
    'https://client.example.attacker.example/callback',
    'https://attacker.example/callback',
    'https://client.example@attacker.example/callback',
    'https://client.example/callback#fragment',
    'javascript:alert(1)',
    '//attacker.example',
    '',
  ])('%s is not the registered address: a page says so, and nobody is sent there', async (redirectUri) => {
    const scene = await createScene(gateway);
    const sent = await scene.platform.request({ redirect_uri: redirectUri });
    const page = requirePage(await scene.browser.open(sent.url));
    expect(page.status).toBe(400);
    expect(page.text).not.toContain('attacker.example');
  });

  test('neither a missing redirect URI nor an unknown client redirects anybody', async () => {
    const scene = await createScene(gateway);
    for (const changes of [{ redirect_uri: null }, { client_id: 'fgc_nobody' }, { client_id: null }]) {
      const sent = await scene.platform.request(changes);
      expect(requirePage(await scene.browser.open(sent.url)).status).toBe(400);
    }
  });

  test.each([
    '/account?return_to=https://attacker.example',
    '/account?next=//attacker.example',
    '/oauth/interaction/x?returnTo=https://attacker.example',
    '/oauth/session/end?post_logout_redirect_uri=https://attacker.example',
    '//attacker.example/oauth/authorize',
    '/oauth/authorize//attacker.example',
  ])('%s leads nowhere, signed in or not', async (path) => {
    const scene = await createScene(gateway);
    const ask = async () => {
      const { text, url } = requirePage(await scene.browser.open(`http://localhost:4000${path}`));
      expect([url, text.includes('attacker')]).toEqual([`http://localhost:4000${path}`, false]);
    };
    await ask();
    await getTokens(scene);
    await ask();
  });

  test('no parameter redirects a person elsewhere after a form: sign-in, consent, account page', async () => {
    const scene = await createScene(gateway);
    const { browser, platform, user, teamId } = scene;
    const names = ['return_to', 'returnTo', 'next', 'redirect_uri', 'post_logout_redirect_uri'];
    const evil = names.map((name): [string, string] => [name, 'https://attacker.example']);
    /** The page, whose first form, or the one with this button, says where to go in its address and in its fields. */
    const baited = (where: Shown | URL, button = ''): Shown => {
      const page = requirePage(where);
      const form = page.text.split('<form').find((part, at) => at > 0 && part.includes(button)) ?? '';
      const query = new URLSearchParams(evil);
      const fields = evil.map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
      return {
        ...page,
        text: `<form${form.replace(/action="[^"]+/, `$&?${query}`)}${fields.join('')}`,
      };
    };
    const sent = await platform.request({ scope: 'account:read' });
    const consent = await signIn(browser, baited(await browser.open(sent.url)), user.email);
    const back = requireLeft(await allow(browser, baited(consent), { teamId }));
    expect([back.host, back.searchParams.has('code')]).toEqual(['client.example', true]);
    const account = 'http://localhost:4000/account';
    for (const button of ['withdraw', 'sign_out'])
      await browser.submit(baited(await browser.open(account), button), [], button);
    expect(requirePage(await signIn(browser, baited(await browser.open(account)), user.email)).url).toBe(
      account,
    );
    const locations = browser.answers.flatMap(({ headers }) => headers.get('location') ?? []);
    for (const notice of ['withdrawn', 'signed_out'])
      expect(locations).toContain(`/account?notice=${notice}`);
    expect(locations.filter((location) => location.includes('attacker'))).toEqual([]);
  });
});

describe('refresh tokens', () => {
  test('a reused one ends all tokens of its grant', async () => {
    const scene = await createScene(gateway);
    const { tokens } = await getTokens(scene);
    const next = await scene.platform.refresh(tokens.refresh_token ?? '');
    await expect(scene.platform.refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(scene.platform.refresh(next.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(await statusOf(next.access_token)).toBe(401);
    expect(await statusOf(tokens.access_token)).toBe(401);
  });

  test('of many concurrent uses one succeeds, and its tokens are revoked', async () => {
    const scene = await createScene(gateway);
    const { tokens } = await getTokens(scene);
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => scene.platform.refresh(tokens.refresh_token ?? '')),
    );
    expect(await statusOf(theOnlyOne(tries).access_token)).toBe(401);
    expect(await statusOf(tokens.access_token)).toBe(401);
  });

  test('one gives no scope beyond the grant, and is refused from another client', async () => {
    const scene = await createScene(gateway);
    const { tokens } = await getTokens(scene, { scopes: ['contacts:read'] });
    const refreshToken = tokens.refresh_token ?? '';
    for (const scope of ['contacts:read account:read', 'contacts:write', 'read'])
      await expect(scene.platform.refresh(refreshToken, { scope })).rejects.toMatchObject({
        error: 'invalid_scope',
      });
    const other = await createPlatform(gateway.app, scene.fetch);
    await expect(other.refresh(refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await scene.platform.refresh(refreshToken)).scope).toBe('contacts:read');
  });
});

describe('people', () => {
  test('a disabled person is signed out, cannot sign in, and has no valid tokens', async () => {
    const scene = await createScene(gateway);
    const { tokens } = await getTokens(scene);
    await users.disable(gateway.app, scene.user.id);
    expect(await statusOf(tokens.access_token)).toBe(401);
    await expect(scene.platform.refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const page = requirePage(await scene.browser.open((await scene.platform.request()).url));
    const after = requirePage(await signIn(scene.browser, page, scene.user.email));
    expect([after.status, after.text.includes('is wrong')]).toEqual([422, true]);
  });

  test('a session of a deleted person asks to sign in; another person may do so', async () => {
    const scene = await createScene(gateway);
    await getTokens(scene);
    const prisma = prismaOf(gateway.app.store);
    await prisma.user.update({ where: { id: scene.user.id }, data: { disabledAt: new Date() } });
    const none = await scene.platform.request({ prompt: 'none' });
    expect(requireLeft(await scene.browser.open(none.url)).searchParams.get('error')).toBe('login_required');
    const other = await createScene(gateway);
    const { tokens } = await getTokens({ ...scene, user: other.user, teamId: other.teamId });
    expect(await scene.platform.introspect(tokens.access_token)).toMatchObject({ sub: other.user.publicId });
  });
});

describe('pages', () => {
  test('a form works only with its signature, in the browser that got it', async () => {
    const scene = await createScene(gateway);
    const sent = await scene.platform.request();
    const signInAt = requirePage(await scene.browser.open(sent.url));
    const consent = requirePage(await signIn(scene.browser, signInAt, scene.user.email));
    const csrf = /name="csrf" value="[^"]*"/;
    // Neither a forged signature, nor one of an earlier step, nor none is accepted.
    for (const other of [
      'name="csrf" value="x"',
      'name="csrf" value=""',
      csrf.exec(signInAt.text)?.[0] ?? '',
    ]) {
      const forged = { ...consent, text: consent.text.replaceAll(new RegExp(csrf, 'g'), other) };
      expect(requirePage(await allow(scene.browser, forged, { teamId: scene.teamId })).status).toBe(403);
    }
    const elsewhere = new Browser(scene.fetch);
    // Its name is in URLs and logs: without the signature, it opens nothing.
    const name = { cookie: `fgw_interaction=${consent.url.split('/').at(-1)}` };
    expect((await scene.fetch(consent.url, { headers: name })).status).toBe(400);
    expect(requirePage(await allow(elsewhere, consent, { teamId: scene.teamId })).status).toBe(400);
    expect(requirePage(await elsewhere.open(consent.url)).status).toBe(400);
    expect(
      requireLeft(await allow(scene.browser, consent, { teamId: scene.teamId })).searchParams.has('code'),
    ).toBe(true);
  });

  test('cookies are for this server alone: HttpOnly, SameSite, signed, and Secure with a __Host- name over https', async () => {
    const secure = await createGateway({
      env: { AUTH_URL: 'https://auth.example.com', SERVICE_HOST: 'example.com' },
    });
    const { clientSecret: _, id } = await factories.oauthClient(secure.app);
    const query = new URLSearchParams({
      client_id: id,
      redirect_uri: 'https://client.example/callback',
      response_type: 'code',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    const answer = await secure.send(`/oauth/authorize?${query}`, { host: 'auth.example.com' });
    const cookies = answer.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies)
      expect(cookie).toMatch(/; secure; httponly; samesite=lax|; samesite=lax; secure; httponly/i);
    const person = await factories.user(secure.app);
    const browser = new Browser(fetchOf(secure));
    const page = requirePage(await browser.open('https://auth.example.com/account'));
    await signIn(browser, page, person.email);
    const set = browser.answers.flatMap(({ headers }) => headers.getSetCookie());
    const session = set.filter((line) => line.startsWith('__Host-fgw_session='));
    expect(session.length).toBe(1);
    expect(session[0]).toMatch(/^(?=.*; path=\/;)(?=.*; secure)(?=.*; httponly)(?!.*domain)/i);
    await secure.close();
  });

  test('the self-chosen name of a client is rendered as text', async () => {
    const scene = await createScene(gateway);
    const prisma = prismaOf(gateway.app.store);
    const name = '<script>alert(1)</script>"><img src=x>';
    await prisma.oauthClient.update({ where: { id: scene.platform.client.client_id }, data: { name } });
    const page = requirePage(await scene.browser.open((await scene.platform.request()).url));
    expect(page.text).not.toContain('<script');
    expect(page.text).not.toContain('<img');
  });
});

test('a poisoned Host or forwarding header changes no link, no cookie and no issuer', async () => {
  const scene = await createScene(gateway);
  const { search } = new URL((await scene.platform.request()).url);
  const headers = {
    'x-forwarded-host': 'attacker.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=attacker.example',
    'x-original-url': '/evil',
    host: 'attacker.example',
  };
  const answer = await gateway.send(`/oauth/authorize${search}`, { headers });
  const seen = JSON.stringify([...answer.headers]);
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toMatch(/^\/oauth\/interaction\//);
  expect(seen).not.toContain('attacker');
  const stored = await prismaOf(gateway.app.store).oauthState.findMany({ where: { model: 'Interaction' } });
  expect(JSON.stringify(stored.map(({ payload }) => payload))).not.toContain('attacker');
  const metadata = await gateway.send('/.well-known/oauth-authorization-server', {
    host: '127.0.0.1:4000',
    headers,
  });
  expect(await metadata.json()).toMatchObject({ issuer: 'http://localhost:4000' });
  expect((await gateway.send(`/oauth/authorize${search}`, { host: 'attacker.example' })).status).toBe(421);
});

/** The tables of the authorization server. */
const TABLES = [
  'oauth_states',
  'oauth_grants',
  'oauth_access_tokens',
  'oauth_clients',
  'sign_in_failures',
  'signing_keys',
  'users',
];

async function textOf(table: string): Promise<string> {
  const { rows } = await gateway.app.store.pool.query(
    `select jsonb_agg(to_jsonb(t))::text as text from ${table} t`,
  );
  return rows[0].text;
}

test('no log line and no row has a token, a code, a secret, a cookie or a password', async () => {
  const scene = await createScene(gateway);
  const { tokens, back, sent } = await getTokens(scene);
  const next = await scene.platform.refresh(tokens.refresh_token ?? '');
  const page = requirePage(await new Browser(scene.fetch).open((await scene.platform.request()).url));
  await signIn(scene.browser, page, scene.user.email, 'a password that is wrong');
  // The consent page of somebody who is signed in: the library would keep their cookie with it.
  requirePage(await scene.browser.open((await scene.platform.request({ scope: 'funnels:write' })).url));
  for (const token of [next.access_token, next.refresh_token ?? '', back.searchParams.get('code') ?? '']) {
    await gateway.send(`/nothing/${token}`, { headers: { 'x-request-id': token.slice(0, 128) } });
    await gateway.send(`/oauth/token?token=${token}`, {
      method: 'POST',
      headers: { referer: token, authorization: `Basic ${token}` },
    });
  }
  const secrets = [
    ...[tokens.access_token, tokens.refresh_token, next.access_token, next.refresh_token],
    ...[
      back.searchParams.get('code'),
      sent.verifier,
      'correct horse battery staple',
      'a password that is wrong',
    ],
    ...scene.browser.jar.filter(({ name }) => name === 'fgw_session').map(({ value }) => value),
  ].map(String);
  const logged = gateway.logLines.join('');
  const stored = await Promise.all(TABLES.map(textOf));
  expect(stored.every((text) => text.length > 10)).toBe(true);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    expect([secret, logged.includes(secret)]).toEqual([secret, false]);
    expect([secret, TABLES.filter((_, at) => stored[at]?.includes(secret))]).toEqual([secret, []]);
  }
});
