// Teams. A credential belongs to one team, so a list has at most one; on another team's host it is empty.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { Page, PageRequest } from '../pagination.ts';
import { type TeamRow, team } from '../resources/teams.ts';
import { tableOf } from '../store/tables/tables.ts';
import { type Projection, readsOf, withTime } from './reads.ts';

const TEAMS = tableOf(team);
const reads = readsOf(team);
export const { scope, get } = reads;

/** The list's parent is the team itself: if the caller does not own it, the list is empty. */
export async function listMany(
  ctx: Context,
  teamIds: readonly bigint[],
  page: PageRequest,
  projection: Projection = null,
): Promise<Page<TeamRow>[]> {
  const pages = await reads.listMany(ctx, teamIds, page, projection);
  return pages.map((found) => found ?? { rows: [], more: false });
}

/** The caller's teams. */
export async function list(ctx: Context, page: PageRequest): Promise<Page<TeamRow>> {
  const { tenancy } = requireScope(ctx, scope);
  const [found] = await listMany(ctx, [tenancy.teamId], await withTime(ctx, TEAMS, tenancy, page));
  return found ?? { rows: [], more: false };
}
