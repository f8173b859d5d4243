// Teams, and the fields that lead to them.
import { requireScope } from '../auth/scopes.ts';
import * as teams from '../services/teams.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { callersTeamId, type GraphContext } from './context.ts';
import { lookAhead } from './look-ahead.ts';
import { defineNode } from './nodes.ts';
import { loadByKey } from './root-keys.ts';

export const Team = defineNode<teams.TeamRow>('Team', {
  description: 'A team: it owns workspaces and API keys. A key reaches one team.',
  scope: teams.scope,
  loadMany: teams.getMany,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the team.' }),
    timeZone: t.exposeString('timeZone', { description: 'The time zone that the team works in.' }),
    locale: t.exposeString('locale', { description: 'The language that the team works in, such as `en`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the team was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the team was last changed.' }),
  }),
});

export const TeamConnection = defineConnection(Team, { kind: 'teams', reads: teams });

/** A caller reaches one team, whatever the page size: said for the cost of an operation. */
export const ONE_TEAM = { rows: 1 };

/**
 * For a selection that leads on to other objects: nothing is read of a team that the caller reaches as a whole. Who is
 * narrowed to workspaces may reach none of the team's, and then the team is not there.
 */
const TEAM_BY_ID: typeof Team = {
  ...Team,
  load: async (ctx, id) => (reachesWholeTeam(ctx, id) ? ({ id } as teams.TeamRow) : Team.load(ctx, id)),
};

function reachesWholeTeam({ actor }: GraphContext, id: bigint): boolean {
  return actor.kind !== 'anonymous' && actor.tenancy.teamId === id && actor.tenancy.workspaceIds === null;
}

builder.queryFields((t) => ({
  teams: t.field({
    type: TeamConnection.ref,
    nullable: true,
    extensions: ONE_TEAM,
    description:
      'The teams that the caller reaches: one, or none on the host of another team. Needs account:read.',
    args: connectionArgs,
    resolve: (_root, args, ctx, info) => TeamConnection.load(ctx, callersTeamId(ctx), args, info),
  }),
  team: t.field({
    type: Team.ref,
    nullable: true,
    description:
      'One team. Give exactly one of the arguments. A team that does not exist, or is not the caller’s, is null with a NOT_FOUND error. Needs account:read.',
    args: {
      id: t.arg.id({ description: 'The global id of the team.' }),
      databaseId: t.arg({ type: 'BigInt', description: 'The integer id of the team.' }),
    },
    resolve(_root, args, ctx, info) {
      requireScope(ctx, teams.scope);
      const onlyId = lookAhead(info)?.every((column) => column === 'id') ?? false;
      return loadByKey(ctx, onlyId ? TEAM_BY_ID : Team, args);
    },
  }),
}));
