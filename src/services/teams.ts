// Teams: a key reaches one, so the list has one at most, and none on another team's host.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { Page, PageInput } from '../pagination.ts';
import { TEAMS, type TeamRow } from '../store/tables.ts';
import { type Projection, readsOf } from './reads.ts';

export type { TeamRow };

const reads = readsOf(TEAMS, 'account:read', { one: 'Team', parent: 'Team' });

export const { scope, get, getMany, countMany, existMany } = reads;

/** A list that hangs under itself: where the team is not the caller's, it is empty. */
export async function listMany(
  ctx: Context,
  teamIds: readonly bigint[],
  page: PageInput,
  projection: Projection = null,
): Promise<Page<TeamRow>[]> {
  const pages = await reads.listMany(ctx, teamIds, page, projection);
  return pages.map((found) => found ?? { rows: [], more: false });
}

/** The teams that the caller reaches. */
export async function list(ctx: Context, page: PageInput): Promise<Page<TeamRow>> {
  const { tenancy } = requireScope(ctx, scope);
  const [found] = await listMany(ctx, [tenancy.teamId], page);
  return found ?? { rows: [], more: false };
}
