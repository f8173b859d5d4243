// The list of the caller's teams, and their mutations. Teams have no parent, so nouns.ts adds neither.
import { team } from '../../resources/teams.ts';
import * as teams from '../../services/accounts/teams.ts';
import { defineConnection } from '../connection.ts';
import { callersTeamId } from '../context.ts';
import { defineChanges } from '../mutations.ts';
import { nodeOf } from '../nouns.ts';

const Team = nodeOf(team);

// There is at most one, so nothing filters or orders the list.
const { sorts: _, ...listed } = team;
const TeamConnection = defineConnection(Team, listed, teams.service.open ?? teams.service.reads);

defineChanges(Team, team, teams.service, Team, TeamConnection);

/** A field with the caller's teams. For the cost analysis: a credential belongs to one team, whatever the page size. */
export const teamsField = (t: object, description: string) =>
  TeamConnection.fieldOf(t, { description, rows: 1, always: true }, (_, ctx) => ({
    parentId: callersTeamId(ctx),
  }));
