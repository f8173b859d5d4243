// Existing paths with other methods, and paths that do not exist.
import { describe, expect, test } from 'vitest';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { anonymous, sharedGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, OPERATIONS, requestOf } from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

test('the table of operations in the tests has every route of the router, and no other', () => {
  expect(OPERATIONS.map(({ route }) => route).sort()).toEqual(
    routes.map(({ method, path }) => `${method} ${path}`).sort(),
  );
});

const RUBBISH = ['/x', '//x', '.json', '/1/2/3', '%2F'];

/** Whether a path is that of routes with other methods only. */
function hasOtherMethods(method: string, path: string): boolean {
  const same = routes.filter((route) => new RegExp(`^${route.path.replaceAll(/:\w+/g, '\\w+')}$`).test(path));
  return same.length > 0 && same.every((route) => route.method !== method);
}

describe.each([...Map.groupBy(OPERATIONS, ({ route }) => route.slice(route.indexOf(' ') + 1))])(
  '%s',
  (_, operations) => {
    const served = operations.map(({ route }) => route.slice(0, route.indexOf(' ')));
    const allow = served.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

    test('every other method gets 405 with the allowed ones', async () => {
      const path = operations[0]?.path(tenant) ?? '';
      for (const method of methods.filter((method) => !allow.includes(method))) {
        for (const sender of sampleAt(`${method} ${path}`, [caller, anonymous], 2)) {
          const response = await gateway.send(path, { caller: sender, method });
          expect(response.headers.get('Allow')).toBe(allow.join(', '));
          if (method === 'HEAD') expect([response.status, await response.text()]).toEqual([405, '']);
          else await expectProblem(response, 'method_not_allowed');
        }
      }
    });

    test('the path with a suffix gets 404, or 405 if that is a path', async () => {
      for (const operation of operations) {
        const request = requestOf(operation, tenant);
        const { method } = request;
        for (const rubbish of sampleAt(`${method} ${operation.route}`, RUBBISH, 3)) {
          const path = operation.path(tenant) + rubbish;
          const response = await gateway.send(path, { caller, ...request });
          // `GET /contacts/5/applied_tags/x`, where a DELETE is.
          await expectProblem(response, hasOtherMethods(method, path) ? 'method_not_allowed' : 'not_found');
        }
      }
    });

    test('slashes at the end of the path are ignored', async () => {
      const path = operations[0]?.path(tenant) ?? '';
      for (const slashes of ['/', '//']) {
        const response = await gateway.send(path + slashes, { caller, method: 'PROPFIND' });
        expect(response.headers.get('Allow')).toBe(allow.join(', '));
        await expectProblem(response, 'method_not_allowed');
      }
    });
  },
);

test.each([
  '/api',
  '/api/v2//',
  '/api/v1',
  '/api/v1/teams',
  '/API/V2/teams',
  '/teams',
  '/api/v2/Teams',
  '/nothing',
])('%s is 404', async (path) => {
  await expectProblem(await gateway.send(path, { caller }), 'not_found');
});

test.each([
  ...['/healthz', '/readyz', '/schema.graphql', '/api/v2', '/api/v2/openapi.json'],
  ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/api/v2'],
  ...['/.well-known/oauth-authorization-server', '/oauth/jwks'],
])('%s is read by GET and HEAD, and every other method is 405 and told so', async (path) => {
  for (const method of ['GET', 'HEAD']) expect((await gateway.send(path, { method })).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const response = await gateway.send(path, { method });
    expect([method, response.status, response.headers.get('Allow')]).toEqual([method, 405, 'GET, HEAD']);
  }
});

test('the path of an object below its workspace does not exist', async () => {
  const path = `/api/v2/workspaces/${tenant.workspace.id}/contacts/${tenant.contact.id}`;
  await expectProblem(await gateway.send(path, { caller }), 'not_found');
});
