// Grants as rows: what a person allowed a client. The authorization server's record of one is a payload that nobody else
// reads; people, team, workspaces and scopes are columns. Rows stay when they are revoked.

import type { OauthGrant, Prisma } from '#prisma';
import { AppError } from '../../errors.ts';
import { queryAs } from '../changing/tenant-query.ts';
import { type Statement, statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type Store, withPrisma } from '../store.ts';

export type { OauthGrant };

/** What the authorization server says of a grant, before a team was chosen for it. */
export interface GrantRecord {
  readonly key: string;
  readonly userId: bigint;
  readonly clientId: string;
  readonly payload: Prisma.InputJsonObject;
  readonly expiresAt: Date;
}

/** What a person chose on the consent page. */
export interface GrantChoice {
  readonly teamId: bigint;
  /** null: every workspace of the team, also those to come. */
  readonly workspaceIds: readonly bigint[] | null;
  readonly scopes: readonly string[];
}

/** Inserts a grant, or replaces its payload and expiry. One that is revoked stays as it is. */
export async function saveGrant(store: Store, grant: GrantRecord): Promise<void> {
  const { key, payload, expiresAt } = grant;
  await withPrisma(store, async (prisma) => {
    const kept = await prisma.oauthGrant.updateMany({
      where: { key, revokedAt: null },
      data: { payload, expiresAt },
    });
    if (kept.count > 0) return;
    // Another process may have been first, and a revoked grant has the same key.
    await prisma.oauthGrant.createMany({ data: [grant], skipDuplicates: true });
  });
}

/**
 * A live grant, or null: not revoked, not expired at `at`, and its person still belongs to its team.
 * One without a team is in the middle of its consent.
 */
export async function findGrantByKey(store: Store, key: string, at: Date): Promise<OauthGrant | null> {
  return withPrisma(store, async (prisma) => {
    const grant = await prisma.oauthGrant.findFirst({
      where: { key, revokedAt: null, expiresAt: { gt: at } },
    });
    if (grant === null || grant.teamId === null) return grant;
    const { userId, teamId } = grant;
    const membership = await prisma.teamMember.findUnique({ where: { userId_teamId: { userId, teamId } } });
    return membership === null ? null : grant;
  });
}

/**
 * Writes down what was granted. It is said once: a later consent makes another grant.
 * @throws AppError `conflict` for a grant that is complete, revoked or gone
 */
export async function completeGrant(store: Store, key: string, choice: GrantChoice): Promise<void> {
  const { teamId, workspaceIds, scopes } = choice;
  if (workspaceIds?.length === 0) throw new Error('A grant of no workspace is none.');
  const completed = await withPrisma(store, (prisma) =>
    prisma.oauthGrant.updateMany({
      where: { key, teamId: null, revokedAt: null },
      data: {
        teamId,
        workspaceIds: [...(workspaceIds ?? [])],
        wholeTeam: workspaceIds === null,
        scopes: [...scopes],
      },
    }),
  );
  if (completed.count === 0) throw new AppError('conflict', 'The grant was completed or withdrawn already.');
}

/** Which grants to revoke: those that have every one of these values. */
export type GrantFilter =
  | { readonly key: string }
  | { readonly id: bigint; readonly teamId: bigint }
  | { readonly userId: bigint; readonly clientId: string; readonly teamId: bigint }
  | { readonly userId: bigint }
  | { readonly userId: bigint; readonly teamId: bigint }
  | { readonly clientId: string };

const COLUMN_OF = {
  key: 'key',
  id: 'id',
  teamId: 'team_id',
  userId: 'user_id',
  clientId: 'client_id',
} as const;

/** One statement, and so one transaction. Tokens that are being made meanwhile are dead with their grant. */
function revocationBy(columns: readonly string[]): Statement {
  return statement(
    `oauth_grants.revoke.${columns.join('.')}`,
    () => `with found as (
        select id, key from oauth_grants where ${columns.map((column, at) => `${column} = $${at + 2}`).join(' and ')}
        order by id for no key update
      ), revoked as (
        update oauth_grants g set revoked_at = $1 from found where g.id = found.id and g.revoked_at is null
      ), tokens as (
        update oauth_access_tokens t set revoked_at = $1 from found
        where t.grant_key = found.key and t.revoked_at is null
      ), states as (
        delete from oauth_states s using found where s.grant_key = found.key
      )
      select id from found`,
  );
}

/**
 * Ends grants: with each go its access tokens, codes and refresh tokens. What is revoked keeps its time.
 * @param tenancy of the caller for whom it is done; null: it is done by the person or the operator
 * @returns whether there is such a grant, revoked before or not
 */
export async function revokeGrant(
  store: Store,
  where: GrantFilter,
  at: Date,
  tenancy: Tenancy | null = null,
): Promise<boolean> {
  const parts = Object.entries(where) as [keyof typeof COLUMN_OF, bigint | string][];
  const columns = parts.map(([part]) => COLUMN_OF[part]);
  const values = [at, ...parts.map(([, value]) => value)];
  const revocation = revocationBy(columns);
  const found =
    tenancy === null
      ? await query<{ id: bigint }>(store, revocation, values)
      : await queryAs<{ id: bigint }>(store, tenancy, revocation, values);
  return found.length > 0;
}

/** A grant with the names of what it is about. */
export type NamedGrant = Omit<OauthGrant, 'key' | 'payload'> & {
  readonly clientName: string;
  /** Nothing stands in its way but its own end: person, membership and client are there and enabled. */
  readonly isBacked: boolean;
  readonly userName: string;
  readonly userEmail: string;
  readonly teamName: string;
  /** null: the whole team. In the order of their ids. */
  readonly workspaces: { readonly id: bigint; readonly name: string }[] | null;
};

/** The complete grants that a person made, ended ones included, by id. */
export async function findGrantsOfUser(store: Store, userId: bigint): Promise<NamedGrant[]> {
  return findNamedGrants(store, { userId });
}

/** The complete grants of one team or of all, ended ones included, by id. */
export async function findGrantsOfTeam(store: Store, teamId: bigint | null): Promise<NamedGrant[]> {
  return findNamedGrants(store, teamId === null ? {} : { teamId });
}

/** A complete grant by id, or null. */
export async function findGrant(store: Store, id: bigint): Promise<NamedGrant | null> {
  const [grant] = await findNamedGrants(store, { id });
  return grant ?? null;
}

async function findNamedGrants(store: Store, where: Prisma.OauthGrantWhereInput): Promise<NamedGrant[]> {
  return withPrisma(store, async (prisma) => {
    const grants = await prisma.oauthGrant.findMany({
      where: { AND: [where, { teamId: { not: null } }] },
      orderBy: { id: 'asc' },
      omit: { key: true, payload: true },
      include: {
        client: { select: { name: true, disabledAt: true } },
        user: {
          select: { name: true, email: true, disabledAt: true, memberships: { select: { teamId: true } } },
        },
        team: { select: { name: true } },
      },
    });
    const workspaces = await prisma.workspace.findMany({
      where: { id: { in: grants.flatMap(({ workspaceIds }) => workspaceIds) } },
      orderBy: { id: 'asc' },
      select: { id: true, name: true },
    });
    return grants.map(({ client, user, team, ...grant }) => ({
      ...grant,
      clientName: client.name,
      isBacked:
        client.disabledAt === null &&
        user.disabledAt === null &&
        user.memberships.some(({ teamId }) => teamId === grant.teamId),
      userName: user.name,
      // Whoever grants is a person, and has one.
      userEmail: user.email ?? '',
      teamName: team?.name ?? '',
      workspaces: grant.wholeTeam ? null : workspaces.filter(({ id }) => grant.workspaceIds.includes(id)),
    }));
  });
}
