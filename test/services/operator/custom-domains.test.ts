// Custom domains: valid ones, and that requests follow a change at once.
import { expect, test } from 'vitest';
import { workspace as workspaces } from '../../../src/resources/workspaces.ts';
import * as domains from '../../../src/services/operator/custom-domains.ts';
import { existsUnder } from '../../../src/store/reading/counts.ts';
import { tableOf } from '../../../src/store/tables/tables.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';

const gateway = await ownGateway({
  env: { SERVICE_HOST: 'gateway.example', AUTH_URL: 'https://id.example.net', LOOKUP_CACHE_MS: '60000' },
});
const { app } = gateway;
const workspace = await factories.workspace(app);
const key = await factories.apiKey(app, { teamId: workspace.teamId });

const statusAt = async (host: string) => (await gateway.send('/api/v2/teams', { host, caller: key })).status;

test('a domain leads to its workspace from its addition to its removal, in any spelling', async () => {
  expect(await statusAt('xn--bcher-kva.example')).toBe(421);
  const added = await domains.add(app, workspace.publicId, ' B\u00dcCHER.example. ');
  expect(added).toMatchObject({ host: 'xn--bcher-kva.example', workspaceId: workspace.id });
  expect(await statusAt('xn--bcher-kva.example')).toBe(200);
  expect(await domains.list(app, workspace.id)).toMatchObject([added]);
  const other = await factories.workspace(app);
  await expect(domains.add(app, other.id, 'xn--bcher-kva.example')).rejects.toMatchObject({
    code: 'conflict',
    errors: [{ code: 'taken', field: 'domain' }],
  });
  expect(await domains.list(app, other.id)).toEqual([]);
  await domains.remove(app, 'b\u00fccher.example');
  expect(await statusAt('xn--bcher-kva.example')).toBe(421);
  await expect(domains.remove(app, 'b\u00fccher.example')).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  ...['https://shop.example.org', 'shop.example.org:443', 'shop.example.org/x', 'shop', '', '.', 'a..b'],
  ...['127.0.0.1', '[::1]', '1.2.3.256', 'a.0x1', 'a.localhost', '-a.example', 'a_b.example', 'a b.example'],
  ...[
    '*.example.org',
    'xn--\u00fc.example',
    'x'.repeat(64),
    `${'a.'.repeat(127)}example`,
    'x'.repeat(100_000),
  ],
  ...['gateway.example', 'Shop.Gateway.Example', 'id.example.net', 'a@b.example', 'a\u0000b.example'],
])('%j is no custom domain', async (domain) => {
  await expect(domains.add(app, workspace.id, domain)).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ field: 'domain' }],
  });
});

test('a domain with funnels cannot be removed', async () => {
  const { id, host } = await domains.add(app, workspace.id, 'funnels.example');
  const funnel = await factories.funnel(app, { workspaceId: workspace.id, customDomainId: id });
  await expect(domains.remove(app, host)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`used by the funnels ${funnel.id}.`),
  });
  expect(await statusAt(host)).toBe(200);
});

test('a command without a workspace explains how to list and create one, whatever was cached before', async () => {
  const tenancy = { teamId: workspace.teamId, workspaceIds: null };
  const parents = [workspace.teamId, 999n];
  const probe = { side: 'at_or_above', id: 1n } as const;
  expect(await existsUnder(app, tableOf(workspaces), tenancy, parents, probe)).toEqual([true, false]);
  await expect(domains.add(app, '999', 'shop.example.org')).rejects.toThrow(
    /^Workspace not found.*workspace create --team/,
  );
});
