// Teams as the operator refers to them: any team, not only one's own.
import type { App } from '../../context.ts';
import { notFound } from '../../errors.ts';
import type { Ref } from '../../store/rows.ts';
import { findTeamId } from '../../store/teams.ts';
import { parseRef } from '../refs.ts';

/** The id of a team, given that or its public id. @throws AppError `not_found` */
export async function requireTeamId(app: App, ref: Ref): Promise<bigint> {
  const teamId = await findTeamId(app.store, parseRef('Team', ref));
  if (teamId === null) throw notFound('Team');
  return teamId;
}
