// The authorization server in general: its address, its metadata, and its behavior during failures.
import { beforeEach, describe, expect, test } from 'vitest';
import { closeApp, createApp } from '../../src/app.ts';
import { SCOPES } from '../../src/auth/scopes.ts';
import { createServer } from '../../src/http/server.ts';
import { clean } from '../../src/services/cleaning.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway, ownGateway, TEST_SECRET_KEY } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';
import {
  Browser,
  createScene,
  discover,
  type fetchOf,
  getTokens,
  Platform,
  requireLeft,
  requirePage,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await ownGateway();

/** Another process on the same database: its own connections, memory and authorization server, and the same secret key. */
function startBeside({ app: { config, log, store } }: Gateway) {
  const databaseUrl = String(store.connection.connectionString);
  const app = createApp(config, { databaseUrl, secretKeys: () => [TEST_SECRET_KEY] }, { log });
  const server = createServer(app);
  const fetch: ReturnType<typeof fetchOf> = (url, { method = 'GET', headers, body } = {}) => {
    const sent = body === undefined || body === null ? {} : { body: String(body) };
    return server.fetch(new Request(url, { method, headers: new Headers(headers), ...sent }));
  };
  return { app, fetch, close: () => closeApp(app) };
}

type Document = Record<string, unknown> & { readonly grant_types_supported: string[] };

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

test('its metadata describes its features, and no OpenID', async () => {
  const document = (await (await gateway.send(WELL_KNOWN)).json()) as Document;
  expect(document).toMatchObject({
    issuer: 'http://localhost:4000',
    authorization_endpoint: 'http://localhost:4000/oauth/authorize',
    token_endpoint: 'http://localhost:4000/oauth/token',
    jwks_uri: 'http://localhost:4000/oauth/jwks',
    registration_endpoint: 'http://localhost:4000/oauth/register',
    revocation_endpoint: 'http://localhost:4000/oauth/revoke',
    introspection_endpoint: 'http://localhost:4000/oauth/introspect',
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: SCOPES,
  });
  expect(new Set(document.grant_types_supported)).toEqual(
    new Set(['authorization_code', 'refresh_token', 'client_credentials']),
  );
  expect(JSON.stringify(document)).not.toMatch(/openid|id_token|userinfo|subject_types|claims_/);
});

test('below a path, the metadata is at the issuer and with the path inserted, and the whole flow works there', async () => {
  const below = await createGateway({ env: { AUTH_URL: 'http://localhost:4000/auth' } });
  const documents = [`/auth${WELL_KNOWN}`, `${WELL_KNOWN}/auth`].map(async (path) => {
    return (await (await below.send(path)).json()) as Document;
  });
  const [first, second] = await Promise.all(documents);
  expect(first).toEqual(second);
  expect(first?.['token_endpoint']).toBe('http://localhost:4000/auth/oauth/token');
  const scene = await createScene(below);
  const { tokens } = await getTokens(scene);
  const caller = { authorization: `Bearer ${tokens.access_token}` };
  expect((await below.send('/api/v2/teams', { caller })).status).toBe(200);
  expect((await below.send('/oauth/token', { method: 'POST' })).status).toBe(404);
  expect(requirePage(await scene.browser.open('http://localhost:4000/auth/account')).text).toContain(
    'Withdraw',
  );
  await below.close();
});

test('it is unreachable on custom domains, and on the hosts of teams and workspaces', async () => {
  const { id: teamId } = await factories.team(gateway.app, { subdomain: 'a-team' });
  const workspace = await factories.workspace(gateway.app, { teamId, subdomain: 'a-workspace' });
  await factories.customDomain(gateway.app, workspace.id, 'shop.example.net');
  for (const host of ['shop.example.net', 'a-team.localhost', 'a-workspace.localhost:4000']) {
    for (const path of [WELL_KNOWN, '/oauth/authorize', '/oauth/jwks', '/oauth/interaction/x', '/account'])
      expect([host, path, (await gateway.send(path, { host })).status]).toEqual([host, path, 404]);
    for (const path of [
      '/oauth/token',
      '/oauth/register',
      '/oauth/revoke',
      '/oauth/introspect',
      '/oauth/par',
      '/account',
    ])
      expect([host, path, (await gateway.send(path, { host, method: 'POST' })).status]).toEqual([
        host,
        path,
        404,
      ]);
  }
});

test('on another host name of the service its pages redirect to {auth_url}, which has the cookies', async () => {
  const answer = await gateway.send('/account?x=1', { host: '127.0.0.1:4000' });
  expect([answer.status, answer.headers.get('location')]).toEqual([307, 'http://localhost:4000/account?x=1']);
});

test('with an external issuer there is no authorization server here', async () => {
  const outside = await createGateway({ env: { OAUTH_ISSUER: 'https://issuer.example.com' } });
  for (const path of [WELL_KNOWN, '/oauth/authorize', '/oauth/jwks', '/account'])
    expect([path, (await outside.send(path)).status]).toEqual([path, 404]);
  await outside.close();
});

test('another method gets 405 with Allow; a long body and another type are refused as such', async () => {
  const put = await gateway.send('/oauth/token', { method: 'PUT', body: 'x' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST']);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const long = await gateway.send('/oauth/token', {
    method: 'POST',
    headers,
    body: `code=${'x'.repeat(60_000)}`,
  });
  expect(long.status).toBe(413);
  const json = { 'content-type': 'application/json' };
  expect(
    (await gateway.send('/oauth/introspect', { method: 'POST', headers: json, body: '{}' })).status,
  ).toBe(415);
});

describe('no input of a client causes a 500', () => {
  const PKCE = `code_challenge=${'a'.repeat(43)}&code_challenge_method=S256`;
  const KNOWN = 'client_id=graphiql&redirect_uri=http://localhost:4000/graphql&response_type=code';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const bodies = [
    '',
    '%',
    'a[b]=c',
    'client_id=%ff',
    'token=%00&client_id=graphiql',
    'token=a.b.c&token=d&client_id=graphiql',
    'grant_type=%00&client_id=%00',
    'grant_type=refresh_token&client_id=graphiql&refresh_token=%00',
    'grant_type=authorization_code&client_id=graphiql&code=%00&redirect_uri=x&code_verifier=y',
    `${KNOWN}&${PKCE}&state=%00`,
  ];
  const queries = [
    'client_id=%00',
    'client_id=graphiql&redirect_uri=%00',
    'client_id=a&client_id=b',
    'request_uri=urn:ietf:params:oauth:request_uri:%00&client_id=graphiql',
    'client_id=%F0%28',
    `${KNOWN}&${PKCE}&state=%00`,
    `${KNOWN}&${PKCE}&resource=%00`,
    `${KNOWN}&${PKCE}&scope=%00`,
    `${KNOWN}&${PKCE}&login_hint=%00&ui_locales=%ED%A0%80&max_age=x`,
    `${KNOWN}&${PKCE}&response_mode=form_post&claims={&prompt=none+login`,
  ];

  // Registration is throttled by address, which no other case may hit.
  beforeEach(async () => {
    await prismaOf(gateway.app.store).signInFailure.deleteMany();
  });
  const isJudged = (status: number) => status < 500 && status !== 429;

  test.each(['token', 'revoke', 'introspect', 'par', 'register', 'interaction/x', '../account'])(
    '%s',
    async (name) => {
      for (const body of bodies) {
        const { status } = await gateway.send(`/oauth/${name}`, { method: 'POST', headers: form, body });
        expect([body, status, isJudged(status)]).toEqual([body, status, true]);
      }
    },
  );

  test('authorize', async () => {
    for (const query of queries) {
      const answer = await gateway.send(`/oauth/authorize?${query}`, { headers: { accept: 'text/html' } });
      expect([query, answer.status, isJudged(answer.status)]).toEqual([query, answer.status, true]);
    }
  });

  test('cookies', async () => {
    for (const cookie of [
      'fgw_session=x; fgw_session.sig=y',
      'fgw_session=%00',
      'fgw_browser=%',
      '__proto__=1',
    ])
      expect([cookie, (await gateway.send('/account', { headers: { cookie } })).status]).toEqual([
        cookie,
        200,
      ]);
  });

  test('metadata of clients', async () => {
    const redirect_uris = ['https://p.example/'];
    for (const metadata of [
      { redirect_uris, client_name: 'a\0b' },
      { redirect_uris, client_uri: 'https://p.example/\ud800' },
      { redirect_uris, client_name: 5, contacts: {} },
      { redirect_uris: [1, null, {}] },
      { redirect_uris: {} },
      { redirect_uris, grant_types: 'x' },
      {
        redirect_uris,
        jwks_uri: 'http://169.254.169.254/',
        sector_identifier_uri: 'http://169.254.169.254/',
      },
      [],
      null,
    ]) {
      const body = JSON.stringify(metadata);
      const headers = { 'content-type': 'application/json' };
      const answer = await gateway.send('/oauth/register', { method: 'POST', headers, body });
      expect([body, [201, 400].includes(answer.status)]).toEqual([body, true]);
    }
  });
});

test('without a database, programs and people get 503 with Retry-After', async () => {
  const broken = await createGateway();
  const scene = await createScene(broken);
  await scene.browser.open((await scene.platform.request()).url);
  await broken.app.store.pool.end();
  const page = requirePage(await scene.browser.open((await scene.platform.request()).url));
  expect([page.status, page.headers.has('retry-after'), page.text.includes('<main>')]).toEqual([
    503,
    true,
    true,
  ]);
  expect(page.text).toContain('Not available at the moment');
  expect(page.text).toContain(`<code>${page.headers.get('x-request-id')}</code>`);
  const body = `grant_type=refresh_token&refresh_token=x&client_id=${scene.platform.client.client_id}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const token = await broken.send('/oauth/token', { method: 'POST', headers, body });
  expect([token.status, token.headers.has('retry-after')]).toEqual([503, true]);
  await broken.close().catch(() => {});
});

describe('when the database fails in the middle of a token request, it is 503, and the same request again succeeds', () => {
  /** Makes the first statement of the kind fail as at a server shutdown; later ones work. */
  async function failOnce(event: string, when: string): Promise<void> {
    const { pool } = gateway.app.store;
    await pool.query('create sequence if not exists failures');
    await pool.query(`create or replace function fail_once() returns trigger language plpgsql as $$ begin
      if nextval('failures') = 1 then raise exception 'shut down' using errcode = '57P01'; end if;
      return new; end $$`);
    await pool.query("select setval('failures', 1, false)");
    await pool.query(
      `create trigger fail_once before ${event} for each row when (${when}) execute function fail_once()`,
    );
  }

  const failureOf = (request: Promise<unknown>) =>
    request.then(
      () => null,
      ({ cause }: { cause: Response }) => [cause.status, cause.headers.get('retry-after')],
    );

  const PLACES: [string, string, string][] = [
    ['using up what was sent', 'update on oauth_states', 'old.consumed_at is distinct from new.consumed_at'],
    ['keeping the refresh token', 'insert on oauth_states', "new.model = 'RefreshToken'"],
    ['keeping the access token', 'insert on oauth_access_tokens', 'true'],
  ];

  test.each(PLACES)('%s', async (_where, event, when) => {
    const scene = await createScene(gateway);
    const { platform, browser } = scene;
    const { tokens } = await getTokens(scene);
    const sent = await platform.request({ scope: 'account:read' });
    const back = requireLeft(await browser.open(sent.url));
    const table = event.split(' ').at(-1);
    try {
      await failOnce(event, when);
      expect(await failureOf(platform.refresh(tokens.refresh_token ?? ''))).toEqual([503, '2']);
      const next = await platform.refresh(tokens.refresh_token ?? '');
      await platform.refresh(next.refresh_token ?? '');
      await gateway.app.store.pool.query("select setval('failures', 1, false)");
      expect(await failureOf(platform.redeem(back, sent))).toEqual([503, '2']);
      await platform.redeem(back, sent);
      // An answered request is not answered again.
      await expect(platform.redeem(back, sent)).rejects.toMatchObject({ error: 'invalid_grant' });
      await expect(platform.refresh(next.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    } finally {
      await gateway.app.store.pool.query(`drop trigger fail_once on ${table}`);
    }
  });
});

test('two processes share sessions, codes and tokens, and hear of each other’s revocations', async () => {
  const here = await createGateway({ env: { LOOKUP_CACHE_MS: '2000' } });
  const there = startBeside(here);
  const scene = await createScene(here);
  // Every other request goes to the other process.
  let turn = 0;
  const fetch: ReturnType<typeof fetchOf> = (url, init) =>
    (turn++ % 2 === 0 ? there.fetch : scene.fetch)(url, init);
  const { id, clientSecret: secret } = await factories.oauthClient(here.app);
  const server = await discover(fetch, 'http://localhost:4000');
  const platform = new Platform(server, fetch, { id, secret });
  const { tokens: first } = await getTokens({ ...scene, platform, browser: new Browser(fetch) });
  const tokens = await platform.refresh(first.refresh_token ?? '');
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const statuses = async () => {
    const url = 'http://localhost:4000/api/v2/teams';
    return [(await scene.fetch(url, { headers })).status, (await there.fetch(url, { headers })).status];
  };
  // Both have cached the token, and would keep it for the 2 seconds of LOOKUP_CACHE_MS without a notification.
  const lookups = async () => {
    const names: string[] = [];
    const stops = [here, there].map((gateway) =>
      intercept(gateway, (name, send) => {
        if (/^oauth_|signing/.test(name)) names.push(name);
        return send();
      }),
    );
    expect(await statuses()).toEqual([200, 200]);
    for (const stop of stops) stop();
    return names;
  };
  await expect.poll(lookups, { timeout: 10_000, interval: 20 }).toEqual([]);
  const revokedAt = performance.now();
  await new Platform(server, scene.fetch, { id, secret }).revoke(tokens.access_token);
  await expect.poll(statuses, { interval: 20 }).toEqual([401, 401]);
  expect(performance.now() - revokedAt).toBeLessThan(1_500);
  await there.close();
  await here.close();
});

test('only expired rows are deleted', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene);
  const prisma = prismaOf(gateway.app.store);
  const counts = () =>
    Promise.all([prisma.oauthState.count(), prisma.oauthAccessToken.count(), prisma.oauthGrant.count()]);
  const before = await counts();
  await clean(gateway.app, new Date());
  expect(await counts()).toEqual(before);
  await clean(gateway.app, new Date(Date.now() + 2 * 3_600_000));
  const [, accessTokens, grants] = await counts();
  expect([accessTokens, grants]).toEqual([0, before[2]]);
  expect((await scene.platform.refresh(tokens.refresh_token ?? '')).token_type).toBe('bearer');
  await clean(gateway.app, new Date(Date.now() + 31 * 86_400_000));
  expect(await prisma.oauthState.count()).toBe(0);
});

test('a code is valid until it expires, and refused afterwards', async () => {
  let now = Date.now();
  const later = await createGateway({ overrides: { clock: () => new Date(now) } });
  const scene = await createScene(later);
  await getTokens(scene);
  const redeemAfter = async (ms: number) => {
    const sent = await scene.platform.request({ scope: 'account:read' });
    const back = requireLeft(await scene.browser.open(sent.url));
    now += ms;
    return scene.platform.redeem(back, sent);
  };
  expect(await redeemAfter(59_000)).toMatchObject({ scope: 'account:read' });
  await expect(redeemAfter(61_000)).rejects.toMatchObject({ error: 'invalid_grant' });
  await later.close();
});
