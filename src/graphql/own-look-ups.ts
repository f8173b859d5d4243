// What is special of the root fields `team` and `workspace`: where nothing but ids and lists is asked for, no row is read.
import type { TeamRow } from '../resources/teams.ts';
import type { WorkspaceRow } from '../resources/workspaces.ts';
import * as workspaces from '../services/workspaces.ts';
import type { GraphContext } from './context.ts';
import { lookAhead } from './look-ahead.ts';
import type { LookUpOptions } from './look-ups.ts';
import { loadParent } from './unread-parents.ts';

export const teamLookUp: LookUpOptions<TeamRow> = {
  async loadFor(ctx, id, info, load) {
    const onlyId = lookAhead(info)?.every((column) => column === 'id') ?? false;
    return onlyId && hasWholeTeam(ctx, id) ? ({ id } as TeamRow) : load(ctx, id);
  },
};

/** A caller with access to some workspaces only may have none of this team's: then the team is not found. */
function hasWholeTeam({ actor }: GraphContext, id: bigint): boolean {
  return actor.kind !== 'anonymous' && actor.tenancy.teamId === id && actor.tenancy.workspaceIds === null;
}

export const workspaceLookUp: LookUpOptions<WorkspaceRow> = {
  loadFor: loadParent,
  by: {
    key: 'subdomain',
    description: 'The subdomain of the workspace, without the domain of the service.',
    find: workspaces.getBySubdomain,
  },
};
