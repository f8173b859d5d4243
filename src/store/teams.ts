// Teams as rows: what is not read through tables.ts.
import { type Store, withPrisma } from './store.ts';

/** Whether there is a team with this id. */
export async function hasTeam(store: Store, id: bigint): Promise<boolean> {
  const team = await withPrisma(store, (prisma) =>
    prisma.team.findUnique({ where: { id }, select: { id: true } }),
  );
  return team !== null;
}
