// Prisma's client for the rows that tests make and look at. The gateway's own is loaded late (store.ts).

import type { PrismaClient } from '#prisma';
import { createPrisma } from '../../src/store/connections/prisma.ts';
import type { Store } from '../../src/store/store.ts';

const clients = new WeakMap<Store['pool'], PrismaClient>();

/** The client over a store's pool; one for each pool. */
export function prismaOf({ pool }: Pick<Store, 'pool'>): PrismaClient {
  const known = clients.get(pool);
  if (known !== undefined) return known;
  const client = createPrisma(pool);
  clients.set(pool, client);
  return client;
}
