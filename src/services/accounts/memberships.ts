// The memberships of teams and users.
import { coversScope, requireCaller, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { Row } from '../../resources/description/resource.ts';
import { type MembershipRow, teamWithMemberships, userWithMemberships } from '../../resources/memberships.ts';
import type { TeamRow } from '../../resources/teams.ts';
import { plainRow } from '../../rows/plain-row.ts';
import { findTeamMemberships } from '../../store/accounts/memberships.ts';
import { onlyUser, scope, type UserRow } from './users.ts';

export { scope };

type ShownTeam = Row<typeof teamWithMemberships>;
type ShownUser = Row<typeof userWithMemberships>;

/**
 * Reads the memberships of the caller's team, which its list, its reads and the answers to its changes show: those of the users that the
 * caller may see.
 * @returns what shows a row of the team; without the scope to read the team, it has null, which answers to changes leave out
 */
export async function showTeam(ctx: Context): Promise<(team: TeamRow) => ShownTeam> {
  const { scopes, tenancy } = requireCaller(ctx);
  const memberships = coversScope(scopes, scope)
    ? await findTeamMemberships(ctx, tenancy, await onlyUser(ctx))
    : null;
  return (team) => withMemberships<ShownTeam>(teamWithMemberships, team, memberships);
}

/** Users with their memberships in the caller's team. @param users those that the caller may see */
export async function showUsers(ctx: Context, users: readonly UserRow[]): Promise<ShownUser[]> {
  if (users.length === 0) return [];
  const { tenancy } = requireCaller(ctx);
  const ids = users.map(({ id }) => id);
  const byUser = Map.groupBy(await findTeamMemberships(ctx, tenancy, ids), ({ userId }) => userId);
  return users.map((user) =>
    withMemberships<ShownUser>(userWithMemberships, user, byUser.get(user.id) ?? []),
  );
}

/** The memberships of the teams, in the order of their ids, as far as the caller may see them; none for any team but the caller's. */
export async function listOfTeams(ctx: Context, teamIds: readonly bigint[]): Promise<MembershipRow[][]> {
  const { tenancy } = requireScope(ctx, scope);
  const isAsked = teamIds.includes(tenancy.teamId);
  const own = isAsked ? await findTeamMemberships(ctx, tenancy, await onlyUser(ctx)) : [];
  return teamIds.map((id) => (id === tenancy.teamId ? own : []));
}

/** The memberships of users in the caller's team, in the order of their ids, as far as the caller may see them. */
export async function listOfUsers(ctx: Context, userIds: readonly bigint[]): Promise<MembershipRow[][]> {
  const { tenancy } = requireScope(ctx, scope);
  const only = await onlyUser(ctx);
  const seen = userIds.filter((id) => only === null || only.includes(id));
  const byUser = Map.groupBy(await findTeamMemberships(ctx, tenancy, seen), ({ userId }) => userId);
  return userIds.map((id) => byUser.get(id) ?? []);
}

function withMemberships<Shown>(
  described: { readonly fields: object },
  row: object,
  memberships: readonly MembershipRow[] | null,
): Shown {
  return { ...plainRow(described, row), memberships } as Shown;
}
