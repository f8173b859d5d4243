// Teams as rows, for reads that do not go through tables.ts.
import type { Team } from '#prisma';
import { team } from '../../resources/teams.ts';
import type { Store, Transaction } from '../store.ts';
import { findListed } from './listed.ts';

export type StoredTeam = Team;

/** The columns of a new team. */
export type NewTeam = Pick<Team, 'name' | 'subdomain' | 'timeZone' | 'locale' | 'createdAt'>;

/** Inserts a team. @throws the store's error for a subdomain in use */
export async function insertTeam(tx: Transaction, created: NewTeam): Promise<StoredTeam> {
  return tx.team.create({ data: { ...created, updatedAt: created.createdAt } });
}

/** Every team with its number of workspaces, by id. */
export async function findTeams(store: Store): Promise<(StoredTeam & { readonly workspaces: number })[]> {
  const workspaces = '(select count(*)::int from workspaces w where w.team_id = t.id)';
  return findListed(store, team, {}, { subdomain: 't.subdomain', workspaces });
}
