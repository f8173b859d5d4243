// OAuth clients as the teams see them for which they act: `client_id` and name. Every caller sees its own client.
import { requireCaller, requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { findClientNames } from '../../store/accounts/oauth-clients.ts';

/** The scope to see clients other than the caller's own. */
export const scope: Scope = 'account:read';

export interface Client {
  readonly clientId: string;
  /** The name under which it is registered; null for a client of an outside issuer. */
  readonly clientName: string | null;
}

/** The client that sends the caller's token; null for an API key. */
export function ownClient(ctx: Context): Client | null {
  const caller = requireCaller(ctx);
  return caller.kind === 'oauth' ? { clientId: caller.clientId, clientName: caller.clientName } : null;
}

/**
 * Clients in the order of the ids; null for one that never acts for the caller's team. A caller that is restricted to some workspaces sees
 * none, as it sees no grants.
 */
export async function getMany(ctx: Context, ids: readonly string[]): Promise<(Client | null)[]> {
  const { tenancy } = requireScope(ctx, scope);
  const found = tenancy.workspaceIds === null ? await findClientNames(ctx, ids, tenancy.teamId) : [];
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return ids.map((clientId) => {
    const clientName = names.get(clientId);
    return clientName === undefined ? null : { clientId, clientName };
  });
}
