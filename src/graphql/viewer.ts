// The caller.
import type { Actor } from '../auth/actor.ts';
import { builder } from './builder.ts';
import { connectionArgs } from './connection.ts';
import { callersTeamId, ONE_TEAM, TeamConnection } from './teams.ts';

type Caller = Exclude<Actor, { kind: 'anonymous' }>;

const ViewerKind = builder.enumType('ViewerKind', {
  description: 'The kind of credential that a request carries.',
  values: { API_KEY: { value: 'api_key', description: 'An API key of a team.' } },
});

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The caller, as the request’s credential describes it.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ViewerKind, description: 'The kind of credential.' }),
    name: t.exposeString('name', { description: 'The name that the credential was given.' }),
    databaseId: t.field({
      type: 'BigInt',
      description: 'The integer id of the credential.',
      resolve: ({ apiKeyId }) => apiKeyId,
    }),
    publicId: t.exposeString('publicId', { description: 'The short public id of the credential.' }),
    scopes: t.stringList({
      description:
        'What the credential allows: `<category>:read` and `<category>:write`, or `read` and `write` for every category. In alphabetical order.',
      resolve: ({ scopes }) => [...scopes].sort(),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the credential stops working, or null when it does not expire.',
    }),
    teams: t.field({
      type: TeamConnection.ref,
      nullable: true,
      extensions: ONE_TEAM,
      description: 'The teams that the caller reaches. Needs account:read.',
      args: connectionArgs,
      resolve: (_caller, args, ctx, info) => TeamConnection.load(ctx, callersTeamId(ctx), args, info),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    nullable: true,
    description: 'The caller. Any valid credential will do, whatever its scopes.',
    resolve: (_root, _args, { actor }) => (actor.kind === 'anonymous' ? null : actor),
  }),
);
