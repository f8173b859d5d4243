// Teams as rows, for what is not read through tables.ts.
import type { Prisma, Team } from '#prisma';
import { query, type Store, type Transaction, withPrisma } from '../store.ts';

export type StoredTeam = Team;

/** The columns of a new team. */
export type NewTeam = Pick<Team, 'name' | 'subdomain' | 'timeZone' | 'locale' | 'createdAt'>;

const BY_ID = { name: 'teams.exists', text: 'select from teams where id = $1' };

/** Whether there is a team with this id. */
export async function hasTeam(store: Store, id: bigint): Promise<boolean> {
  return (await query(store, BY_ID, [id])).length > 0;
}

/** Inserts a team. @throws the store's error for a subdomain in use */
export async function insertTeam(tx: Transaction, team: NewTeam): Promise<StoredTeam> {
  return tx.team.create({ data: { ...team, updatedAt: team.createdAt } });
}

/**
 * Changes a team's subdomain. It works with every version of the database schema.
 * @throws the store's error for a subdomain in use
 */
export async function setTeamSubdomain(
  store: Store,
  id: bigint,
  subdomain: string,
  updatedAt: Date,
): Promise<Pick<Team, 'id' | 'publicId' | 'name'> & { readonly subdomain: string }> {
  const data = { subdomain, updatedAt };
  const select = { id: true, publicId: true, name: true };
  const team = await withPrisma(store, (prisma) => prisma.team.update({ where: { id }, data, select }));
  return { ...team, subdomain };
}

/** Every team with its number of workspaces, by id. */
export async function findTeams(store: Store): Promise<(StoredTeam & { readonly workspaces: number })[]> {
  const include = { _count: { select: { workspaces: true } } } satisfies Prisma.TeamInclude;
  const teams = await withPrisma(store, (prisma) =>
    prisma.team.findMany({ orderBy: { id: 'asc' }, include }),
  );
  return teams.map(({ _count, ...team }) => ({ ...team, workspaces: _count.workspaces }));
}
