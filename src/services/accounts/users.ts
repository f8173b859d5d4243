// The user that a caller represents; people who have signed in, or for whom a client acts.
import { requireCaller, requireScope, scopeFor } from '../../auth/scopes.ts';
import type { App, Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import type { Page, PageRequest } from '../../pagination.ts';
import { team } from '../../resources/teams.ts';
import { type UserRow, user } from '../../resources/users.ts';
import {
  findCaller,
  findMemberships,
  findTeamUsers,
  findUserByPublicId,
  type Membership,
  type PersonRow,
} from '../../store/accounts/users.ts';
import { timed } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';

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

/** The scope for the users of the team. */
export const scope = scopeFor(team, 'read');

/**
 * A page of the users of the caller's team: its service user and the people in it. On the host of a workspace, the caller's own user alone,
 * as the team's other credentials are not shown there either.
 * @throws AppError `invalid` for `after` when that user is gone
 */
export async function list(ctx: Context, page: PageRequest): Promise<Page<UserRow>> {
  const { tenancy } = requireScope(ctx, scope);
  const only = tenancy.workspaceIds === null ? null : ((await findMe(ctx))?.id ?? 0n);
  const placed = await timed(ctx, user.title, page, (after) => findVisible(ctx, after));
  return findTeamUsers(ctx, tenancy, placed, only);
}

/** A user of the caller's team, as `list` shows them. @throws AppError `not_found` */
export async function get(ctx: Context, ref: Ref): Promise<UserRow> {
  requireScope(ctx, scope);
  const found = await findVisible(ctx, parseRef(user.title, 'users', ref));
  if (found === null) throw notFound(user.title);
  return found;
}

const ONE: PageRequest = { order: 'asc', size: 1, after: null, before: null, backward: false };

async function findVisible(ctx: Context, id: bigint): Promise<UserRow | null> {
  const { tenancy } = requireCaller(ctx);
  if (tenancy.workspaceIds !== null && (await findMe(ctx))?.id !== id) return null;
  return (await findTeamUsers(ctx, tenancy, ONE, id)).rows[0] ?? null;
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
