// Which workspace seeding and the banner's example are about, unless one is named.
import type { Statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

const FIRST: Statement = {
  name: 'seed.first_workspace',
  text: 'select id from workspaces where ($1::bigint is null or team_id = $1) order by id limit 1',
};

/** The first workspace, of a team or of all; null when there is none. */
export async function findFirstWorkspaceId(store: Store, teamId: bigint | null): Promise<bigint | null> {
  return (await query<{ id: bigint }>(store, FIRST, [teamId]))[0]?.id ?? null;
}
