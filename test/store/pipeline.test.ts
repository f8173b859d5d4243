// The transaction of a change, over one connection: nothing happens outside of it.
import { expect, test } from 'vitest';
import { executeUnrecorded } from '../../src/store/changing/changes.ts';
import type { Pipeline } from '../../src/store/changing/pipeline.ts';
import { withModels, withSql, withTransaction } from '../../src/store/changing/transactions.ts';
import { createGateway, ownGateway } from '../support/gateway.ts';
import { createTenant } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await ownGateway({ env: { POOL_SIZE: '2' } });
const { workspace, team } = await createTenant(gateway.app, 'pipeline');
const as = { teamId: team.id, workspaceIds: null };

/** Runs a batch of statements in one transaction for the caller. */
const inSteps = <T>(work: (tx: Pipeline) => Promise<T>) =>
  withSql(gateway.app, as, ({ pipeline }) => work(pipeline), null);

const INSERT = 'insert into tags (workspace_id, name) values ($1::bigint, $2)';
const isThere = async (name: string) =>
  (await prismaOf(gateway.app.store).tag.findFirst({ where: { name } })) !== null;

test('a statement after the end of a transaction is refused', async () => {
  let ended: Pipeline | undefined;
  const failing = inSteps(async (tx) => {
    ended = tx;
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  const late = async () => ended?.$executeRawUnsafe(INSERT, workspace.id, 'late');
  await expect(late()).rejects.toThrow('The transaction is over');
  expect(await isThere('late')).toBe(false);
});

test('a commit after a failed statement fails too', async () => {
  const change = inSteps(async (tx) => {
    await tx.$executeRawUnsafe(INSERT, workspace.id, 'undone');
    await expect(Promise.resolve(tx.$queryRawUnsafe('select 1 / $1::int', 0))).rejects.toMatchObject({
      code: '22012',
    });
    await tx.commit();
  });
  await expect(change).rejects.toThrow('The transaction was not committed');
  expect(await isThere('undone')).toBe(false);
  // Its connection can be used again.
  await inSteps(async (tx) => {
    await tx.$executeRawUnsafe(INSERT, workspace.id, 'made');
    await tx.commit();
  });
  expect(await isThere('made')).toBe(true);
});

test('a connection whose prepared statements are out of date is not used again', async () => {
  const { pool } = gateway.app.store;
  const ask = () => inSteps(async (tx) => tx.$queryRawUnsafe('select * from reshaped'));
  await pool.query('create table reshaped (a int); grant select on reshaped to public');
  await ask();
  await pool.query('alter table reshaped add b int');
  await expect(ask()).rejects.toMatchObject({ code: '0A000' });
  await expect(ask()).resolves.toEqual([]);
  await pool.query('drop table reshaped');
});

test('a statement after the commit is refused', async () => {
  const change = inSteps(async (tx) => {
    const commit = tx.commit();
    const behind = Promise.resolve(tx.$executeRawUnsafe(INSERT, workspace.id, 'behind'));
    await expect(behind).rejects.toThrow('The transaction is over');
    await commit;
  });
  await change;
  expect(await isThere('behind')).toBe(false);
});

test('a lock that another transaction holds too long is reported as unavailable', async () => {
  const other = await gateway.app.store.pool.connect();
  try {
    await other.query('begin');
    await other.query('select id from workspaces where id = $1 for update', [workspace.id]);
    const waiting = executeUnrecorded(gateway.app, as, async (tx) => {
      await tx.$queryRawUnsafe("select set_config('lock_timeout', '20', true)");
      await tx.$queryRawUnsafe('select id from workspaces where id = $1::bigint for update', workspace.id);
    });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  } finally {
    await other.query('rollback');
    other.release();
  }
});

test('Prisma does not use a connection again whose prepared statements are out of date', async () => {
  const small = await createGateway({ env: { POOL_SIZE: '1' } });
  const { app } = small;
  const { pool } = app.store;
  await pool.query('create table retyped (a int); insert into retyped values (1)');
  const select = () =>
    withTransaction(app, (tx) => tx.$queryRaw<{ a: unknown }[]>`select a from retyped where a is not null`);
  try {
    expect(await select()).toEqual([{ a: 1 }]);
    await pool.query('alter table retyped alter column a type text');
    await expect(select()).rejects.toThrow('cached plan must not change result type');
    expect(await select()).toEqual([{ a: '1' }]);
  } finally {
    await small.close();
  }
});

test("a transaction with Prisma's models changes only rows of the caller", async () => {
  const { workspace: other } = await createTenant(gateway.app, 'another');
  const change = withModels(
    gateway.app,
    as,
    async ({ tx }) => {
      await tx.workspace.updateMany({
        where: { id: { in: [workspace.id, other.id] } },
        data: { name: 'Mine' },
      });
      return tx.workspace.findMany({ select: { id: true } });
    },
    null,
  );
  expect(await change).toEqual([{ id: workspace.id }]);
  const { name } = await prismaOf(gateway.app.store).workspace.findUniqueOrThrow({ where: { id: other.id } });
  expect(name).not.toBe('Mine');
});

test("a transaction with Prisma's models is not committed after a failed statement", async () => {
  const change = withModels(
    gateway.app,
    as,
    async ({ pipeline }) => {
      await pipeline.$executeRawUnsafe(INSERT, workspace.id, 'not kept');
      void pipeline.$queryRawUnsafe('select 1 / $1::int', 0);
    },
    null,
  );
  await expect(change).rejects.toThrow('division by zero');
  expect(await isThere('not kept')).toBe(false);
});
