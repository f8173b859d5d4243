// Transactions of several steps have the limits of time-limits.ts, and report when they took too long.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { executeUnrecorded } from '../../src/store/changing/changes.ts';
import { withModels, withTransaction } from '../../src/store/changing/transactions.ts';
import { interactiveLimits, transactionLimit } from '../../src/store/connections/time-limits.ts';
import { withPrisma } from '../../src/store/store.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const gateway = await ownGateway();
afterEach(() => {
  vi.restoreAllMocks();
});

/** Timers that start from now on, by their milliseconds. */
function watchTimers(): Map<number, () => void> {
  const started = new Map<number, () => void>();
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0, ...rest: []) => {
    started.set(ms, callback);
    return real(callback, ms, ...rest);
  }) as typeof setTimeout);
  return started;
}

const limitMs = () => transactionLimit(gateway.app.config.limits.statementTimeoutMs);

test('transactions end when PostgreSQL would end them, and not before', async () => {
  const timers = watchTimers();
  await withPrisma(gateway.app.store, (prisma) =>
    prisma.$transaction(async (tx) => tx.$queryRawUnsafe('select 1 as one')),
  );
  expect([...timers.keys()]).toContain(limitMs());
  expect([...timers.keys()]).toContain(interactiveLimits(0).maxWait);
});

test('their client is created in one place, with the limits', async () => {
  const folder = join(import.meta.dirname, '../../src');
  const files = await readdir(folder, { recursive: true });
  const made: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.includes('generated'))) {
    const text = await readFile(join(folder, file), 'utf8');
    for (const [call] of text.matchAll(/new PrismaClient\([^;]*;/g)) made.push(`${file} ${call}`);
  }
  expect(made).toEqual([
    expect.stringMatching(/^store\/connections\/prisma\.ts [\s\S]*transactionOptions: interactiveLimits/),
  ]);
});

for (const at of ['at its next statement', 'at its commit'])
  test(`one that took too long is reported as that, ${at}`, async () => {
    const { app } = gateway;
    const timers = watchTimers();
    const making = withTransaction({ store: app.store }, async (tx) => {
      await tx.$queryRawUnsafe('select 1 as one');
      timers.get(limitMs())?.();
      if (at === 'at its next statement') await tx.$queryRawUnsafe('select 1 as one');
    });
    const error = await making.catch((error: unknown) => error);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: 'unavailable',
      message: 'This took longer than a change may take, and was undone. Nothing was changed.',
    });
  });

test('one for a caller with a slow statement is 503, not a database error', async () => {
  const { id, teamId } = await factories.workspace(gateway.app);
  const making = executeUnrecorded(gateway.app, { teamId, workspaceIds: [id] }, async (tx) => {
    await tx.$executeRawUnsafe('set local statement_timeout = 50');
    await tx.$queryRawUnsafe('select pg_sleep(5)::text');
  });
  await expect(making).rejects.toMatchObject({ name: 'AppError', code: 'unavailable' });
});

test('one that PostgreSQL ended is reported in the same way', async () => {
  for (const code of ['25P03', '25P04']) {
    const ended = withPrisma(gateway.app.store, () =>
      Promise.reject(Object.assign(new Error('x'), { code })),
    );
    await expect(ended).rejects.toThrow(/took longer than a change may take/);
  }
});

test("one of a request is ended a second after the request's deadline", async () => {
  const { id, teamId } = await factories.workspace(gateway.app);
  const timers = watchTimers();
  const ctx = { ...gateway.app, deadline: performance.now() + 3_000 };
  const as = { teamId, workspaceIds: [id] };
  await withModels(ctx, as, ({ tx }) => tx.workspace.findMany({ where: { id } }), null);
  expect([...timers.keys()].filter((ms) => ms > 3_000 && ms <= 4_000)).not.toEqual([]);
});
