// Users, of whom a caller sees the one that its credential stands for.
import { type UserRow, user } from '../resources/users.ts';
import * as users from '../services/users.ts';
import { builder } from './builder.ts';
import { resourceFields } from './resource-fields.ts';

const User = builder.objectRef<UserRow>(user.type).implement({
  description: user.description,
  fields: (t) => ({
    databaseId: t.field({
      type: 'BigInt',
      description: user.fields.id.description,
      column: 'id',
      resolve: ({ id }) => id,
    }),
    ...resourceFields(t, user.fields),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: User,
    nullable: true,
    description:
      'The user that the credential stands for: the person who granted the access token; for an API key, and for a client that acts for itself, the team’s service user. Needs no scope. On the host of another team it is null with a NOT_FOUND error.',
    resolve: (_root, _args, ctx) => users.me(ctx),
  }),
);
