// Tokens of an external issuer (OAUTH_ISSUER): its published keys, the meaning of its claims here, and its downtime (RFC 8414, RFC 7517).
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createIssuerKeys } from '../../src/auth/issuer-keys.ts';
import type { OutsideIssuer } from '../../src/config/oauth.ts';
import type { Server } from '../../src/http/server.ts';
import * as factories from '../support/factories.ts';
import { createCheckedServer, createGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const ISSUER = 'https://login.example/tenant';
const AUDIENCE = 'https://api.example';
const METADATA = 'https://login.example/.well-known/oauth-authorization-server/tenant';
const OIDC_METADATA = 'https://login.example/tenant/.well-known/openid-configuration';
const KEYS = 'https://login.example/keys';
const INVALID = 'Access token invalid.';

/** Claims in any form: an issuer may send anything. */
type Claims = Record<string, unknown>;
type Answer = unknown | (() => Response | Promise<Response>);

let now = NOW;
let server: Server;
/** The issuer's answers by address, and its requests. */
let answers: Record<string, Answer>;
let asked: { url: string; init: RequestInit | undefined }[] = [];

const issuerFetch: typeof fetch = async (input, init) => {
  const url = String(input);
  asked.push({ url, init });
  const answer = answers[url];
  if (typeof answer === 'function') return answer();
  return answer === undefined ? new Response('nothing', { status: 404 }) : Response.json(answer);
};

async function newKey(alg: string, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } as JWK };
}

const base = await createGateway({
  env: { OAUTH_ISSUER: ISSUER, OAUTH_AUDIENCE: AUDIENCE },
  overrides: { clock: () => now, fetch: issuerFetch },
});
const team = await factories.team(base.app);
const shop = await factories.workspace(base.app, { teamId: team.id, subdomain: 'shop' });
const blog = await factories.workspace(base.app, { teamId: team.id, subdomain: 'blog' });
const [first, second] = await Promise.all([newKey('RS256', 'one'), newKey('ES256', 'two')]);
beforeEach(() => {
  now = NOW;
  asked = [];
  answers = {
    [METADATA]: { issuer: ISSUER, jwks_uri: KEYS },
    [KEYS]: { keys: [first.jwk] },
  };
  base.logLines.length = 0;
  restart();
});
afterAll(() => base.close());

/** A process that has requested no key yet, on the same database. */
function restart(claimNames: Partial<OutsideIssuer> = {}): void {
  const { app } = base;
  const { outside } = app.config.oauth;
  if (outside === null) throw new Error('no outside issuer');
  const oauth = { ...app.config.oauth, outside: { ...outside, ...claimNames } };
  const issuerKeys = createIssuerKeys({ issuer: ISSUER, fetch: issuerFetch, clock: app.clock, log: app.log });
  server = createCheckedServer({ ...app, config: { ...app.config, oauth }, issuerKeys });
}

const seconds = (count: number) => Math.floor(NOW.getTime() / 1000) + count;

function claims(changes: Claims = {}): Claims {
  const about = { iss: ISSUER, aud: AUDIENCE, sub: 'someone', azp: 'platform', jti: randomUUID() };
  return { ...about, iat: seconds(0), exp: seconds(7_200), team: team.publicId, scope: 'read', ...changes };
}

const sign = (changes: Claims = {}, { alg, kid, privateKey } = first, header: object = {}) =>
  new SignJWT(claims(changes)).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey);

function ask(token: string, path = '/api/v2/teams', host = 'localhost:4000', init: RequestInit = {}) {
  const headers = { ...init.headers, Authorization: `Bearer ${token}` };
  return server.fetch(new Request(`http://${host}${path}`, { ...init, headers }));
}

async function expectRefused(token: string, detail = INVALID): Promise<void> {
  const response = await ask(token);
  expect((await expectProblem(response, 'unauthenticated')).detail).toBe(detail);
  expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
}

async function expectUnavailable(token: string): Promise<void> {
  const response = await ask(token);
  expect((await expectProblem(response, 'unavailable')).detail).toBe(
    'The issuer of access tokens does not answer with its keys. Try again shortly.',
  );
  expect(response.headers.get('Retry-After')).toBe('5');
  expect(response.headers.get('WWW-Authenticate')).toBeNull();
}

const unreachable = () => {
  throw new TypeError('fetch failed');
};
const counts = (url: string) => asked.filter((request) => request.url === url).length;
const workspaceNames = async (token: string) =>
  (await json<{ name: string }[]>(await ask(token, `/api/v2/teams/${team.id}/workspaces`))).map(
    ({ name }) => name,
  );

describe('what the claims mean', () => {
  test('the team by public id or id, as text or number', async () => {
    for (const id of [team.publicId, String(team.id), Number(team.id)]) {
      const teams = await json<{ id: number }[]>(await ask(await sign({ team: id })));
      expect(teams.map((row) => row.id)).toEqual([Number(team.id)]);
    }
  });

  test('a token acts as the service user of its team, whatever its subject is', async () => {
    const { publicId } = await prismaOf(base.app.store).user.findUniqueOrThrow({
      where: { serviceTeamId: team.id },
    });
    const person = await factories.user(base.app, { teamId: team.id });
    for (const sub of ['someone', person.publicId])
      expect(await json(await ask(await sign({ sub, scope: '' }), '/api/v2/me'))).toMatchObject({
        public_id: publicId,
        email: '',
        first_name: team.name,
      });
  });

  test('the workspaces by public id or id; none that is not the team’s', async () => {
    const theirs = await factories.workspace(base.app);
    const workspaces = [blog.publicId, Number(shop.id), String(theirs.id), 'unknown'];
    expect(await workspaceNames(await sign({ workspaces }))).toEqual([shop.name, blog.name]);
    expect(await workspaceNames(await sign({ workspaces: [theirs.publicId] }))).toEqual([]);
    expect(await workspaceNames(await sign({ workspaces: [] }))).toEqual([]);
    expect(await workspaceNames(await sign())).toEqual([shop.name, blog.name]);
  });

  test('a token that names workspaces does not change the team, on any host', async () => {
    const body = JSON.stringify({ name: team.name });
    const init = { method: 'PUT', body, headers: { 'Content-Type': 'application/json' } };
    const change = (token: string, host: string) => ask(token, `/api/v2/teams/${team.id}`, host, init);
    const whole = await sign({ scope: 'account:write' });
    for (const host of ['localhost:4000', 'shop.localhost:4000', 'blog.localhost:4000']) {
      for (const workspaces of [[shop.publicId], []]) {
        const limited = await sign({ scope: 'account:write', workspaces });
        await expectProblem(await change(limited, host), 'insufficient_scope');
      }
      expect((await change(whole, host)).status).toBe(200);
    }
  });

  test('the scopes as text or as a list, known ones only', async () => {
    for (const scope of ['openid account:read', ['openid', 'account:read']]) {
      expect((await ask(await sign({ scope }))).status).toBe(200);
    }
    for (const scope of [undefined, '', 'openid', 1, ['openid', 1], { read: true }]) {
      expect((await ask(await sign({ scope }))).status).toBe(403);
    }
  });

  test('are read under the names that the configuration has', async () => {
    restart({ teamClaim: 'https://example/team', workspacesClaim: 'shops', scopesClaim: 'permissions' });
    const mapped = { 'https://example/team': team.publicId, shops: [shop.publicId], permissions: ['read'] };
    expect(await workspaceNames(await sign({ ...mapped, team: 'unknown', scope: 'nothing' }))).toEqual([
      shop.name,
    ]);
  });

  test('the host narrows what the claims grant', async () => {
    const token = await sign({ workspaces: [shop.publicId] });
    expect((await ask(token, `/api/v2/workspaces/${shop.id}/contacts`, 'shop.localhost')).status).toBe(200);
    expect((await ask(token, `/api/v2/workspaces/${blog.id}/contacts`, 'blog.localhost')).status).toBe(404);
  });

  test('viewer shows whose token it is', async () => {
    const body = JSON.stringify({
      query:
        '{ viewer { kind name issuer client { clientId name } user { emailAddress } scopes expiresAt } }',
    });
    const headers = { 'Content-Type': 'application/json' };
    const response = await ask(await sign(), '/graphql', 'localhost:4000', { method: 'POST', headers, body });
    expect(await json(response)).toEqual({
      data: {
        viewer: {
          kind: 'OAUTH',
          name: 'platform',
          issuer: ISSUER,
          client: { clientId: 'platform', name: null },
          user: null,
          scopes: ['read'],
          expiresAt: '2026-06-01T14:00:00.000Z',
        },
      },
    });
  });
});

describe('a token is refused', () => {
  test.each<[string, Claims, string]>([
    ['of another issuer', { iss: 'https://evil.example' }, 'Access token is of another issuer.'],
    ['for another audience', { aud: 'https://other.example' }, 'Access token is for another audience.'],
    ['without audience', { aud: undefined }, 'Access token is for another audience.'],
    ['that has expired', { exp: seconds(-6) }, 'Access token expired.'],
    ['that is not valid yet', { nbf: seconds(60) }, 'Access token is not valid yet.'],
    ['from the future', { iat: seconds(60) }, 'Access token is not valid yet.'],
    ['without expiry', { exp: undefined }, INVALID],
    ['without a team', { team: undefined }, 'Access token has no team in its claim team.'],
    ['with a team of another form', { team: ['1'] }, 'Access token has no team in its claim team.'],
    ['for a team that is not here', { team: '999999' }, 'Access token is for no team of this service.'],
    [
      'with workspaces that are no list',
      { workspaces: '1' },
      'Access token has no list of workspaces in its claim workspaces.',
    ],
  ])('%s', async (_, changes, detail) => expectRefused(await sign(changes), detail));

  test('without a signature, or signed with the public key as a secret', async () => {
    const body = new UnsecuredJWT(claims()).encode();
    await expectRefused(body);
    const secret = new TextEncoder().encode(JSON.stringify(first.jwk));
    const mac = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'one' });
    await expectRefused(await mac.sign(secret));
  });

  test('signed with a shared secret that the issuer publishes by mistake', async () => {
    const secret = Buffer.alloc(32, 1);
    answers[KEYS] = {
      keys: [first.jwk, { kty: 'oct', kid: 'shared', alg: 'HS256', k: secret.toString('base64url') }],
    };
    const token = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'shared' });
    await expectRefused(await token.sign(secret));
  });

  test('signed by a key of this service, which is not an issuer then', async () => {
    await expectRefused(await sign({ iss: base.app.config.authUrl }), 'Access token is of another issuer.');
  });

  test('that is a JWT for something else', async () => {
    await expectRefused(await sign({}, first, { typ: 'logout+jwt' }), 'This is a JWT, but no access token.');
    for (const typ of ['JWT', 'application/at+jwt', undefined]) {
      expect((await ask(await sign({}, first, { typ }))).status).toBe(200);
    }
  });

  test('API keys remain valid with an external issuer', async () => {
    const key = await factories.apiKey(base.app, { teamId: team.id });
    expect((await ask(key.token)).status).toBe(200);
    expect(asked).toEqual([]);
  });
});

describe('the keys of the issuer', () => {
  test('are requested once, also by many concurrent requests', async () => {
    const token = await sign();
    const responses = await Promise.all(Array.from({ length: 10 }, () => ask(token)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(asked.map(({ url }) => url)).toEqual([METADATA, KEYS]);
  });

  test('are found through OpenID metadata if there is no OAuth metadata', async () => {
    answers = { [OIDC_METADATA]: answers[METADATA], [KEYS]: answers[KEYS] };
    expect((await ask(await sign())).status).toBe(200);
    expect(asked.map(({ url }) => url)).toEqual([METADATA, OIDC_METADATA, KEYS]);
  });

  test('are requested again for an unknown key id, but not for every such token', async () => {
    expect((await ask(await sign())).status).toBe(200);
    answers[KEYS] = { keys: [first.jwk, second.jwk] };
    await expectRefused(await sign({}, second));
    expect(counts(KEYS)).toBe(1);
    now = new Date(NOW.getTime() + 30_000);
    expect((await ask(await sign({}, second))).status).toBe(200);
    for (let times = 0; times < 5; times++)
      await expectRefused(await sign({}, { ...second, kid: `no-${times}` }));
    expect(counts(KEYS)).toBe(2);
  });

  test('that the issuer has withdrawn are accepted for ten minutes at most', async () => {
    expect((await ask(await sign())).status).toBe(200);
    answers[KEYS] = { keys: [second.jwk] };
    now = new Date(NOW.getTime() + 600_000);
    await expectRefused(await sign());
  });

  test('that are unavailable cause 503 with Retry-After, never 401, and the issuer is not asked again for a while', async () => {
    answers[METADATA] = unreachable;
    await expectUnavailable(await sign());
    await expectUnavailable(await sign({}, { ...first, kid: 'invented' }));
    expect(asked).toHaveLength(1);
    now = new Date(NOW.getTime() + 5_000);
    answers[METADATA] = { issuer: ISSUER, jwks_uri: KEYS };
    expect((await ask(await sign())).status).toBe(200);
  });

  test('that are cached are accepted for an hour while the issuer is down; unknown ones cause 503', async () => {
    expect((await ask(await sign())).status).toBe(200);
    answers[METADATA] = unreachable;
    now = new Date(NOW.getTime() + 3_599_000);
    expect((await ask(await sign())).status).toBe(200);
    await expectUnavailable(await sign({}, second));
    now = new Date(NOW.getTime() + 3_606_000);
    await expectUnavailable(await sign());
  });

  test.each<[string, Record<string, Answer>]>([
    ['metadata of another issuer', { [METADATA]: { issuer: 'https://evil.example', jwks_uri: KEYS } }],
    ['no metadata', {}],
    ['metadata without keys', { [METADATA]: { issuer: ISSUER } }],
    ['metadata that is no JSON', { [METADATA]: () => new Response('<html>') }],
    ['a failure', { [METADATA]: () => new Response('', { status: 500 }) }],
    ['no keys', { [METADATA]: { issuer: ISSUER, jwks_uri: KEYS } }],
    ['keys that are no list', { [METADATA]: { issuer: ISSUER, jwks_uri: KEYS }, [KEYS]: { keys: 'x' } }],
    ['null', { [METADATA]: { issuer: ISSUER, jwks_uri: KEYS }, [KEYS]: () => Response.json(null) }],
    ['an endless answer', { [METADATA]: () => new Response('x'.repeat(300_000)) }],
  ])('%s: 503', async (_, given) => {
    answers = given;
    await expectUnavailable(await sign());
    const [line = ''] = base.logLines.filter((text) => text.includes('no keys from the issuer'));
    expect(line).toContain(ISSUER);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/keys',
    'http://login.example/keys',
    'http://localhost/keys',
    'file:///etc/passwd',
  ])('are never asked for where only we can go: %s', async (uri) => {
    answers = { [METADATA]: { issuer: ISSUER, jwks_uri: uri }, [uri]: { keys: [first.jwk] } };
    await expectUnavailable(await sign());
    expect(asked.map(({ url }) => url)).toEqual([METADATA]);
  });

  test('are found on another host if the metadata says so', async () => {
    const uri = 'https://keys.login.example/v3/certs';
    answers = { [METADATA]: { issuer: ISSUER, jwks_uri: uri }, [uri]: { keys: [first.jwk] } };
    expect((await ask(await sign())).status).toBe(200);
  });

  test('no redirect is followed, and no request waits forever', async () => {
    await ask(await sign());
    expect(asked.map(({ init }) => init?.redirect)).toEqual(['error', 'error']);
    expect(asked.every(({ init }) => init?.signal instanceof AbortSignal)).toBe(true);
  });
});
