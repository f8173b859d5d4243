// Limits on what anybody can make the authorization server store: only valid requests, and bounded numbers for each network and in total.
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway, type RequestOptions } from '../support/gateway.ts';
import {
  allow,
  Browser,
  createScene,
  getTokens,
  requireLeft,
  requirePage,
  signIn,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const MOST = 500;
const WINDOW_MS = 15 * 60_000;
const PKCE = `code_challenge=${'x'.repeat(43)}&code_challenge_method=S256`;
const REDIRECT = 'redirect_uri=https://client.example/callback';
let networks = 0;
let address: string;

let now = Date.now();
const gateway = await ownGateway({ overrides: { clock: () => new Date(now) } });
const scene = await createScene(gateway);
beforeEach(async () => {
  now = Date.now();
  address = `10.7.${networks++}.1`;
  await gateway.app.store.pool.query('delete from oauth_states; delete from sign_in_failures');
});

const prisma = () => prismaOf(gateway.app.store);
const queryOf = (clientId: string) => `client_id=${clientId}&response_type=code&${REDIRECT}&${PKCE}`;
const valid = () => queryOf(scene.platform.client.client_id);

function authorize(query: string, options: RequestOptions = {}): Promise<Response> {
  return gateway.send(`/oauth/authorize?${query}`, { headers: { accept: 'text/html' }, address, ...options });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function push(body: string, options: RequestOptions = {}): Promise<Response> {
  return gateway.send('/oauth/par', { method: 'POST', headers: FORM, body, address, ...options });
}

/** The number of each status in this many sequential answers. */
async function tally(times: number, send: () => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let i = 0; i < times; i++) {
    const { status } = await send();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** Fills every count to its limit. */
const useUp = () => prisma().signInFailure.updateMany({ data: { failures: MOST } });

/** All that the authorization server has written so far. */
async function rows(): Promise<string> {
  const tables = ['oauth_states', 'oauth_grants', 'oauth_clients', 'oauth_access_tokens', 'sign_in_failures'];
  const counts = tables.map((table) => `(select jsonb_agg(to_jsonb(t)) from ${table} t) as ${table}`);
  return JSON.stringify((await gateway.app.store.pool.query(`select ${counts.join(', ')}`)).rows);
}

describe('a request that is invalid', () => {
  test.each([
    ['unknown client', () => valid().replace('client_id=', 'client_id=x')],
    ['another redirect', () => valid().replace('/callback', '/elsewhere')],
    ['no challenge', () => valid().replace(/code_challenge=x+/, '')],
    ['a weak challenge', () => valid().replace('S256', 'plain')],
    ['unknown scope', () => `${valid()}&scope=everything`],
    ['another response type', () => valid().replace('=code', '=token')],
    ['another resource', () => `${valid()}&resource=https://else.example`],
    ['what is no text', () => `${valid()}&state=%00`],
    ['no parameter', () => ''],
  ])('writes nothing: %s', async (_what, query) => {
    const before = await rows();
    expect((await authorize(query())).status).toBeLessThan(500);
    expect((await push(query())).status).toBeLessThan(500);
    expect(await rows()).toBe(before);
  });
});

describe('requests that begin a sign-in', () => {
  test('from one network are limited within a while, and other networks continue', async () => {
    expect(await tally(2, () => authorize(valid()))).toEqual({ 303: 2 });
    expect(await prisma().signInFailure.updateMany({ data: { failures: MOST - 3 } })).toEqual({ count: 1 });
    expect(await tally(8, () => authorize(valid()))).toEqual({ 303: 3, 429: 5 });
    expect(await prisma().oauthState.count()).toBe(5);
    const refused = await authorize(valid());
    expect(refused.headers.get('content-type')).toContain('text/html');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await authorize(valid(), { address: '10.8.0.1' })).status).toBe(303);
    now += WINDOW_MS;
    expect((await authorize(valid())).status).toBe(303);
  });

  test('do not count after a sign-in: one address may be that of many people', async () => {
    const { browser, fetch, platform, user } = scene;
    const page = requirePage(await browser.open((await platform.request()).url));
    await useUp();
    const begin = async () => new Browser(fetch).open((await platform.request()).url);
    expect(requirePage(await begin()).status).toBe(429);
    await useUp();
    requirePage(await signIn(browser, page, user.email));
    expect(requirePage(await begin()).status).toBe(200);
    expect(requirePage(await begin()).status).toBe(429);
  });

  test('may be repeated without a sign-in: each counts, and adds no further row', async () => {
    const { browser, platform } = await createScene(gateway);
    const { url } = requirePage(await browser.open((await platform.request()).url));
    const round = async (page: string) => {
      const uid = page.split('/').at(-1);
      return requirePage(await browser.open(`http://localhost:4000/oauth/authorize/${uid}`));
    };
    const next = await round(url);
    expect([next.status, next.url === url]).toEqual([200, false]);
    expect(await prisma().oauthState.count({ where: { model: 'Interaction' } })).toBe(1);
    await useUp();
    expect((await round(next.url)).status).toBe(429);
  });

  test('by a signed-in person count for that person, wherever they are', async () => {
    await getTokens(scene);
    await prisma().signInFailure.deleteMany();
    const ask = async () => {
      const { url } = await scene.platform.request({ scope: 'funnels:write' });
      return requirePage(await scene.browser.open(url)).status;
    };
    expect(await ask()).toBe(200);
    await useUp();
    expect(await ask()).toBe(429);
    requirePage(await new Browser(scene.fetch).open((await scene.platform.request()).url));
  });

  test('replace the oldest beyond the total limit, and the newest can be answered', async () => {
    const places = 5;
    await gateway.app.store.pool.query(`alter sequence oauth_states_slot_seq maxvalue ${places} restart`);
    const [first, ...others] = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const browser = new Browser(scene.fetch);
        const sent = await scene.platform.request({ scope: 'account:read' });
        return { browser, sent, page: i === 0 ? requirePage(await browser.open(sent.url)) : null };
      }),
    );
    let last = first;
    for (const one of others) {
      one.page = requirePage(await one.browser.open(one.sent.url));
      last = one;
      expect(await prisma().oauthState.count()).toBeLessThanOrEqual(places);
    }
    if (first?.page == null || last?.page == null) throw new Error('no page');
    expect(requirePage(await first.browser.open(first.page.url)).text).toContain('expired');
    const consent = requirePage(await signIn(last.browser, last.page, scene.user.email));
    requireLeft(await allow(last.browser, consent, { teamId: scene.teamId }));
    await gateway.app.store.pool.query('alter sequence oauth_states_slot_seq maxvalue 10000 restart');
  });
});

describe('pushed requests', () => {
  test('of a client without a secret are limited for each network, and in number', async () => {
    const { id } = await factories.oauthClient(gateway.app, {
      secretHash: null,
      metadata: { token_endpoint_auth_method: 'none' },
    });
    expect((await push(queryOf(id))).status).toBe(201);
    expect(await prisma().oauthState.count({ where: { slot: { not: null } } })).toBe(1);
    await useUp();
    const refused = await push(queryOf(id));
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await push(queryOf(id), { address: '10.8.0.2' })).status).toBe(201);
  });

  test('of a self-registered client are limited too, although it has a secret', async () => {
    const { id, clientSecret } = await factories.oauthClient(gateway.app, { dynamic: true });
    const body = `${queryOf(id)}&client_secret=${clientSecret}`;
    const headers = { ...FORM, authorization: `Basic ${btoa(`${id}:${clientSecret}`)}` };
    expect((await push(queryOf(id), { headers })).status).toBe(201);
    await useUp();
    expect((await push(queryOf(id), { headers })).status).toBe(429);
    expect((await push(body)).status).toBeLessThan(500);
  });

  test('of a client that the operator registered, with its secret, are not limited', async () => {
    const { id, clientSecret } = await factories.oauthClient(gateway.app);
    const headers = { ...FORM, authorization: `Basic ${btoa(`${id}:${clientSecret}`)}` };
    expect((await push(queryOf(id), { headers })).status).toBe(201);
    expect(await prisma().signInFailure.count()).toBe(0);
    expect(await prisma().oauthState.count({ where: { slot: { not: null } } })).toBe(0);
  });
});

test('an ended session leaves no further rows, however often its cookie is sent', async () => {
  const { browser, user } = await createScene(gateway);
  requirePage(
    await signIn(browser, requirePage(await browser.open('http://localhost:4000/account')), user.email),
  );
  await prisma().oauthState.deleteMany();
  const cookie = browser.jar.map(({ name, value }) => `${name}=${value}`).join('; ');
  expect(cookie).toContain('fgw_session=');
  const headers = { accept: 'text/html', cookie };
  expect(await tally(5, () => authorize('client_id=x', { headers }))).toEqual({ 400: 5 });
  expect(await prisma().oauthState.count()).toBe(0);
});
