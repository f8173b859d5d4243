// Prisma's client is loaded at its first use: a failed load is retried, and needs no closing.
import { expect, test, vi } from 'vitest';
import { openGateway } from '../support/gateway.ts';

const refused = vi.hoisted(() => ({ times: 0 }));
vi.mock('../../src/store/connections/prisma.ts', async (original) => {
  const actual = await original<typeof import('../../src/store/connections/prisma.ts')>();
  return {
    ...actual,
    createPrisma(...given: Parameters<typeof actual.createPrisma>) {
      if (refused.times-- > 0) throw new Error('no file handle is left');
      return actual.createPrisma(...given);
    },
  };
});

// No statement is sent.
const open = () => openGateway({ databaseUrl: 'postgresql://localhost:1/none' }).app.store;

test('after a failure the next call loads it, once', async () => {
  const store = open();
  refused.times = 1;
  await expect(store.loadPrisma()).rejects.toThrow('no file handle');
  const client = await store.loadPrisma();
  expect(await store.loadPrisma()).toBe(client);
  await store.close();
});

test('a store that could not load Prisma can be closed', async () => {
  const store = open();
  refused.times = 1;
  await expect(store.loadPrisma()).rejects.toThrow('no file handle');
  await store.close();
  expect(store.pool.ended).toBe(true);
});
