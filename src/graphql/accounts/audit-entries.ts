// Adds to audit entries what was changed, and who changed it.
import { brandWithType } from '@pothos/core';
import { apiKey } from '../../resources/api-keys.ts';
import { auditEntry } from '../../resources/audit-entries.ts';
import { graphqlTypeNameOf } from '../../resources/description/names.ts';
import { user } from '../../resources/users.ts';
import * as auditEntries from '../../services/accounts/audit-entries.ts';
import { builder, rowOf } from '../builder.ts';
import type { GraphContext } from '../context.ts';
import { findNode } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { subjectFields } from '../subjects.ts';
import { findClient, OauthClient } from './oauth-clients.ts';

const Actor = builder.unionType('Actor', {
  description: 'Who makes a change: a key, a person, or a client on its own behalf.',
  types: [nodeOf(apiKey).ref, nodeOf(user).ref, OauthClient],
});

/** A client of which at least the id is known. */
const clientOf = async (ctx: GraphContext, clientId: string) =>
  (await findClient(ctx, clientId)) ?? { clientId, clientName: null };

builder.objectFields(nodeOf(auditEntry).ref, (t) => ({
  ...subjectFields(t, 'changed object'),
  actor: t.field({
    type: Actor,
    nullable: true,
    columns: ['actorKind', 'actorId', 'clientId'],
    description:
      'Who made the change: the API key, the person on whose behalf the client acted, or the client itself. Null for a person who has left the team, for a token of an external issuer, and for a caller that is restricted to some workspaces.',
    async resolve(entry, _args, ctx) {
      const actor = auditEntries.authorOf(ctx, entry);
      if (actor === null) return null;
      if ('noun' in actor) return rowOf(findNode(ctx, graphqlTypeNameOf(actor.noun), actor.id));
      const client = await clientOf(ctx, actor.clientId);
      brandWithType(client, OauthClient);
      return client;
    },
  }),
  client: t.field({
    type: OauthClient,
    nullable: true,
    columns: ['clientId'],
    description: 'The OAuth client that made the change; null for an API key.',
    resolve: ({ clientId }, _args, ctx) => (clientId === null ? null : clientOf(ctx, clientId)),
  }),
  tokenSubject: t.string({
    nullable: true,
    columns: ['actorKind', 'actorId'],
    description: 'The `sub` of the access token with which the change was made; null for an API key.',
    resolve: ({ actorKind, actorId }) => (actorKind === 'oauth' ? actorId : null),
  }),
}));
