// Specification §1 and §9: where the service is, and its version.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { idsOf, json } from '../support/walk.ts';

const gateway = await ownGateway({ env: { SERVICE_HOST: 'service.example' } });
const team = await factories.team(gateway.app, { subdomain: 'acme-team' });
const workspace = await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'acme' });
await factories.customDomain(gateway.app, workspace.id, 'shop.acme.example');
await factories.contact(gateway.app, { workspaceId: workspace.id });
const caller = await factories.apiKey(gateway.app, { teamId: team.id });

test('spec §1: data is organised into teams, each of which owns workspaces', async () => {
  const [team] = await json<{ id: number }[]>(
    await gateway.send('/api/v2/teams', { caller, host: 'service.example' }),
  );
  const list = await gateway.send(`/api/v2/teams/${team?.id}/workspaces`, {
    caller,
    host: 'service.example',
  });
  expect(await idsOf(list)).toEqual([workspace.id]);
});

test.each(['service.example', 'acme.service.example', 'acme-team.service.example', 'shop.acme.example'])(
  'spec §1: the service is reached at %s, all paths below /api/v2',
  async (host) => {
    const response = await gateway.send(`/api/v2/workspaces/${workspace.id}/contacts`, { caller, host });
    expect(response.status).toBe(200);
    expect(await idsOf(response)).toHaveLength(1);
  },
);

test.each(['/teams', '/v2/teams', '/api/teams', '/api/v1/teams', '/api/v3/teams'])(
  'spec §9: the version is part of the path, so nothing answers at %s',
  async (path) => {
    expect((await gateway.send(path, { caller, host: 'service.example' })).status).toBe(404);
  },
);
