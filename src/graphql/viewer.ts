// The caller.
import type { Caller } from '../auth/actor.ts';
import { builder } from './builder.ts';
import { connectionArgs } from './connection.ts';
import { callersTeamId, ONE_TEAM, TeamConnection } from './teams.ts';

const ViewerKind = builder.enumType('ViewerKind', {
  description: 'The kind of credential that a request carries.',
  values: {
    API_KEY: { value: 'api_key', description: 'An API key of a team.' },
    OAUTH: { value: 'oauth', description: 'An OAuth access token.' },
  },
});

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The caller, as the request’s credential describes it.',
  fields: (t) => ({
    kind: t.field({
      type: ViewerKind,
      description: 'The kind of credential.',
      resolve: ({ kind }) => kind,
    }),
    name: t.string({
      description: 'The name that the API key was given, or the name of the OAuth client.',
      resolve: (caller) => (caller.kind === 'api_key' ? caller.name : (caller.clientName ?? caller.clientId)),
    }),
    databaseId: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'The integer id of the API key; null for an OAuth access token.',
      resolve: (caller) => (caller.kind === 'api_key' ? caller.apiKeyId : null),
    }),
    publicId: t.string({
      nullable: true,
      description: 'The short public id of the API key; null for an OAuth access token.',
      resolve: (caller) => (caller.kind === 'api_key' ? caller.publicId : null),
    }),
    scopes: t.stringList({
      description:
        'What the credential allows: `<category>:read` and `<category>:write`, or `read` and `write` for every category. In alphabetical order.',
      resolve: ({ scopes }) => [...scopes].sort(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      resolve: ({ expiresAt }) => expiresAt,
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
