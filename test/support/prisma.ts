// Prisma's client for the rows that tests make and look at. The gateway loads its own late (store.ts).
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '#prisma';
import type { Store } from '../../src/store/store.ts';

const clients = new WeakMap<Store['pool'], PrismaClient>();

/** The client over a store's pool; one for each pool. It prepares nothing, for the gateway's own client names its statements there. */
export function prismaOf({ pool }: Pick<Store, 'pool'>): PrismaClient {
  const known = clients.get(pool);
  if (known !== undefined) return known;
  const client = new PrismaClient({ adapter: new PrismaPg(pool) });
  clients.set(pool, client);
  return client;
}

/** Gives a pool that stands for another one the client of that. */
export function sharePrisma(pool: Store['pool'], substitute: Store['pool']): void {
  clients.set(substitute, prismaOf({ pool }));
}
