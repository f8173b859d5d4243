// Our own access tokens: which are valid, what they reach, and every kind that is refused (RFC 9068 §4, RFC 8725).
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { signingKeys } from '../../src/auth/signing-keys.ts';
import type { OauthGrant } from '../../src/store/accounts/oauth-grants.ts';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import {
  bearer,
  bearerOf,
  claimsOf,
  issue,
  ownClaimsOf,
  sign,
  type TokenClaims,
} from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const LATER = new Date('2027-01-01');
const ISSUER = 'http://localhost:4000';
const INVALID = 'Access token invalid.';
const REVOKED = 'Access token revoked.';

let now = NOW;
let claims: TokenClaims;

const gateway = await ownGateway({ overrides: { clock: () => now } });
const { app } = gateway;
const teamId = (await factories.team(app, { subdomain: 'acme-team' })).id;
const shop = await factories.workspace(app, { teamId, subdomain: 'shop' });
const blog = await factories.workspace(app, { teamId, subdomain: 'blog' });
await factories.customDomain(app, shop.id, 'shop.acme.example');
await factories.workspace(app, { subdomain: 'theirs' });
const grant = await oauthGrant(app, { teamId, scopes: ['read', 'write'], expiresAt: LATER });
beforeEach(async () => {
  now = NOW;
  claims = await claimsOf(gateway.app, grant);
  await issue(gateway.app, claims, grant.key);
});

const ask = (caller: Caller, host = 'localhost:4000', path = '/api/v2/teams') =>
  gateway.send(path, { caller, host });
const seconds = (count: number) => Math.floor(NOW.getTime() / 1000) + count;

async function expectRefused(caller: Caller, detail = INVALID, host = 'localhost:4000'): Promise<void> {
  const response = await ask(caller, host);
  expect((await expectProblem(response, 'unauthenticated')).detail).toBe(detail);
  expect(response.headers.get('WWW-Authenticate')).toBe(
    `Bearer realm="Service API v2", error="invalid_token", scope="account:read", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
  );
}

async function signed(changes: JWTPayload): Promise<Caller> {
  return bearer(await sign(gateway.app, { ...claims, ...changes }));
}

test('a valid token is accepted over REST and GraphQL, and on every host of the service', async () => {
  const caller = await signed({});
  for (const host of ['localhost:4000', 'shop.localhost', 'acme-team.localhost', 'shop.acme.example']) {
    expect([host, (await ask(caller, host)).status]).toEqual([host, 200]);
  }
  const body = JSON.stringify({ query: '{ viewer { kind } }' });
  const headers = { 'Content-Type': 'application/json' };
  const response = await gateway.send('/graphql', { caller, method: 'POST', headers, body });
  expect(await json(response)).toEqual({ data: { viewer: { kind: 'OAUTH' } } });
});

describe('refuses a token that this service did not issue:', () => {
  test('one without a signature (alg none)', async () => {
    const [header = '', body = ''] = new UnsecuredJWT(claims).encode().split('.');
    const typed = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    await expectRefused(bearer(`${header}.${body}.`));
    await expectRefused(bearer(`${typed}.${body}.`));
  });

  test('one signed with our public key as if it were a secret (HS256)', async () => {
    const { published } = await signingKeys(gateway.app);
    const [jwk] = published;
    const pem = createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' });
    for (const secret of [pem.export({ type: 'spki', format: 'pem' }), JSON.stringify(jwk), jwk?.n ?? '']) {
      const header = { alg: 'HS256', typ: 'at+jwt', kid: jwk?.kid };
      const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const mac = createHmac('sha256', secret).update(text.join('.')).digest('base64url');
      await expectRefused(bearer(`${text.join('.')}.${mac}`));
    }
  });

  test.each([
    ['RS256', 'rsa'],
    ['PS256', 'rsa'],
    ['RS512', 'rsa'],
    ['ES256', 'ec'],
  ])('one signed by a stranger (%s), under our key id or with the key inside', async (alg, type) => {
    const { active } = await signingKeys(gateway.app);
    const { privateKey, publicKey } =
      type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' }) as { kty: string };
    for (const header of [{ kid: active.kid }, { kid: active.kid, jwk }, { jwk }, {}]) {
      const token = new SignJWT(claims).setProtectedHeader({ alg, typ: 'at+jwt', ...header });
      await expectRefused(bearer(await token.sign(privateKey)));
    }
  });

  test('one signed with our key by another algorithm (PS256)', async () => {
    const { active } = await signingKeys(gateway.app);
    const key = await importJWK({ ...active.privateJwk, alg: 'PS256' }, 'PS256');
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'PS256', typ: 'at+jwt', kid: active.kid });
    await expectRefused(bearer(await token.sign(key)));
  });

  test('one that refers to an unknown key', async () => {
    await expectRefused(bearer(await sign(gateway.app, claims, { kid: 'unknown' })));
  });

  test.each(['JWT', 'id_token+jwt', 'logout+jwt', ''])('one of another type (%s)', async (typ) => {
    await expectRefused(bearer(await sign(gateway.app, claims, { typ })));
  });

  test('one with an unknown critical header', async () => {
    await expectRefused(
      bearer(await sign(gateway.app, claims, { crit: ['exp'], exp: 1 } as object).catch(() => 'ab.cd.ef')),
    );
  });

  test('one with any letter changed', async () => {
    const token = await sign(gateway.app, claims);
    for (let at = 3; at < token.length - 4; at += 97) {
      const other = token[at] === 'A' ? 'B' : 'A';
      if (token[at] === '.') continue;
      const response = await ask(bearer(token.slice(0, at) + other + token.slice(at + 1)));
      expect(response.status).toBe(401);
    }
  });

  test.each([
    'ab.cd.ef',
    'e30.e30.',
    'e30.e30.e30',
    'bnVsbA.bnVsbA.bnVsbA',
    'W10.W10.W10',
    `${'x'.repeat(9_000)}.yy.zz`,
  ])('what only looks like one (%#)', async (token) => expectRefused(bearer(token)));
});

describe('refuses a token with other claims:', () => {
  test.each([
    ['another issuer', { iss: 'https://evil.example' }, 'Access token is of another issuer.'],
    ['an issuer that only looks like ours', { iss: `${ISSUER}/` }, 'Access token is of another issuer.'],
    ['another audience', { aud: 'https://evil.example' }, 'Access token is for another audience.'],
    ['no audience of ours', { aud: [] }, 'Access token is for another audience.'],
    [
      'the host of somebody else',
      { aud: 'http://theirs.localhost' },
      'Access token is for another audience.',
    ],
    ['expired', { exp: seconds(-6) }, 'Access token expired.'],
    ['not yet valid', { nbf: seconds(6) }, 'Access token is not valid yet.'],
    ['issued in the future', { iat: seconds(6) }, 'Access token is not valid yet.'],
    ['another team', { team: '999999' }, INVALID],
    ['a team that is no text', { team: 1 }, INVALID],
    ['another client', { client_id: 'somebody-else' }, INVALID],
    ['another person', { sub: 'SomebodyElse' }, INVALID],
    ['a token that was never issued', { jti: randomUUID() }, INVALID],
    ['workspaces that are no list', { workspaces: '1' }, INVALID],
    ['workspaces that are no text', { workspaces: [1] }, INVALID],
  ])('%s', async (_, changes, detail) => expectRefused(await signed(changes), detail));

  test.each(['iss', 'aud', 'exp', 'iat', 'jti', 'sub', 'client_id', 'team'])(
    'nothing of %s',
    async (name) => {
      const caller = await signed({ [name]: undefined });
      const response = await ask(caller);
      expect(response.status).toBe(401);
      expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
    },
  );

  test('clocks may differ by five seconds, and no more', async () => {
    const caller = await signed({ exp: seconds(60), nbf: seconds(5), iat: seconds(5) });
    expect((await ask(caller)).status).toBe(200);
    now = new Date(NOW.getTime() + 64_000);
    expect((await ask(caller)).status).toBe(200);
    now = new Date(NOW.getTime() + 65_000);
    await expectRefused(caller, 'Access token expired.');
  });
});

describe('the audience is the service, or the requested resource', () => {
  const on = (aud: string, host: string, path: string) =>
    signed({ aud }).then((caller) => ask(caller, host, path));

  test.each([
    [ISSUER, 'shop.localhost', '/api/v2/teams', 200],
    [`${ISSUER}/`, 'shop.localhost', '/api/v2/teams', 200],
    [`${ISSUER}/api/v2`, 'localhost:4000', '/api/v2/teams', 200],
    [`${ISSUER}/graphql`, 'localhost:4000', '/api/v2/teams', 401],
    ['http://shop.localhost', 'shop.localhost', '/api/v2/teams', 200],
    ['http://shop.localhost/', 'shop.localhost', '/api/v2/teams', 200],
    ['http://shop.localhost/api/v2', 'shop.localhost', '/api/v2/teams', 200],
    ['http://shop.localhost', 'blog.localhost', '/api/v2/teams', 401],
    ['http://shop.localhost', 'localhost:4000', '/api/v2/teams', 401],
    [ISSUER, 'shop.acme.example', '/api/v2/teams', 200],
    ['http://shop.acme.example', 'shop.acme.example', '/api/v2/teams', 401],
  ])('%s at %s%s: %i', async (aud, host, path, status) => {
    expect((await on(aud, host, path)).status).toBe(status);
  });

  test('a token may have several audiences', async () => {
    const caller = await signed({ aud: ['https://elsewhere.example', ISSUER] });
    expect((await ask(caller)).status).toBe(200);
  });
});

describe('a token reaches', () => {
  const contactsOf = (id: bigint) => `/api/v2/workspaces/${id}/contacts`;
  const namesOf = async (caller: Caller, host?: string) =>
    (await json<{ name: string }[]>(await ask(caller, host, `/api/v2/teams/${teamId}/workspaces`))).map(
      ({ name }) => name,
    );

  test('only the workspaces that were granted', async () => {
    const narrow = await oauthGrant(gateway.app, {
      teamId,
      workspaceIds: [shop.id],
      scopes: ['read'],
      expiresAt: LATER,
    });
    const caller = await bearerOf(gateway.app, narrow);
    expect(await namesOf(caller)).toEqual([shop.name]);
    expect((await ask(caller, undefined, contactsOf(shop.id))).status).toBe(200);
    expect((await ask(caller, undefined, contactsOf(blog.id))).status).toBe(404);
    expect((await ask(caller, 'blog.localhost', contactsOf(blog.id))).status).toBe(404);
  });

  test('never a workspace outside the grant, whatever the token says', async () => {
    const narrow = await oauthGrant(gateway.app, {
      teamId,
      workspaceIds: [shop.id],
      scopes: ['read'],
      expiresAt: LATER,
    });
    const wide = await bearerOf(gateway.app, narrow, { workspaces: [String(shop.id), String(blog.id)] });
    expect(await namesOf(wide)).toEqual([shop.name]);
    const all = await bearerOf(gateway.app, narrow, { workspaces: undefined });
    expect(await namesOf(all)).toEqual([shop.name]);
    const other = await bearerOf(gateway.app, narrow, { workspaces: [String(blog.id), 'x', '9'.repeat(40)] });
    expect(await namesOf(other)).toEqual([]);
  });

  test('fewer workspaces than were granted, if the token lists fewer', async () => {
    expect(await namesOf(await signed({ workspaces: [String(blog.id)] }))).toEqual([blog.name]);
  });

  test('nothing on the host of another team', async () => {
    const caller = await signed({});
    expect(await json(await ask(caller, 'theirs.localhost'))).toEqual([]);
    expect((await ask(caller, 'theirs.localhost', `/api/v2/teams/${teamId}`)).status).toBe(404);
    expect((await ask(caller, 'theirs.localhost', contactsOf(shop.id))).status).toBe(404);
  });

  test('nothing that its scopes do not cover', async () => {
    const caller = await signed({ scope: 'contacts:read' });
    const response = await ask(caller);
    await expectProblem(response, 'insufficient_scope');
    expect(response.headers.get('WWW-Authenticate')).toContain(
      'error="insufficient_scope", scope="account:read"',
    );
    expect((await ask(caller, undefined, contactsOf(shop.id))).status).toBe(200);
  });

  test('nothing at all without scopes', async () => {
    for (const scope of [undefined, '', 'openid'])
      expect((await ask(await signed({ scope }))).status).toBe(403);
  });

  test('no scope beyond the grant, whatever the token says', async () => {
    const little = await oauthGrant(gateway.app, { teamId, scopes: ['contacts:read'], expiresAt: LATER });
    const caller = await bearerOf(gateway.app, little, { scope: 'read contacts:read account:read' });
    expect((await ask(caller)).status).toBe(403);
    expect((await ask(caller, undefined, contactsOf(shop.id))).status).toBe(200);
  });

  test('no scope that the person can no longer grant', async () => {
    const theirs = await oauthGrant(gateway.app, {
      teamId,
      scopes: ['account:write', 'write', 'read'],
      role: 'owner',
      expiresAt: LATER,
    });
    const caller = await bearerOf(gateway.app, theirs);
    const scopes = async () => {
      const body = JSON.stringify({ query: '{ viewer { scopes } }' });
      const headers = { 'Content-Type': 'application/json' };
      const response = await gateway.send('/graphql', { caller, method: 'POST', headers, body });
      return (await json<{ data: { viewer: { scopes: string[] } } }>(response)).data.viewer.scopes;
    };
    expect(await scopes()).toEqual(['account:write', 'read', 'write']);
    const member = { userId: theirs.userId, teamId };
    await prismaOf(gateway.app.store).teamMember.update({
      where: { userId_teamId: member },
      data: { role: 'member' },
    });
    expect(await scopes()).toEqual(['read']);
  });
});

describe('the token of a client that acts for itself', () => {
  const bearerFor = async (workspaceIds: bigint[] = [], team: bigint | null = teamId) => {
    const { app } = gateway;
    const tenancy = { teamId: team, workspaceIds, wholeTeam: workspaceIds.length === 0 };
    const { clientSecret: _, ...client } = await factories.oauthClient(app, tenancy);
    const own = ownClaimsOf(app, client, 'read');
    await issue(app, own, null);
    return { client, caller: bearer(await sign(app, own)) };
  };

  test('reaches the client’s team, or the workspaces that the client is limited to', async () => {
    const whole = await bearerFor();
    expect((await ask(whole.caller, undefined, `/api/v2/workspaces/${blog.id}`)).status).toBe(200);
    const narrow = await bearerFor([shop.id]);
    expect((await ask(narrow.caller, undefined, `/api/v2/workspaces/${shop.id}`)).status).toBe(200);
    expect((await ask(narrow.caller, undefined, `/api/v2/workspaces/${blog.id}`)).status).toBe(404);
  });

  test('is refused once it is disabled, or has no team', async () => {
    const { client, caller } = await bearerFor();
    await prismaOf(gateway.app.store).oauthClient.update({
      where: { id: client.id },
      data: { disabledAt: NOW },
    });
    await expectRefused(caller, REVOKED);
    await expectRefused((await bearerFor([], null)).caller, REVOKED);
  });
});

describe('a token ends with the key, grant, person or client behind it:', () => {
  test.each<[string, (of: OauthGrant & { jti: string }) => Promise<unknown>]>([
    [
      'the token is revoked',
      ({ jti }) => prisma().oauthAccessToken.update({ where: { jti }, data: { revokedAt: NOW } }),
    ],
    [
      'the grant is revoked',
      ({ id }) => prisma().oauthGrant.update({ where: { id }, data: { revokedAt: NOW } }),
    ],
    [
      'the grant has expired',
      ({ id }) => prisma().oauthGrant.update({ where: { id }, data: { expiresAt: NOW } }),
    ],
    [
      'the grant was never finished',
      ({ id }) => prisma().oauthGrant.update({ where: { id }, data: { teamId: null } }),
    ],
    [
      'the person is disabled',
      ({ userId }) => prisma().user.update({ where: { id: userId }, data: { disabledAt: NOW } }),
    ],
    ['the person has left the team', ({ userId }) => prisma().teamMember.deleteMany({ where: { userId } })],
    [
      'the client is disabled',
      ({ clientId }) => prisma().oauthClient.update({ where: { id: clientId }, data: { disabledAt: NOW } }),
    ],
  ])('%s', async (_, end) => {
    const mine = await oauthGrant(gateway.app, { teamId, scopes: ['read'], expiresAt: LATER });
    const caller = await bearerOf(gateway.app, mine);
    expect((await ask(caller)).status).toBe(200);
    await end({ ...mine, jti: caller.jti });
    await expectRefused(caller, REVOKED);
  });

  test('the grant, the person or the client is deleted', async () => {
    const mine = await oauthGrant(gateway.app, { teamId, scopes: ['read'], expiresAt: LATER });
    const caller = await bearerOf(gateway.app, mine);
    await prisma().user.delete({ where: { id: mine.userId } });
    await expectRefused(caller);
  });
  const prisma = () => prismaOf(gateway.app.store);
});
