// Deviations in how some nouns are read. The root fields `team` and `workspace` do not read the row when only its id or its lists
// are selected.
import type { TeamRow } from '../resources/teams.ts';
import type { WorkspaceRow } from '../resources/workspaces.ts';
import * as workspaces from '../services/accounts/workspaces.ts';
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

/** Whether the caller surely has access to the team. One limited to some workspaces may have access to none of them: read the team then. */
function hasWholeTeam({ actor }: GraphContext, id: bigint): boolean {
  return actor.kind !== 'anonymous' && actor.tenancy.teamId === id && actor.tenancy.workspaceIds === null;
}

export const workspaceLookUp: LookUpOptions<WorkspaceRow> = {
  loadFor: loadParent,
  by: {
    key: 'subdomain',
    description: 'The subdomain, without the domain of the service: `acme`.',
    find: workspaces.findBySubdomain,
  },
};
