// Grants as the person who made them and the operator of the service see them, and what may be granted at all. These
// functions check no scope: what is offered to callers is in team-oauth-grants.ts.
import { grantable } from '../auth/roles.ts';
import type { App } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { findTeamId } from '../store/api-keys.ts';
import {
  findGrant,
  findGrantsOfTeam,
  findGrantsOfUser,
  type NamedGrant,
  revokeGrant,
} from '../store/oauth-grants.ts';
import type { Ref } from '../store/rows.ts';
import type { Membership } from '../store/users.ts';
import { parseRef } from './refs.ts';

export type { NamedGrant };

/** What a grant is good for at the moment. `suspended`: its person or its client is disabled, or left the team. */
export type GrantStatus = 'active' | 'suspended' | 'expired' | 'revoked';

/** What decides a grant's status. */
type GrantLife = Pick<NamedGrant, 'revokedAt' | 'expiresAt' | 'isBacked'>;

export function statusOf({ revokedAt, expiresAt, isBacked }: GrantLife, now: Date): GrantStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return isBacked ? 'active' : 'suspended';
}

/** What a person granted and could withdraw, the oldest first. */
export async function listOfUser(app: App, userId: bigint): Promise<NamedGrant[]> {
  const now = app.clock();
  const grants = await findGrantsOfUser(app.store, userId);
  return grants.filter((grant) => ['active', 'suspended'].includes(statusOf(grant, now)));
}

/**
 * Takes back what a person granted: with it end all tokens that were got with it. A second time changes nothing.
 * @throws AppError `not_found` for what is nobody's, or somebody else's
 */
export async function withdraw(app: App, userId: bigint, publicId: string): Promise<void> {
  const ref = parseRef('Grant', publicId);
  const found =
    typeof ref === 'string' && (await revokeGrant(app.store, { publicId: ref, userId }, app.clock()));
  if (!found) throw notFound('Grant');
  app.lookups.forget();
}

/** The grants for one team, or all, ended ones included. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<NamedGrant[]> {
  if (filter.team === undefined) return findGrantsOfTeam(app.store, null);
  const teamId = await findTeamId(app.store, parseRef('Team', filter.team));
  if (teamId === null) throw notFound('Team');
  return findGrantsOfTeam(app.store, teamId);
}

/** Ends a grant at once. One that is revoked already stays as it is. @throws AppError `not_found` */
export async function revoke(app: App, ref: Ref): Promise<NamedGrant> {
  const named = parseRef('Grant', ref);
  const grant = await findGrant(app.store, named);
  if (grant === null || grant.teamId === null) throw notFound('Grant');
  await revokeGrant(app.store, { id: grant.id, teamId: grant.teamId }, app.clock());
  app.lookups.forget();
  return (await findGrant(app.store, named)) ?? grant;
}

/**
 * Checks what was chosen on a consent page against what its person may grant. What the client asked for is the
 * authorization server's to check.
 * @throws AppError `invalid` blaming `scopes` or `workspaces`: nothing chosen, or something that is not theirs
 */
export function requireGrantable(
  membership: Pick<Membership, 'role' | 'workspaces'>,
  choice: { readonly scopes: readonly string[]; readonly workspaceIds: readonly bigint[] | null },
): void {
  const { scopes, workspaceIds } = choice;
  if (scopes.length === 0) throw invalid('scopes', 'Choose at least one thing that the application may do.');
  const refused = scopes.filter((scope) => !grantable(membership.role).has(scope));
  if (refused.length > 0)
    throw invalid('scopes', `Your role in the team does not allow you to grant ${refused.join(', ')}.`);
  if (workspaceIds === null) return;
  if (workspaceIds.length === 0) throw invalid('workspaces', 'Choose at least one workspace.');
  const theirs = new Set(membership.workspaces.map(({ id }) => id));
  if (!workspaceIds.every((id) => theirs.has(id)))
    throw invalid('workspaces', 'Choose among the workspaces of the team.');
}
