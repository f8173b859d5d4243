// What the authorization server stores. Only it knows the meaning of most fields.
// - States: codes, refresh tokens, sessions, interactions, pushed requests. They live for a short time.
// - Grants by its own key: saved when a consent begins, completed with the person's choices, ended by a revocation.
// - Access tokens that it has issued, which makes revocation (RFC 7009) and introspection (RFC 7662) possible. The tokens themselves are not
//   stored.
// - Clients that the operator does not register: those that register themselves (RFC 7591), and the gateway's built-in ones.
import type { App } from '../../context.ts';
import { revokeAccessToken } from '../../store/accounts/oauth-access-tokens.ts';
import { findClient, insertClient, type NewOauthClient } from '../../store/accounts/oauth-clients.ts';
import { type GrantRecord, saveGrant } from '../../store/accounts/oauth-grants.ts';
import { type Issuance, issueTokens } from '../../store/accounts/oauth-issuances.ts';
import { findUser } from '../../store/accounts/users.ts';
import { endGrants } from './oauth-grants.ts';

export {
  findAccessToken,
  type IssuedAccessToken,
  insertAccessToken,
} from '../../store/accounts/oauth-access-tokens.ts';
export {
  isEnabled,
  LEGACY_MEMBER,
  type LegacyTerms,
  legacyTermsOf,
  type OauthClient,
} from '../../store/accounts/oauth-clients.ts';
export {
  completeGrant,
  findGrantByKey,
  findGrantPlace,
  type GrantPlace,
} from '../../store/accounts/oauth-grants.ts';
export {
  consumeState,
  deleteState,
  findState,
  type NewState,
  type State,
  saveState,
} from '../../store/accounts/oauth-states.ts';
export { endGrants, findClient, type Issuance };
export type ClientMetadata = NewOauthClient['metadata'];

/**
 * Saves a grant whose person has not chosen a team yet, or replaces its payload and expiry. A revoked grant stays unchanged.
 * @returns false when the person no longer exists
 */
export async function saveGrantOf(
  { store }: App,
  { userPublicId, ...record }: Omit<GrantRecord, 'userId'> & { readonly userPublicId: string },
): Promise<boolean> {
  const user = await findUser(store, userPublicId);
  if (user !== null) await saveGrant(store, { ...record, userId: user.id });
  return user !== null;
}

/**
 * Consumes a code or a refresh token and records the tokens issued for it, by one statement. If it was used before, one of its two users
 * may be a thief: the grant ends, with all tokens issued for it (RFC 9700 §2.1.1, §4.14.2).
 * @returns whether the tokens may be handed out
 */
export async function issue(app: App, issuance: Issuance): Promise<boolean> {
  if (await issueTokens(app, issuance)) return true;
  const { grantKey } = issuance.accessToken;
  if (grantKey !== null) await endGrants(app, { key: grantKey });
  return false;
}

/** Ends an access token at once. */
export async function endAccessToken(app: App, jti: string): Promise<void> {
  await ((await revokeAccessToken(app, jti)) ? app.lookups.forget() : app.lookups.settle());
}

/** The `client_id` of GraphiQL, which is built in. */
export const GRAPHIQL_CLIENT_ID = 'graphiql';

/** Such a client never acts for a team by itself: people grant its rights. */
const NO_TEAM = { teamId: null, workspaceIds: [], wholeTeam: true };

/**
 * Stores a client that has registered itself. Without a name, its id is its name.
 * @param client.secretHash null for a public client
 */
export async function registerClient(
  { store, clock }: App,
  client: Pick<NewOauthClient, 'id' | 'name' | 'secretHash' | 'metadata'>,
): Promise<void> {
  const name = client.name.trim() || client.id;
  await insertClient(store, { ...client, ...NO_TEAM, name, dynamic: true, createdAt: clock() });
}

/**
 * Makes sure that a built-in client has a row: grants and tokens refer to it, and the operator can disable it there. Several processes
 * may do this at once.
 */
export async function ensureBuiltInClient(
  { store, clock }: App,
  client: Pick<NewOauthClient, 'id' | 'name' | 'metadata'>,
): Promise<void> {
  const row = { ...client, secretHash: null, ...NO_TEAM, dynamic: false, createdAt: clock() };
  try {
    await insertClient(store, row);
  } catch (error) {
    if ((await findClient({ store }, client.id)) === null) throw error;
  }
}
