// Grants as the authorization server stores them, by its own key: saved when a consent begins, completed with the person's choices, ended
// by a revocation.
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
 * Saves a grant, or replaces its payload and expiry. A revoked grant stays unchanged.
 * @returns false when the person no longer exists
 */
export async function save(app: App, { userPublicId, ...record }: NewGrantRecord): Promise<boolean> {
  const user = await findUserByPublicId(app.store, userPublicId);
  if (user === null) return false;
  await saveGrant(app.store, { ...record, userId: user.id });
  return true;
}

/** A live grant, or null. A live grant is neither revoked nor expired, and its person is still in its team. */
export async function find(app: App, key: string): Promise<OauthGrant | null> {
  return findGrantByKey(app.store, key, app.clock());
}

/**
 * Records the person's choices, once: a later consent creates another grant.
 * @throws AppError `conflict` for a grant that is complete, revoked or deleted
 */
export async function complete(app: App, key: string, choice: GrantChoice): Promise<void> {
  await completeGrant(app.store, key, choice);
}

/** Ends a grant at once, with every token that was issued for it. */
export async function revoke(app: App, key: string): Promise<void> {
  await revokeGrant(app.store, { key }, app.clock());
  await app.lookups.forget();
}
