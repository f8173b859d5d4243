// `demo restore`: removed parts of the demo's funnels are restored, any number of times.
import { afterEach, expect, test } from 'vitest';
import { countWronglyShown } from '../../src/store/inspection/shown-pages.ts';
import { seedDemoKey } from '../support/demo.ts';
import * as factories from '../support/factories.ts';
import { createGateway, ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';
import { databaseUrlOf, runHere, runJsonHere } from './cli.ts';

const gateway = await ownGateway();
const caller = { authorization: `Bearer ${await seedDemoKey(gateway.app)}` };
const env = { DATABASE_URL: databaseUrlOf(gateway), DATA_DIR: '/dev/null/data' };

// As on a shard, where no trigger updates the pages of steps.
await gateway.app.store.pool.query('alter table funnel_steps disable trigger user');
afterEach(async () => expect(await countWronglyShown(gateway.app.store.pool)).toBe(0));

const restore = () => runJsonHere<{ restored: { id: number; name: string }[] }>(['demo', 'restore'], env);
const remove = (funnel: number, split: number, branch: string) =>
  gateway
    .send(`/api/v2/funnels/${funnel}/conditional_split_steps/${split}?branch=${branch}`, {
      caller,
      method: 'DELETE',
    })
    .then(({ status }) => status);

/** Every funnel's steps as clients see them, without times of changes. */
async function structures(): Promise<unknown> {
  const texts = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7].flatMap((id) =>
      // The splits with the filters that decide.
      ['structure', 'conditional_split_steps'].map(async (what) =>
        (await gateway.send(`/api/v2/funnels/${id}/${what}`, { caller })).text(),
      ),
    ),
  );
  return JSON.parse(`[${texts.join()}]`, (key, value) => (key === 'updated_at' ? null : (value as unknown)));
}

/** Splits of the demo, nested ones and both branches among them: what the README and GraphiQL remove, and more. */
const REMOVALS = [
  [1, 3, 'unmatched'],
  [1, 5, 'matched'],
  [3, 18, 'matched'],
  [5, 29, 'matched'],
  [5, 28, 'both'],
] as const;

test('restores every funnel as it was seeded, with the same ids, and the same removals work again', async () => {
  const seeded = await structures();
  for (const _ of ['once', 'again']) {
    for (const [funnel, split, branch] of REMOVALS) expect(await remove(funnel, split, branch)).toBe(204);
    expect(await structures()).not.toEqual(seeded);
    const { restored } = await restore();
    expect(restored).toEqual([
      { id: 1, name: 'Winter Jacket Launch' },
      { id: 3, name: 'Tent Quiz' },
      { id: 5, name: 'Win Them Back' },
    ]);
    expect(await structures()).toEqual(seeded);
  }
  expect(await restore()).toEqual({ restored: [] });
});

test('restores the name of a renamed step', async () => {
  const seeded = await structures();
  const query = `mutation ($input: RenameStepInput!) { renameStep(input: $input) { step { name } } }`;
  for (const [type, id] of [
    ['PageStep', 1],
    ['ConditionalSplit', 3],
  ] as const) {
    const input = { stepId: btoa(`${type}:${id}`), name: 'Another name' };
    const { errors } = await post(gateway, { query, variables: { input } }, { caller });
    expect(errors).toBeUndefined();
  }
  expect(await restore()).toEqual({ restored: [{ id: 1, name: 'Winter Jacket Launch' }] });
  expect(await structures()).toEqual(seeded);
});

test('recognizes renamed funnels, filters and workspaces, and restores the names of funnels', async () => {
  const seeded = await structures();
  const prisma = prismaOf(gateway.app.store);
  const funnels = await prisma.funnel.findMany({ orderBy: { id: 'asc' } });
  const [workspaces, filters] = await Promise.all([
    prisma.workspace.findMany(),
    prisma.refineFilter.findMany(),
  ]);
  const renamed = await gateway.send('/api/v2/funnels/1', {
    ...{ caller, method: 'PUT', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ name: 'Another name', current_path: '/another-path' }),
  });
  expect(renamed.status).toBe(200);
  for (const { id } of workspaces)
    await prisma.workspace.update({ where: { id }, data: { subdomain: `another-${id}` } });
  for (const { id } of filters)
    await prisma.refineFilter.updateMany({ where: { id }, data: { name: `Another name ${id}` } });
  expect(await remove(3, 18, 'matched')).toBe(204);
  expect(await restore()).toMatchObject({
    restored: [
      { id: 1, name: 'Winter Jacket Launch' },
      { id: 3, name: 'Tent Quiz' },
    ],
  });
  expect((await prisma.funnel.findMany({ orderBy: { id: 'asc' } })).map(({ name }) => name)).toEqual(
    funnels.map(({ name }) => name),
  );
  expect(await restore()).toEqual({ restored: [] });

  await prisma.funnel.updateMany({ where: { id: 1n }, data: { currentPath: funnels[0]?.currentPath ?? '' } });
  for (const { id, subdomain } of workspaces)
    await prisma.workspace.update({ where: { id }, data: { subdomain } });
  for (const { id, name } of filters) await prisma.refineFilter.updateMany({ where: { id }, data: { name } });
  await restore();
  expect(await structures()).toEqual(seeded);
});

test('removes steps that clients have added, and keeps their pages', async () => {
  const seeded = await structures();
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await gateway.send(`/api/v2${path}`, {
      ...{ caller, method, headers, body: JSON.stringify(body) },
    });
    expect([answer.status, path]).toEqual([method === 'POST' ? 201 : 200, path]);
    return (await answer.json()) as { id: number; workspace_id: number };
  };
  const { workspace_id: workspace } = await send('PUT', '/funnels/1', { name: 'Winter Jacket Launch' });
  const added = await send('POST', `/workspaces/${workspace}/pages`, {
    page: { name: 'Added', funnel: { funnel_id: '1' } },
  });
  await send('POST', '/funnels/1/conditional_split_steps', {
    conditional_split_step: {},
  });
  await send('PATCH', '/funnels/1/conditional_split_steps/3', {
    conditional_split_step: { condition: { filter_id: null } },
  });
  expect(await remove(1, 5, 'matched')).toBe(204);
  expect(await restore()).toEqual({ restored: [{ id: 1, name: 'Winter Jacket Launch' }] });
  expect(await structures()).toEqual(seeded);
  const page = await gateway.send(`/api/v2/pages/${added.id}`, { caller });
  expect(await page.json()).toMatchObject({ type: 'landing_page', show_page_step: null });
  expect(await restore()).toEqual({ restored: [] });
});

test('prints what it did', async () => {
  expect(await remove(3, 18, 'both')).toBe(204);
  expect((await runHere(['demo', 'restore'], env)).stdout).toBe('Restored: Tent Quiz.\n');
  const { stdout } = await runHere(['demo', 'restore'], env);
  expect(stdout).toBe("The demo's funnels are as they were: nothing to restore.\n");
  expect((await runHere(['demo', 'restore', '--help'], env)).stdout).toContain(
    'npx funnel-gateway demo restore',
  );
});

test('restores completely during a concurrent removal, which completes too', async () => {
  for (let round = 0; round < 2; round += 1) {
    await Promise.all([remove(5, 28, 'unmatched'), restore(), remove(5, 33, 'matched'), restore()]);
    const { restored } = await restore();
    expect(restored.length).toBeLessThanOrEqual(1);
  }
  expect(await restore()).toEqual({ restored: [] });
});

test('leaves rows outside the demo alone', async () => {
  const workspace = await prismaOf(gateway.app.store).workspace.findFirstOrThrow({
    where: { subdomain: 'acme' },
  });
  const own = await factories.funnel(gateway.app, { workspaceId: workspace.id });
  const plan = [{ split: 'Ours', matched: ['Our page'] }];
  const split = (await factories.workflow(gateway.app, own, plan)).get('Ours')?.id ?? 0n;
  expect(await remove(Number(own.id), Number(split), 'both')).toBe(204);
  expect(await restore()).toEqual({ restored: [] });
  const kept = await prismaOf(gateway.app.store).funnelStep.findFirstOrThrow({ where: { id: split } });
  expect(kept.removedAt).not.toBeNull();
});

test('refuses a store without the demo, and changes nothing', async () => {
  const message = 'This store does not hold the demo data. Nothing was changed.';
  const other = await createGateway();
  await factories.workspace(other.app, { teamId: (await factories.team(other.app)).id, subdomain: 'acme' });
  const otherEnv = { ...env, DATABASE_URL: databaseUrlOf(other) };
  const { code, stdout, stderr } = await runHere(['demo', 'restore', '--json'], otherEnv);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({ error: { code: 'conflict', message } });
  await other.close();

  // The names alone do not identify the demo: a step of the last funnel has another time, so the first one stays unchanged.
  expect(await remove(1, 3, 'unmatched')).toBe(204);
  const prisma = prismaOf(gateway.app.store);
  const { id, createdAt } = await prisma.funnelStep.findFirstOrThrow({ where: { funnelId: 7n } });
  await prisma.funnelStep.updateMany({ where: { id }, data: { createdAt: new Date() } });
  const before = await structures();
  expect(await runHere(['demo', 'restore'], env)).toMatchObject({ code: 1, stderr: `${message}\n` });
  expect(await structures()).toEqual(before);
  await prisma.funnelStep.updateMany({ where: { id }, data: { createdAt } });
  await restore();
});
