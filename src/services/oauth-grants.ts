// Grants as the person who made them and the operator of the service see them, and what may be granted at all. These
// functions check no scope: what is offered to callers is in team-oauth-grants.ts.
import { grantable } from '../auth/roles.ts';
import type { App } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import {
  findGrant,
  findGrantsOfTeam,
  findGrantsOfUser,
  type NamedGrant,
  revokeGrant,
} from '../store/oauth-grants.ts';
import { toId } from '../store/public-ids.ts';
import type { Membership } from '../store/users.ts';
import { parseRef, type Ref } from './refs.ts';
import { requireTeamId } from './teams.ts';

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

/** What a person lets one client do for one team, by however many consents: seen and withdrawn as one. */
interface Access {
  /** Of the first of its grants. */
  readonly publicId: string;
  readonly clientName: string;
  readonly teamName: string;
  /** Those of all its grants, in the order of their ids; null: the whole team. */
  readonly workspaces: readonly { readonly id: bigint; readonly name: string }[] | null;
  /** Those of all its grants. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** When it was granted for the last time; null when that was once. */
  readonly againAt: Date | null;
}

/**
 * What a person granted and could withdraw, an entry for each client and team, the oldest first. A later consent leaves
 * the earlier ones in force: other devices go on using them.
 */
export async function listOfUser(app: App, userId: bigint): Promise<Access[]> {
  const now = app.clock();
  const grants = await findGrantsOfUser(app.store, userId);
  const live = grants.filter((grant) => ['active', 'suspended'].includes(statusOf(grant, now)));
  const groups = Map.groupBy(live, ({ clientId, teamId }) => `${teamId} ${clientId}`);
  return [...groups.values()].flatMap(toAccess);
}

function toAccess(grants: readonly NamedGrant[]): Access[] {
  const [first, ...later] = grants;
  if (first === undefined) return [];
  const { publicId, clientName, teamName, createdAt } = first;
  const byId = new Map(grants.flatMap(({ workspaces }) => workspaces ?? []).map((one) => [one.id, one]));
  const scopes = new Set(grants.flatMap((grant) => grant.scopes));
  return [
    {
      publicId,
      clientName,
      teamName,
      workspaces: grants.some((grant) => grant.workspaces === null)
        ? null
        : [...byId.values()].sort((one, other) => Number(one.id - other.id)),
      scopes: [...scopes].sort(),
      createdAt,
      againAt: later.at(-1)?.createdAt ?? null,
    },
  ];
}

/**
 * Takes back what a person granted to a client for a team, given one of its grants: with it end all of them, and all
 * tokens that were got with them. A second time changes nothing.
 * @throws AppError `not_found` for what is nobody's, or somebody else's
 */
export async function withdraw(app: App, userId: bigint, publicId: string): Promise<void> {
  const id = toId('oauth_grants', publicId);
  const grant = id === null ? null : await findGrant(app.store, id);
  if (grant === null || grant.teamId === null || grant.userId !== userId) throw notFound('Grant');
  const { clientId, teamId } = grant;
  await revokeGrant(app.store, { userId, clientId, teamId }, app.clock());
  app.lookups.forget();
}

/** The grants for one team, or all, ended ones included. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<NamedGrant[]> {
  const teamId = filter.team === undefined ? null : await requireTeamId(app, filter.team);
  return findGrantsOfTeam(app.store, teamId);
}

/** Ends a grant at once. One that is revoked already stays as it is. @throws AppError `not_found` */
export async function revoke(app: App, ref: Ref): Promise<NamedGrant> {
  const id = parseRef('Grant', 'oauth_grants', ref);
  const grant = await findGrant(app.store, id);
  if (grant === null || grant.teamId === null) throw notFound('Grant');
  await revokeGrant(app.store, { id: grant.id, teamId: grant.teamId }, app.clock());
  app.lookups.forget();
  return (await findGrant(app.store, id)) ?? grant;
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
