// Who belongs to the caller's team, and with which role: a list of the team, and of each of its users.
import { MAX_MEMBERSHIPS, MEMBERSHIP, type MembershipRow } from '../../resources/memberships.ts';
import { team } from '../../resources/teams.ts';
import { user } from '../../resources/users.ts';
import * as memberships from '../../services/accounts/memberships.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { loadBatched } from '../context.ts';
import { assumedRows } from '../field-options.ts';
import { nodeOf } from '../nouns.ts';

const Team = nodeOf(team);
const User = nodeOf(user);

const TeamRole = defineEnum('TeamRole', 'The role of a person in a team.', {
  owner: 'The person can let clients change the team itself.',
  admin: 'The person can let clients change the team itself.',
  member: 'The person can let clients change everything but the team itself.',
});

/** It has no id: the database knows a membership by its person and its team. */
const Membership = builder.objectRef<MembershipRow>('Membership').implement({
  description: 'That a person belongs to a team, with a role.',
  scope: memberships.scope,
  fields: (t) => ({
    user: User.field(t, 'userId', 'The person who belongs to the team.'),
    team: Team.field(t, 'teamId', 'The team to which the person belongs.'),
    role: t.expose('role', { type: TeamRole, description: 'The role of the person in the team.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: MEMBERSHIP.createdAt.description }),
  }),
});

Team.addField('memberships', (t) =>
  t.field({
    type: [Membership],
    nullable: true,
    scope: memberships.scope,
    columns: ['id'],
    rows: assumedRows(MAX_MEMBERSHIPS),
    description: `The people in the team, in the order of their ids: the first ${MAX_MEMBERSHIPS} if there are more. On the host of a workspace, and for a caller that is restricted to some workspaces, only the caller’s own membership.`,
    resolve: ({ id }, _args, ctx) =>
      loadBatched(ctx, 'memberships.of_teams', id, (ids) => memberships.listOfTeams(ctx, ids)),
  }),
);

User.addField('memberships', (t) =>
  t.field({
    type: [Membership],
    nullable: true,
    scope: memberships.scope,
    columns: ['id'],
    rows: 1,
    description:
      'The membership of the user in the caller’s team; empty for a service user. Memberships in other teams are not shown.',
    resolve: ({ id }, _args, ctx) =>
      loadBatched(ctx, 'memberships.of_users', id, (ids) => memberships.listOfUsers(ctx, ids)),
  }),
);
