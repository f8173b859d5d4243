// Users, of whom a caller sees the one that its credential stands for.
import { user } from '../resources/users.ts';
import * as users from '../services/users.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';

builder.queryField('me', (t) =>
  t.field({
    type: nodeOf(user).ref,
    nullable: true,
    description:
      'The user that the credential stands for: the person who granted the access token; for an API key, and for a client that acts for itself, the team’s service user. Needs no scope. On the host of another team it is null with a NOT_FOUND error.',
    resolve: (_root, _args, ctx) => users.me(ctx),
  }),
);
