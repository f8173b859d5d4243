// Resolves the operator's references to teams and workspaces, by id or public id.
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { hasTeam } from '../../store/accounts/teams.ts';
import { hasWorkspace } from '../../store/accounts/workspaces.ts';
import { parseId } from '../../store/sql/public-ids.ts';
import type { Ref } from '../reading/refs.ts';

/** The id of a team, given its id or public id. @throws AppError `not_found`, which says how to list and create teams */
export async function requireTeamId(app: App, ref: Ref): Promise<bigint> {
  const id = typeof ref === 'bigint' ? ref : parseId('teams', ref);
  if (id !== null && (await hasTeam(app.store, id))) return id;
  throw new AppError(
    'not_found',
    'Team not found: "npx funnel-gateway team list" shows the teams, and "team create --name X" makes one.',
  );
}

/** The id of the team that a list is narrowed to; null: it is of all teams. @throws AppError `not_found` */
export async function teamIdOf(
  app: App,
  { team }: { readonly team?: Ref | undefined },
): Promise<bigint | null> {
  return team === undefined ? null : requireTeamId(app, team);
}

/** The id of a workspace, given its id or public id. @throws AppError `not_found`, which says how to list and create workspaces */
export async function requireWorkspaceId(app: App, ref: Ref): Promise<bigint> {
  const id = typeof ref === 'bigint' ? ref : parseId('workspaces', ref);
  if (id !== null && (await hasWorkspace(app.store, id))) return id;
  throw new AppError(
    'not_found',
    'Workspace not found: "npx funnel-gateway workspace list" shows the workspaces, and "workspace create --team ID --name X --subdomain y" makes one.',
  );
}
