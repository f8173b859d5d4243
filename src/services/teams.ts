// Teams: a key reaches one, so the list has one at most, and none on another team's host.
import { requireScope } from '../auth/scopes.ts';
import type { App, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { Page, PageInput } from '../pagination.ts';
import { TEAMS, type TeamRow } from '../store/tables.ts';
import { hasTeam } from '../store/teams.ts';
import { readsOf, type WantedColumns } from './reads.ts';
import { parseRef, type Ref } from './refs.ts';

export type { TeamRow };

const reads = readsOf(TEAMS, 'account:read', { one: 'Team', parent: 'Team' });

export const { scope, get, getMany, countMany, existMany } = reads;

/** A list that hangs under itself: where the team is not the caller's, it is empty. */
export async function listMany(
  ctx: Context,
  teamIds: readonly bigint[],
  page: PageInput,
  wanted: WantedColumns = null,
): Promise<Page<TeamRow>[]> {
  const pages = await reads.listMany(ctx, teamIds, page, wanted);
  return pages.map((found) => found ?? { rows: [], more: false });
}

/** The teams that the caller reaches. */
export async function list(ctx: Context, page: PageInput): Promise<Page<TeamRow>> {
  const { reach } = requireScope(ctx, scope);
  const [found] = await listMany(ctx, [reach.teamId], page);
  return found ?? { rows: [], more: false };
}

/** The team that the operator names, whosever it is: checks no scope. @throws AppError `not_found` */
export async function requireTeamId(app: App, ref: Ref): Promise<bigint> {
  const teamId = parseRef('Team', 'teams', ref);
  if (!(await hasTeam(app.store, teamId))) throw notFound('Team');
  return teamId;
}
