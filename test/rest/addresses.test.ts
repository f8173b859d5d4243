// The addresses of funnels and pages: on the funnel's domain, else on the host of the workspace, as configured in the answering process.
import { afterAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/http/listener.ts';
import { databaseUrlOf } from '../commands/cli.ts';
import * as factories from '../support/factories.ts';
import { type Gateway, openGateway, ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient } from '../support/rest-client.ts';
import { json } from '../support/walk.ts';

const gateway = await ownGateway();
const { app } = gateway;
const client = await createRestClient(gateway);
const { workspaceId, caller } = client;
const inWorkspace = `/api/v2/workspaces/${workspaceId}`;
const { subdomain } = (await client.send('GET', inWorkspace)).body;
const host = `http://${String(subdomain)}.localhost:4000`;

async function create(kind: 'page' | 'funnel', members: object) {
  const { status, text, body } = await client.send('POST', `${inWorkspace}/${kind}s`, { [kind]: members });
  expect([status, text]).toEqual([201, text]);
  return body;
}

const funnel = await create('funnel', { name: 'Ski' });
const page = await create('page', { name: 'Size', funnel: { funnel_id: funnel.id } });
const alone = await create('page', { name: 'Imprint' });

/** The address in each answer, by the path. */
async function urlsOf(of: Gateway, host = 'localhost:4000'): Promise<Record<string, unknown>> {
  const paths = [`funnels/${funnel.id}`, `pages/${page.id}`, `pages/${alone.id}`];
  const shown: [string, unknown][] = [];
  for (const path of paths)
    shown.push([
      path,
      (await json<{ url: unknown }>(await of.send(`/api/v2/${path}`, { caller, host }))).url,
    ]);
  const { steps } = await json<{ steps: { page: { url: unknown } }[] }>(
    await of.send(`/api/v2/funnels/${funnel.id}/structure`, { caller, host }),
  );
  const query = `{ funnel(by: { databaseId: ${funnel.id} }) { url steps { ... on PageStep { page { url } } } } page(by: { databaseId: ${alone.id} }) { url } }`;
  const { data } = await post(of, { query }, { caller, host });
  return { ...Object.fromEntries(shown), structure: steps.map((step) => step.page.url), data };
}

const expected = (origin: string | null, own = origin) => {
  const at = (path: string, on = origin) => (on === null ? null : on + path);
  return {
    [`funnels/${funnel.id}`]: at('/ski'),
    [`pages/${page.id}`]: at('/ski/size'),
    [`pages/${alone.id}`]: at('/imprint', own),
    structure: [at('/ski/size')],
    data: {
      funnel: { url: at('/ski'), steps: [{ page: { url: at('/ski/size') } }] },
      page: { url: at('/imprint', own) },
    },
  };
};

test('without a domain they are on the host of the workspace, also where they are created and listed', async () => {
  expect([funnel['url'], page['url'], alone['url']]).toEqual(
    ['/ski', '/ski/size', '/imprint'].map((path) => host + path),
  );
  expect(await urlsOf(gateway)).toEqual(expected(host));
  for (const [kind, urls] of [
    ['pages', [page['url'], alone['url']]],
    ['funnels', [funnel['url']]],
  ] as const) {
    const { body } = await client.send('GET', `${inWorkspace}/${kind}`);
    expect((body as unknown as { url: string }[]).map(({ url }) => url)).toEqual(urls);
  }
});

test('a new subdomain of the workspace, or domain of the funnel, changes the address at once', async () => {
  const tag = (await client.send('GET', `/api/v2/pages/${alone.id}`)).headers.get('ETag') ?? '';
  const moved = await client.send('PUT', inWorkspace, { workspace: { subdomain: 'moved-slopes' } });
  expect([moved.status, moved.body]).toMatchObject([200, { subdomain: 'moved-slopes' }]);
  const elsewhere = 'http://moved-slopes.localhost:4000';
  expect(await urlsOf(gateway)).toEqual(expected(elsewhere));
  const again = await client.send('GET', `/api/v2/pages/${alone.id}`, undefined, { 'If-None-Match': tag });
  expect(again.status).toBe(200);
  const domain = await factories.customDomain(app, workspaceId, 'ski.example.org');
  const changed = await client.send('PUT', `/api/v2/funnels/${funnel.id}`, {
    funnel: { domain_id: Number(domain.id) },
  });
  expect([changed.status, changed.body]).toMatchObject([200, { url: 'https://ski.example.org/ski' }]);
  expect(await urlsOf(gateway)).toEqual(expected('https://ski.example.org', elsewhere));
  await client.send('PUT', `/api/v2/funnels/${funnel.id}`, { funnel: { domain_id: null } });
  expect(await urlsOf(gateway)).toEqual(expected(elsewhere));
  await client.send('PUT', inWorkspace, { workspace: { subdomain } });
});

test('with a system-chosen port, addresses have that port', async () => {
  const other = openGateway({ databaseUrl: databaseUrlOf(gateway) }, { env: { PORT: '0' } });
  const listener = await listen(other.app);
  try {
    const { port } = listener;
    expect(port).toBeGreaterThan(0);
    const response = await fetch(`http://localhost:${port}/api/v2/pages/${alone.id}`, {
      headers: { Authorization: caller.authorization ?? '' },
    });
    expect(await response.json()).toMatchObject({
      url: `http://${String(subdomain)}.localhost:${port}/imprint`,
    });
  } finally {
    await listener.close();
    await other.close();
  }
});

describe.each<[env: Record<string, string>, origin: string | null]>([
  [{ SERVICE_HOST: 'gateway.example' }, `https://${String(subdomain)}.gateway.example`],
  [
    { SERVICE_HOST: 'gateway.example', AUTH_URL: 'https://accounts.other.example:8443/sign-in' },
    `https://${String(subdomain)}.gateway.example:8443`,
  ],
  [
    { SERVICE_HOST: 'gateway.example', AUTH_URL: 'http://gateway.example' },
    `http://${String(subdomain)}.gateway.example`,
  ],
  // Below an address there are no hosts.
  [{ SERVICE_HOST: '203.0.113.7' }, null],
  [{ SERVICE_HOST: '203.0.113.7', AUTH_URL: 'https://accounts.example' }, null],
])('with %j', (env, origin) => {
  const other = openGateway({ databaseUrl: databaseUrlOf(gateway) }, { env });
  afterAll(() => other.close());

  test(`addresses are below ${origin}`, async () => {
    expect(await urlsOf(other, env['SERVICE_HOST'])).toEqual(expected(origin));
  });
});
