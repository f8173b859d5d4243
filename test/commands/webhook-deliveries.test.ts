// `webhook deliveries` and `webhook redeliver` on a PostgreSQL server that DATABASE_URL names.
import { beforeEach, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { createTenant, type Tenant } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { gatewayForCommands, runHere, runJsonHere } from './cli.ts';

const { gateway, env } = await gatewayForCommands();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await createTenant(gateway.app, 'told');
});

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => BigInt(id));

test('the deliveries of an endpoint are listed, the newest first', async () => {
  const { webhookEndpoint, webhookDelivery, pendingDelivery } = tenant;
  const list = ['webhook', 'deliveries', webhookEndpoint.publicId];
  const all = await runJsonHere<{ id: number }[]>([...list, '--json'], env);
  expect(idsOf(all)).toEqual([pendingDelivery.id, webhookDelivery.id]);
  const failed = await runJsonHere<{ id: number }[]>([...list, '--status', 'failed'], env);
  expect(idsOf(failed)).toEqual([webhookDelivery.id]);
  const { stdout } = await runHere(list, env);
  const [heading = '', , second = ''] = stdout.split('\n');
  expect(second.indexOf('failed')).toBe(heading.indexOf('STATUS'));
  expect((await runHere([...list, '--status', 'lost'], env)).code).not.toBe(0);
  expect((await runHere(['webhook', 'deliveries', '999999'], env)).stderr).toContain('not found');
});

test('one delivery, or all that failed since a given time, can be sent again', async () => {
  const { webhookEndpoint, webhookDelivery, workspace, webhookEvent } = tenant;
  const one = ['webhook', 'redeliver', String(webhookDelivery.id)];
  expect(await runJsonHere(one, env)).toEqual({ redelivered: 1 });
  expect((await runHere(one, env)).stderr).toContain('pending');
  const on = { workspaceId: workspace.id, endpointId: webhookEndpoint.id, eventId: webhookEvent.id };
  await factories.webhookDelivery(gateway.app, on);
  const since = ['--endpoint', String(webhookEndpoint.id), '--since', '2026-01-01T00:00:00Z'];
  expect(await runJsonHere(['webhook', 'redeliver', ...since], env)).toEqual({ redelivered: 1 });
  const statuses = await prismaOf(gateway.app.store).webhookDelivery.groupBy({
    by: ['status'],
    where: { endpointId: webhookEndpoint.id },
  });
  expect(statuses).toEqual([{ status: 'pending' }]);
});

test('reports missing options, and changes nothing', async () => {
  for (const args of [[], ['1', '--endpoint', '1'], ['--endpoint', '1'], ['--since', '2026-01-01T00:00:00Z']])
    expect((await runHere(['webhook', 'redeliver', ...args], env)).stderr).toContain('--since');
});
