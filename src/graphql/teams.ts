// Teams, and the root fields that return them.
import { type TeamRow, team } from '../resources/teams.ts';
import * as teams from '../services/teams.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { callersTeamId, type GraphContext } from './context.ts';
import { listArguments } from './list-arguments.ts';
import { lookAhead } from './look-ahead.ts';
import { loadById } from './lookup-arguments.ts';
import { defineNode } from './nodes.ts';

export const Team = defineNode(team, teams);

export const TeamConnection = defineConnection(Team, team, teams);

/** The arguments of the lists of teams. */
export const teamListArguments = listArguments(team);

/** Options for the cost analysis: a credential is for one team, whatever the page size. */
export const ONE_TEAM = { rows: 1 };

/**
 * For a selection that needs nothing but the team's id: no row is read where the caller has access to the whole team. A caller
 * with access to some workspaces only may have none of this team's; then the team is not found.
 */
const TEAM_BY_ID: typeof Team = {
  ...Team,
  load: async (ctx, id) => (hasWholeTeam(ctx, id) ? ({ id } as TeamRow) : Team.load(ctx, id)),
};

function hasWholeTeam({ actor }: GraphContext, id: bigint): boolean {
  return actor.kind !== 'anonymous' && actor.tenancy.teamId === id && actor.tenancy.workspaceIds === null;
}

builder.queryFields((t) => ({
  teams: t.field({
    type: TeamConnection.ref,
    nullable: true,
    ...ONE_TEAM,
    scope: teams.scope,
    description: 'The teams that the caller may see: one, or none on the host of another team.',
    args: teamListArguments,
    resolve: (_root, args, ctx, info) => TeamConnection.load(ctx, callersTeamId(ctx), args, info),
  }),
  team: t.field({
    type: Team.ref,
    nullable: true,
    description:
      'One team. Give exactly one of the arguments. A team that does not exist, or is not the caller’s, is null with a NOT_FOUND error.',
    scope: teams.scope,
    args: {
      id: t.arg.id({ description: 'The global id of the team.' }),
      databaseId: t.arg({ type: 'BigInt', description: 'The integer id of the team.' }),
    },
    resolve(_root, args, ctx, info) {
      const onlyId = lookAhead(info)?.every((column) => column === 'id') ?? false;
      return loadById(ctx, onlyId ? TEAM_BY_ID : Team, args);
    },
  }),
}));
