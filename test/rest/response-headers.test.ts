// The headers of every response: a request id, a content type, no sniffing, no unvalidated data from a cache.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, OPERATIONS, requestOf, sampleOperations, UNSAFE } from '../support/operations.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const gateway = await ownGateway();
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

const requestIdOf = async (given: string) =>
  (await gateway.send('/api/v2/teams', { caller, headers: { 'X-Request-Id': given } })).headers.get(
    'X-Request-Id',
  );

test.each(['a', 'req-1', '01J9ZQ4V6W', 'x'.repeat(128), 'a.b_c:d+e/f=g@h'])(
  'the caller keeps a sane request id: %s',
  async (given) => {
    expect(await requestIdOf(given)).toBe(given);
  },
);

test.each(['x'.repeat(129), 'two words', '{"a":1}', '<script>', 'a;b', 'é', 'a,b', '"', '\t'])(
  'any other request id is replaced: %j',
  async (given) => {
    expect(await requestIdOf(given)).toMatch(UUID);
  },
);

test('each request without an id gets one, which is also in the log line', async () => {
  const responses = await Promise.all([1, 2, 3].map(() => gateway.send('/api/v2/teams', { caller })));
  const ids = responses.map((response) => response.headers.get('X-Request-Id') ?? '');
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) {
    expect(id).toMatch(UUID);
    expect(gateway.logLines.filter((line) => line.includes(id))).toHaveLength(1);
  }
});

/** A change needs a tenant for each route: a sample is enough, because these headers are set in one place. */
const ANSWERED = [
  ...sampleAt(
    'reads',
    OPERATIONS.filter((operation) => !UNSAFE.includes(operation)),
    3,
  ),
  ...sampleAt('headers', UNSAFE, 12),
];

/** Where a refusal is tried. */
const REFUSED = sampleOperations('refused', OPERATIONS);

describe.each([...new Set([...ANSWERED, ...REFUSED])])('$route', (operation) => {
  test.runIf(ANSWERED.includes(operation))(
    'its answer is JSON with nosniff and no-cache, or has no body',
    async () => {
      const changes = UNSAFE.includes(operation);
      const fresh = changes ? await createTenant(gateway.app, 'fresh', tenant.team.id) : tenant;
      const response = await gateway.send(operation.path(fresh), { caller, ...requestOf(operation, fresh) });
      expect(response.status).toBe(operation.success);
      if (operation.success === 204 || operation.success === 202) {
        expect([await response.text(), response.headers.get('Content-Type')]).toEqual(['', null]);
        return;
      }
      expect(response.headers.get('Content-Type')).toBe('application/json');
      const isStreamed = operation.route.startsWith('GET ') && operation.route.endsWith('/refine_filters');
      const kept = operation.isSecret ? 'no-store, no-transform' : 'private, no-cache';
      expect(response.headers.get('Cache-Control')).toBe(isStreamed ? 'no-store' : kept);
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    },
  );

  test.runIf(REFUSED.includes(operation))(
    'its refusal carries the request id in header and body',
    async () => {
      const { headers, ...request } = requestOf(operation, tenant);
      const response = await gateway.send(operation.path(tenant), {
        ...request,
        headers: { ...headers, 'X-Request-Id': 'mine' },
      });
      expect(response.headers.get('X-Request-Id')).toBe('mine');
      expect(await response.text()).toContain('"request_id":"mine"');
    },
  );
});
