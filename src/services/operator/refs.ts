// Resolves the operator's references to teams and workspaces, by id or public id.
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { type HostedTable, hasRow } from '../../store/accounts/hosted.ts';
import { parseId } from '../../store/sql/public-ids.ts';
import type { Ref } from '../reading/refs.ts';

const NOT_FOUND: Readonly<Record<HostedTable, string>> = {
  teams: 'Team not found. "npx funnel-gateway team list" shows the teams; "team create --name X" makes one.',
  workspaces:
    'Workspace not found. "npx funnel-gateway workspace list" shows the workspaces; "workspace create --team ID --name X --subdomain y" makes one.',
};

/** The error for a team or a workspace that does not exist: it says how to list and create them. */
export function unknownRef(table: HostedTable): AppError {
  return new AppError('not_found', NOT_FOUND[table]);
}

/** Resolves the id or public id of a team or a workspace to its id. @throws AppError `not_found` */
export async function requireId(app: App, table: HostedTable, ref: Ref): Promise<bigint> {
  const id = typeof ref === 'bigint' ? ref : parseId(table, ref);
  if (id === null || !(await hasRow(app.store, table, id))) throw unknownRef(table);
  return id;
}

/** The id of the team that a list is limited to; null: all teams. @throws AppError `not_found` */
export async function teamIdOf(
  app: App,
  { team }: { readonly team?: Ref | undefined },
): Promise<bigint | null> {
  return team === undefined ? null : requireId(app, 'teams', team);
}
