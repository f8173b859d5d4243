// OAuth grants as rows: the access that a user allowed to a client. The authorization server's record is an opaque payload; user, team,
// workspaces and scopes are columns. Revoked grants stay in the table.

import type { OauthGrant, Prisma } from '#prisma';
import { AppError } from '../../errors.ts';
import { type OauthGrantRow, oauthGrant } from '../../resources/oauth-grants.ts';
import { queryAs } from '../changing/pipeline.ts';
import { sqlConstant } from '../connections/sql-constants.ts';
import { type Statement, statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type Store, withPrisma } from '../store.ts';
import { findListed } from './listed.ts';
import { LEGACY_MEMBER } from './oauth-clients.ts';
import type { Records } from './oauth-states.ts';

export type { OauthGrant };

/** The authorization server's part of a grant, before the user has chosen a team for it. */
export interface GrantRecord {
  readonly key: string;
  readonly userId: bigint;
  readonly clientId: string;
  readonly payload: Prisma.InputJsonObject;
  /** null: the grant lasts until it is revoked. */
  readonly expiresAt: Date | null;
}

/** The user's choice on the consent page. */
export interface GrantChoice {
  readonly teamId: bigint;
  /** null: every workspace of the team, including future ones. */
  readonly workspaceIds: readonly bigint[] | null;
  readonly scopes: readonly string[];
}

/** Inserts a grant, or replaces its payload and expiry. A revoked grant is left unchanged. */
export async function saveGrant(store: Store, grant: GrantRecord): Promise<void> {
  const { key, payload, expiresAt } = grant;
  await withPrisma(store, async (prisma) => {
    const kept = await prisma.oauthGrant.updateMany({
      where: { key, revokedAt: null },
      data: { payload, expiresAt },
    });
    if (kept.count > 0) return;
    // Another process may have inserted it first, or a revoked grant may have the same key.
    await prisma.oauthGrant.createMany({ data: [grant], skipDuplicates: true });
  });
}

/**
 * Finds a live grant, or null: not revoked, not expired, and its user is still a member of its team. A grant without a team is awaiting the
 * user's consent.
 */
export async function findGrantByKey({ store, clock }: Records, key: string): Promise<OauthGrant | null> {
  return withPrisma(store, async (prisma) => {
    const grant = await prisma.oauthGrant.findFirst({
      where: { key, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: clock() } }] },
    });
    if (grant === null || grant.teamId === null) return grant;
    const { userId, teamId } = grant;
    const membership = await prisma.teamMember.findUnique({ where: { userId_teamId: { userId, teamId } } });
    return membership === null ? null : grant;
  });
}

/**
 * Records the user's choice. A grant is completed once: a later consent makes another grant.
 * @throws AppError `conflict` for a grant that is complete, revoked or gone
 */
export async function completeGrant(
  { store }: Pick<Records, 'store'>,
  key: string,
  choice: GrantChoice,
): Promise<void> {
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
  if (completed.count === 0) throw new AppError('conflict', 'The grant was already completed or withdrawn.');
}

/** Selects the grants to revoke: those with all of these values. */
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

/** Revokes in one statement, and therefore in one transaction. Tokens issued meanwhile are invalid because of their grant. */
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
 * Revokes grants with their access tokens, codes and refresh tokens. Revoked grants keep their earlier time.
 * @param tenancy of the caller who revokes; null for the user or the operator
 */
export async function revokeGrant(
  store: Store,
  where: GrantFilter,
  at: Date,
  tenancy: Tenancy | null = null,
): Promise<void> {
  const parts = Object.entries(where) as [keyof typeof COLUMN_OF, bigint | string][];
  const revocation = revocationBy(parts.map(([part]) => COLUMN_OF[part]));
  const values = [at, ...parts.map(([, value]) => value)];
  await (tenancy === null ? query(store, revocation, values) : queryAs(store, tenancy, revocation, values));
}

/** What the token response of a legacy client says about a grant. */
export interface GrantPlace {
  readonly teamId: string;
  readonly teamName: string;
  /** The first workspace of the grant by id; null if there is none. */
  readonly workspace: {
    readonly id: string;
    readonly name: string;
    /** null where workspaces have no hosts. */
    readonly url: string | null;
  } | null;
}

const PLACE: Statement = {
  name: 'oauth_grants.place',
  text: `select g.team_id::text as "teamId", (select m.name from teams m where m.id = g.team_id) as "teamName",
      (select json_build_object('id', w.id::text, 'name', w.name, 'url', replace(${sqlConstant('workspaceOrigin')}, '*', w.subdomain))
        from workspaces w where w.team_id = g.team_id and (g.whole_team or w.id = any(g.workspace_ids))
        order by w.id limit 1) as workspace
    from oauth_grants g where g.key = $1 and g.team_id is not null`,
};

/** The team of a grant and its first workspace; null for a grant that is not complete. */
export async function findGrantPlace(
  { store }: Pick<Records, 'store'>,
  key: string,
): Promise<GrantPlace | null> {
  return (await query<GrantPlace>(store, PLACE, [key]))[0] ?? null;
}

/** A grant as its person and the operator see it. */
export type NamedGrant = OauthGrantRow & {
  readonly userId: bigint;
  readonly userEmail: string;
  readonly teamName: string;
  /** Ordered by id. Empty: all workspaces of the team. Ids are text, because JSON has no 64-bit integers. */
  readonly workspaces: { readonly id: string; readonly name: string }[];
  /** Whether it was given to a legacy client. */
  readonly isLegacy: boolean;
};

const NAMES = {
  userId: 't.user_id',
  userEmail: '(select u.email from users u where u.id = t.user_id)',
  teamName: '(select m.name from teams m where m.id = t.team_id)',
  workspaces: `(select coalesce(jsonb_agg(jsonb_build_object('id', w.id::text, 'name', w.name) order by w.id), '[]')
    from workspaces w where w.id = any(t.workspace_ids))`,
  isLegacy: `(select not c.dynamic and c.metadata ? '${LEGACY_MEMBER}' from oauth_clients c where c.id = t.client_id)`,
};

/** Finds the complete grants of a user, of a team or of all, or the grant with an id; including revoked and expired ones, ordered by id. */
export async function findGrants(
  store: Store,
  where: { readonly userId: bigint } | { readonly teamId: bigint | null } | { readonly id: bigint },
): Promise<NamedGrant[]> {
  const grants = await findListed<NamedGrant | { teamId: null }>(store, oauthGrant, where, NAMES);
  return grants.filter((grant) => grant.teamId !== null);
}
