// Which scope an operation needs (spec §5 rule 4): the tests' table, the routes and openapi.json say the same, and that is what is
// enforced.
import { describe, expect, test } from 'vitest';
import { CATEGORIES, coversScope, SCOPES } from '../../src/auth/scopes.ts';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { type Caller, sharedGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import { document } from '../support/openapi.ts';
import {
  createTenant,
  methodOf,
  OPERATIONS,
  requestOf,
  SCOPED,
  sampleOperations,
} from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'ours');

test('the table of operations, the routes and openapi.json have the same scopes', () => {
  const byTable = OPERATIONS.map(({ route, scope }) => [route, ...(scope === null ? [] : [scope])]);
  const byRoutes = routes.map(({ method, path, scope }) => [
    `${method} ${path}`,
    ...(scope === undefined ? [] : [scope]),
  ]);
  const byDocument = (scheme: 'bearer' | 'oauth2') =>
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { security }]) => [
        `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        ...security.flatMap((one) => one[scheme] ?? []),
      ]),
    );
  expect(byRoutes.sort()).toEqual(byTable.sort());
  expect(byDocument('bearer').sort()).toEqual(byTable);
  expect(byDocument('oauth2').sort()).toEqual(byTable);
});

const keys = new Map<string, Promise<Caller>>();
/** The key with these scopes, of our tenant's team. */
function keyWith(scopes: readonly string[]): Promise<Caller> {
  const key = keys.get(scopes.join()) ?? factories.apiKey(gateway.app, { teamId: tenant.team.id, scopes });
  keys.set(scopes.join(), key);
  return key;
}

/** Where it is tried that a scope is enough. */
const PERMITTED = new Set(sampleOperations('permitted', SCOPED));

describe.each(SCOPED)('$route', (operation) => {
  const { scope, route, success, also = [] } = operation;
  const method = methodOf(operation);
  const wildcard = scope.slice(scope.indexOf(':') + 1);
  /** Neither its ids nor its query can be right. */
  const wrong = `${route.slice(route.indexOf(' ') + 1).replaceAll(/:\w+/g, '-')}?per_page=0&branch=none&filter=x`;
  /** Nor its headers and its body. */
  const nonsense = () =>
    method === 'GET'
      ? { method }
      : { method, headers: { 'If-Match': 'x', 'Idempotency-Key': '', 'Content-Type': 'text/x' }, body: '{' };
  const wishes = () => [
    { path: operation.path(tenant), request: requestOf(operation, tenant) },
    { path: operation.path(tenant), request: nonsense() },
    { path: wrong, request: nonsense() },
  ];

  test('a caller with every other scope gets 403, before ids, query, headers and body are examined', async () => {
    const caller = await keyWith(SCOPES.filter((other) => other !== scope && other !== wildcard));
    for (const { path, request } of sampleAt(`weak ${route}`, wishes(), 3)) {
      const response = await gateway.send(path, { caller, ...request });
      expect(response.headers.get('WWW-Authenticate')).toContain(` scope="${scope}"`);
      const { detail } = await expectProblem(response, 'insufficient_scope');
      expect(detail).toBe(`This needs the scope ${scope}.`);
    }
  });

  test('a caller without credentials gets 401 with the scope', async () => {
    for (const { path, request } of sampleAt(route, wishes(), 3)) {
      const response = await gateway.send(path, request);
      expect(response.headers.get('WWW-Authenticate')).toContain(` scope="${scope}"`);
      await expectProblem(response, 'unauthenticated');
    }
  });

  test.runIf(PERMITTED.has(operation))('that scope or its wildcard is enough', async () => {
    const enough = [[scope], [wildcard], [scope, 'store:read']];
    for (const scopes of sampleAt(route, enough, 3)) {
      const own = method === 'GET' ? tenant : await createTenant(gateway.app, 'ours', tenant.team.id);
      const caller = await keyWith([...scopes, ...also]);
      const response = await gateway.send(operation.path(own), { caller, ...requestOf(operation, own) });
      expect(response.status).toBe(success);
    }
  });
});

test('a scope is covered only by itself and the wildcard of its access', () => {
  for (const needed of Object.keys(CATEGORIES).flatMap(
    (name) => [`${name}:read`, `${name}:write`] as const,
  )) {
    const covering = SCOPES.filter((granted) => coversScope(new Set([granted]), needed as 'contacts:read'));
    expect(covering).toEqual([needed, needed.split(':')[1]]);
  }
});
