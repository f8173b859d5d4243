// The root field `viewer`: the caller, its credential, and the teams and workspaces that it may enter. Any valid credential is enough.
import { hash } from 'node:crypto';
import { brandWithType } from '@pothos/core';
import { type Caller, credentialOf } from '../../auth/actor.ts';
import { requireCaller } from '../../auth/scopes.ts';
import { apiKey } from '../../resources/api-keys.ts';
import { oauthGrant } from '../../resources/oauth-grants.ts';
import { user } from '../../resources/users.ts';
import { ownClient } from '../../services/accounts/oauth-clients.ts';
import * as users from '../../services/accounts/users.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import type { GraphContext } from '../context.ts';
import { defineOwnNode } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { OauthClient } from './oauth-clients.ts';
import { teamsField } from './teams.ts';

const ApiKey = nodeOf(apiKey);
const OauthGrant = nodeOf(oauthGrant);

const ViewerKind = defineEnum('ViewerKind', 'The kind of credential that a request carries.', {
  api_key: 'An API key of a team.',
  oauth: 'An OAuth access token.',
});

const Credential = builder.unionType('Credential', {
  description: 'What a caller authenticates with.',
  types: [ApiKey.ref, OauthGrant.ref],
});

const Viewer = defineOwnNode<Caller>('Viewer', {
  description: 'The caller, as the request’s credential describes it.',
  // All tokens of one grant are one caller.
  idOf: (caller) => hash('sha256', credentialOf(caller), 'base64url'),
  find: ({ actor }) => (actor.kind === 'anonymous' ? null : { ...actor }),
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
    user: t.field({
      type: nodeOf(user).ref,
      nullable: true,
      description:
        'The person on whose behalf the client acts; null for an API key, for a client that acts on its own behalf, and for tokens of an external issuer. Null on the host of another team.',
      scope: null,
      cost: 1,
      resolve: (_caller, _args, ctx) => users.findPerson(ctx),
    }),
    credential: t.field({
      type: Credential,
      nullable: true,
      description:
        'The API key, or the grant for which the access token was issued. Null for a client that acts on its own behalf, and for tokens of an external issuer. Null on the host of another team.',
      scope: null,
      cost: 1,
      resolve: (caller, _args, ctx) => loadCredential(ctx, caller),
    }),
    client: t.field({
      type: OauthClient,
      nullable: true,
      description: 'The OAuth client that sends the access token; null for an API key.',
      resolve: (_caller, _args, ctx) => ownClient(ctx),
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
    teams: teamsField(
      t,
      'The teams that the caller may enter, each with its workspaces: one team, or none on the host of another team.',
    ),
  }),
});

async function loadCredential(ctx: GraphContext, caller: Caller) {
  const [type, id] =
    caller.kind === 'api_key'
      ? ([ApiKey, caller.apiKeyId] as const)
      : ([OauthGrant, caller.grantId] as const);
  const row = id === null ? null : await type.load(ctx, id);
  if (row !== null) brandWithType(row, type.ref as typeof ApiKey.ref);
  return row;
}

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'The caller. Any valid credential is enough; no scope is needed.',
    sameRows: true,
    resolve: (_root, _args, ctx) => requireCaller(ctx),
  }),
);
