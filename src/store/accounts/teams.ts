// Teams as rows, for what is not read through tables.ts.
import type { Prisma, Team } from '#prisma';
import { type Store, type Transaction, withPrisma } from '../store.ts';

export type StoredTeam = Team;

/** The columns of a new team. */
export type NewTeam = Pick<Team, 'name' | 'subdomain' | 'timeZone' | 'locale' | 'createdAt'>;

/** Inserts a team. @throws the store's error for a subdomain in use */
export async function insertTeam(tx: Transaction, team: NewTeam): Promise<StoredTeam> {
  return tx.team.create({ data: { ...team, updatedAt: team.createdAt } });
}

/** Every team with its number of workspaces, by id. */
export async function findTeams(store: Store): Promise<(StoredTeam & { readonly workspaces: number })[]> {
  const include = { _count: { select: { workspaces: true } } } satisfies Prisma.TeamInclude;
  const teams = await withPrisma(store, (prisma) =>
    prisma.team.findMany({ orderBy: { id: 'asc' }, include }),
  );
  return teams.map(({ _count, ...team }) => ({ ...team, workspaces: _count.workspaces }));
}
