// The page at the address in the banner.
import { expect, test } from 'vitest';
import { routes } from '../../src/rest/nouns.ts';
import { sharedGateway } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await sharedGateway();

test.each(['/api/v2', '/api/v2/'])('%s lists every endpoint, without a key', async (path) => {
  const response = await gateway.send(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/json');
  const { endpoints, removal } = (await response.json()) as { endpoints: string[]; removal: string };
  expect(removal).toContain('without branch the pages of both');
  expect(endpoints).toHaveLength(routes.length);
  expect(endpoints).toContain('GET /api/v2/workspaces/{workspace_id}/contacts');
  expect(endpoints).toContain('DELETE /funnels/{funnel_id}/conditional_split_steps/{id}');
  expect(endpoints.join()).not.toContain(':');
});

test('the overview is read-only, and absent on unknown hosts', async () => {
  const response = await gateway.send('/api/v2', { method: 'POST' });
  expect(response.headers.get('Allow')).toBe('GET, HEAD');
  await expectProblem(response, 'method_not_allowed');
  await expectProblem(await gateway.send('/api/v2', { host: 'nobody.example' }), 'misdirected_request');
});
