// X-Forwarded-Host and -Proto are read only from the configured proxies.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { createCheckedServer, createGateway, ownGateway } from '../support/gateway.ts';
import { nextOf } from '../support/walk.ts';

const env = { SERVICE_HOST: 'service.example', TRUST_PROXY: '10.0.0.0/8, 192.0.2.7, fd00::/8' };
const gateway = await ownGateway({ env });
const server = createCheckedServer(gateway.app);
const workspace = await factories.workspace(gateway.app, { subdomain: 'shop' });
await factories.customDomain(gateway.app, workspace.id, 'shop.acme.example');
const last = (await factories.contact(gateway.app, { workspaceId: workspace.id })).id;
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
const path = `/api/v2/workspaces/${workspace.id}/contacts`;

const INNER = 'http://gateway.internal:4000';

function send(
  address: string | undefined,
  forwarded: Record<string, string>,
  base = INNER,
): Promise<Response> {
  const headers = { Authorization: caller.authorization ?? '', ...forwarded };
  return server.fetch(new Request(base + path, { headers }), { address });
}

const FORWARDED = { 'X-Forwarded-Host': 'shop.acme.example', 'X-Forwarded-Proto': 'https' };

describe.each(['10.1.2.3', '192.0.2.7', '::ffff:10.1.2.3', 'fd12::1'])(
  'from the trusted proxy %s',
  (address) => {
    test('the forwarded host and scheme form the public URL, and the Link header too', async () => {
      const response = await send(address, FORWARDED);
      expect(response.status).toBe(200);
      expect(nextOf(response)).toBe(`https://shop.acme.example${path}?after=${last}`);
    });
  },
);

describe.each([
  '192.0.2.8',
  '11.0.0.1',
  '127.0.0.1',
  '::1',
  '::ffff:11.0.0.1',
  'fe80::1%eth0',
  'nonsense',
  '',
  undefined,
])('from %s, which is not trusted', (address) => {
  test('the forwarded host is ignored', async () => {
    expect((await send(address, FORWARDED)).status).toBe(421);
    const response = await send(address, { 'X-Forwarded-Host': 'nobody.example' }, 'http://service.example');
    expect(response.status).toBe(200);
    expect(nextOf(response)).toBe(`http://service.example${path}?after=${last}`);
  });
});

test('a trusted link-local proxy is recognized with its zone', async () => {
  const linkLocal = await createGateway({ env: { TRUST_PROXY: 'fe80::/10' } });
  const response = await createCheckedServer(linkLocal.app).fetch(
    new Request('http://inner.example/api/v2/teams', {
      headers: { 'X-Forwarded-Host': 'localhost' },
    }),
    { address: 'fe80::1%eth0' },
  );
  expect(response.status).toBe(401);
  await linkLocal.close();
});

describe('from a trusted proxy', () => {
  const through = (forwarded: Record<string, string>, base?: string) => send('10.0.0.1', forwarded, base);
  const linkOf = async (forwarded: Record<string, string>, base?: string) => {
    const url = nextOf(await through(forwarded, base));
    return url === null ? null : new URL(url).origin;
  };

  test('the last of several forwarded hosts and schemes, which the proxy added, is used', async () => {
    const forwarded = {
      'X-Forwarded-Host': 'b.example,shop.service.example , shop.acme.example',
      'X-Forwarded-Proto': 'http, https',
    };
    expect(await linkOf(forwarded)).toBe('https://shop.acme.example');
    expect((await through({ 'X-Forwarded-Host': 'shop.acme.example, b.example' })).status).toBe(421);
  });

  test('a forwarded host with more than a host and a port is refused, without a fallback to the Host header', async () => {
    for (const host of [
      'service.example/evil?x=',
      'service.example?x',
      'service.example#x',
      'person@service.example',
      'service.example\\evil',
      'service.example, ',
      'service.example:80:80',
      '',
    ]) {
      const response = await through({ 'X-Forwarded-Host': host }, 'http://service.example');
      expect([host, response.status, response.headers.get('link')]).toEqual([host, 421, null]);
      expect(await response.json()).toMatchObject({ code: 'misdirected_request' });
    }
  });

  test('health checks are answered with any forwarded host and scheme', async () => {
    const headers = { 'X-Forwarded-Host': 'a/b', 'X-Forwarded-Proto': 'ftp' };
    const request = new Request(`${INNER}/healthz`, { headers });
    expect((await server.fetch(request, { address: '10.0.0.1' })).status).toBe(200);
  });

  test('a forwarded port is used instead of the inner one', async () => {
    expect(await linkOf({ 'X-Forwarded-Host': 'shop.service.example:8443' })).toBe(
      'http://shop.service.example:8443',
    );
    expect(await linkOf({ 'X-Forwarded-Host': 'shop.service.example' })).toBe('http://shop.service.example');
  });

  test('a proxy that keeps the host may forward the scheme alone', async () => {
    expect(await linkOf({ 'X-Forwarded-Proto': 'https' }, 'http://service.example')).toBe(
      'https://service.example',
    );
  });

  test('the letter case of a scheme does not matter', async () => {
    const forwarded = { 'X-Forwarded-Host': 'service.example', 'X-Forwarded-Proto': 'HTTPS' };
    expect(await linkOf(forwarded)).toBe('https://service.example');
  });

  test('a scheme other than http and https is refused', async () => {
    for (const scheme of ['ftp', 'javascript', 'HTTPS:', '', 'https, ', 'https, ws']) {
      const forwarded = { 'X-Forwarded-Host': 'service.example', 'X-Forwarded-Proto': scheme };
      expect([scheme, (await through(forwarded)).status]).toEqual([scheme, 421]);
    }
  });

  test('an invalid or unknown forwarded host is refused, without an internal error', async () => {
    for (const host of [
      '',
      ' ',
      '???',
      'a b',
      'http://x',
      'x:99999',
      '[::1',
      'nobody.example',
      '%',
      '\u00e9',
      '@',
      ':80',
    ]) {
      expect([host, (await through({ 'X-Forwarded-Host': host })).status]).toEqual([host, 421]);
    }
  });

  test('narrowing follows the forwarded host', async () => {
    expect((await through({ 'X-Forwarded-Host': 'shop.service.example' })).status).toBe(200);
    const other = await factories.workspace(gateway.app, { subdomain: 'other' });
    expect(other.subdomain).toBe('other');
    expect((await through({ 'X-Forwarded-Host': 'other.service.example' })).status).toBe(404);
  });
});
