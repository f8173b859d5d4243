// The root field `me`. A caller can only see the user that its credential represents.
import { user } from '../resources/users.ts';
import * as users from '../services/users.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';

builder.queryField('me', (t) =>
  t.field({
    type: nodeOf(user).ref,
    nullable: true,
    description:
      'The user that the credential represents: the person who granted the access token, or the team’s service user for an API key and for a client that acts on its own behalf. Needs no scope. On the host of another team it is null with a NOT_FOUND error.',
    resolve: (_root, _args, ctx) => users.me(ctx),
  }),
);
