// Teams as the operator refers to them: any team, not only one's own.
import type { App } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { hasTeam } from '../../store/teams.ts';
import { parseRef, type Ref } from '../refs.ts';

/** The id of a team, given that or its public id. @throws AppError `not_found` */
export async function requireTeamId(app: App, ref: Ref): Promise<bigint> {
  const teamId = parseRef('Team', 'teams', ref);
  if (!(await hasTeam(app.store, teamId))) throw notFound('Team');
  return teamId;
}
