// What a store holds already: whether there is a team, and which workspace seeding and the banner's example are about, unless one is named.
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

/** Whether there is a team at all: the demo then stays away. */
export async function hasAnyTeam(store: Store): Promise<boolean> {
  return (await query<{ hasTeam: boolean }>(store, HAS_TEAM, []))[0]?.hasTeam === true;
}

/** The first workspace, of a team or of all; null when there is none. */
export async function findFirstWorkspaceId(store: Store, teamId: bigint | null): Promise<bigint | null> {
  return (await query<{ id: bigint }>(store, FIRST, [teamId]))[0]?.id ?? null;
}
