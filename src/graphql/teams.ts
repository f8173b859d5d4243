// Teams, and the root field that lists them.
import { type TeamRow, team } from '../resources/teams.ts';
import * as teams from '../services/teams.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { callersTeamId, type GraphContext } from './context.ts';
import { listArguments } from './list-arguments.ts';
import { lookAhead } from './look-ahead.ts';
import { defineNode, type NodeType } from './nodes.ts';

export const Team: NodeType<TeamRow> = defineNode(team, {
  ...teams,
  lookUp: {
    // Where nothing but its id is asked for, no row is read for a caller with access to the whole team. One with access to some
    // workspaces only may have none of this team's: then the team is not found.
    load: async (ctx, id, info) => {
      const onlyId = lookAhead(info)?.every((column) => column === 'id') ?? false;
      return onlyId && hasWholeTeam(ctx, id) ? ({ id } as TeamRow) : Team.load(ctx, id);
    },
  },
});

export const TeamConnection = defineConnection(Team, team, teams);

/** The arguments of the lists of teams. */
export const teamListArguments = listArguments(team);

/** Options for the cost analysis: a credential is for one team, whatever the page size. */
export const ONE_TEAM = { rows: 1 };

function hasWholeTeam({ actor }: GraphContext, id: bigint): boolean {
  return actor.kind !== 'anonymous' && actor.tenancy.teamId === id && actor.tenancy.workspaceIds === null;
}

builder.queryField('teams', (t) =>
  t.field({
    type: TeamConnection.ref,
    nullable: true,
    ...ONE_TEAM,
    scope: teams.scope,
    description: 'The teams that the caller may see: one, or none on the host of another team.',
    args: teamListArguments,
    resolve: (_root, args, ctx, info) => TeamConnection.load(ctx, callersTeamId(ctx), args, info),
  }),
);
