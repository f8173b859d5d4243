// Refusals are problem documents, each with its status, and reveal no internals (RFC 9457).
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { INTERNAL_MESSAGE } from '../../src/errors.ts';
import * as factories from '../support/factories.ts';
import { anonymous, createGateway, ownGateway, type RequestOptions } from '../support/gateway.ts';
import { createTenant } from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await ownGateway();
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
const weak = await factories.apiKey(gateway.app, { teamId: tenant.team.id, scopes: ['webhooks:read'] });

type Case = [code: ErrorCode, title: string, path: string, options: () => RequestOptions, field?: string];

const CASES: Case[] = [
  ['unauthenticated', 'Unauthorized', '/api/v2/teams', () => ({ caller: anonymous })],
  ['insufficient_scope', 'Forbidden', '/api/v2/teams', () => ({ caller: weak })],
  ['not_found', 'Not Found', '/api/v2/contacts/0', () => ({ caller })],
  ['not_found', 'Not Found', '/nothing', () => ({ caller })],
  [
    'method_not_allowed',
    'Method Not Allowed',
    '/api/v2/teams',
    () => ({ caller, method: 'POST', body: '{}' }),
  ],
  ['misdirected_request', 'Misdirected Request', '/api/v2/teams', () => ({ caller, host: 'nobody.example' })],
  ['invalid', 'Unprocessable Entity', '/api/v2/teams?per_page=0', () => ({ caller }), 'per_page'],
  ['invalid', 'Unprocessable Entity', '/api/v2/teams?after=x', () => ({ caller }), 'after'],
];

test.each(CASES)('%s (%s) at %s', async (code, title, path, options, field) => {
  const response = await gateway.send(path, options());
  const problem = await expectProblem(response, code);
  expect(problem.title).toBe(title);
  expect(problem.errors.map((error) => error.field)).toEqual(field === undefined ? [] : [field]);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  expect(response.headers.has('WWW-Authenticate')).toBe(response.status === 401 || response.status === 403);
});

test('a refused DELETE has the same document', async () => {
  const path = `/api/v2/funnels/${tenant.funnel.id}/conditional_split_steps/${tenant.split.id}?branch=left`;
  const problem = await expectProblem(await gateway.send(path, { caller, method: 'DELETE' }), 'invalid');
  expect(problem.errors).toMatchObject([{ field: 'branch' }]);
});

test('permission is checked first: a bad parameter or unknown id reveals nothing to other callers', async () => {
  for (const path of [
    '/api/v2/teams?per_page=0',
    '/api/v2/teams/%zz',
    '/api/v2/workspaces/0/refine_filters?after=x',
  ]) {
    await expectProblem(await gateway.send(path), 'unauthenticated');
    await expectProblem(await gateway.send(path, { caller: weak }), 'insufficient_scope');
  }
  const removal = '/api/v2/funnels/0/conditional_split_steps/x?branch=y';
  await expectProblem(await gateway.send(removal, { caller: weak, method: 'DELETE' }), 'insufficient_scope');
});

test('an unexpected failure is hidden from the client and logged with the request id', async () => {
  const broken = await createGateway();
  const owner = await factories.apiKey(broken.app, { teamId: (await factories.team(broken.app)).id });
  await broken.app.store.pool.query('alter table teams rename column locale to hidden_detail');
  const response = await broken.send('/api/v2/teams', {
    caller: owner,
    headers: { 'X-Request-Id': 'find-me' },
  });
  const problem = await expectProblem(response, 'internal');
  expect(problem.detail).toBe(INTERNAL_MESSAGE);
  const logged = broken.logLines.filter(
    (line) => line.includes('find-me') && line.includes('"level":"error"'),
  );
  expect(logged.join()).toContain('locale');
  await broken.close();
});

test('an error repeats little of a client’s text, whatever it sends', async () => {
  const long = 'x'.repeat(5_000);
  const funnel = `/api/v2/funnels/${tenant.funnel.id}`;
  const json = (method: string, body: object): RequestOptions => ({
    ...{ caller, method },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const requests: [path: string, options?: RequestOptions][] = [
    [`/api/v2/workspaces/${tenant.workspace.id}/contacts?filter[${long}]=1`],
    [`/api/v2/workspaces/${tenant.workspace.id}/contacts?filters[${long}]=1`],
    [`${funnel}/conditional_split_steps?filter[${long}]=1`],
    [`${funnel}/conditional_split_steps`, json('POST', { branches: [{ [long]: 1 }] })],
    [`${funnel}/split_test_steps`, json('POST', { variants: [{ [long]: 1 }] })],
    [
      `/api/v2/webhooks/outgoing/endpoints/${tenant.webhookEndpoint.id}`,
      json('PATCH', { event_type_ids: [1, 2, 3].map((last) => long + last) }),
    ],
  ];
  for (const [path, options = { caller }] of requests) {
    const response = await gateway.send(path, options);
    expect([400, 422], path.slice(0, 80)).toContain(response.status);
    expect((await response.text()).length, path.slice(0, 80)).toBeLessThan(3_000);
  }
});
