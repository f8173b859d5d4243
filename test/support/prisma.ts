// Prisma's client for the rows that tests create and read. The gateway loads its own late (store.ts).
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '#prisma';
import type { Store } from '../../src/store/store.ts';

const clients = new WeakMap<Store['pool'], PrismaClient>();

/**
 * The client on a store's pool; one for each pool. It prepares nothing, because the gateway's own client uses the same statement names.
 */
export function prismaOf({ pool }: Pick<Store, 'pool'>): PrismaClient {
  const known = clients.get(pool);
  if (known !== undefined) return known;
  const client = new PrismaClient({ adapter: new PrismaPg(pool) });
  clients.set(pool, client);
  return client;
}

/** Uses the client of `pool` for its substitute as well. */
export function sharePrisma(pool: Store['pool'], substitute: Store['pool']): void {
  clients.set(substitute, prismaOf({ pool }));
}
