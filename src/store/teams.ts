// Teams as rows: what is not read through tables.ts.
import type { Ref } from './rows.ts';
import { type Store, withPrisma } from './store.ts';

/** The id of a team by id or public id, or null. */
export async function findTeamId(store: Store, ref: Ref): Promise<bigint | null> {
  const where = typeof ref === 'bigint' ? { id: ref } : { publicId: ref };
  return withPrisma(
    store,
    async (prisma) => (await prisma.team.findUnique({ where, select: { id: true } }))?.id ?? null,
  );
}
