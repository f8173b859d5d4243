// The fields of a user that others may see. A user is a person or a team's service user.
import { IDS } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';

export const user = describe({
  type: 'User',
  title: 'User',
  table: 'users',
  number: 11n,
  description:
    'A person, or the service user of a team. The service user stands for the team’s API keys, and for clients that act on their own behalf.',
  fields: {
    ...IDS,
    email: {
      type: 'text',
      graphqlName: 'emailAddress',
      description: 'The e-mail address; empty for a service user.',
    },
    firstName: { type: 'text', description: 'The first name; for a service user, the name of its team.' },
    lastName: { type: 'text', description: 'The last name; empty if there is none.' },
    timeZone: {
      type: 'text',
      nullable: true,
      description: 'The time zone of the user; for a service user, that of its team.',
    },
    locale: {
      type: 'text',
      nullable: true,
      description: 'The language of the user, such as `en`; for a service user, that of its team.',
    },
    createdAt: { type: 'timestamp', description: 'When the user was created.' },
    updatedAt: { type: 'timestamp', description: 'When the user was last changed.' },
  },
});

/** A user in the list of its team. The noun itself has no `sorts`, because the database does not order its changes as those of sorted nouns. */
export const listedUser = { ...user, sorts: ['createdAt', 'updatedAt'] } as const;

export interface UserRow extends Row<typeof user> {}
