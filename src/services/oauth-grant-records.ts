// Grants as the authorization server keeps them, by a key of its own: saved when a consent begins, completed with what the
// person chose, ended by a revocation.
import type { App } from '../context.ts';
import {
  completeGrant,
  findGrantByKey,
  type GrantChoice,
  type GrantRecord,
  type OauthGrant,
  revokeGrant,
  saveGrant,
} from '../store/accounts/oauth-grants.ts';
import { findUserByPublicId } from '../store/accounts/users.ts';

/** A grant before its person has chosen a team. */
export type NewGrantRecord = Omit<GrantRecord, 'userId'> & { readonly userPublicId: string };

/**
 * Saves a grant, or replaces its payload and expiry. One that is revoked stays as it is.
 * @returns false when there is no such person any more
 */
export async function save(app: App, { userPublicId, ...record }: NewGrantRecord): Promise<boolean> {
  const user = await findUserByPublicId(app.store, userPublicId);
  if (user === null) return false;
  await saveGrant(app.store, { ...record, userId: user.id });
  return true;
}

/** A live grant, or null: neither revoked nor expired, and its person still is in its team. */
export async function find(app: App, key: string): Promise<OauthGrant | null> {
  return findGrantByKey(app.store, key, app.clock());
}

/**
 * Writes down what the person chose, once: a later consent makes another grant.
 * @throws AppError `conflict` for a grant that is complete, revoked or gone
 */
export async function complete(app: App, key: string, choice: GrantChoice): Promise<void> {
  await completeGrant(app.store, key, choice);
}

/** Ends a grant at once, with every token that was issued for it. */
export async function revoke(app: App, key: string): Promise<void> {
  await revokeGrant(app.store, { key }, app.clock());
  await app.lookups.forget();
}
