// Which scope each REST operation needs, and what covers it (spec §5 rule 4, DESIGN §7).
import { describe, expect, test } from 'vitest';
import { CATEGORIES, covers, SCOPES } from '../../src/auth/scopes.ts';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, sharedGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, methodOf, type Operation, requestOf, SCOPED } from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await sharedGateway();
const shared = await createTenant(gateway.app, 'ours');
const teamId = shared.team.id;

/** @param tenant what is changed needs one of its own, so that a removal finds its split */
async function run(operation: Operation, caller: Caller, tenant = shared): Promise<Response> {
  return gateway.send(operation.path(tenant), { caller, ...requestOf(operation, tenant) });
}
const freshFor = (operation: Operation) =>
  methodOf(operation) === 'GET' ? shared : createTenant(gateway.app, 'ours', teamId);
const withScopes = (scopes: string[]) => factories.apiKey(gateway.app, { teamId, scopes });

describe.each(SCOPED)('$route needs $scope', (operation) => {
  const { scope, success, also = [] } = operation;
  const access = scope.split(':')[1] ?? '';

  test('a key without credentials is refused, and told the scope', async () => {
    const response = await run(operation, anonymous);
    await expectProblem(response, 'unauthenticated');
    expect(response.headers.get('WWW-Authenticate')).toContain(` scope="${scope}", `);
  });

  test('that scope alone and its wildcard alone are enough', async () => {
    const enough = [[scope], [access], [scope, 'store:read']];
    // What changes something needs a tenant for each.
    for (const scopes of methodOf(operation) === 'GET' ? enough : sampleAt(operation.route, enough, 3)) {
      const caller = await withScopes([...scopes, ...also]);
      expect((await run(operation, caller, await freshFor(operation))).status).toBe(success);
    }
  });

  test('every other scope together is not, and the refusal names the one that is missing', async () => {
    const others = SCOPES.filter((other) => other !== scope && other !== access);
    const response = await run(operation, await withScopes(others));
    const problem = await expectProblem(response, 'insufficient_scope');
    expect(problem.detail).toBe(`This needs the scope ${scope}.`);
    expect(response.headers.get('WWW-Authenticate')).toContain(` scope="${scope}", `);
  });
});

test('a scope is covered by itself and the wildcard of its access, by nothing else', () => {
  for (const needed of Object.keys(CATEGORIES).flatMap(
    (name) => [`${name}:read`, `${name}:write`] as const,
  )) {
    const covering = SCOPES.filter((granted) => covers(new Set([granted]), needed as 'contacts:read'));
    expect(covering).toEqual([needed, needed.split(':')[1]]);
  }
});
