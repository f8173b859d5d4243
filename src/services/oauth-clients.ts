// OAuth clients as the authorization server finds them, and those that the operator does not register: clients that register themselves
// (RFC 7591), and the gateway's built-in ones.
import type { App } from '../context.ts';
import {
  findClient,
  insertClient,
  type NewOauthClient,
  type OauthClient,
} from '../store/accounts/oauth-clients.ts';

export type { OauthClient };
export type ClientMetadata = NewOauthClient['metadata'];

/** Such a client never acts for a team by itself: people grant its rights. */
const NO_TEAM = { teamId: null, workspaceIds: [], wholeTeam: true };

/** The client with this `client_id`, disabled ones included, or null. */
export async function find(app: App, id: string): Promise<OauthClient | null> {
  return findClient(app.store, id);
}

/** The client with this `client_id`; null when there is none or it is disabled. */
export async function findEnabled(app: App, id: string): Promise<OauthClient | null> {
  const client = await findClient(app.store, id);
  return client === null || client.disabledAt !== null ? null : client;
}

/**
 * Stores a client that has registered itself. Without a name, its id is its name.
 * @param client.secretHash null for a public client
 */
export async function register(
  app: App,
  client: Pick<NewOauthClient, 'id' | 'name' | 'secretHash'> & { readonly metadata: ClientMetadata },
): Promise<void> {
  const name = client.name.trim();
  await insertClient(app.store, {
    ...client,
    ...NO_TEAM,
    name: name === '' ? client.id : name,
    dynamic: true,
    createdAt: app.clock(),
  });
}

/**
 * Makes sure that a built-in client has a row: grants and tokens refer to it, and the operator can disable it there. Several processes
 * may do this at once.
 */
export async function ensureBuiltIn(
  app: App,
  { id, name, metadata }: { readonly id: string; readonly name: string; readonly metadata: ClientMetadata },
): Promise<void> {
  const row = { id, name, metadata, secretHash: null, ...NO_TEAM, dynamic: false, createdAt: app.clock() };
  try {
    await insertClient(app.store, row);
  } catch (error) {
    if ((await findClient(app.store, id)) === null) throw error;
  }
}
