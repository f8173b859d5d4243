// Workspaces as the operator manages them: creating and listing those of any team, and changing their subdomains.
import type { App } from '../../context.ts';
import {
  findWorkspaces,
  insertWorkspace,
  type StoredWorkspace,
  setWorkspaceSubdomain,
} from '../../store/accounts/workspaces.ts';
import { parseName } from '../accounts/names.ts';
import { parseSubdomain } from '../accounts/subdomains.ts';
import type { Ref } from '../reading/refs.ts';
import { withConflicts } from './conflicts.ts';
import { requireTeamId, requireWorkspaceId, teamIdOf } from './refs.ts';

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
  const teamId = await requireTeamId(app, input.team);
  return withConflicts(() => insertWorkspace(app.store, { teamId, name, subdomain, createdAt: app.clock() }));
}

/**
 * Changes a workspace's subdomain at once; the old one becomes free. Also works on a database of an earlier version.
 * @throws AppError `not_found` for the workspace, `invalid` for the subdomain, `conflict` for one that is taken
 */
export async function setSubdomain(app: App, ref: Ref, text: string) {
  const subdomain = parseSubdomain(app, text);
  const id = await requireWorkspaceId(app, ref);
  const renamed = await withConflicts(() => setWorkspaceSubdomain(app.store, id, subdomain, app.clock()));
  await app.lookups.forget();
  return renamed;
}

/** The workspaces of one team or of all teams, with their domains. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<StoredWorkspace[]> {
  return findWorkspaces(app.store, await teamIdOf(app, filter));
}
