// Programs of others against a gateway on a port: openid-client, and the conformance suite's `authorization` scenarios.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as client from 'openid-client';
import { afterAll, expect, test } from 'vitest';
import { listen } from '../../src/http/listener.ts';
import * as clients from '../../src/services/operator/oauth-clients.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { allow, Browser, requireLeft, requirePage, signIn } from '../support/oauth.ts';

const CONFORMANCE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const execute = [client.allowInsecureRequests];

const gateway = await createGateway({ env: { PORT: '0' } });
const listener = await listen(gateway.app);
const issuer = `http://localhost:${listener.port}`;
afterAll(async () => {
  await listener.close();
  await gateway.close();
});

/** A team and its owner, in a browser of their own that goes where it is sent. */
async function createPerson() {
  const { id: teamId } = await factories.team(gateway.app);
  const user = await factories.user(gateway.app, { teamId });
  const browser = new Browser((url, { method, headers, body } = {}) =>
    fetch(url, {
      method: method ?? 'GET',
      headers: new Headers(headers),
      redirect: 'manual',
      ...(body ? { body: String(body) } : {}),
    }),
  );
  return {
    teamId,
    async authorize(url: string): Promise<URL> {
      let where = await browser.open(url);
      if (!(where instanceof URL) && where.text.includes('name="password"'))
        where = await signIn(browser, where, user.email);
      if (where instanceof URL) return where;
      return requireLeft(await allow(browser, requirePage(where), { teamId }));
    },
  };
}

test('openid-client: code, refresh, introspection, call, revocation, pushed request', async () => {
  const { client: row, clientSecret } = await clients.create(gateway.app, {
    name: 'openid-client',
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['contacts:read', 'account:read'],
    redirectUris: ['https://app.example/back'],
  });
  const auth = client.ClientSecretBasic(clientSecret ?? '');
  const options = { algorithm: 'oauth2', execute } as const;
  const config = await client.discovery(new URL(issuer), row.id, clientSecret ?? '', auth, options);
  const person = await createPerson();
  for (const pushed of [false, true]) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const parameters = {
      redirect_uri: 'https://app.example/back',
      scope: 'contacts:read account:read',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      resource: `${issuer}/api/v2`,
    };
    const url = pushed
      ? await client.buildAuthorizationUrlWithPAR(config, parameters)
      : client.buildAuthorizationUrl(config, parameters);
    const back = await person.authorize(url.href);
    const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState });
    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, fresh.access_token)).toMatchObject({ active: true });
    const teams = new URL(`${issuer}/api/v2/teams`);
    const answer = await client.fetchProtectedResource(config, fresh.access_token, teams, 'GET');
    expect(await answer.json()).toMatchObject([{ id: Number(person.teamId) }]);
    await client.tokenRevocation(config, fresh.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, fresh.access_token)).toEqual({ active: false });
  }
});

test('openid-client: client credentials, and registering itself', async () => {
  const { id: team } = await factories.team(gateway.app);
  const { client: row, clientSecret } = await clients.create(gateway.app, {
    name: 'Machine',
    grants: ['client_credentials'],
    scopes: ['account:read'],
    team,
  });
  const auth = client.ClientSecretPost(clientSecret ?? '');
  const options = { algorithm: 'oauth2', execute } as const;
  const config = await client.discovery(new URL(issuer), row.id, clientSecret ?? '', auth, options);
  const tokens = await client.clientCredentialsGrant(config, { scope: 'account:read' });
  const teams = new URL(`${issuer}/api/v2/teams`);
  expect((await client.fetchProtectedResource(config, tokens.access_token, teams, 'GET')).status).toBe(200);
  const metadata = { redirect_uris: ['http://localhost/back'], token_endpoint_auth_method: 'none' };
  const registered = await client.dynamicClientRegistration(
    new URL(issuer),
    metadata,
    client.None(),
    options,
  );
  expect(registered.clientMetadata()).toMatchObject({ application_type: 'native' });
});

test("the conformance suite's authorization scenarios pass, none of them skipped", async () => {
  const callbackPort = 20_000 + (process.pid % 20_000);
  const { client: row } = await clients.create(gateway.app, {
    name: 'Conformance',
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['account:read'],
    redirectUris: ['http://127.0.0.1/callback'],
    isPublic: true,
  });
  const person = await createPerson();
  const output = await mkdtemp(join(tmpdir(), 'funnel-gateway-conformance-'));
  const args = [
    'authorization',
    '--url',
    issuer,
    '--client-id',
    row.id,
    '-p',
    String(callbackPort),
    '-o',
    output,
  ];
  const suite = spawn(process.execPath, [CONFORMANCE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let asked = false;
  suite.stderr.on('data', (part) => {
    said += part;
  });
  suite.stdout.on('data', (part) => {
    said += part;
    const url = /^http:\/\/\S*\/oauth\/authorize\?\S+$/m.exec(said)?.[0];
    if (url === undefined || asked) return;
    asked = true;
    person
      .authorize(url)
      .then((back) => fetch(back))
      .catch((error: unknown) => {
        said += String(error);
        suite.kill();
      });
  });
  const code = await new Promise((resolve) => suite.on('close', resolve));
  await rm(output, { recursive: true });
  expect(said).toContain('Total: 2 passed, 0 failed');
  expect(said).not.toMatch(/skipped: [1-9]|SKIPPED/);
  expect(code).toBe(0);
});
