// Teams: a key reaches one, so the list has one at most, and none on another team's host.
import { requireScope } from '../auth/scopes.ts';
import type { App, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { Page, PageRequest } from '../pagination.ts';
import type { TeamRow } from '../resources/teams.ts';
import type { Ref } from '../store/rows.ts';
import { TEAMS } from '../store/tables.ts';
import { findTeamId } from '../store/teams.ts';
import { type Projection, readsOf } from './reads.ts';
import { parseRef } from './refs.ts';

const reads = readsOf(TEAMS, 'account:read');

export const { scope, get, getMany, countMany, existMany } = reads;

/** A list that hangs under itself: where the team is not the caller's, it is empty. */
export async function listMany(
  ctx: Context,
  teamIds: readonly bigint[],
  page: PageRequest,
  projection: Projection = null,
): Promise<Page<TeamRow>[]> {
  const pages = await reads.listMany(ctx, teamIds, page, projection);
  return pages.map((found) => found ?? { rows: [], more: false });
}

/** The teams that the caller reaches. */
export async function list(ctx: Context, page: PageRequest): Promise<Page<TeamRow>> {
  const { tenancy } = requireScope(ctx, scope);
  const [found] = await listMany(ctx, [tenancy.teamId], page);
  return found ?? { rows: [], more: false };
}

/** The team that the operator names, whosever it is: checks no scope. @throws AppError `not_found` */
export async function requireTeamId(app: App, ref: Ref): Promise<bigint> {
  const teamId = await findTeamId(app.store, parseRef('Team', ref));
  if (teamId === null) throw notFound('Team');
  return teamId;
}
