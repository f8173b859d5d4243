// API keys and grants over both faces: their team's own callers create, rename and revoke them, never beyond what they may do themselves.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await ownGateway();
const team = await factories.team(gateway.app);
const workspace = await factories.workspace(gateway.app, { teamId: team.id });
const stranger = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });
const owner = await factories.apiKey(gateway.app, { teamId: team.id });
const PATH = `/api/v2/teams/${team.id}/api_keys`;
const TEAM = btoa(`Team:${team.id}`);

type Json = Readonly<Record<string, unknown>> & { readonly id: number };

const send = (method: string, path: string, body: object | null, caller: Caller = owner, headers = {}) =>
  gateway.send(path, {
    method,
    caller,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

async function created(body: object, caller: Caller = owner): Promise<Json & { token: string }> {
  const response = await send('POST', PATH, { api_key: body }, caller);
  expect(response.status).toBe(201);
  return (await response.json()) as Json & { token: string };
}

const keyOf = ({ token }: { readonly token: string }): Caller => ({ authorization: `Bearer ${token}` });
const works = async (caller: Caller) => (await gateway.send('/api/v2/me', { caller })).status === 200;

test('who may not read keys gets the token of the key that it creates', async () => {
  const writer = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['account:write'] });
  const key = await created({ name: 'Nightly', scopes: ['account:write'] }, writer);
  expect(await works(keyOf(key))).toBe(true);
});

test('a key is created, shown once with its token, listed without it, renamed, and revoked at once', async () => {
  const response = await send('POST', PATH, { api_key: { name: 'Nightly', scopes: ['contacts:read'] } });
  expect(response.headers.get('Cache-Control')).toBe('no-store, no-transform');
  const key = (await response.json()) as Json & { token: string };
  expect(response.headers.get('Location')).toMatch(new RegExp(`/api/v2/api_keys/${key.id}$`));
  expect(key).toMatchObject({
    name: 'Nightly',
    scopes: ['contacts:read'],
    expires_at: null,
    team_id: Number(team.id),
  });
  expect(await works(keyOf(key))).toBe(true);
  const contacts = await gateway.send(`/api/v2/workspaces/${workspace.id}/contacts`, { caller: keyOf(key) });
  expect(contacts.status).toBe(200);

  const listed = (await (await gateway.send(PATH, { caller: owner })).json()) as Json[];
  const { token: _, ...shown } = key;
  expect(listed.find(({ id }) => id === key.id)).toMatchObject({ ...shown, last_used_at: expect.anything() });

  const renamed = await send('PATCH', `/api/v2/api_keys/${key.id}`, { api_key: { name: ' Weekly ' } });
  expect(await renamed.json()).toMatchObject({ id: key.id, name: 'Weekly' });
  for (let times = 0; times < 2; times++)
    expect((await send('DELETE', `/api/v2/api_keys/${key.id}`, null)).status).toBe(204);
  expect(await works(keyOf(key))).toBe(false);
  const ended = await (await gateway.send(`/api/v2/api_keys/${key.id}`, { caller: owner })).json();
  expect(ended).toMatchObject({ name: 'Weekly', revoked_at: expect.any(String) });
});

test('the same over GraphQL', async () => {
  const create = `mutation ($input: CreateApiKeyInput!) {
    createApiKey(input: $input) { apiKey { id name scopes status } token userErrors { code path message } } }`;
  const input = { teamId: TEAM, name: 'Over GraphQL', scopes: ['contacts:read'] };
  const { data, errors } = await post(gateway, { query: create, variables: { input } }, { caller: owner });
  expect(errors).toBeUndefined();
  type Made = { apiKey: { id: string }; token: string; userErrors: unknown[] };
  const { apiKey, token, userErrors } = (data as { createApiKey: Made }).createApiKey;
  expect([apiKey, userErrors]).toMatchObject([{ name: 'Over GraphQL', status: 'ACTIVE' }, []]);
  expect(await works({ authorization: `Bearer ${token}` })).toBe(true);
  const rename = `mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { apiKey { name } userErrors { code path } } }`;
  const renamed = (name: string) =>
    post(gateway, { query: rename, variables: { input: { apiKeyId: apiKey.id, name } } }, { caller: owner });
  expect((await renamed('Another')).data).toEqual({
    updateApiKey: { apiKey: { name: 'Another' }, userErrors: [] },
  });
  expect((await renamed(' ')).data).toMatchObject({
    updateApiKey: { apiKey: null, userErrors: [{ code: 'REQUIRED', path: ['name'] }] },
  });
  const wide = await post(
    gateway,
    { query: create, variables: { input: { ...input, scopes: ['nope:read'] } } },
    { caller: owner },
  );
  expect(wide.data).toMatchObject({
    createApiKey: { apiKey: null, token: null, userErrors: [{ code: 'NOT_INCLUDED', path: ['scopes'] }] },
  });
});

describe('a key is never wider than the credential that creates it', () => {
  test('in scopes', async () => {
    const narrow = await factories.apiKey(gateway.app, {
      teamId: team.id,
      scopes: ['account:write', 'contacts:read', 'read'],
    });
    expect((await created({ name: 'Same', scopes: ['store:read', 'read'] }, narrow))['scopes']).toEqual([
      'store:read',
      'read',
    ]);
    for (const scope of ['write', 'contacts:write', 'store:write']) {
      const response = await send(
        'POST',
        PATH,
        { api_key: { name: 'Wide', scopes: ['read', scope] } },
        narrow,
      );
      const { detail } = await expectProblem(response, 'invalid');
      expect(detail).toBe(
        `scopes cannot contain ${scope}, which the credential of the request does not have.`,
      );
    }
  });

  test('in time', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000);
    const short = await factories.apiKey(gateway.app, { teamId: team.id, expiresAt });
    const key = await created({ name: 'Short', scopes: ['read'] }, short);
    expect(key['expires_at']).toBe(expiresAt.toISOString());
    const earlier = new Date(expiresAt.getTime() - 1_000).toISOString();
    expect(
      (await created({ name: 'Shorter', scopes: ['read'], expires_at: earlier }, short))['expires_at'],
    ).toBe(earlier);
    const later = new Date(expiresAt.getTime() + 1).toISOString();
    const body = { api_key: { name: 'Longer', scopes: ['read'], expires_at: later } };
    await expectProblem(await send('POST', PATH, body, short), 'invalid');
    const past = { api_key: { name: 'Past', scopes: ['read'], expires_at: '2020-01-01T00:00:00.000Z' } };
    await expectProblem(await send('POST', PATH, past), 'invalid');
  });

  test('in workspaces: a host of one workspace creates none', async () => {
    const response = await gateway.send(PATH, {
      method: 'POST',
      host: `${workspace.subdomain}.localhost:4000`,
      caller: owner,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ api_key: { name: 'Host', scopes: ['read'] } }),
    });
    await expectProblem(response, 'not_found');
  });
});

test('nothing of another team can be made, changed or ended, and nothing without account:write', async () => {
  const key = await created({ name: 'Ours', scopes: ['read'] });
  const reader = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['read'] });
  const body = { api_key: { name: 'Theirs', scopes: ['read'] } };
  const one = `/api/v2/api_keys/${key.id}`;
  for (const [caller, code] of [
    [stranger, 'not_found'],
    [reader, 'insufficient_scope'],
  ] as const) {
    await expectProblem(await send('POST', PATH, body, caller), code);
    await expectProblem(await send('PATCH', one, { name: 'Theirs' }, caller), code);
    await expectProblem(await send('DELETE', one, null, caller), code);
  }
  expect(await works(keyOf(key))).toBe(true);
});

test('a retry cannot be answered, so an idempotency key is refused, and nothing is made', async () => {
  const before = ((await (await gateway.send(PATH, { caller: owner })).json()) as Json[]).length;
  const body = { api_key: { name: 'Twice', scopes: ['read'] } };
  const response = await send('POST', PATH, body, owner, { 'Idempotency-Key': 'once' });
  const { detail } = await expectProblem(response, 'invalid');
  expect(detail).toContain('a key is shown once');
  expect(((await (await gateway.send(PATH, { caller: owner })).json()) as Json[]).length).toBe(before);
});

test.each([
  ['no name', { scopes: ['read'] }],
  ['a blank name', { name: ' ', scopes: ['read'] }],
  ['an invisible name', { name: 'a\u202eb', scopes: ['read'] }],
  ['no scopes', { name: 'x' }],
  ['an empty list of scopes', { name: 'x', scopes: [] }],
  ['an unknown scope', { name: 'x', scopes: ['contacts:admin'] }],
  ['scopes that are no list', { name: 'x', scopes: 'read' }],
  ['an expiry that is no time', { name: 'x', scopes: ['read'], expires_at: 'soon' }],
])('%s is refused', async (_, body) => {
  await expectProblem(await send('POST', PATH, { api_key: body }), 'invalid');
});
