// A person's own view of the rights they granted to applications: what they may grant, what they have granted, and withdrawing it. The
// caller has already identified the person by their session.
import { grantable } from '../../auth/scopes.ts';
import type { App } from '../../context.ts';
import { invalid, notFound } from '../../errors.ts';
import type { OauthClient } from '../../store/accounts/oauth-clients.ts';
import { findGrants, type NamedGrant } from '../../store/accounts/oauth-grants.ts';
import { findMemberships, type Membership } from '../../store/accounts/users.ts';
import { idOfPublicId } from '../../store/sql/public-ids.ts';
import { endGrants, statusOf } from './oauth-grants.ts';

/**
 * Checks the choices on a consent page against what the person may grant. The authorization server checks them against the client's
 * request.
 * @throws AppError `invalid` blaming `scopes` or `workspaces`: nothing was chosen, or something that the person may not grant
 */
export function requireGrantable(
  membership: Pick<Membership, 'role' | 'workspaces'>,
  choice: { readonly scopes: readonly string[]; readonly workspaceIds: readonly bigint[] | null },
): void {
  const { scopes, workspaceIds } = choice;
  if (scopes.length === 0)
    throw invalid('scopes', {
      code: 'required',
      message: 'Nothing is ticked. Tick at least one thing that it may do, or deny.',
    });
  const refused = scopes.filter((scope) => !grantable(membership.role).has(scope));
  if (refused.length > 0)
    throw invalid('scopes', {
      code: 'not_allowed',
      message: `Your role in the team does not allow you to grant ${refused.join(', ')}.`,
    });
  if (workspaceIds === null) return;
  if (workspaceIds.length === 0)
    throw invalid('workspaces', { code: 'required', message: 'Choose at least one workspace, or deny.' });
  const theirs = new Set(membership.workspaces.map(({ id }) => id));
  if (!workspaceIds.every((id) => theirs.has(id)))
    throw invalid('workspaces', {
      code: 'not_included',
      message: 'Choose from the workspaces of the team.',
    });
}

/** The teams for which a person can grant access to a client: their own, but of a team's client that team alone. */
export async function teamsFor(
  app: App,
  { teamId: only }: Pick<OauthClient, 'teamId'>,
  userId: bigint,
): Promise<Membership[]> {
  const teams = await findMemberships(app.store, userId);
  return only === null ? teams : teams.filter(({ teamId }) => teamId === only);
}

/**
 * The access that a person granted and can withdraw: one entry for each client and team, the oldest first. A later consent leaves earlier
 * ones in force, because other devices still use them.
 */
export async function listOfUser(app: App, userId: bigint) {
  const now = app.clock();
  const grants = await findGrants(app.store, { userId });
  const live = grants.filter((grant) => ['active', 'suspended'].includes(statusOf(grant, now)));
  const groups = Map.groupBy(live, ({ clientId, teamId }) => `${teamId} ${clientId}`);
  return [...groups.values()].flatMap(toAccess);
}

/** The access of one client to one team, granted by any number of consents: listed and withdrawn together. */
function toAccess(grants: readonly NamedGrant[]) {
  const [first, ...later] = grants;
  if (first === undefined) return [];
  const { publicId, clientName, teamName, createdAt, isLegacy } = first;
  const isWholeTeam = grants.some((grant) => grant.isWholeTeam);
  const byId = new Map(grants.flatMap(({ workspaces }) => workspaces).map((one) => [one.id, one]));
  const workspaces = [...byId.values()].sort((one, other) => Number(one.id) - Number(other.id));
  return [
    {
      /** The public id of the first grant. */
      publicId,
      clientName,
      isLegacy,
      /** When the last of its grants ends; null: one of them lasts until it is withdrawn. */
      expiresAt: lastEndOf(grants),
      teamName,
      /** The workspaces of all its grants, by id; null: every workspace of the team. */
      workspaces: isWholeTeam ? null : workspaces,
      /** Those of all its grants. */
      scopes: [...new Set(grants.flatMap((grant) => grant.scopes))].sort(),
      createdAt,
      /** The time of the latest consent; null when there was only one. */
      againAt: later.at(-1)?.createdAt ?? null,
    },
  ];
}

function lastEndOf(grants: readonly NamedGrant[]): Date | null {
  const ends = grants.map(({ expiresAt }) => expiresAt);
  const times = ends.filter((end) => end !== null).map((end) => end.getTime());
  return times.length < ends.length ? null : new Date(Math.max(...times));
}

/**
 * Ends a client's access to a team, by one of the person's grants: revokes all of that person's grants and every token issued for
 * them. A second call changes nothing.
 * @throws AppError `not_found` for a grant that does not exist or belongs to another person
 */
export async function withdraw(app: App, userId: bigint, publicId: string): Promise<void> {
  const id = idOfPublicId('oauth_grants', publicId);
  const [grant] = id === null ? [] : await findGrants(app.store, { id });
  if (grant?.userId !== userId) throw notFound('Grant');
  const { clientId, teamId } = grant;
  await endGrants(app, { userId, clientId, teamId });
}
