// People who have signed in, or in whose name a client acts.
import type { App } from '../context.ts';
import { findMemberships, findUserByPublicId, type Membership, type UserRow } from '../store/users.ts';

export type { Membership, UserRow };

/** The person with this public id; null for nobody, and for a person who was disabled. */
export async function findEnabled(app: App, publicId: string): Promise<UserRow | null> {
  const user = await findUserByPublicId(app.store, publicId);
  return user === null || user.disabledAt !== null ? null : user;
}

/** The teams that a person belongs to, with their workspaces. */
export async function membershipsOf(app: App, userId: bigint): Promise<Membership[]> {
  return findMemberships(app.store, userId);
}
