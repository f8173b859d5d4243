// A platform that integrates the gateway with nothing but a standard client (openid-client): its server has a page that
// people come back to.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';
import { create } from '../../src/services/operator/oauth-clients.ts';
import type { DemoGateway } from './demo-gateway.ts';

export interface Platform {
  /** Where it sends a person, and what it remembers of that. */
  begin(scope: string): Promise<{ url: string; checks: client.AuthorizationCodeGrantChecks }>;
  /** The tokens for the address that the person came back with. @throws what the strict checks of the library find */
  finish(
    callback: string,
    checks: client.AuthorizationCodeGrantChecks,
  ): Promise<client.TokenEndpointResponse>;
  readonly origin: string;
  close(): Promise<void>;
}

export async function startPlatform({ app, issuer }: DemoGateway, name: string): Promise<Platform> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>Platform</title><h1>Back at the platform</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUri = `${origin}/callback`;
  const registered = await create(app, {
    name,
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['account:read', 'contacts:read', 'funnels:read', 'funnels:write'],
    redirectUris: [redirectUri],
  });
  const configuration = await client.discovery(
    new URL(issuer),
    registered.client.id,
    registered.clientSecret ?? undefined,
    undefined,
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  );
  return {
    origin,
    async begin(scope) {
      const pkceCodeVerifier = client.randomPKCECodeVerifier();
      const expectedState = client.randomState();
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        state: expectedState,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks: { pkceCodeVerifier, expectedState } };
    },
    finish: (callback, checks) => client.authorizationCodeGrant(configuration, new URL(callback), checks),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
