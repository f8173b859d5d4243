// What people grant to applications, as they see it themselves: what they may grant at all, what they have granted, and
// taking it back. Who the person is has been found out by their session.
import { grantable } from '../auth/scopes.ts';
import type { App } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { findGrant, findGrantsOfUser, type NamedGrant, revokeGrant } from '../store/accounts/oauth-grants.ts';
import type { Membership } from '../store/accounts/users.ts';
import { idOfPublicId } from '../store/sql/public-ids.ts';
import { statusOf } from './oauth-grants.ts';

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

/** What a person allowed one client for one team, by any number of consents: listed and withdrawn as one. */
interface ClientAccess {
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
export async function listOfUser(app: App, userId: bigint): Promise<ClientAccess[]> {
  const now = app.clock();
  const grants = await findGrantsOfUser(app.store, userId);
  const live = grants.filter((grant) => ['active', 'suspended'].includes(statusOf(grant, now)));
  const groups = Map.groupBy(live, ({ clientId, teamId }) => `${teamId} ${clientId}`);
  return [...groups.values()].flatMap(toAccess);
}

function toAccess(grants: readonly NamedGrant[]): ClientAccess[] {
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
 * Ends what a person granted to a client for a team, given one of the grants: all of them, and all tokens that were issued
 * for them. A second time changes nothing.
 * @throws AppError `not_found` for a grant that does not exist or is somebody else's
 */
export async function withdraw(app: App, userId: bigint, publicId: string): Promise<void> {
  const id = idOfPublicId('oauth_grants', publicId);
  const grant = id === null ? null : await findGrant(app.store, id);
  if (grant === null || grant.teamId === null || grant.userId !== userId) throw notFound('Grant');
  const { clientId, teamId } = grant;
  await revokeGrant(app.store, { userId, clientId, teamId }, app.clock());
  await app.lookups.forget();
}
