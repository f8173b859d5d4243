// Which workspace seeding and the banner's example are about.
import type { Ref } from '../rows.ts';
import type { Statement } from '../statements.ts';
import { query, type Store } from '../store.ts';

const FIRST: Statement = {
  name: 'seed.first_workspace',
  text: 'select id from workspaces where ($1::bigint is null or team_id = $1) order by id limit 1',
};

const BY_REF: Statement = {
  name: 'seed.workspace',
  text: 'select id from workspaces where id = $1::bigint or public_id = $2',
};

/** The first workspace, of a team or of all; null when there is none. */
export async function findFirstWorkspaceId(store: Store, teamId: bigint | null): Promise<bigint | null> {
  return (await query<{ id: bigint }>(store, FIRST, [teamId]))[0]?.id ?? null;
}

/** The id of a workspace by id or public id, or null. */
export async function findWorkspaceId(store: Store, ref: Ref): Promise<bigint | null> {
  const values = typeof ref === 'bigint' ? [ref, null] : [null, ref];
  return (await query<{ id: bigint }>(store, BY_REF, values))[0]?.id ?? null;
}
