// Specification §5, rule by rule. (Rule 3, OAuth, is not served yet: the documents of rule 5 offer no grant.)
import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/auth/tokens.ts';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { allIds, json, walk } from '../support/walk.ts';

const AUTH_URL = 'https://auth.service.example';

const gateway = await ownGateway({ env: { SERVICE_HOST: 'service.example', AUTH_URL } });
const teamId = (await factories.team(gateway.app)).id;
const workspace = await factories.workspace(gateway.app, { teamId, subdomain: 'acme' });
await factories.customDomain(gateway.app, workspace.id, 'shop.acme.example');
const full = await factories.apiKey(gateway.app, { teamId });

const send = (path: string, caller: Caller, host = 'service.example', headers = {}) =>
  gateway.send(path, { caller, host, headers });
const withScopes = (...scopes: string[]) => factories.apiKey(gateway.app, { teamId, scopes });
const challengeOf = async (path: string, caller: Caller, host?: string) =>
  (await send(path, caller, host)).headers.get('WWW-Authenticate');

describe('spec §5 rule 1: Authorization: Bearer <API_KEY>', () => {
  test('is accepted, with or without a User-Agent', async () => {
    for (const headers of [{}, { 'User-Agent': 'Integration/1.0' }]) {
      expect((await send('/api/v2/teams', full, undefined, headers)).status).toBe(200);
    }
  });

  test('is the only way in', async () => {
    const { token } = await withScopes('read');
    const others = [
      { 'X-Api-Key': token },
      { Cookie: `token=${token}` },
      { 'Proxy-Authorization': `Bearer ${token}` },
    ];
    for (const headers of others) {
      expect((await send('/api/v2/teams', anonymous, undefined, headers)).status).toBe(401);
    }
    for (const query of [`?access_token=${token}`, `?api_key=${token}`]) {
      expect((await send(`/api/v2/teams${query}`, anonymous)).status).toBe(401);
    }
  });
});

test('spec §5 rule 2: a default access token of a team gives access to the data of all its workspaces', async () => {
  const prisma = prismaOf(gateway.app.store);
  const key = await withScopes('read');
  await prisma.apiKey.update({ where: { id: key.id }, data: { isDefault: true } });
  const second = await factories.workspace(gateway.app, { teamId });
  const pages = await walk(gateway, `/api/v2/teams/${teamId}/workspaces`, {
    caller: key,
    host: 'service.example',
  });
  expect(allIds(pages)).toEqual([workspace.id, second.id]);
  for (const { id } of [workspace, second]) {
    expect((await send(`/api/v2/workspaces/${id}/contacts`, key)).status).toBe(200);
  }
});

describe('spec §5 rule 4: scopes are per category, and the wildcards cover all', () => {
  test.each([
    [['contacts:read'], 200],
    [['read'], 200],
    [['contacts:write'], 403],
    [['write'], 403],
    [['store:read', 'funnels:read', 'account:read', 'webhooks:read'], 403],
  ])('a key with %j reads contacts: %i', async (scopes, status) => {
    const response = await send(`/api/v2/workspaces/${workspace.id}/contacts`, await withScopes(...scopes));
    expect(response.status).toBe(status);
  });
});

describe('spec §5 rule 5: the well-known documents', () => {
  const category = /^[a-z]+:(read|write)$/;

  test('/.well-known/oauth-protected-resource publishes the scope vocabulary (RFC 9728)', async () => {
    const document = await json<Record<string, unknown> & { scopes_supported: string[] }>(
      await send('/.well-known/oauth-protected-resource', anonymous, 'auth.service.example'),
    );
    expect(document).toMatchObject({ resource: AUTH_URL, bearer_methods_supported: ['header'] });
    const { scopes_supported: scopes } = document;
    expect(scopes).toEqual(
      expect.arrayContaining(['contacts:read', 'contacts:write', 'store:write', 'read', 'write']),
    );
    expect(scopes.filter((scope) => !category.test(scope))).toEqual(['read', 'write']);
  });

  test('/.well-known/oauth-authorization-server is published too (RFC 8414)', async () => {
    const response = await send('/.well-known/oauth-authorization-server', anonymous, 'auth.service.example');
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({ issuer: AUTH_URL, response_types_supported: ['code'] });
  });
});

const RESOURCE_METADATA = `resource_metadata="${AUTH_URL}/.well-known/oauth-protected-resource"`;

describe.each(['service.example', 'acme.service.example'])('spec §5 rule 6: on the owned host %s', (host) => {
  const challenge = (scope: string) =>
    `Bearer realm="Service API v2", error="insufficient_scope", scope="${scope}", ${RESOURCE_METADATA}`;

  test('missing credentials get the challenge, byte for byte', async () => {
    expect(await challengeOf('/api/v2/teams', anonymous, host)).toBe(challenge('account:read'));
    const contacts = `/api/v2/workspaces/${workspace.id}/contacts`;
    expect(await challengeOf(contacts, anonymous, host)).toBe(challenge('contacts:read'));
  });

  test('insufficient credentials get the same challenge', async () => {
    const weak = await withScopes('account:write', 'contacts:read');
    expect(await challengeOf('/api/v2/teams', weak, host)).toBe(challenge('account:read'));
  });

  test('an invalid credential gets invalid_token (RFC 6750 §3.1)', async () => {
    const bad = { authorization: `Bearer ${createToken().token}` };
    const expected = `Bearer realm="Service API v2", error="invalid_token", scope="account:read", ${RESOURCE_METADATA}`;
    expect(await challengeOf('/api/v2/teams', bad, host)).toBe(expected);
  });

  test('a successful answer has no challenge', async () => {
    expect(await challengeOf('/api/v2/teams', full, host)).toBeNull();
    expect(await challengeOf('/api/v2/teams/0', full, host)).toBeNull();
  });
});

describe("spec §5 rule 7: on a customer's custom domain", () => {
  const host = 'shop.acme.example';

  test('the Bearer challenge stays, without resource_metadata', async () => {
    const expected = 'Bearer realm="Service API v2", error="insufficient_scope", scope="account:read"';
    expect(await challengeOf('/api/v2/teams', anonymous, host)).toBe(expected);
    expect(await challengeOf('/api/v2/teams', await withScopes('contacts:read'), host)).toBe(expected);
  });

  test('no other discovery link is present either', async () => {
    const response = await send('/api/v2/teams', anonymous, host);
    const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
    expect(text).not.toContain('well-known');
    expect(text).not.toContain('auth.service.example');
    for (const name of ['oauth-protected-resource', 'oauth-authorization-server']) {
      expect((await send(`/.well-known/${name}`, anonymous, host)).status).toBe(404);
    }
  });
});
