// What the authorization server stores. Only it knows the meaning of most fields.
// - States: codes, refresh tokens, sessions, interactions, pushed requests. They live for a short time.
// - Grants by its own key: saved when a consent begins, completed with the person's choices, ended by a revocation.
// - Access tokens that it has issued, which makes revocation (RFC 7009) and introspection (RFC 7662) possible. The tokens themselves are
//   signed JWTs and are not stored.
// - Clients that the operator does not register: those that register themselves (RFC 7591), and the gateway's built-in ones.
import type { App } from '../../context.ts';
import * as accessTokens from '../../store/accounts/oauth-access-tokens.ts';
import * as clients from '../../store/accounts/oauth-clients.ts';
import * as grants from '../../store/accounts/oauth-grants.ts';
import { type Issuance, issueTokens } from '../../store/accounts/oauth-issuances.ts';
import * as states from '../../store/accounts/oauth-states.ts';
import { findUserByPublicId } from '../../store/accounts/users.ts';

export type { Issuance };
export type NewState = states.NewState;
export type State = states.State;
export type IssuedAccessToken = accessTokens.IssuedAccessToken;
export type OauthClient = clients.OauthClient;
export type ClientMetadata = clients.NewOauthClient['metadata'];

/**
 * Saves a state, or replaces its saved content. A consumed state stays consumed.
 * @param isUntrusted an unauthenticated client can cause this state: such states share a fixed number of slots, and a new one replaces
 *   the oldest
 */
export async function saveState({ store }: App, state: NewState, isUntrusted: boolean): Promise<void> {
  await (isUntrusted ? states.saveStateInSlot : states.saveState)(store, state);
}

/** A state that has not expired, consumed ones included, or null. Its id is the code, token or cookie itself; sessions have a `uid` too. */
export async function findState(
  { store, clock }: App,
  model: string,
  filter: states.StateFilter,
): Promise<State | null> {
  return states.findState(store, model, filter, clock());
}

/** Marks a state as used. When several callers try at once, in any number of processes, exactly one gets true. */
export async function consumeState({ store, clock }: App, model: string, id: string): Promise<boolean> {
  return states.consumeState(store, model, id, clock());
}

/** Deletes a state, or every state of the model that belongs to a grant. */
export async function removeStates({ store }: App, model: string, filter: states.StateFilter): Promise<void> {
  await states.deleteStates(store, model, filter);
}

/**
 * Saves a grant whose person has not chosen a team yet, or replaces its payload and expiry. A revoked grant stays unchanged.
 * @returns false when the person no longer exists
 */
export async function saveGrant(
  { store }: App,
  { userPublicId, ...record }: Omit<grants.GrantRecord, 'userId'> & { readonly userPublicId: string },
): Promise<boolean> {
  const user = await findUserByPublicId(store, userPublicId);
  if (user !== null) await grants.saveGrant(store, { ...record, userId: user.id });
  return user !== null;
}

/** A live grant, or null. A live grant is neither revoked nor expired, and its person is still in its team. */
export async function findGrant({ store, clock }: App, key: string): Promise<grants.OauthGrant | null> {
  return grants.findGrantByKey(store, key, clock());
}

/**
 * Records the person's choices, once: a later consent creates another grant.
 * @throws AppError `conflict` for a grant that is complete, revoked or deleted
 */
export async function completeGrant({ store }: App, key: string, choice: grants.GrantChoice): Promise<void> {
  await grants.completeGrant(store, key, choice);
}

/** Ends a grant at once, with every token that was issued for it. */
export async function revokeGrant({ store, clock, lookups }: App, key: string): Promise<void> {
  await grants.revokeGrant(store, { key }, clock());
  await lookups.forget();
}

/**
 * Consumes a code or a refresh token and records the tokens issued for it, by one statement. If it was used before, one of its two users
 * may be a thief: the grant ends, with all tokens issued for it (RFC 9700 §2.1.1, §4.14.2).
 * @returns whether the tokens may be handed out
 */
export async function issue(app: App, issuance: Issuance): Promise<boolean> {
  if (await issueTokens(app.store, issuance, app.clock())) return true;
  const { grantKey } = issuance.accessToken;
  if (grantKey !== null) await grants.revokeGrant(app.store, { key: grantKey }, app.clock());
  await app.lookups.forget();
  return false;
}

/** Records an access token before it is handed out to a client that acts for itself (client credentials). */
export async function recordAccessToken({ store }: App, token: IssuedAccessToken): Promise<void> {
  await accessTokens.insertAccessToken(store, token);
}

/** The record of a live access token, or null. @param kind the authorization server's name for how it was issued */
export async function findAccessToken({ store, clock }: App, kind: string, jti: string) {
  return accessTokens.findAccessToken(store, kind, jti, clock());
}

/** Ends an access token, or every access token of a grant, at once. */
export async function revokeAccessTokens(
  { store, clock, lookups }: App,
  which: { readonly jti: string } | { readonly grantKey: string },
): Promise<void> {
  const isChanged = await accessTokens.revokeAccessTokens(store, which, clock());
  await (isChanged ? lookups.forget() : lookups.settle());
}

/** Such a client never acts for a team by itself: people grant its rights. */
const NO_TEAM = { teamId: null, workspaceIds: [], wholeTeam: true };

/** The client with this `client_id`, disabled ones included, or null. */
export async function findClient({ store }: App, id: string): Promise<OauthClient | null> {
  return clients.findClient(store, id);
}

/**
 * Stores a client that has registered itself. Without a name, its id is its name.
 * @param client.secretHash null for a public client
 */
export async function registerClient(
  { store, clock }: App,
  client: Pick<clients.NewOauthClient, 'id' | 'name' | 'secretHash' | 'metadata'>,
): Promise<void> {
  const name = client.name.trim() || client.id;
  await clients.insertClient(store, { ...client, ...NO_TEAM, name, dynamic: true, createdAt: clock() });
}

/**
 * Makes sure that a built-in client has a row: grants and tokens refer to it, and the operator can disable it there. Several processes
 * may do this at once.
 */
export async function ensureBuiltInClient(
  { store, clock }: App,
  client: Pick<clients.NewOauthClient, 'id' | 'name' | 'metadata'>,
): Promise<void> {
  const row = { ...client, secretHash: null, ...NO_TEAM, dynamic: false, createdAt: clock() };
  try {
    await clients.insertClient(store, row);
  } catch (error) {
    if ((await clients.findClient(store, client.id)) === null) throw error;
  }
}
