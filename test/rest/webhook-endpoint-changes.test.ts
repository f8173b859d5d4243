// The life of webhook endpoints over REST: what may be subscribed, by whom, where to, and the secret that is shown once.
import { beforeEach, describe, expect, test } from 'vitest';
import { openSecret } from '../../src/services/webhooks/webhook-secrets.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;

const gateway = await ownGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '10.9.0.0/16' } });
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const endpoints = () => `/api/v2/workspaces/${client.workspaceId}/webhooks/outgoing/endpoints`;
const member = (id: number, verb = '') => `/api/v2/webhooks/outgoing/endpoints/${id}${verb}`;
const GIVEN = {
  url: 'https://hooks.example.com/in?token=1',
  name: 'CRM',
  event_type_ids: ['contact.created', 'one-time-order.completed'],
};
const create = (members: object = {}, headers = {}) =>
  client.send('POST', endpoints(), { webhooks_outgoing_endpoint: { ...GIVEN, ...members } }, headers);
/** The same client with a key of these scopes. */
const withScopes = async (...scopes: string[]): Promise<RestClient['send']> => {
  const caller = await factories.apiKey(gateway.app, { teamId: client.teamId, scopes });
  return async (method, path, body) => {
    const response = await gateway.send(path, {
      ...{ caller, method, headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify(body ?? {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, tag: '', text, body: JSON.parse(text) };
  };
};

describe('the secret', () => {
  test('is in the answer that creates the endpoint, never again, and is encrypted in the store', async () => {
    const made = await create();
    const secret = String(made.body['webhook_secret']);
    expect([made.status, secret]).toEqual([201, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(made.headers.get('Location')).toBe(`http://localhost:4000${member(made.body.id)}`);
    const got = await client.send('GET', member(made.body.id));
    const { webhook_secret: _, ...rest } = made.body;
    expect(got.body).toEqual(rest);
    for (const path of [endpoints(), `/api/v2/workspaces/${client.workspaceId}/audit_entries`])
      expect((await client.send('GET', path)).text).not.toContain(secret);
    const { rows } = await gateway.app.store.pool.query(
      "select secret, position(convert_to($1, 'utf8') in secret) as found from webhook_endpoints where id = $2",
      [secret, made.body.id],
    );
    expect(rows[0].found).toBe(0);
    expect(openSecret(gateway.app, rows[0].secret)).toBe(secret);
  });

  test('is in the answer to a retry with the same key, until it is replaced', async () => {
    const key = { 'Idempotency-Key': 'k1' };
    const made = await create({}, key);
    expect((await create({}, key)).text).toBe(made.text);
    await client.send('PUT', member(made.body.id), { name: 'Other' });
    expect((await create({}, key)).text).toBe(made.text);
    const rotated = await client.send('POST', member(made.body.id, '/rotate_secret'), {}, key);
    expect([rotated.status, rotated.body['webhook_secret']]).toEqual([
      200,
      expect.not.stringMatching(String(made.body['webhook_secret'])),
    ]);
    const again = await client.send('POST', member(made.body.id, '/rotate_secret'), {}, key);
    expect(again.text).toBe(rotated.text);
    expect((await create({}, key)).status).toBe(410);
  });

  test('before it signs too for as long as the client chooses, and not at all without an overlap', async () => {
    const { body } = await create();
    const stored = async () => {
      const row = await prismaOf(gateway.app.store).webhookEndpoint.findFirstOrThrow({
        where: { id: BigInt(body.id) },
      });
      const { previousSecret, previousSecretUntil, secretChangedAt } = row;
      const seconds =
        previousSecretUntil && (previousSecretUntil.getTime() - Number(secretChangedAt?.getTime())) / 1000;
      return [previousSecret && openSecret(gateway.app, previousSecret), seconds];
    };
    await client.send('POST', member(body.id, '/rotate_secret'));
    expect(await stored()).toEqual([body['webhook_secret'], 86_400]);
    await client.send('POST', member(body.id, '/rotate_secret'), { overlap_seconds: 0 });
    expect(await stored()).toEqual([null, null]);
    for (const [overlap_seconds, seconds] of [
      ['60', 60],
      ['60.0', 60],
      [null, 86_400],
    ] as const) {
      await client.send('POST', member(body.id, '/rotate_secret'), { overlap_seconds });
      expect((await stored())[1]).toBe(seconds);
    }
    for (const overlap_seconds of [-1, 604_801, '604801', '1.5', 1.5])
      expect(
        await client.refused(422, 'POST', member(body.id, '/rotate_secret'), { overlap_seconds }),
      ).toEqual(['overlap_seconds']);
  });
});

describe('the input of an endpoint', () => {
  test('is returned; unknown members are ignored, and null empties a list', async () => {
    const page = await factories.page(gateway.app, client.workspaceId, 'One');
    const funnel = await factories.funnel(gateway.app, { workspaceId: client.workspaceId });
    const given = {
      ...{ page_ids: [Number(page.id)], funnel_ids: [String(funnel.id)] },
      ...{ strict_order: true, max_deliveries_per_second: 5 },
    };
    const made = await create({ ...given, eventTypeIds: ['x'], api_version: 1, webhook_secret: 'mine' });
    expect(made.body).toMatchObject({
      ...{ ...GIVEN, ...given, funnel_ids: [Number(funnel.id)] },
      ...{ api_version: 2, deactivated_at: null, deactivation_reason: null, failing_since: null },
    });
    expect(made.body['webhook_secret']).not.toBe('mine');
    for (const method of ['PUT', 'PATCH']) {
      const changed = await client.send(method, member(made.body.id), { page_ids: null, name: method });
      expect(changed.body).toMatchObject({ ...GIVEN, name: method, page_ids: [], strict_order: true });
    }
  });

  test('may refer only to pages and funnels of the workspace, and existing event types', async () => {
    const { id: workspaceId } = await factories.workspace(gateway.app, { teamId: client.teamId });
    const page = await factories.page(gateway.app, workspaceId, 'Theirs');
    const funnel = await factories.funnel(gateway.app, { workspaceId });
    const post = (members: object) =>
      client.refused(422, 'POST', endpoints(), { webhooks_outgoing_endpoint: { ...GIVEN, ...members } });
    expect(await post({ page_ids: [Number(page.id)] })).toEqual(['page_ids']);
    expect(await post({ funnel_ids: [Number(funnel.id)] })).toEqual(['funnel_ids']);
    expect(await post({ event_type_ids: ['contact.created', 'contact.tagged'] })).toEqual(['event_type_ids']);
    expect(await post({ max_deliveries_per_second: 0 })).toEqual(['max_deliveries_per_second']);
    expect((await create({ event_type_ids: ['contact.tagged'] })).text).toContain('contact.tagged');
    const { body } = await create();
    expect(await client.refused(422, 'PATCH', member(body.id), { page_ids: [Number(page.id)] })).toEqual([
      'page_ids',
    ]);
    expect(await client.refused(422, 'POST', endpoints(), {})).toEqual(['url', 'name']);
  });

  test.each([
    ...['ftp://a.example', 'https://user:pass@a.example', 'https://', 'a.example', ' https://a.example'],
    ...[
      'http://127.0.0.1',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://[::1]/',
      'http://[::ffff:7f00:1]/',
    ],
    ...['http://localhost', 'http://x.LOCALHOST.', 'http://127.0.0.1./', 'http://169.254.169.254/latest'],
    ...[
      'http://10.0.0.1',
      'http://192.168.1.1',
      'http://100.64.0.1',
      'http://[64:ff9b::a00:1]/',
      'http://[fd00::1]/',
    ],
  ])('is no URL such as %s, which changes nothing', async (url) => {
    const post = { webhooks_outgoing_endpoint: { ...GIVEN, url } };
    expect(await client.refused(422, 'POST', endpoints(), post)).toEqual(['url']);
  });

  test('may have an address that the operator allows', async () => {
    expect((await create({ url: 'http://10.9.1.1/in' })).status).toBe(201);
  });
});

describe('a subscriber', () => {
  test('needs the read scope of every chosen event, or of all events if none is chosen', async () => {
    const [few, most, all] = await Promise.all([
      withScopes('webhooks:write', 'contacts:read'),
      withScopes('webhooks:write', 'contacts:read', 'store:read'),
      withScopes('write', 'read'),
    ]);
    const post = async (send: RestClient['send'], event_type_ids?: string[]) =>
      (await send('POST', endpoints(), { ...GIVEN, event_type_ids })).status;
    expect(await post(few, ['contact.created'])).toBe(201);
    expect(await post(few, GIVEN.event_type_ids)).toBe(403);
    expect(await post(most, GIVEN.event_type_ids)).toBe(201);
    expect([await post(most, []), await post(most), await post(all, []), await post(all)]).toEqual([
      ...[403, 403, 201, 201],
    ]);
  });

  test('sees all missing scopes at once, in the challenge too: one more consent is enough', async () => {
    const send = await withScopes('webhooks:write', 'contacts:read');
    const { body, headers } = await send('POST', endpoints(), { ...GIVEN, event_type_ids: [] });
    const missing = ['account', 'blogs', 'courses', 'forms', 'funnels', 'sales', 'store', 'webhooks'].map(
      (category) => `${category}:read`,
    );
    const named = / scope="([^"]+)"/.exec(headers.get('WWW-Authenticate') ?? '')?.[1];
    expect(named?.split(' ').sort()).toEqual(missing);
    for (const scope of missing) expect(String(body['detail'])).toContain(scope);
    const both = await send('POST', endpoints(), GIVEN);
    expect(both.body['detail']).toBe(
      'A subscription to these types of event also needs the scope store:read.',
    );
  });

  test('is the caller who changes its URL or events, activates it, or replaces its secret; a new name needs only the write scope', async () => {
    const { body } = await create();
    const send = await withScopes('webhooks:write');
    const status = async (method: string, path: string, members: object) =>
      (await send(method, path, members)).status;
    expect(await status('PATCH', member(body.id), { name: 'New' })).toBe(200);
    expect(await status('PATCH', member(body.id), { url: 'https://elsewhere.example' })).toBe(403);
    expect(await status('PATCH', member(body.id), { event_type_ids: ['contact.created'] })).toBe(403);
    expect(await status('PATCH', member(body.id), { page_ids: [] })).toBe(403);
    expect(await status('PATCH', member(body.id), { funnel_ids: null })).toBe(403);
    expect(await status('POST', member(body.id, '/activate'), {})).toBe(403);
    expect(await status('POST', member(body.id, '/rotate_secret'), {})).toBe(403);
    const reader = await withScopes('webhooks:write', 'contacts:read', 'store:read');
    const rotated = await reader('POST', member(body.id, '/rotate_secret'), {});
    expect([rotated.status, rotated.body['webhook_secret']]).toEqual([
      200,
      expect.not.stringMatching(String(body['webhook_secret'])),
    ]);
    const now = await client.send('GET', member(body.id));
    expect(now.body).toMatchObject({ ...GIVEN, name: 'New' });
  });
});

describe('activating', () => {
  test('and deactivating return the state, and an endpoint without a secret gets one first', async () => {
    const { body } = await create();
    const off = await client.send('POST', member(body.id, '/deactivate'));
    expect(off.body).toMatchObject({
      deactivated_at: expect.any(String),
      deactivation_reason: 'requested',
    });
    const again = await client.send('POST', member(body.id, '/deactivate'));
    expect(again.body['deactivated_at']).toBe(off.body['deactivated_at']);
    const on = await client.send('POST', member(body.id, '/activate'), { max_deliveries_per_second: 3 });
    expect(on.body).toMatchObject({
      ...{ deactivated_at: null, deactivation_reason: null, max_deliveries_per_second: 3 },
    });
    const { id } = await factories.webhookEndpoint(gateway.app, {
      ...{ workspaceId: client.workspaceId, secret: null, secretChangedAt: null },
      ...{ deactivatedAt: new Date(), deactivationReason: 'requested' },
    });
    await client.refused(409, 'POST', member(Number(id), '/activate'));
    await client.send('POST', member(Number(id), '/rotate_secret'));
    expect((await client.send('POST', member(Number(id), '/activate'))).status).toBe(200);
  });

  test('has an audit entry like every change, without a secret', async () => {
    const { body } = await create();
    for (const verb of ['/deactivate', '/activate', '/rotate_secret'])
      await client.send('POST', member(body.id, verb));
    await client.send('DELETE', member(body.id));
    const entries = await prismaOf(gateway.app.store).auditEntry.findMany({
      where: { workspaceId: client.workspaceId },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action.replace('webhooks/outgoing/endpoint.', ''))).toEqual([
      ...['created', 'deactivated', 'activated', 'secret_rotated', 'deleted'],
    ]);
    expect(
      JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toMatch(/[0-9a-f]{64}/);
  });
});

test('a workspace has at most 100 endpoints, and a retry of the last creation is still answered', async () => {
  await gateway.app.store.pool.query(
    `insert into webhook_endpoints (workspace_id, url, name, deactivated_at, deactivation_reason)
    select $1, 'https://hooks.example.com/in', 'Endpoint ' || n, now(), 'requested' from generate_series(1, 99) n`,
    [client.workspaceId],
  );
  const key = { 'Idempotency-Key': 'last' };
  const last = await create({}, key);
  expect(last.status).toBe(201);
  const refused = await create();
  expect([refused.status, refused.text]).toEqual([
    422,
    expect.stringContaining('A workspace can have at most 100 webhook endpoints.'),
  ]);
  expect((await create({}, key)).text).toBe(last.text);
  expect((await client.send('DELETE', member(last.body.id))).status).toBe(204);
  expect((await create()).status).toBe(201);
});

test('an endpoint with a new URL starts anew in counting failures, and in nothing else', async () => {
  const { body } = await create();
  const failingSince = async () => (await client.send('GET', member(body.id))).body['failing_since'];
  await gateway.app.store.pool.query('update webhook_endpoints set failing_since = now() where id = $1', [
    body.id,
  ]);
  await client.send('PUT', member(body.id), { name: 'Other', url: GIVEN.url });
  expect(await failingSince()).not.toBe(null);
  await client.send('PUT', member(body.id), { url: 'https://other.example.com/in' });
  expect(await failingSince()).toBe(null);
});
