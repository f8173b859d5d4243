// The owner of a team: callers see only their own team.
import { team } from '../../resources/teams.ts';
import { ownTable, parentLink } from './table.ts';

const teamOf = (workspace: string) =>
  `(${workspace}::bigint[] is null or exists (select from workspaces w where w.id = any(${workspace}) and w.team_id = t.id))`;

export const teamTable = ownTable(team, {
  // The list of teams has only the caller's own team, so a team is its own parent.
  parent: parentLink({ table: team.table, column: 'id', title: team.title }),
  visible: 'true',
  owners: { id: 'team' },
  owned: (team, workspace) => `t.id = ${team} and ${teamOf(workspace)}`,
  narrowed: teamOf,
});
