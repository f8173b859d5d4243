import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const workspace = await factories.workspace(gateway.app, { name: 'Acme', subdomain: 'acme' });
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });

test('a workspace has its fields, and the list has the same object', async () => {
  const one = await json(await gateway.send(`/api/v2/workspaces/${workspace.publicId}`, { caller }));
  expect(one).toEqual({
    id: Number(workspace.id),
    public_id: workspace.publicId,
    team_id: Number(workspace.teamId),
    name: 'Acme',
    subdomain: 'acme',
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt.toISOString(),
  });
  expect(await json(await gateway.send(`/api/v2/teams/${workspace.teamId}/workspaces`, { caller }))).toEqual([
    one,
  ]);
});

const path = `/api/v2/workspaces/${workspace.id}`;
const put = (body: object, headers: Record<string, string> = {}) =>
  gateway.send(path, {
    ...{ caller, method: 'PUT', body: JSON.stringify(body) },
    headers: { 'Content-Type': 'application/json', ...headers },
  });

test('a change of a workspace is recorded in it, and is idempotent by its key; its new host works at once', async () => {
  const before = await gateway.send(path, { caller });
  const [etag, was] = [before.headers.get('ETag') ?? '', await json(before)];
  const headers = { 'Idempotency-Key': 'move', 'If-Match': etag };
  const given = { workspace: { name: ' Acme, moved ', subdomain: 'Acme-Moved' } };
  const now = await json<{ id: number }>(await put(given, headers));
  expect(now).toMatchObject({ name: 'Acme, moved', subdomain: 'acme-moved' });
  expect(await json(await put(given, headers))).toEqual(now);
  const entries = await json(await gateway.send(`${path}/audit_entries`, { caller }));
  expect(entries).toMatchObject([
    { action: 'workspace.updated', subject_type: 'Workspace', subject_id: now.id, before: was, after: now },
  ]);
  await expectProblem(await put(given, { 'If-Match': etag }), 'precondition_failed');
  const on = (label: string) => gateway.send('/api/v2/teams', { caller, host: `${label}.localhost` });
  expect([(await on('acme')).status, (await on('acme-moved')).status]).toEqual([421, 200]);
});

test('a subdomain that is taken by any team or workspace, reserved, or invalid is refused by name', async () => {
  const team = await factories.team(gateway.app, { subdomain: 'taken-by-a-team' });
  await factories.workspace(gateway.app, { subdomain: 'taken-by-another' });
  const was = await json(await gateway.send(path, { caller }));
  for (const subdomain of [`${team.subdomain}`, 'taken-by-another', 'www', 'a.b', 'xn--a', '']) {
    const problem = await expectProblem(await put({ subdomain }), 'invalid');
    expect(problem.errors?.map(({ field }) => field)).toEqual(['subdomain']);
  }
  expect(await json(await gateway.send(path, { caller }))).toEqual(was);
});
