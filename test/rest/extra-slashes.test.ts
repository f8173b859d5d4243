// Clients join a base URL and a path with a slash too many, or end the path with one: they get the same answer.
import { expect, test } from 'vitest';
import { createServer } from '../../src/http/server.ts';
import * as factories from '../support/factories.ts';
import { type RequestOptions, sharedGateway, toRequest } from '../support/gateway.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const { id: contactId } = await factories.contact(app, { workspaceId });
const { id: tagId } = await factories.tag(app, workspaceId, 'Tag');
const applied = await factories.appliedTag(app, { workspaceId, contactId, tagId });
// By the server itself: openapi.json describes the canonical paths.
const server = createServer(app);
const send = (path: string, options: RequestOptions = {}) =>
  server.fetch(toRequest(path, { caller, ...options }));

test.each(['/api/v2/teams/', '/api/v2//teams', '//api/v2/teams', '/api/v2///teams//', '//api//v2/teams/'])(
  '%s',
  async (path) => {
    const response = await send(path);
    if (path.includes('api//v2')) return expect(response.status).toBe(404);
    expect(response.status).toBe(200);
    const link = `<http://localhost:4000/api/v2/teams?after=${teamId}>; rel="next"`;
    expect(response.headers.get('Link')).toBe(link);
    expect(await response.text()).toBe(await (await send('/api/v2/teams')).text());
  },
);

test('the other parameters stay as sent', async () => {
  const response = await send('/api/v2/teams/?per_page=500&x=%2F%2F/');
  expect(response.headers.get('Link')).toBe(
    `<http://localhost:4000/api/v2/teams?per_page=500&x=%2F%2F/&after=${teamId}>; rel="next"`,
  );
});

test('a new object has the canonical address, and a retry with more slashes gets the same answer', async () => {
  const create = (path: string) =>
    send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `slashes-${workspaceId}` },
      body: JSON.stringify({ contact: { first_name: 'Ada' } }),
    });
  const created = await create(`/api/v2//workspaces/${workspaceId}/contacts/`);
  expect(created.status).toBe(201);
  expect(created.headers.get('Location')).toMatch(/^http:\/\/localhost:4000\/api\/v2\/contacts\/\d+$/);
  const again = await create(`/api/v2/workspaces/${workspaceId}/contacts`);
  expect(await again.text()).toBe(await created.text());
});

test('one object, and a path next to another noun’s', async () => {
  for (const path of [
    `contacts/${contactId}`,
    `contacts/tags/${tagId}`,
    `contacts/applied_tags/${applied.id}`,
  ]) {
    const expected = await (await send(`/api/v2/${path}`)).text();
    expect(await (await send(`/api/v2//${path}/`)).text()).toBe(expected);
  }
  expect((await send(`/api/v2/contacts/${contactId}/`, { method: 'POST' })).headers.get('Allow')).toBe(
    (await send(`/api/v2/contacts/${contactId}`, { method: 'POST' })).headers.get('Allow'),
  );
});

test('the path that also works without the prefix', async () => {
  const funnel = await factories.funnel(app, { workspaceId });
  const steps = await factories.workflow(app, funnel, [{ split: 'Split', matched: [], unmatched: [] }]);
  const path = `funnels/${funnel.id}/conditional_split_steps/${steps.get('Split')?.id}`;
  expect((await send(`/funnels//${path.slice(8)}`, { method: 'DELETE' })).status).toBe(404);
  expect((await send(`//${path}/`, { method: 'DELETE' })).status).toBe(204);
});

test('a missing id is not skipped', async () => {
  const path = `/api/v2/contacts//applied_tags/${applied.id}`;
  expect((await send(path, { method: 'DELETE' })).status).toBe(404);
  expect((await send(`/api/v2/contacts/applied_tags/${applied.id}`)).status).toBe(200);
  expect((await send('/api/v2/contacts~tags/1/')).status).toBe(404);
});
