// The conformance suite's `authorization` scenarios against a gateway on a port. test/browser/ signs people in by openid-client.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { listen } from '../../src/http/listener.ts';
import * as clients from '../../src/services/operator/oauth-clients.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { allow, Browser, requireLeft, requirePage, signIn } from '../support/oauth.ts';

const CONFORMANCE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

const gateway = await createGateway({ env: { PORT: '0' } });
const listener = await listen(gateway.app);
const issuer = `http://localhost:${listener.port}`;
afterAll(async () => {
  await listener.close();
  await gateway.close();
});

/** A team and its owner, in a browser that follows redirects. */
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
