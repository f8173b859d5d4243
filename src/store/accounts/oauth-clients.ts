// OAuth clients as rows. The store only sees the hash of a client's secret, never the secret.

import type { OauthClient, Prisma, TeamOauthClient } from '#prisma';
import { withTransaction } from '../changing/transactions.ts';
import type { Statement } from '../sql/statements.ts';
import { query, type Store, type StoreContext, withPrisma } from '../store.ts';

export type { OauthClient };

/** A client without its secret's hash: the part that users may see. */
export type OauthClientRow = Omit<OauthClient, 'secretHash'>;

/** The columns of a new client. */
export type NewOauthClient = Omit<OauthClient, 'metadata' | 'expiresAt' | 'disabledAt'> & {
  readonly metadata: Prisma.InputJsonObject;
  /** Absent or null: it does not expire. */
  readonly expiresAt?: Date | null;
};

/** Whether a client may do anything: nobody has disabled it, and it has not expired. */
export function isEnabled({ disabledAt, expiresAt }: OauthClientRow, now: Date): boolean {
  return disabledAt === null && (expiresAt === null || expiresAt > now);
}

/** The member of a client's metadata that makes it a legacy client. Only the operator sets it. */
export const LEGACY_MEMBER = 'funnel_gateway_legacy';

/** What the operator decided for a legacy client. */
export interface LegacyTerms {
  /** The lifetime of grants to the client; null: until they are revoked. */
  readonly grant_seconds: number | null;
}

/** The terms of a legacy client; null for any other client. Nobody vouches for a client that registered itself, so it is never one. */
export function legacyTermsOf({
  metadata,
  dynamic,
}: Pick<OauthClient, 'metadata' | 'dynamic'>): LegacyTerms | null {
  if (dynamic) return null;
  return (metadata as { readonly [LEGACY_MEMBER]?: LegacyTerms })[LEGACY_MEMBER] ?? null;
}

const omit = { secretHash: true } as const;

const BY_ID: Statement = {
  name: 'oauth_clients.by_id',
  text: `select id, name, metadata, secret_hash as "secretHash", team_id as "teamId", workspace_ids as "workspaceIds",
    whole_team as "wholeTeam", dynamic, created_at as "createdAt",
    expires_at as "expiresAt", disabled_at as "disabledAt"
    from oauth_clients where id = $1`,
};

/** Finds the client with this `client_id`, including disabled ones, or null. */
export async function findClient(
  { store }: Pick<StoreContext, 'store'>,
  id: string,
): Promise<OauthClient | null> {
  return (await query<OauthClient>(store, BY_ID, [id]))[0] ?? null;
}

const NAMES_FOR_TEAM: Statement = {
  name: 'oauth_clients.names_for_team',
  text: `select c.id, c.name from oauth_clients c where c.id = any($1::text[])
    and (c.team_id = $2::bigint or exists (select from oauth_grants g where g.client_id = c.id and g.team_id = $2))`,
};

/** The names of those of these clients that are a team's own, or that somebody has granted something on the team's behalf. */
export async function findClientNames(
  { store }: Pick<StoreContext, 'store'>,
  ids: readonly string[],
  teamId: bigint,
): Promise<{ id: string; name: string }[]> {
  return query(store, NAMES_FOR_TEAM, [ids, teamId]);
}

/** A client with its ids among the clients of its team; null if it belongs to no team. */
export type InsertedClient = OauthClientRow & {
  readonly ofTeam: Pick<TeamOauthClient, 'id' | 'publicId'> | null;
};

/** Inserts a client; with a team, among the clients of that team. @throws AppError `unavailable`; the error of a violated constraint */
export async function insertClient(store: Store, client: NewOauthClient): Promise<InsertedClient> {
  const { teamId, createdAt } = client;
  const ofTeam = teamId === null ? {} : { ofTeam: { create: { teamId, createdAt } } };
  return withPrisma(store, (prisma) =>
    prisma.oauthClient.create({
      data: { ...client, ...ofTeam },
      omit,
      include: { ofTeam: { select: { id: true, publicId: true } } },
    }),
  );
}

const RENAME: Statement = {
  name: 'oauth_clients.rename',
  text: `update oauth_clients set name = $3, metadata = metadata || jsonb_build_object('client_name', $3::text)
    where id = $1 and team_id = $2::bigint and ($4::text is null or name = $4) returning id`,
};

/** Renames a client of a team. @param ifNamed the only name that it may have; null: any @returns whether it was renamed */
export async function renameClient(
  store: Store,
  {
    id,
    teamId,
    name,
    ifNamed,
  }: Pick<OauthClient, 'id' | 'name'> & { readonly teamId: bigint; readonly ifNamed: string | null },
): Promise<boolean> {
  return (await query<object>(store, RENAME, [id, teamId, name, ifNamed])).length > 0;
}

/** The clients of one team, or all clients; the oldest first. */
export async function findClients(store: Store, teamId: bigint | null): Promise<OauthClientRow[]> {
  const where = teamId === null ? {} : { teamId };
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  return withPrisma(store, (prisma) => prisma.oauthClient.findMany({ where, orderBy, omit }));
}

/**
 * Disables a client and revokes every token that was issued to it. A disabled client keeps its earlier time.
 * @returns null if there is no such client
 */
export async function disableClient(store: Store, id: string, at: Date): Promise<OauthClientRow | null> {
  return withTransaction({ store }, async (tx) => {
    await tx.oauthClient.updateMany({ where: { id, disabledAt: null }, data: { disabledAt: at } });
    await tx.oauthAccessToken.updateMany({
      where: { clientId: id, revokedAt: null },
      data: { revokedAt: at },
    });
    return tx.oauthClient.findUnique({ where: { id }, omit });
  });
}
