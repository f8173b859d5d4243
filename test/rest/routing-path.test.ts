// The paths by which requests are routed (src/rest/routing-path.ts).
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { expect, test } from 'vitest';
import { routes } from '../../src/rest/nouns.ts';
import { requestedPath, routingPath, servedPath } from '../../src/rest/routing-path.ts';
import { ownGateway } from '../support/gateway.ts';

const gateway = await ownGateway();

test('Hono’s fastest router accepts every route, and finds it', () => {
  const router = new RegExpRouter<string>();
  for (const { method, path } of routes) router.add(method, routingPath(path), `${method} ${path}`);
  for (const { method, path } of routes) {
    const asked = new Request(`http://localhost${path.replaceAll(/:\w+/g, '7')}`);
    const [found] = router.match(method, requestedPath(asked));
    expect(found.map(([name]) => name)).toContain(`${method} ${path}`);
    expect(servedPath(routingPath(path))).toBe(path);
  }
});

test.each(['~tags/1', '%7Etags/1', '%7etags', '~applied_tags/1'])(
  'nothing is served below contacts%s, which the router knows',
  async (rest) => {
    expect((await gateway.send(`/api/v2/contacts${rest}`)).status).toBe(404);
  },
);

test.each(['tags', 'applied_tags', 'tagsy'])('alone, contacts/%s is a contact of that name', async (name) => {
  const response = await gateway.send(`/api/v2/contacts/${name}`);
  expect(response.status).toBe(401);
  expect((await gateway.send(`/api/v2/contacts/${name}`, { method: 'POST' })).status).toBe(405);
});

test('another method on an existing path is logged with that path', async () => {
  const response = await gateway.send('/api/v2/contacts/tags/1', { method: 'POST' });
  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD, PUT, PATCH, DELETE']);
  expect(gateway.logLines.at(-1)).toContain('"route":"/api/v2/contacts/tags/{id}"');
});
