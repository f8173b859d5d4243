// The well-known documents (spec §5 rule 5, RFC 9728, RFC 8414).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/auth/scopes.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { json } from '../support/walk.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';
let gateway: Gateway;

beforeAll(async () => {
  gateway = await createGateway();
  const team = await factories.team(gateway.app, { subdomain: 'acme-team' });
  const workspace = await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'shop' });
  await factories.customDomain(gateway.app, workspace.id, 'shop.acme.example');
});
afterAll(() => gateway.close());

test('both documents are public JSON, the same on every owned host', async () => {
  for (const path of [RESOURCE, SERVER]) {
    const texts = [];
    for (const host of ['localhost:4000', '127.0.0.1', 'shop.localhost', 'acme-team.localhost']) {
      const response = await gateway.send(path, { host });
      expect([host, response.status]).toEqual([host, 200]);
      expect(response.headers.get('Content-Type')).toBe('application/json');
      texts.push(await response.text());
    }
    expect(new Set(texts).size).toBe(1);
  }
});

test('the protected resource document has the vocabulary that services check by', async () => {
  const document = await json<Record<string, unknown>>(await gateway.send(RESOURCE));
  expect(document).toEqual({
    resource: 'http://localhost:4000',
    resource_name: 'Service API v2',
    scopes_supported: [
      ...['account', 'contacts', 'funnels', 'store', 'webhooks'].flatMap((name) => [
        `${name}:read`,
        `${name}:write`,
      ]),
      'read',
      'write',
    ],
    bearer_methods_supported: ['header'],
  });
});

test('the authorization server document names its issuer and offers no grant', async () => {
  expect(await json(await gateway.send(SERVER))).toEqual({
    issuer: 'http://localhost:4000',
    scopes_supported: [...SCOPES],
    response_types_supported: [],
    grant_types_supported: [],
  });
});

test('on a custom domain neither is there', async () => {
  for (const path of [RESOURCE, SERVER]) {
    expect((await gateway.send(path, { host: 'shop.acme.example' })).status).toBe(404);
  }
});

test('below an AUTH_URL with a path they are below that path, where the challenge says', async () => {
  const below = await createGateway({ env: { AUTH_URL: 'http://localhost:4000/auth/' } });
  const response = await below.send('/api/v2/teams');
  const challenge = response.headers.get('WWW-Authenticate') ?? '';
  const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  expect(url).toBe('http://localhost:4000/auth/.well-known/oauth-protected-resource');
  expect(await json(await below.send(new URL(url).pathname))).toMatchObject({
    resource: 'http://localhost:4000/auth',
  });
  expect((await below.send(RESOURCE)).status).toBe(404);
  await below.close();
});
