// The user that a caller represents; people who have signed in, or for whom a client acts.
import { requireCaller, requireScope, scopeFor } from '../../auth/scopes.ts';
import type { App, Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import type { Page, PageRequest } from '../../pagination.ts';
import { team } from '../../resources/teams.ts';
import { type UserRow, user } from '../../resources/users.ts';
import {
  countTeamUsers,
  findCaller,
  findMemberships,
  findTeamUsers,
  findUser,
  type Membership,
  type PersonRow,
} from '../../store/accounts/users.ts';
import { toBounds } from '../../store/reading/counts.ts';
import { positioned, type Reads } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

export type { Membership, PersonRow, UserRow };

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

/** The person on whose behalf the caller acts; null for any other caller, and on the host of another team. */
export async function findPerson(ctx: Context): Promise<UserRow | null> {
  const caller = requireCaller(ctx);
  return caller.kind === 'oauth' && caller.user !== null ? findMe(ctx) : null;
}

/** The scope for the users of the team. */
export const scope = scopeFor(team, 'read');

/**
 * Users in the order of the ids, as `get` shows them; the one that the credential represents needs no scope. If the others are refused,
 * the error (such as AppError `insufficient_scope`) takes their places.
 */
export async function getMany(ctx: Context, ids: readonly bigint[]): Promise<(UserRow | Error | null)[]> {
  const own = await findMe(ctx);
  const others = ids.filter((id) => id !== own?.id);
  const seen = others.length === 0 ? [] : await findOthers(ctx, others).catch((error: Error) => error);
  if (seen instanceof Error) return ids.map((id) => (id === own?.id ? own : seen));
  const byId = new Map([...seen, ...(own === null ? [] : [own])].map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

async function findOthers(ctx: Context, ids: readonly bigint[]): Promise<readonly UserRow[]> {
  const { tenancy } = requireScope(ctx, scope);
  if (tenancy.workspaceIds !== null) return [];
  return (await findTeamUsers(ctx, tenancy, firstPage(ids.length), ids)).rows;
}

/**
 * A page of the users of the caller's team: its service user and the people in it. On the host of a workspace, only the caller's own user:
 * the team's other credentials are hidden there too.
 * @throws AppError `invalid` for `after` when that user is gone
 */
export async function list(ctx: Context, page: PageRequest): Promise<Page<UserRow>> {
  const { tenancy } = requireScope(ctx, scope);
  const placed = await positioned(ctx, user.title, page, (after) => findVisible(ctx, after));
  return findTeamUsers(ctx, tenancy, placed, await onlyUser(ctx));
}

/** The only user that the caller may see, as a list; null: every user of the team. */
export async function onlyUser(ctx: Context): Promise<bigint[] | null> {
  return requireCaller(ctx).tenancy.workspaceIds === null ? null : [(await findMe(ctx))?.id ?? 0n];
}

/** The same list below a team; null or empty for any team but the caller's. */
export const readsBelowTeams: Pick<Reads<UserRow>, 'scope' | 'listMany' | 'countMany' | 'existMany'> = {
  scope,
  async listMany(ctx, teamIds, page) {
    const isOwn = areOwnTeams(ctx, teamIds);
    const found = isOwn.includes(true) ? await list(ctx, page) : null;
    return isOwn.map((own) => (own ? found : null));
  },
  async countMany(ctx, teamIds) {
    const isOwn = areOwnTeams(ctx, teamIds);
    const { tenancy } = requireCaller(ctx);
    const all = tenancy.workspaceIds === null ? await countTeamUsers(ctx, tenancy) : 1;
    return isOwn.map((own) => ({ count: own ? all : 0, isExact: true }));
  },
  async existMany(ctx, teamIds, probe) {
    const isOwn = areOwnTeams(ctx, teamIds);
    const page = { size: 1, backward: false, rowsOnly: true, ...toBounds(probe) } as const;
    const { tenancy } = requireCaller(ctx);
    const { rows } = await findTeamUsers(ctx, tenancy, page, await onlyUser(ctx));
    return isOwn.map((own) => own && rows.length > 0);
  },
};

/** Whether each team is the caller's. */
function areOwnTeams(ctx: Context, teamIds: readonly bigint[]): boolean[] {
  const { tenancy } = requireScope(ctx, scope);
  return teamIds.map((id) => id === tenancy.teamId);
}

/** A user of the caller's team, as `list` shows them. @throws AppError `not_found` */
export async function get(ctx: Context, ref: Ref): Promise<UserRow> {
  requireScope(ctx, scope);
  const found = await findVisible(ctx, parseRef(user.title, 'users', ref));
  if (found === null) throw notFound(user.title);
  return found;
}

/** Whether all of these are users of the caller's team, whatever the caller may read of them. */
export async function areTeamUsers(ctx: Context, ids: readonly bigint[]): Promise<boolean> {
  const { tenancy } = requireCaller(ctx);
  return (await findTeamUsers(ctx, tenancy, firstPage(ids.length), ids)).rows.length === ids.length;
}

const firstPage = (size: number): PageRequest => ({
  ...{ order: 'asc', size, after: null, before: null, backward: false },
});

async function findVisible(ctx: Context, id: bigint): Promise<UserRow | null> {
  const { tenancy } = requireCaller(ctx);
  if (tenancy.workspaceIds !== null && (await findMe(ctx))?.id !== id) return null;
  return (await findTeamUsers(ctx, tenancy, firstPage(1), [id])).rows[0] ?? null;
}

async function findMe(ctx: Context): Promise<UserRow | null> {
  const caller = requireCaller(ctx);
  const person = caller.kind === 'oauth' ? caller.user : null;
  return findCaller(ctx, caller.tenancy, person?.id ?? null);
}

/** The person with this public id; null when there is none or they are disabled. */
export async function findEnabled(app: App, publicId: string): Promise<PersonRow | null> {
  const user = await findUser(app.store, publicId);
  return user === null || user.disabledAt !== null ? null : user;
}

/** The teams that a person belongs to, with their workspaces. */
export async function membershipsOf(app: App, userId: bigint): Promise<Membership[]> {
  return findMemberships(app.store, userId);
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(user, { getMany });
