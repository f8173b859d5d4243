// The protected resource's metadata (spec §5 rules 5-7, RFC 9728), as strict clients read it.
import {
  allowInsecureRequests,
  customFetch,
  processResourceDiscoveryResponse,
  resourceDiscoveryRequest,
} from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { isResource } from '../../src/auth/protected-resources.ts';
import * as factories from '../support/factories.ts';
import { createGateway, ownGateway } from '../support/gateway.ts';
import { json } from '../support/walk.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';

const gateway = await ownGateway();
const team = await factories.team(gateway.app, { subdomain: 'acme-team' });
const workspace = await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'shop' });
await factories.customDomain(gateway.app, workspace.id, 'shop.acme.example');

const resourceOf = async (response: Response) => (await json<{ resource: string }>(response)).resource;

test('the document under AUTH_URL has the scopes that services check, and the issuer of tokens', async () => {
  const response = await gateway.send(RESOURCE);
  expect(response.headers.get('Content-Type')).toBe('application/json');
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(await json(response)).toEqual({
    resource: 'http://localhost:4000',
    resource_name: 'Service API v2',
    authorization_servers: ['http://localhost:4000'],
    scopes_supported: [
      ...[
        'account',
        'blogs',
        'contacts',
        'courses',
        'emails',
        'forms',
        'funnels',
        'sales',
        'store',
        'webhooks',
      ].flatMap((name) => [`${name}:read`, `${name}:write`]),
      'read',
      'write',
    ],
    bearer_methods_supported: ['header'],
  });
});

describe('each document names the resource that its URL implies', () => {
  test.each([
    ['localhost:4000', '', 'http://localhost:4000'],
    ['localhost:4000', '/api/v2', 'http://localhost:4000/api/v2'],
    ['localhost:4000', '/graphql', 'http://localhost:4000/graphql'],
    ['127.0.0.1', '', 'http://127.0.0.1'],
    ['accounts.localhost:4000', '', 'http://accounts.localhost:4000'],
    ['accounts.localhost', '/api/v2', 'http://accounts.localhost/api/v2'],
    ['shop.localhost', '', 'http://shop.localhost'],
    ['shop.localhost:8080', '/api/v2', 'http://shop.localhost:8080/api/v2'],
    ['acme-team.localhost', '/graphql', 'http://acme-team.localhost/graphql'],
  ])('%s%s: %s', async (host, path, resource) => {
    expect(await resourceOf(await gateway.send(RESOURCE + path, { host }))).toBe(resource);
  });

  test('so that a strict client accepts it, whichever resource it starts from', async () => {
    const fetchHere = (url: string, { method }: { readonly method: string }) => {
      const { host, pathname } = new URL(url);
      return gateway.send(pathname, { host, method });
    };
    for (const origin of [
      'http://localhost:4000',
      'http://accounts.localhost:4000',
      'http://shop.localhost',
      'http://acme-team.localhost',
    ]) {
      for (const path of ['', '/api/v2', '/graphql']) {
        const url = new URL(origin + path);
        const response = await resourceDiscoveryRequest(url, {
          [customFetch]: fetchHere,
          [allowInsecureRequests]: true,
        });
        const document = await processResourceDiscoveryResponse(url, response);
        expect(document.authorization_servers).toEqual(['http://localhost:4000']);
      }
    }
  });

  test('and a client can request a token for each of them, and for nothing else', async () => {
    const good = [
      'http://localhost:4000',
      'http://localhost:4000/',
      'http://accounts.localhost/api/v2',
      'http://shop.localhost/api/v2',
      'http://acme-team.localhost/graphql',
      'https://shop.localhost',
    ];
    const bad = [
      'https://evil.example',
      'http://shop.acme.example',
      'http://nobody.localhost',
      'http://shop.localhost/other',
      'http://shop.localhost/api/v2?x=1',
      'http://shop.localhost/api/v2#x',
      'http://localhost:4000@evil.example',
      'http://user@shop.localhost',
      'http://SHOP.localhost',
      'http://shop.localhost/../graphql',
      'http://shop.localhost//',
      'ftp://shop.localhost',
      'shop.localhost',
      '',
      '/',
    ];
    const answers = (uris: string[]) => Promise.all(uris.map((uri) => isResource(gateway.app, uri)));
    expect(await answers(good)).toEqual(good.map(() => true));
    expect(await answers(bad)).toEqual(bad.map(() => false));
  });
});

test.each(['/other', '/api/v2/teams', '/api', '/', '/api/v2/'])('there is none for %s', async (path) => {
  expect((await gateway.send(RESOURCE + path)).status).toBe(404);
});

test('a custom domain has no document, and an unknown host gets 421', async () => {
  for (const path of ['', '/api/v2', '/graphql']) {
    expect((await gateway.send(RESOURCE + path, { host: 'shop.acme.example' })).status).toBe(404);
    expect((await gateway.send(RESOURCE + path, { host: 'evil.example' })).status).toBe(421);
  }
});

test('a forwarded host from an untrusted peer changes nothing', async () => {
  const headers = {
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
    Forwarded: 'host=evil.example',
  };
  expect(await resourceOf(await gateway.send(RESOURCE, { headers }))).toBe('http://localhost:4000');
});

test('with a path in AUTH_URL, the document is where the challenge and RFC 9728 say', async () => {
  const below = await createGateway({ env: { AUTH_URL: 'http://localhost:4000/auth/' } });
  const response = await below.send('/api/v2/teams');
  const challenge = response.headers.get('WWW-Authenticate') ?? '';
  const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  expect(url).toBe('http://localhost:4000/auth/.well-known/oauth-protected-resource');
  for (const path of [new URL(url).pathname, `${RESOURCE}/auth`]) {
    expect(await json(await below.send(path))).toMatchObject({
      resource: 'http://localhost:4000/auth',
      authorization_servers: ['http://localhost:4000/auth'],
    });
  }
  expect(await resourceOf(await below.send(RESOURCE))).toBe('http://localhost:4000');
  await below.close();
});

test('resources have https if the service has, even if a proxy terminates TLS', async () => {
  const behind = await createGateway({
    env: { AUTH_URL: 'https://auth.example.com', SERVICE_HOST: 'example.com' },
  });
  const at = async (host: string) => resourceOf(await behind.send(RESOURCE, { host }));
  expect(await at('auth.example.com')).toBe('https://auth.example.com');
  expect(await at('example.com')).toBe('https://example.com');
  await behind.close();
});

test('with an external issuer, the document names that issuer', async () => {
  const env = { OAUTH_ISSUER: 'https://login.example/tenant/' };
  const outside = await createGateway({ env });
  expect(await json(await outside.send(RESOURCE))).toMatchObject({
    resource: 'http://localhost:4000',
    authorization_servers: ['https://login.example/tenant/'],
  });
  await outside.close();
});
