// What teams have besides their noun's fields, for they are below nothing: the root field that lists them, and their changes.
import { team } from '../../resources/teams.ts';
import * as teams from '../../services/accounts/teams.ts';
import { serviceOf } from '../../services/nouns.ts';
import { builder } from '../builder.ts';
import { defineConnection } from '../connection.ts';
import { callersTeamId } from '../context.ts';
import { listArguments } from '../list-arguments.ts';
import { defineChanges } from '../mutations.ts';
import { nodeOf } from '../nouns.ts';

export const Team = nodeOf(team);

export const TeamConnection = defineConnection(Team, team, { ...serviceOf(team), scope: teams.scope });

defineChanges(Team, team, serviceOf(team), Team, TeamConnection);

/** The arguments of the lists of teams. */
export const teamListArguments = listArguments(team);

/** For the cost analysis: a credential belongs to one team, so a list has at most one row, whatever the page size. */
export const ONE_TEAM = { rows: 1 };

builder.queryField('teams', (t) =>
  t.field({
    type: TeamConnection.ref,
    nullable: true,
    ...ONE_TEAM,
    scope: teams.scope,
    description: 'The teams that the caller has access to: one team, or none on the host of another team.',
    args: teamListArguments,
    resolve: (_root, args, ctx, info) => TeamConnection.load(ctx, callersTeamId(ctx), args, info),
  }),
);
