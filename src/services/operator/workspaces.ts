// Workspaces as the operator manages them: creating and listing those of any team, and changing their subdomains.
import type { App } from '../../context.ts';
import { findWorkspaces, insertWorkspace, type StoredWorkspace } from '../../store/accounts/workspaces.ts';
import { parseName } from '../accounts/names.ts';
import { parseSubdomain } from '../accounts/subdomains.ts';
import type { Ref } from '../reading/refs.ts';
import { withConflicts } from './conflicts.ts';
import { requireId, teamIdOf } from './refs.ts';

export type { StoredWorkspace };

/**
 * Creates a workspace. It never changes its team.
 * @throws AppError `not_found` for the team, `invalid` for name or subdomain, `conflict` for a subdomain that is taken
 */
export async function create(
  app: App,
  input: { readonly team: Ref; readonly name: string; readonly subdomain: string },
): Promise<StoredWorkspace> {
  const name = parseName(input.name);
  const subdomain = parseSubdomain(app, input.subdomain);
  const teamId = await requireId(app, 'teams', input.team);
  return withConflicts(() => insertWorkspace(app.store, { teamId, name, subdomain, createdAt: app.clock() }));
}

/** The workspaces of one team or of all teams, with their domains. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<StoredWorkspace[]> {
  return findWorkspaces(app.store, await teamIdOf(app, filter));
}
