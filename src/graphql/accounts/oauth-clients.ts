// OAuth clients: the caller's own, and those that act for the caller's team.
import type { OauthActor } from '../../auth/actor.ts';
import * as clients from '../../services/accounts/oauth-clients.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { defineOwnNode } from '../nodes.ts';

/** An own object for each field, because nodes are branded with their type. */
type Client = Pick<OauthActor, 'clientId' | 'clientName'>;

export const OauthClient = defineOwnNode<Client>('OauthClient', {
  description: 'An OAuth client: a program that acts for people, or on its own behalf.',
  idOf: ({ clientId }) => clientId,
  find: async (ctx, clientId) => {
    const own = ctx.actor.kind === 'anonymous' ? null : clients.ownClient(ctx);
    return own?.clientId === clientId ? own : findClient(ctx, clientId);
  },
  fields: (t) => ({
    clientId: t.exposeString('clientId', { description: 'The `client_id` of the client.' }),
    name: t.string({
      nullable: true,
      description: 'The name under which the client is registered; null for a client of an external issuer.',
      resolve: ({ clientName }) => clientName,
    }),
  }),
});

/** A client that acts for the caller's team, batched; null if there is no such client. */
export async function findClient(ctx: GraphContext, clientId: string): Promise<Client | null> {
  const found = await loadBatched(ctx, OauthClient.name, clientId, (ids) => clients.getMany(ctx, ids));
  return found && { ...found };
}
