// The root fields `viewer`, the caller and its credential, and `me`, the user that it represents.
import type { Caller, OauthActor } from '../../auth/actor.ts';
import { team } from '../../resources/teams.ts';
import { user } from '../../resources/users.ts';
import * as users from '../../services/accounts/users.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';

import { callersTeamId } from '../context.ts';
import { nodeOf } from '../nouns.ts';
import { teamsField } from './teams.ts';

const Team = nodeOf(team);

const ViewerKind = defineEnum('ViewerKind', 'The kind of credential that a request carries.', {
  api_key: 'An API key of a team.',
  oauth: 'An OAuth access token.',
});

const ViewerClient = builder.objectRef<OauthActor>('ViewerClient').implement({
  description: 'The OAuth client to which an access token was issued.',
  fields: (t) => ({
    clientId: t.exposeString('clientId', { description: 'The `client_id` of the client.' }),
    name: t.string({
      nullable: true,
      description: 'The name under which the client is registered; null for a client of an external issuer.',
      resolve: ({ clientName }) => clientName,
    }),
  }),
});

const ViewerUser = builder.objectRef<NonNullable<OauthActor['user']>>('ViewerUser').implement({
  description: 'The person on whose behalf an access token was issued.',
  fields: (t) => ({
    publicId: t.exposeString('publicId', {
      description: 'The short public id of the person: the `sub` of the token.',
    }),
    name: t.exposeString('name', { description: 'The name of the person.' }),
    email: t.exposeString('email', { description: 'The e-mail address of the person.' }),
  }),
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
      description: 'The name of the API key or of the OAuth client.',
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
    client: t.field({
      type: ViewerClient,
      nullable: true,
      description: 'The OAuth client that sends the access token; null for an API key.',
      resolve: (caller) => (caller.kind === 'oauth' ? caller : null),
    }),
    user: t.field({
      type: ViewerUser,
      nullable: true,
      description:
        'The person on whose behalf the client acts; null for an API key, for a client that acts on its own behalf, and for tokens of an external issuer.',
      resolve: (caller) => (caller.kind === 'oauth' ? caller.user : null),
    }),
    issuer: t.string({
      nullable: true,
      description: 'The issuer of the access token, its `iss`; null for an API key.',
      resolve: (caller) => (caller.kind === 'oauth' ? caller.issuer : null),
    }),
    scopes: t.stringList({
      description:
        'The scopes of the credential: `<category>:read` and `<category>:write`, or `read` and `write` for every category. In alphabetical order.',
      resolve: ({ scopes }) => [...scopes].sort(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      resolve: ({ expiresAt }) => expiresAt,
      nullable: true,
      description: 'When the credential expires. Null if it does not expire.',
    }),
    team: t.field({
      type: Team.ref,
      nullable: true,
      description: 'The team of the credential. Null on the host of another team.',
      scope: Team.scope,
      resolve: (_caller, _args, ctx) => Team.load(ctx, callersTeamId(ctx)),
    }),
    teamId: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        'The `databaseId` of the team of the credential. Null on the host of another team. Needs no scope.',
      resolve: ({ tenancy }) => (tenancy.teamId === 0n ? null : tenancy.teamId),
    }),
    workspaceIds: t.field({
      type: ['BigInt'],
      nullable: true,
      description:
        'The `databaseId` of each workspace that this request can access, if the grant or the host of the request limits it to certain workspaces. Null if it can access all workspaces of the team. Needs no scope.',
      resolve: ({ tenancy }) => tenancy.workspaceIds && [...tenancy.workspaceIds],
    }),
    teams: teamsField(t, 'The teams that the caller has access to.'),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    nullable: true,
    description: 'The caller. Any valid credential is enough; no scope is needed.',
    resolve: (_root, _args, { actor }) => (actor.kind === 'anonymous' ? null : actor),
  }),
);

builder.queryField('me', (t) =>
  t.field({
    type: nodeOf(user).ref,
    nullable: true,
    description:
      'The user that the credential represents: the person who granted the access token, or the team’s service user for an API key and for a client that acts on its own behalf. Needs no scope. On the host of another team it is null with a NOT_FOUND error.',
    resolve: (_root, _args, ctx) => users.me(ctx),
  }),
);
