// Who belongs to a team, and with which role: a member of teams and users over REST.
import type { Fields, RowOf } from './description/fields.ts';
import { describe } from './description/resource.ts';
import { team } from './teams.ts';
import { user } from './users.ts';

/** The most memberships that a team shows. */
export const MAX_MEMBERSHIPS = 100;

export const MEMBERSHIP = {
  userId: { type: 'int8', description: 'The integer id of the person.' },
  teamId: { type: 'int8', description: 'The integer id of the team.' },
  role: {
    type: 'text',
    values: ['owner', 'admin', 'member'],
    description:
      'The role of the person in the team. A `member` cannot let a client change the team itself; an `owner` and an `admin` can.',
  },
  email: { type: 'text', description: 'The e-mail address of the person.' },
  firstName: { type: 'text', description: 'The first name of the person.' },
  lastName: { type: 'text', description: 'The last name of the person; empty if there is none.' },
  createdAt: { type: 'timestamp', description: 'When the person joined the team.' },
} as const satisfies Fields;

/** A team in REST's answers. Its events and audit entries do not have the memberships, because those belong to other rows. */
export const teamWithMemberships = describe({
  ...team,
  fields: {
    ...team.fields,
    memberships: {
      type: 'json',
      items: MEMBERSHIP,
      description: `The people in the team, in the order of their ids: the first ${MAX_MEMBERSHIPS} if there are more. On the host of a workspace, and for a caller that is restricted to some workspaces, only the caller’s own membership.`,
    },
  },
});

/** A user in REST's answers. */
export const userWithMemberships = describe({
  ...user,
  fields: {
    ...user.fields,
    memberships: {
      type: 'json',
      items: MEMBERSHIP,
      description:
        'The membership of the user in the caller’s team; empty for a service user. Memberships in other teams are not shown.',
    },
  },
});

export interface MembershipRow extends RowOf<typeof MEMBERSHIP> {}
