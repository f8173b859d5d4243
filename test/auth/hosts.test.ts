// Which hosts the service has, and how each limits a request (spec §1, §5 rules 6-7).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway, ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { idsOf } from '../support/walk.ts';

const gateway = await ownGateway();
const { app } = gateway;
const team = await factories.team(app, { subdomain: 'acme-team' });
const shop = await factories.workspace(app, { teamId: team.id, subdomain: 'shop' });
const blog = await factories.workspace(app, { teamId: team.id, subdomain: 'blog' });
const shopContact = await factories.contact(app, { workspaceId: shop.id });
const blogContact = await factories.contact(app, { workspaceId: blog.id });
await factories.customDomain(app, shop.id, 'shop.acme.example');
await factories.workspace(app, {
  teamId: (await factories.team(app, { subdomain: 'stranger-team' })).id,
  subdomain: 'stranger',
});
const caller = await factories.apiKey(app, { teamId: team.id });

const send = (host: string, path: string) => gateway.send(path, { caller, host });
const statusOf = async (host: string, path: string) => (await send(host, path)).status;
const idsAt = async (host: string, path: string) => idsOf(await send(host, path));

const WHOLE_TEAM = [
  'localhost',
  'localhost:4000',
  'LOCALHOST:80',
  'localhost.',
  'accounts.localhost',
  'Accounts.localhost:4000',
  'api.localhost',
  'App.localhost:4000',
  'app.localhost.',
  '127.0.0.1:4000',
  '127.1.2.3',
  '[::1]:4000',
].concat(['acme-team.localhost', 'Acme-Team.LocalHost:9', 'acme-team.localhost.']);
const SHOP_ONLY = [
  'shop.localhost',
  'SHOP.localhost:4000',
  'shop.localhost.',
  'shop.acme.example',
  'Shop.Acme.Example:8443',
].concat(['shop.acme.example.']);
const STRANGERS = ['stranger.localhost', 'stranger-team.localhost'];
const NOBODY = [
  'nobody.localhost',
  'example.com',
  'acme.example',
  'x.shop.localhost',
  'x.shop.acme.example',
  'notlocalhost',
].concat([
  'shop',
  'shop.localhost.evil.example',
  '10.0.0.1',
  '0.0.0.0',
  '[::2]',
  'localhost.evil',
  '-.localhost',
  'shop..localhost',
]);

describe.each(WHOLE_TEAM)('the host %s', (host) => {
  test('shows the whole team', async () => {
    expect(await idsAt(host, '/api/v2/teams')).toEqual([team.id]);
    expect(await idsAt(host, `/api/v2/teams/${team.id}/workspaces`)).toEqual([shop.id, blog.id]);
    expect(await idsAt(host, `/api/v2/workspaces/${blog.id}/contacts`)).toEqual([blogContact.id]);
  });
});

describe.each(SHOP_ONLY)('the host %s', (host) => {
  test('narrows lists to its workspace', async () => {
    expect(await idsAt(host, '/api/v2/teams')).toEqual([team.id]);
    expect(await idsAt(host, `/api/v2/teams/${team.id}/workspaces`)).toEqual([shop.id]);
    expect(await idsAt(host, `/api/v2/workspaces/${shop.id}/contacts`)).toEqual([shopContact.id]);
  });

  test('hides the other workspaces of the team', async () => {
    expect(await statusOf(host, `/api/v2/workspaces/${shop.id}`)).toBe(200);
    expect(await statusOf(host, `/api/v2/contacts/${shopContact.id}`)).toBe(200);
    for (const path of [
      `workspaces/${blog.id}`,
      `workspaces/${blog.id}/contacts`,
      `contacts/${blogContact.id}`,
    ]) {
      await expectProblem(await send(host, `/api/v2/${path}`), 'not_found');
    }
    expect(await statusOf(host, `/api/v2/workspaces/${blog.id}/refine_filters`)).toBe(404);
  });
});

describe.each(STRANGERS)("another team's host %s", (host) => {
  test("shows nothing of the key's team, and nothing of its own", async () => {
    expect(await idsAt(host, '/api/v2/teams')).toEqual([]);
    for (const path of [
      `teams/${team.id}`,
      `teams/${team.id}/workspaces`,
      `workspaces/${shop.id}/contacts`,
    ]) {
      expect(await statusOf(host, `/api/v2/${path}`)).toBe(404);
    }
    const theirs = await prismaOf(gateway.app.store).workspace.findUniqueOrThrow({
      where: { subdomain: 'stranger' },
    });
    expect(await statusOf(host, `/api/v2/workspaces/${theirs.id}`)).toBe(404);
    expect(await statusOf(host, `/api/v2/teams/${theirs.teamId}`)).toBe(404);
  });
});

test.each(NOBODY)("the host %s is nobody's: 421, whatever the path or the key", async (host) => {
  for (const path of ['/api/v2/teams', '/nothing', '/.well-known/oauth-protected-resource']) {
    await expectProblem(await send(host, path), 'misdirected_request');
  }
  const graphql = await send(host, '/graphql');
  expect([graphql.status, await graphql.json()]).toMatchObject([
    421,
    { errors: [{ extensions: { code: 'MISDIRECTED_REQUEST' } }] },
  ]);
});

describe.each(['app', 'api'])('the subdomain %s', (subdomain) => {
  test('stays with the workspace that had it before it was reserved', async () => {
    const own = await ownGateway();
    const { pool } = own.app.store;
    const workspace = await factories.workspace(own.app);
    await factories.workspace(own.app, { teamId: workspace.teamId });
    await pool.query(`alter table workspaces disable trigger subdomain_is_allowed`);
    await pool.query('update workspaces set subdomain = $2 where id = $1', [workspace.id, subdomain]);
    await pool.query(`alter table workspaces enable trigger subdomain_is_allowed`);
    const key = await factories.apiKey(own.app, { teamId: workspace.teamId });
    const host = `${subdomain}.localhost`;
    const listed = await own.send(`/api/v2/teams/${workspace.teamId}/workspaces`, { caller: key, host });
    expect(await idsOf(listed)).toEqual([workspace.id]);
    const change = (name: string, to: string) =>
      own.send(`/api/v2/workspaces/${workspace.id}`, {
        ...{ caller: key, method: 'PUT', body: JSON.stringify({ workspace: { name, subdomain: to } }) },
        headers: { 'Content-Type': 'application/json' },
      });
    expect((await change('Another name', subdomain)).status).toBe(200);
    expect((await change('Moved', 'elsewhere')).status).toBe(200);
    await expectProblem(await change('Back', subdomain), 'invalid');
    expect((await own.send('/api/v2/teams', { caller: key, host })).status).toBe(200);
    const all = await own.send(`/api/v2/teams/${workspace.teamId}/workspaces`, { caller: key, host });
    expect(await idsOf(all)).toHaveLength(2);
  });

  test('is reserved', async () => {
    await expect(factories.workspace(app, { subdomain })).rejects.toThrow();
  });
});

test('an internationalized host is found by its ASCII form', async () => {
  await factories.customDomain(gateway.app, shop.id, 'xn--bcher-kva.example');
  expect(await statusOf('bücher.example', `/api/v2/workspaces/${shop.id}`)).toBe(200);
});

describe('with another SERVICE_HOST', () => {
  let public_: Gateway;
  let key: Caller;
  beforeAll(async () => {
    const env = { SERVICE_HOST: 'service.example', AUTH_URL: 'https://accounts.other.example/base' };
    public_ = await createGateway({ env });
    const workspace = await factories.workspace(public_.app, { subdomain: 'shop' });
    key = await factories.apiKey(public_.app, { teamId: workspace.teamId });
  });
  afterAll(() => public_.close());

  test.each([
    'service.example',
    'accounts.service.example',
    'api.service.example',
    'app.service.example',
    'shop.service.example',
    'accounts.other.example',
  ])('%s is ours', async (host) => {
    expect((await public_.send('/api/v2/teams', { host, caller: key })).status).toBe(200);
  });

  test.each([
    'localhost',
    '127.0.0.1',
    '[::1]',
    'accounts.localhost',
    'api.localhost',
    'app.example',
    'myservice.example',
    'accounts.example',
  ])('%s is 421: loopback is no owned host then', async (host) => {
    const response = await public_.send('/api/v2/teams', { host, caller: key });
    await expectProblem(response, 'misdirected_request');
  });

  test('health is answered at any host', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await public_.send(path, { host: '10.1.2.3:4000' })).status).toBe(200);
    }
  });
});
