// Reads what a store already contains: whether it has a team, and the default workspace for seeding and for the banner's example.
import type { Statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

const HAS_TEAM: Statement = {
  name: 'seed.has_team',
  text: 'select exists (select from teams) as "hasTeam"',
};

const FIRST: Statement = {
  name: 'seed.first_workspace',
  text: 'select id from workspaces where ($1::bigint is null or team_id = $1) order by id limit 1',
};

/** Whether the store has any team. Then no demo is created. */
export async function hasAnyTeam(store: Store): Promise<boolean> {
  return (await query<{ hasTeam: boolean }>(store, HAS_TEAM, []))[0]?.hasTeam === true;
}

/** Finds the first workspace, of a team or of all; null if there is none. */
export async function findFirstWorkspaceId(store: Store, teamId: bigint | null): Promise<bigint | null> {
  return (await query<{ id: bigint }>(store, FIRST, [teamId]))[0]?.id ?? null;
}
