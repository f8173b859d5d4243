// The user that a caller represents; people who have signed in, or for whom a client acts.
import { requireCaller } from '../auth/scopes.ts';
import type { App, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { type UserRow, user } from '../resources/users.ts';
import {
  findCaller,
  findMemberships,
  findUserByPublicId,
  type Membership,
  type PersonRow,
} from '../store/accounts/users.ts';

export type { Membership, PersonRow };

/**
 * The user that the credential represents, whatever its scopes: the person who granted it. API keys, client credentials and tokens of an
 * outside issuer represent the team's service user.
 * @throws AppError `not_found` on the host of another team
 */
export async function me(ctx: Context): Promise<UserRow> {
  const found = await findMe(ctx);
  if (found === null) throw notFound(user.title);
  return found;
}

/** Users in the order of the ids: the one that the credential represents, whatever its scopes, and null for all others. */
export async function getMany(ctx: Context, ids: readonly bigint[]): Promise<(UserRow | null)[]> {
  const found = await findMe(ctx);
  return ids.map((id) => (found?.id === id ? found : null));
}

async function findMe(ctx: Context): Promise<UserRow | null> {
  const caller = requireCaller(ctx);
  const person = caller.kind === 'oauth' ? caller.user : null;
  return findCaller(ctx, caller.tenancy, person?.id ?? null);
}

/** The person with this public id; null when there is none or they are disabled. */
export async function findEnabled(app: App, publicId: string): Promise<PersonRow | null> {
  const user = await findUserByPublicId(app.store, publicId);
  return user === null || user.disabledAt !== null ? null : user;
}

/** The teams that a person belongs to, with their workspaces. */
export async function membershipsOf(app: App, userId: bigint): Promise<Membership[]> {
  return findMemberships(app.store, userId);
}
