// Teams, and the fields that lead to them.
import { type TeamRow, team } from '../resources/teams.ts';
import * as teams from '../services/teams.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { callersTeamId, type GraphContext } from './context.ts';
import { lookAhead } from './look-ahead.ts';
import { defineNode } from './nodes.ts';
import { loadByKey } from './root-keys.ts';

export const Team = defineNode(team, teams);

export const TeamConnection = defineConnection(Team, team, teams);

/** A credential is for one team, whatever the page size: said for the cost of an operation. */
export const ONE_TEAM = { rows: 1 };

/**
 * For a selection that leads on to other objects: nothing is read of a team that the caller has whole. Who is
 * narrowed to workspaces may have none of the team's, and then the team is not there.
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
    args: connectionArgs,
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
      return loadByKey(ctx, onlyId ? TEAM_BY_ID : Team, args);
    },
  }),
}));
