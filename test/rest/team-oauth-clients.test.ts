// OAuth clients of a team over both faces: its own callers create, rename and revoke them. By itself a client may do no more than the
// credential that created it, and only people of the team can grant it access, to this team alone.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import {
  allow,
  Browser,
  discover,
  fetchOf,
  getTokens,
  Platform,
  requireLeft,
  requirePage,
  signIn,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await ownGateway();
const { app } = gateway;
const team = await factories.team(app);
const first = await factories.workspace(app, { teamId: team.id });
const second = await factories.workspace(app, { teamId: team.id });
const other = await factories.team(app);
const foreign = await factories.workspace(app, { teamId: other.id });
const stranger = await factories.apiKey(app, { teamId: other.id });
const owner = await factories.apiKey(app, { teamId: team.id });
const PATH = `/api/v2/teams/${team.id}/oauth_clients`;
const REDIRECT_URI = 'https://client.example/callback';
const BY_ITSELF = { grant_types: ['client_credentials'], scopes: ['contacts:read'] };
const BY_PEOPLE = {
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: [REDIRECT_URI],
  scopes: ['contacts:read', 'account:read'],
};

type Json = Readonly<Record<string, unknown>> & { readonly id: number };
type Client = Json & { readonly client_id: string; readonly client_secret: string | null };

const send = (method: string, path: string, body: object | null, caller: Caller = owner, headers = {}) =>
  gateway.send(path, {
    method,
    caller,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

async function created(body: object, caller: Caller = owner): Promise<Client> {
  const response = await send('POST', PATH, { oauth_client: { name: 'A client', ...body } }, caller);
  const text = await response.clone().text();
  expect([response.status, text]).toEqual([201, text]);
  return (await response.json()) as Client;
}

async function platformOf({ client_id: id, client_secret: secret }: Client): Promise<Platform> {
  const fetch = fetchOf(gateway);
  return new Platform(await discover(fetch, app.config.authUrl), fetch, { id, secret });
}

const bearer = (token: string): Caller => ({ authorization: `Bearer ${token}` });
const contactsOf = async (workspaceId: bigint, token: string) =>
  (await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, { caller: bearer(token) })).status;

/** A person with a browser, and the client of a team: what the flow with consent begins with. */
async function sceneOf(client: Client, teamId: bigint) {
  const user = await factories.user(app, { teamId });
  const fetch = fetchOf(gateway);
  const platform = await platformOf(client);
  return { teamId, first, second, user, fetch, platform, browser: new Browser(fetch) };
}

test('of many concurrent renamings with the same entity tag one succeeds', async () => {
  const { id } = await created(BY_ITSELF);
  const path = `/api/v2/oauth_clients/${id}`;
  const tag = (await send('GET', path, null)).headers.get('ETag') ?? '';
  const rename = (_: unknown, index: number) =>
    send('PATCH', path, { oauth_client: { name: `Name ${index}` } }, owner, { 'If-Match': tag });
  const answers = await Promise.all(Array.from({ length: 6 }, rename));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
  const done = answers.find(({ status }) => status === 200) ?? expect.fail();
  const { name } = (await done.json()) as Json;
  expect(await (await send('GET', path, null)).json()).toMatchObject({ name });
});

test('of many concurrent renamings of whatever is there each succeeds', async () => {
  const { id } = await created(BY_ITSELF);
  const path = `/api/v2/oauth_clients/${id}`;
  const rename = (_: unknown, index: number) =>
    send('PATCH', path, { oauth_client: { name: `Name ${index}` } }, owner, { 'If-Match': '*' });
  const answers = await Promise.all(Array.from({ length: 6 }, rename));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
});

test('who may not read clients gets the id and the secret of the client that it creates', async () => {
  const writer = await factories.apiKey(app, { teamId: team.id, scopes: ['account:write'] });
  const client = await created({ ...BY_ITSELF, scopes: ['account:write'] }, writer);
  expect(client).toMatchObject({ client_id: expect.any(String), client_secret: expect.any(String) });
});

test('a client is created, shown once with its secret, acts for the team, is renamed, and revoked with its tokens', async () => {
  const response = await send('POST', PATH, { oauth_client: { name: ' Nightly ', ...BY_ITSELF } });
  expect(response.headers.get('Cache-Control')).toBe('no-store, no-transform');
  const client = (await response.json()) as Client;
  expect(response.headers.get('Location')).toMatch(new RegExp(`/api/v2/oauth_clients/${client.id}$`));
  expect(client).toMatchObject({
    ...BY_ITSELF,
    ...{ name: 'Nightly', team_id: Number(team.id), redirect_uris: [], is_public: false },
    ...{ is_whole_team: true, workspace_ids: [], expires_at: null, revoked_at: null },
  });
  const platform = await platformOf(client);
  const { access_token: token } = await platform.clientCredentials();
  expect(await contactsOf(first.id, token)).toBe(200);

  const one = `/api/v2/oauth_clients/${client.id}`;
  const { client_secret: _, ...shown } = client;
  expect(await (await gateway.send(one, { caller: owner })).json()).toEqual(shown);
  const listed = (await (await gateway.send(PATH, { caller: owner })).json()) as Json[];
  expect(listed).toContainEqual(shown);
  expect(await (await send('PATCH', one, { oauth_client: { name: 'Weekly' } })).json()).toEqual({
    ...shown,
    name: 'Weekly',
  });
  expect(await contactsOf(first.id, token)).toBe(200);

  for (let times = 0; times < 2; times++) expect((await send('DELETE', one, null)).status).toBe(204);
  expect(await contactsOf(first.id, token)).toBe(401);
  await expect(platform.clientCredentials()).rejects.toThrow();
  expect(await (await gateway.send(one, { caller: owner })).json()).toMatchObject({
    ...{ name: 'Weekly', revoked_at: expect.any(String) },
  });
});

test('the same over GraphQL', async () => {
  const ask = async (query: string, input: object, caller: Caller = owner) => {
    const { data, errors } = await post<Record<string, Json>>(
      gateway,
      { query, variables: { input } },
      { caller },
    );
    expect(errors).toBeUndefined();
    return Object.values(data ?? {})[0];
  };
  const create = `mutation ($input: CreateOauthClientInput!) { createOauthClient(input: $input) {
    oauthClient { id clientId name grantTypes isPublic status workspaces { id } } oauthClientEdge { node { id } }
    secret userErrors { code path } } }`;
  const input = { teamId: btoa(`Team:${team.id}`), name: 'Over GraphQL', scopes: ['contacts:read'] };
  const made = (await ask(create, {
    ...{ ...input, grantTypes: ['client_credentials'] },
    workspaceIds: [btoa(`Workspace:${second.id}`)],
  })) as unknown as { oauthClient: { id: string; clientId: string }; secret: string };
  expect(made).toMatchObject({
    oauthClient: {
      ...{ name: 'Over GraphQL', grantTypes: ['client_credentials'], isPublic: false, status: 'ACTIVE' },
      workspaces: [{ id: btoa(`Workspace:${second.id}`) }],
    },
    oauthClientEdge: { node: { id: made.oauthClient.id } },
    ...{ secret: expect.any(String), userErrors: [] },
  });
  const given = { client_id: made.oauthClient.clientId, client_secret: made.secret } as Client;
  const { access_token: token } = await (await platformOf(given)).clientCredentials();
  expect([await contactsOf(first.id, token), await contactsOf(second.id, token)]).toEqual([404, 200]);

  expect(await ask(create, { ...input, grantTypes: ['authorization_code'] })).toMatchObject({
    ...{ oauthClient: null, secret: null, userErrors: [{ code: 'NOT_ALLOWED', path: ['redirectUris'] }] },
  });
  const oauthClientId = made.oauthClient.id;
  const rename = `mutation ($input: UpdateOauthClientInput!) { updateOauthClient(input: $input) {
    oauthClient { name } userErrors { code path } } }`;
  expect(await ask(rename, { oauthClientId, name: 'Another' })).toEqual({
    ...{ oauthClient: { name: 'Another' }, userErrors: [] },
  });
  const revoke = `mutation ($input: RevokeOauthClientInput!) { revokeOauthClient(input: $input) {
    oauthClient { status } revokedOauthClientId userErrors { code path } } }`;
  expect(await ask(revoke, { oauthClientId }, stranger)).toMatchObject({
    ...{ oauthClient: null, userErrors: [{ code: 'NOT_FOUND' }] },
  });
  expect(await ask(revoke, { oauthClientId })).toEqual({
    ...{ oauthClient: { status: 'REVOKED' }, revokedOauthClientId: oauthClientId, userErrors: [] },
  });
  expect(await contactsOf(second.id, token)).toBe(401);
});

test('people of the team grant a client access, and revoking it ends their grants and tokens', async () => {
  const client = await created(BY_PEOPLE);
  const scene = await sceneOf(client, team.id);
  const { tokens } = await getTokens(scene);
  expect(await contactsOf(first.id, tokens.access_token)).toBe(200);
  const grants = `/api/v2/teams/${team.id}/oauth_grants`;
  const grantOf = async () =>
    ((await (await gateway.send(grants, { caller: owner })).json()) as Json[]).find(
      (grant) => grant['client_id'] === client.client_id,
    );
  expect(await grantOf()).toMatchObject({ revoked_at: null });
  expect((await send('DELETE', `/api/v2/oauth_clients/${client.id}`, null)).status).toBe(204);
  expect(await contactsOf(first.id, tokens.access_token)).toBe(401);
  await expect(scene.platform.refresh(tokens.refresh_token ?? '')).rejects.toThrow();
  expect(await grantOf()).toMatchObject({ revoked_at: expect.any(String) });
});

test('people of another team cannot grant it access, and people of both teams only to its own', async () => {
  const client = await created(BY_PEOPLE);
  const theirs = await sceneOf(client, other.id);
  const sent = await theirs.platform.request({ scope: 'contacts:read' });
  const page = requirePage(await theirs.browser.open(sent.url));
  const refused = requirePage(await signIn(theirs.browser, page, theirs.user.email));
  expect([refused.status, refused.text.includes('belongs to another team')]).toEqual([403, true]);

  const both = await sceneOf(client, other.id);
  const member = { userId: both.user.id, teamId: team.id, role: 'owner' as const };
  await prismaOf(app.store).teamMember.create({ data: member });
  const asked = await both.platform.request({ scope: 'contacts:read' });
  const signInPage = requirePage(await both.browser.open(asked.url));
  const consent = requirePage(await signIn(both.browser, signInPage, both.user.email));
  expect(consent.text).toContain(`name="team" value="${team.id}"`);
  expect(consent.text).not.toContain(`name="team" value="${other.id}"`);
  const forged = consent.text.replace(`name="team" value="${team.id}"`, `name="team" value="${other.id}"`);
  const again = requirePage(await allow(both.browser, { ...consent, text: forged }, { teamId: other.id }));
  expect(again.text).toContain('Choose one of your teams');
  const back = requireLeft(await allow(both.browser, again, { teamId: team.id }));
  const { access_token: token } = await both.platform.redeem(back, asked);
  expect(await contactsOf(first.id, token)).toBe(200);
});

test('a client is never wider than the credential that creates it, and ends with it', async () => {
  const narrow = await factories.apiKey(app, { teamId: team.id, scopes: ['account:write', 'contacts:read'] });
  const wide = { oauth_client: { name: 'Wide', ...BY_ITSELF, scopes: ['contacts:write'] } };
  const { detail } = await expectProblem(await send('POST', PATH, wide, narrow), 'invalid');
  expect(detail).toBe(
    'scopes cannot contain contacts:write, which the credential of the request does not have.',
  );
  const expiresAt = new Date(Date.now() + 86_400_000);
  const short = await factories.apiKey(app, { teamId: team.id, expiresAt });
  const later = new Date(expiresAt.getTime() + 1).toISOString();
  const longer = { oauth_client: { name: 'Longer', ...BY_ITSELF, expires_at: later } };
  await expectProblem(await send('POST', PATH, longer, short), 'invalid');
  const client = await created(BY_ITSELF, short);
  expect(client['expires_at']).toBe(expiresAt.toISOString());

  const platform = await platformOf(client);
  const { access_token: token } = await platform.clientCredentials();
  expect(await contactsOf(first.id, token)).toBe(200);
  await prismaOf(app.store).oauthClient.update({
    where: { id: client.client_id },
    data: { expiresAt: new Date(Date.now() - 1_000) },
  });
  await app.lookups.forget();
  expect(await contactsOf(first.id, token)).toBe(401);
  await expect(platform.clientCredentials()).rejects.toThrow();

  const body = JSON.stringify({ oauth_client: { name: 'Host', ...BY_ITSELF } });
  const host = `${first.subdomain}.localhost:4000`;
  const headers = { 'Content-Type': 'application/json' };
  const onHost = await gateway.send(PATH, { method: 'POST', host, caller: owner, headers, body });
  await expectProblem(onHost, 'not_found');
});

test('what a client with an end creates ends with it', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const scopes = ['account:write', 'contacts:read'];
  const client = await created({ ...BY_ITSELF, scopes, expires_at: expiresAt });
  const token = await (await platformOf(client)).clientCredentials();
  const caller = bearer(token.access_token);
  const key = { name: 'A key', scopes: ['contacts:read'] };
  const made = await send('POST', `/api/v2/teams/${team.id}/api_keys`, { api_key: key }, caller);
  const { id } = (await made.json()) as Json;
  const shown = await send('GET', `/api/v2/api_keys/${id}`, null);
  expect((await shown.json()) as Json).toMatchObject({ expires_at: expiresAt });
  const later = { ...key, expires_at: '2999-01-01T00:00:00Z' };
  const refused = await send('POST', `/api/v2/teams/${team.id}/api_keys`, { api_key: later }, caller);
  await expectProblem(refused, 'invalid');
});

test('nothing of another team can be made, seen, changed or ended, and nothing changed without account:write', async () => {
  const client = await created(BY_ITSELF);
  const reader = await factories.apiKey(app, { teamId: team.id, scopes: ['read'] });
  const body = { oauth_client: { name: 'Theirs', ...BY_ITSELF } };
  const one = `/api/v2/oauth_clients/${client.id}`;
  for (const [caller, code] of [
    [stranger, 'not_found'],
    [reader, 'insufficient_scope'],
  ] as const) {
    await expectProblem(await send('POST', PATH, body, caller), code);
    await expectProblem(await send('PATCH', one, { name: 'Theirs' }, caller), code);
    await expectProblem(await send('DELETE', one, null, caller), code);
  }
  await expectProblem(await gateway.send(one, { caller: stranger }), 'not_found');
  await expectProblem(await gateway.send(PATH, { caller: stranger }), 'not_found');
  const { access_token: token } = await (await platformOf(client)).clientCredentials();
  expect(await contactsOf(first.id, token)).toBe(200);
});

test('the clients of the operator and those that register themselves are nobody’s, but one that acts for the team is its own', async () => {
  await factories.oauthClient(app, { name: 'Nobody’s' });
  const ours = await factories.teamOauthClient(app, { teamId: team.id, name: 'By the operator' });
  const listed = (await (await gateway.send(PATH, { caller: owner })).json()) as Json[];
  const names = listed.map(({ name }) => name);
  expect(names).toContain('By the operator');
  expect(names).not.toContain('Nobody’s');
  expect((await send('DELETE', `/api/v2/oauth_clients/${ours.id}`, null)).status).toBe(204);
});

test('a retry cannot be answered, so an idempotency key is refused', async () => {
  const body = { oauth_client: { name: 'Twice', ...BY_ITSELF } };
  const response = await send('POST', PATH, body, owner, { 'Idempotency-Key': 'once' });
  expect((await expectProblem(response, 'invalid')).detail).toContain('a secret is shown once');
});

test.each([
  ['no name', { ...BY_ITSELF, name: undefined }],
  ['an invisible name', { ...BY_ITSELF, name: 'a\u202eb' }],
  ['no scopes', { ...BY_ITSELF, scopes: [] }],
  ['no way to get tokens', { ...BY_ITSELF, grant_types: [] }],
  ['an unknown way to get tokens', { ...BY_ITSELF, grant_types: ['password'] }],
  ['refresh tokens alone', { ...BY_ITSELF, grant_types: ['refresh_token'] }],
  ['consent without a redirect URI', { ...BY_PEOPLE, redirect_uris: [] }],
  ['a redirect URI without consent', { ...BY_ITSELF, redirect_uris: [REDIRECT_URI] }],
  ['a redirect URI in the clear', { ...BY_PEOPLE, redirect_uris: ['http://client.example/callback'] }],
  ['a public client that acts by itself', { ...BY_ITSELF, is_public: true }],
  ['workspaces of another team', { ...BY_ITSELF, workspace_ids: [Number(foreign.id)] }],
  ['workspaces, where people choose them', { ...BY_PEOPLE, workspace_ids: [Number(first.id)] }],
  ['an expiry in the past', { ...BY_ITSELF, expires_at: '2020-01-01T00:00:00.000Z' }],
])('%s is refused', async (_, body) => {
  await expectProblem(await send('POST', PATH, { oauth_client: { name: 'x', ...body } }), 'invalid');
});
