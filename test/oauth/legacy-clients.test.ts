// Legacy clients: each liberty that they have, that no other client has it, and what of RFC 9700 holds for them too.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { clean } from '../../src/services/cleaning.ts';
import { type ClientInput, create, remove } from '../../src/services/operator/oauth-clients.ts';
import { revoke } from '../../src/services/operator/oauth-grants.ts';
import { remove as removeKey, rotate } from '../../src/services/operator/signing-keys.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import {
  allow,
  Browser,
  type Consent,
  fetchOf,
  requireLeft,
  requirePage,
  type Shown,
  signIn,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const AUTH_URL = 'http://localhost:4000';
const CALLBACK = 'https://importer.example/callback';
const OTHER_CALLBACK = 'https://importer.example/other';
const SCOPES = ['account:read', 'contacts:read', 'contacts:write'];
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

const gateway = await ownGateway();
const fetch = fetchOf(gateway);

interface Scene {
  readonly teamId: bigint;
  readonly teamName: string;
  readonly first: { readonly id: bigint; readonly name: string; readonly subdomain: string };
  readonly second: { readonly id: bigint };
  readonly user: { readonly email: string };
  readonly browser: Browser;
  readonly id: string;
  readonly secret: string;
}

const LEGACY = { isLegacy: true, grants: ['authorization_code'] };
const MODERN = { grants: ['authorization_code', 'refresh_token'] };

/** A team with two workspaces, its owner, and a client. */
async function createScene(changes: Partial<ClientInput> = LEGACY): Promise<Scene> {
  const { app } = gateway;
  const team = await factories.team(app);
  const first = await factories.workspace(app, { teamId: team.id });
  const second = await factories.workspace(app, { teamId: team.id });
  const user = await factories.user(app, { teamId: team.id });
  const { client, clientSecret } = await create(app, {
    name: 'Old importer',
    grants: MODERN.grants,
    scopes: SCOPES,
    redirectUris: [CALLBACK, OTHER_CALLBACK],
    ...changes,
  });
  return {
    ...{ teamId: team.id, teamName: team.name, first, second, user },
    ...{ browser: new Browser(fetch), id: client.id, secret: clientSecret ?? '' },
  };
}

/** The address of an authorization request as older platforms send it. @param changes parameters to set, or to leave out */
function requestUrl({ id }: Scene, changes: Record<string, string | null> = {}): string {
  const parameters = {
    client_id: id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    grant_type: 'authorization_code',
    new_installation: 'true',
    state: 'xyz',
    ...changes,
  };
  const given = Object.entries(parameters).filter(([, value]) => value !== null) as [string, string][];
  return `${AUTH_URL}/oauth/authorize?${new URLSearchParams(given)}`;
}

/** The consent page; or the address outside to which the browser was sent, because the person had allowed the same before. */
async function ask(scene: Scene, changes: Record<string, string | null>): Promise<Shown | URL> {
  const where = await scene.browser.open(requestUrl(scene, changes));
  return where instanceof URL || !where.text.includes('name="password"')
    ? where
    : signIn(scene.browser, where, scene.user.email);
}

async function consentPageOf(scene: Scene, changes: Record<string, string | null> = {}): Promise<Shown> {
  return requirePage(await ask(scene, changes));
}

/** The scopes that are ticked on a consent page. */
const tickedOn = ({ text }: Shown) =>
  [...text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope = '']) => scope);

/** A code that was allowed with what is ticked beforehand. */
async function getCode(
  scene: Scene,
  changes: Record<string, string | null> = {},
  consent: Partial<Consent> = {},
) {
  const page = await ask(scene, changes);
  const back =
    page instanceof URL
      ? page
      : await allow(scene.browser, page, { teamId: scene.teamId, scopes: tickedOn(page), ...consent });
  const { searchParams } = requireLeft(back);
  expect(searchParams.get('state')).toBe(changes['state'] ?? 'xyz');
  return searchParams.get('code') ?? '';
}

const membersOf = ({ id, secret }: Scene, code: string): Record<string, string> => ({
  code,
  client_id: id,
  client_secret: secret,
  grant_type: 'authorization_code',
  redirect_uri: CALLBACK,
});

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly error?: string;
  readonly error_description?: string;
}

async function sendToken(body: string, headers: Record<string, string>) {
  const answer = await gateway.send('/oauth/token', { method: 'POST', headers, body });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as TokenAnswer };
}

const sendJson = (body: unknown, headers: Record<string, string> = {}) =>
  sendToken(typeof body === 'string' ? body : JSON.stringify(body), {
    'content-type': 'application/json',
    'user-agent': 'old',
    ...headers,
  });

const sendForm = (members: Record<string, string>) =>
  sendToken(new URLSearchParams(members).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  });

/** The token response for a new code. */
async function getTokens(scene: Scene, consent: Partial<Consent> = {}) {
  const { status, body } = await sendJson(membersOf(scene, await getCode(scene, {}, consent)));
  expect([status, body.error_description]).toEqual([200, undefined]);
  return body;
}

async function statusOf(token: string, path = '/api/v2/teams'): Promise<number> {
  return (await gateway.send(path, { caller: { authorization: `Bearer ${token}` } })).status;
}

async function askAbout(endpoint: 'introspect' | 'revoke', { id, secret }: Scene, token: string) {
  const answer = await gateway.send(`/oauth/${endpoint}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${id}:${secret}`)}`,
    },
    body: new URLSearchParams({ token }).toString(),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
}

const tokensOf = ({ id }: Scene) =>
  prismaOf(gateway.app.store).oauthAccessToken.findMany({ where: { clientId: id } });

describe('a legacy client', () => {
  test('takes a code without PKCE, redeems it with JSON, and reads team and workspace in the answer', async () => {
    const scene = await createScene();
    const { status, headers, body } = await sendJson(membersOf(scene, await getCode(scene)));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^fgt_[0-9A-Za-z]{49}$/),
      token_type: 'Bearer',
      scope: SCOPES.join(' '),
      created_at: expect.any(Number),
      team_id: Number(scene.teamId),
      team_name: scene.teamName,
      workspace_id: Number(scene.first.id),
      workspace_name: scene.first.name,
      workspace_url: `http://${scene.first.subdomain}.localhost:4000`,
    });
    expect(Math.abs(Number(Object(body).created_at) - Date.now() / 1_000)).toBeLessThan(60);
    for (const path of ['/api/v2/teams', `/api/v2/workspaces/${scene.second.id}/contacts`])
      expect(await statusOf(body.access_token, path)).toBe(200);
    expect(await statusOf(body.access_token, `/api/v2/workspaces/${scene.first.id}/funnels`)).toBe(403);
    const viewer = await gateway.send('/graphql', {
      method: 'POST',
      caller: { authorization: `Bearer ${body.access_token}` },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query:
          '{ viewer { kind scopes expiresAt client { name } credential { ... on OauthGrant { expiresAt status } } } }',
      }),
    });
    expect(await viewer.json()).toEqual({
      data: {
        viewer: {
          kind: 'OAUTH',
          scopes: SCOPES,
          expiresAt: null,
          client: { name: 'Old importer' },
          credential: { expiresAt: null, status: 'ACTIVE' },
        },
      },
    });
  });

  test('may send a form too, and its credentials by HTTP Basic, with either body', async () => {
    const scene = await createScene();
    const asForm = await sendForm(membersOf(scene, await getCode(scene)));
    expect(asForm.body).toMatchObject({ team_id: Number(scene.teamId) });
    const { client_id: _, client_secret: __, ...rest } = membersOf(scene, await getCode(scene));
    const authorization = `basic ${btoa(`${scene.id}:${scene.secret}`)}`;
    expect((await sendJson(rest, { authorization })).body).toMatchObject({ team_id: Number(scene.teamId) });
  });

  test('may use PKCE: then the verifier is required, and state is not', async () => {
    const scene = await createScene();
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256', state: null };
    const page = await consentPageOf(scene, pkce);
    const back = requireLeft(await allow(scene.browser, page, { teamId: scene.teamId }));
    const members = membersOf(scene, back.searchParams.get('code') ?? '');
    expect((await sendJson(members)).body.error).toBe('invalid_grant');
    expect((await sendJson({ ...members, code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant');
    expect((await sendJson({ ...members, code_verifier: VERIFIER })).status).toBe(200);
  });

  test('a verifier for a code without a challenge is refused (RFC 9700 §4.8.2)', async () => {
    const scene = await createScene();
    const members = membersOf(scene, await getCode(scene));
    expect((await sendJson({ ...members, code_verifier: VERIFIER })).body.error).toBe('invalid_grant');
  });

  test('without scope it asks for all the scopes of its list, and all are ticked; the person may untick some', async () => {
    const scene = await createScene();
    const page = await consentPageOf(scene);
    expect(tickedOn(page)).toEqual(SCOPES);
    expect(page.text).toContain('is a legacy application: its access does not expire');
    const some = requireLeft(
      await allow(scene.browser, page, { teamId: scene.teamId, scopes: ['contacts:read'] }),
    );
    const { body } = await sendJson(membersOf(scene, some.searchParams.get('code') ?? ''));
    expect(body).toMatchObject({ scope: 'contacts:read' });
    const narrow = await createScene();
    expect(tickedOn(await consentPageOf(narrow, { scope: 'contacts:write' }))).toEqual(['contacts:write']);
    const wide = requireLeft(await narrow.browser.open(requestUrl(narrow, { scope: 'funnels:read' })));
    expect(wide.searchParams.get('error')).toBe('invalid_scope');
  });

  test('of a member of the team it gets what a member may grant', async () => {
    const scene = await createScene({ ...LEGACY, scopes: [...SCOPES, 'account:write'] });
    const member = await factories.user(gateway.app, { teamId: scene.teamId, role: 'member' });
    const { scope } = (await getTokens({ ...scene, user: member })) as { scope?: string };
    expect(scope).toBe(SCOPES.join(' '));
  });

  test('the answer names the workspace that the person chose, and none of a team that has none', async () => {
    const scene = await createScene();
    expect(await getTokens(scene, { workspaceIds: [scene.second.id] })).toMatchObject({
      workspace_id: Number(scene.second.id),
    });
    const { id: teamId } = await factories.team(gateway.app);
    const user = await factories.user(gateway.app, { teamId });
    expect(await getTokens({ ...scene, teamId, user, browser: new Browser(fetch) })).toMatchObject({
      team_id: Number(teamId),
      workspace_id: null,
      workspace_name: null,
      workspace_url: null,
    });
  });

  test('has a token that outlives the longest session and every signing key', async () => {
    const scene = await createScene();
    const { access_token: token } = await getTokens(scene);
    const { kid } = await rotate(gateway.app, { now: true });
    for (const { id } of await prismaOf(gateway.app.store).signingKey.findMany())
      if (id !== kid) await removeKey(gateway.app, id);
    await gateway.app.lookups.forget();
    expect(await statusOf(token)).toBe(200);
    const later = new Date(Date.now() + 100 * 365 * 86_400_000);
    await clean(gateway.app, later);
    expect(await tokensOf(scene)).toMatchObject([{ expiresAt: null, revokedAt: null }]);
    const { body } = await askAbout('introspect', scene, token);
    expect(body).toMatchObject({ active: true, scope: SCOPES.join(' '), team: String(scene.teamId) });
    expect(body).not.toHaveProperty('exp');
    expect(body).not.toHaveProperty('jti');
  });

  test('with a grant lifetime, token and grant end together, and the answer says when', async () => {
    const scene = await createScene({ ...LEGACY, grantLifetimeMs: 90 * 86_400_000 });
    expect((await consentPageOf(scene)).text).toContain('lasts for 90 days');
    const body = await getTokens(scene);
    expect(body.expires_in).toBeGreaterThan(90 * 86_400 - 600);
    expect(body.expires_in).toBeLessThanOrEqual(90 * 86_400);
    expect((await askAbout('introspect', scene, body.access_token)).body).toHaveProperty('exp');
    const { oauthGrant, oauthAccessToken } = prismaOf(gateway.app.store);
    const past = { expiresAt: new Date(Date.now() - 60_000) };
    await oauthGrant.updateMany({ where: { clientId: scene.id }, data: past });
    await gateway.app.lookups.forget();
    expect(await statusOf(body.access_token)).toBe(401);
    await oauthGrant.updateMany({ where: { clientId: scene.id }, data: { expiresAt: null } });
    await oauthAccessToken.updateMany({ where: { clientId: scene.id }, data: past });
    await gateway.app.lookups.forget();
    expect(await statusOf(body.access_token)).toBe(401);
  });

  test('with the refresh grant it gets refresh tokens, which rotate', async () => {
    const scene = await createScene({ ...MODERN, isLegacy: true });
    const { refresh_token = '', access_token: token } = await getTokens(scene);
    const { client_id = '', client_secret = '' } = membersOf(scene, '');
    const refresh = (text: string) =>
      sendJson({ grant_type: 'refresh_token', client_id, client_secret, refresh_token: text });
    const { body } = await refresh(refresh_token);
    expect(body).toMatchObject({
      team_id: Number(scene.teamId),
      access_token: expect.stringMatching(/^fgt_/),
    });
    expect(body).not.toHaveProperty('expires_in');
    expect((await refresh(refresh_token)).body.error).toBe('invalid_grant');
    for (const each of [token, body.access_token]) expect(await statusOf(each)).toBe(401);
  });

  test('may be public: then PKCE stays required, and the rest is as for the others', async () => {
    const scene = await createScene({
      ...LEGACY,
      id: 'clickfunnels_cli',
      isPublic: true,
      redirectUris: [8976, 8977, 8978].map((port) => `http://localhost:${port}/callback`),
    });
    expect(scene.id).toBe('clickfunnels_cli');
    const redirect = { redirect_uri: 'http://localhost:8977/callback' };
    const plain = requireLeft(await scene.browser.open(requestUrl(scene, redirect)));
    expect(plain.searchParams.get('error')).toBe('invalid_request');
    const code = await getCode(scene, {
      ...redirect,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    });
    const { client_secret: _, ...members } = membersOf(scene, code);
    expect((await sendJson({ ...members, ...redirect, code_verifier: VERIFIER })).body).toMatchObject({
      access_token: expect.stringMatching(/^fgt_/),
      team_id: Number(scene.teamId),
    });
  });

  test('is shown as what it is on the account page', async () => {
    const scene = await createScene();
    await getTokens(scene);
    const page = requirePage(await scene.browser.open(`${AUTH_URL}/account`));
    expect(page.text).toContain('A legacy application: its access does not expire.');
    const limited = await createScene({ ...LEGACY, grantLifetimeMs: 86_400_000 });
    await getTokens(limited);
    const other = requirePage(await limited.browser.open(`${AUTH_URL}/account`));
    expect(other.text).toMatch(
      /A legacy application: its access lasts until <time datetime="20[^<]+<\/time>/,
    );
  });
});

describe('what ends the token of a legacy client at once', () => {
  const grantOf = ({ id }: Scene) =>
    prismaOf(gateway.app.store).oauthGrant.findFirstOrThrow({ where: { clientId: id } });

  const ENDS: Record<string, (scene: Scene, token: string) => Promise<unknown>> = {
    'the operator revokes the grant': async (scene) => revoke(gateway.app, (await grantOf(scene)).id),
    'the operator removes the client': (scene) => remove(gateway.app, scene.id),
    'the client revokes the token': (scene, token) => askAbout('revoke', scene, token),
    'a code that is used again': async (scene) => {
      const code = await getCode(scene);
      const { body } = await sendJson(membersOf(scene, code));
      expect(await statusOf(body.access_token)).toBe(200);
      expect((await sendJson(membersOf(scene, code))).body.error).toBe('invalid_grant');
      expect(await statusOf(body.access_token)).toBe(401);
    },
    'the person withdraws it on the account page': async ({ browser }) => {
      const page = requirePage(await browser.open(`${AUTH_URL}/account`));
      const form = page.text.split('<form').find((part) => part.includes('ask_to_withdraw'));
      const question = requirePage(
        await browser.submit({ ...page, text: `<form${form}` }, [], 'ask_to_withdraw'),
      );
      await browser.submit(question, [], 'withdraw');
    },
    'the person leaves the team': async ({ teamId }) => {
      await prismaOf(gateway.app.store).teamMember.deleteMany({ where: { teamId } });
      await gateway.app.lookups.forget();
    },
  };

  test.each(Object.keys(ENDS))('%s', async (name) => {
    const scene = await createScene();
    const { access_token: token } = await getTokens(scene);
    expect(await statusOf(token)).toBe(200);
    await ENDS[name]?.(scene, token);
    expect(await statusOf(token)).toBe(401);
    if (name !== 'the operator removes the client' && name !== 'the person leaves the team')
      expect((await askAbout('introspect', scene, token)).body).toEqual({ active: false });
  });

  test('a revoked token is deleted after a month', async () => {
    const scene = await createScene();
    await getTokens(scene);
    await remove(gateway.app, scene.id);
    const revokedAt = new Date(Date.now() - 29 * 86_400_000);
    await prismaOf(gateway.app.store).oauthAccessToken.updateMany({
      where: { clientId: scene.id },
      data: { revokedAt },
    });
    await clean(gateway.app, new Date());
    expect(await tokensOf(scene)).toHaveLength(1);
    await clean(gateway.app, new Date(Date.now() + 2 * 86_400_000));
    expect(await tokensOf(scene)).toEqual([]);
  });
});

describe('the store and the log have no token', () => {
  test('the store has its hash, and a row that was read is no credential', async () => {
    const scene = await createScene();
    const { access_token: token } = await getTokens(scene);
    const [row] = await tokensOf(scene);
    expect(row?.jti).toBe(createHash('sha256').update(token).digest('base64url'));
    expect(JSON.stringify(row)).not.toContain(token);
    for (const text of [row?.jti ?? '', `jwt~${row?.jti}`]) {
      expect(await statusOf(text)).toBe(401);
      expect((await askAbout('introspect', scene, text)).body).toEqual({ active: false });
    }
    const other = await createScene();
    expect((await askAbout('introspect', other, token)).body).toEqual({ active: false });
    await askAbout('revoke', other, token);
    expect(await statusOf(token)).toBe(200);
    await gateway.send(`/api/v2/teams?token=${token}`);
    expect(gateway.logLines.join('')).not.toContain(token);
  });

  test('a mistyped token is refused', async () => {
    const { access_token: token } = await getTokens(await createScene());
    for (const text of [`${token}a`, token.slice(0, -1), token.replace('fgt_', 'fgw_'), token.toLowerCase()])
      expect(await statusOf(text)).toBe(401);
  });
});

describe('refused to a legacy client too', () => {
  test('another redirect URI, in any spelling: the person stays', async () => {
    const scene = await createScene({
      ...LEGACY,
      redirectUris: [CALLBACK, 'http://127.0.0.1:8976/callback'],
    });
    const others = [
      `${CALLBACK}/`,
      `${CALLBACK}?x=1`,
      'https://importer.example/',
      'https://evil.example/callback',
      'https://IMPORTER.example/callback',
      'https://importer.example:443/callback',
      'http://127.0.0.1:8977/callback',
      'http://127.0.0.1/callback',
      '',
    ];
    for (const redirect_uri of others)
      for (const challenge of [null, CHALLENGE]) {
        const changes = {
          redirect_uri,
          code_challenge: challenge,
          code_challenge_method: challenge && 'S256',
        };
        const page = requirePage(await scene.browser.open(requestUrl(scene, changes)));
        expect([redirect_uri, page.status]).toEqual([redirect_uri, 400]);
      }
  });

  test('a code for one of its redirect URIs is not redeemed with another one', async () => {
    const scene = await createScene();
    const members = membersOf(scene, await getCode(scene));
    for (const redirect_uri of [OTHER_CALLBACK, `${CALLBACK}/`])
      expect((await sendJson({ ...members, redirect_uri })).body.error).toBe('invalid_grant');
    const { redirect_uri: _, ...without } = members;
    expect((await sendJson(without)).body.error).toBe('invalid_request');
  });

  test('a request without state and without PKCE, pushed ones too', async () => {
    const scene = await createScene();
    for (const state of [null, '']) {
      const back = requireLeft(await scene.browser.open(requestUrl(scene, { state })));
      expect(Object.fromEntries(back.searchParams)).toMatchObject({
        error: 'invalid_request',
        error_description: 'state is required in a request without PKCE',
      });
    }
    const pushed = await gateway.send('/oauth/par', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa(`${scene.id}:${scene.secret}`)}`,
      },
      body: new URL(requestUrl(scene, { state: null })).search.slice(1),
    });
    expect([pushed.status, await pushed.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  test('the password grant, client credentials, and the implicit flow', async () => {
    const scene = await createScene();
    const { client_id = '', client_secret = '' } = membersOf(scene, '');
    const password = { grant_type: 'password', username: client_id, password: client_secret };
    expect((await sendJson({ ...password, client_id, client_secret })).body.error).toBe(
      'unsupported_grant_type',
    );
    expect((await sendJson({ grant_type: 'client_credentials', client_id, client_secret })).body.error).toBe(
      'invalid_request',
    );
    const back = requireLeft(await scene.browser.open(requestUrl(scene, { response_type: 'token' })));
    expect(back.searchParams.get('error') ?? new URLSearchParams(back.hash.slice(1)).get('error')).toBe(
      'unsupported_response_type',
    );
  });

  test('a wrong secret, none, and the code of another client', async () => {
    const scene = await createScene();
    const members = membersOf(scene, await getCode(scene));
    const { client_secret: _, ...without } = members;
    for (const body of [{ ...members, client_secret: 'fgs_wrong' }, without])
      expect(await sendJson(body)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const other = await createScene();
    const foreign = { ...members, client_id: other.id, client_secret: other.secret };
    expect((await sendJson(foreign)).body.error).toBe('invalid_grant');
  });
});

describe('a body in JSON', () => {
  const BAD: Record<string, (members: Record<string, string>) => string> = {
    'is no JSON': (members) => `${JSON.stringify(members)}}`,
    'is a list': (members) => JSON.stringify([members]),
    'is null': () => 'null',
    'is a text': () => '"code"',
    'has a member twice': (members) => `{"code":"x",${JSON.stringify(members).slice(1)}`,
    'has a member twice, once as an object': (members) =>
      `{"code":{"code":"x"},${JSON.stringify(members).slice(1)}`,
    'has a member twice, in other letters': (members) =>
      `{"\\u0063ode":"x",${JSON.stringify(members).slice(1)}`,
    'has a number': (members) => JSON.stringify({ ...members, code: 1 }),
    'has a boolean': (members) => JSON.stringify({ ...members, x: true }),
    'has an object': (members) => JSON.stringify({ ...members, x: {} }),
    'has a list': (members) => JSON.stringify({ ...members, code: [members['code']] }),
    'is deep': (members) =>
      `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)},${JSON.stringify(members).slice(1)}`,
    'has many members': (members) =>
      JSON.stringify({
        ...members,
        ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`x${at}`, ''])),
      }),
    'begins with a byte order mark': (members) => `\u{feff}${JSON.stringify(members)}`,
  };

  test.each(Object.keys(BAD))('is refused when it %s, and the code stays unused', async (name) => {
    const scene = await createScene();
    const members = membersOf(scene, await getCode(scene));
    const authorization = `Basic ${btoa(`${scene.id}:${scene.secret}`)}`;
    const { client_secret: _, ...rest } = members;
    for (const answer of [
      await sendJson(BAD[name]?.(members)),
      await sendJson(BAD[name]?.(rest), { authorization }),
    ])
      expect(answer).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', error_description: expect.any(String) },
      });
    expect((await sendJson(members)).status).toBe(200);
  });

  test('is refused when it is too large, before anything is looked up', async () => {
    const scene = await createScene();
    const large = JSON.stringify({ ...membersOf(scene, 'x'), x: 'x'.repeat(60_000) });
    const headers = { 'content-type': 'application/json' };
    const answer = await gateway.send('/oauth/token', { method: 'POST', headers, body: large });
    expect(answer.status).toBe(413);
  });

  test('may have null for what is omitted, unknown members, and any spelling of its type', async () => {
    const scene = await createScene();
    const members = {
      ...membersOf(scene, await getCode(scene)),
      code_verifier: null,
      x: '"y":\\',
      __proto__x: '',
    };
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await sendJson(members, headers)).status).toBe(200);
  });

  test('never makes the server fail, whatever its members are', async () => {
    const scene = await createScene();
    const names = ['client_id', 'client_secret', 'grant_type', 'code', 'redirect_uri', '__proto__', 'scope'];
    const values = ['"\\u0000"', '"\\ud800"', '"é"', '""', '"a&b=c"', '{"__proto__":{}}', '1e400', '[]'];
    for (const name of names)
      for (const value of values) {
        const { [name]: _, ...rest } = membersOf(scene, 'x');
        const answer = await sendJson(`${JSON.stringify(rest).slice(0, -1)},"${name}":${value}}`);
        expect([name, value, answer.status < 500]).toEqual([name, value, true]);
      }
  });
});

describe('a client that is not legacy', () => {
  test('gets no code without PKCE', async () => {
    for (const changes of [MODERN, { ...MODERN, isPublic: true }]) {
      const scene = await createScene(changes);
      const back = requireLeft(await scene.browser.open(requestUrl(scene)));
      expect(back.searchParams.get('error')).toBe('invalid_request');
      expect(back.searchParams.get('error_description')).toContain('PKCE');
    }
  });

  const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };

  test('sends no JSON: the answer is the same as to an unknown client', async () => {
    const scene = await createScene(MODERN);
    const members = { ...membersOf(scene, await getCode(scene, PKCE)), code_verifier: VERIFIER };
    const refusals = [
      await sendJson(members),
      await sendJson({ ...members, client_id: 'nobody' }),
      await sendJson({ ...members, client_id: '\u0000' }),
      await sendJson('{"client_id":'),
    ];
    for (const { status, body } of refusals) {
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.error_description).toContain('application/x-www-form-urlencoded');
    }
    expect((await sendForm(members)).status).toBe(200);
  });

  test('sends no JSON in the name of a legacy client', async () => {
    const [legacy, modern] = [await createScene(), await createScene(MODERN)];
    const { client_id: _, client_secret: __, ...rest } = membersOf(modern, await getCode(modern, PKCE));
    const authorization = `Basic ${btoa(`${modern.id}:${modern.secret}`)}`;
    const body = { ...rest, client_id: legacy.id, code_verifier: VERIFIER };
    expect((await sendJson(body, { authorization })).body.error).toBe('invalid_request');
  });

  test('gets a short JWT and only the standard members, and nothing is ticked for changes', async () => {
    const scene = await createScene(MODERN);
    const page = await consentPageOf(scene, PKCE);
    expect(tickedOn(page)).toEqual(['account:read', 'contacts:read']);
    expect(page.text).not.toContain('legacy');
    const members = membersOf(scene, await getCode(scene, PKCE));
    const { body } = await sendForm({ ...members, code_verifier: VERIFIER });
    expect(Object.keys(body).sort()).toEqual(
      ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type'].sort(),
    );
    expect(body.access_token).toMatch(/^eyJ/);
    expect(body.expires_in).toBe(300);
    const grant = await prismaOf(gateway.app.store).oauthGrant.findFirst({ where: { clientId: scene.id } });
    expect(grant?.expiresAt).not.toBeNull();
    const account = requirePage(await scene.browser.open(`${AUTH_URL}/account`));
    expect(account.text).not.toContain('legacy');
  });

  test('cannot become legacy by registering itself, nor by what its row says', async () => {
    const answer = await gateway.send('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK], funnel_gateway_legacy: { grant_seconds: null } }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_client_metadata' }]);
    const scene = await createScene();
    await prismaOf(gateway.app.store).oauthClient.update({
      where: { id: scene.id },
      data: { dynamic: true },
    });
    const back = requireLeft(await scene.browser.open(requestUrl(scene)));
    expect(back.searchParams.get('error_description')).toContain('PKCE');
    expect((await sendJson(membersOf(scene, 'x'))).body.error_description).toContain('urlencoded');
  });
});
