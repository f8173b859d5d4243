import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
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
