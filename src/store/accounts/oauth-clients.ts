// OAuth clients as rows. The store only sees the hash of a client's secret, never the secret.

import type { OauthClient, Prisma } from '#prisma';
import { withTransaction } from '../changing/transactions.ts';
import type { Statement } from '../sql/statements.ts';
import { query, type Store, type StoreContext, withPrisma } from '../store.ts';

export type { OauthClient };

/** A client without its secret's hash: the part that users may see. */
export type OauthClientRow = Omit<OauthClient, 'secretHash'>;

/** The columns of a new client. */
export type NewOauthClient = Omit<OauthClient, 'metadata' | 'disabledAt'> & {
  readonly metadata: Prisma.InputJsonObject;
};

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
    whole_team as "wholeTeam", dynamic, created_at as "createdAt", disabled_at as "disabledAt"
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

/** Inserts a client. @throws AppError `unavailable`; the error of a violated constraint */
export async function insertClient(store: Store, client: NewOauthClient): Promise<OauthClientRow> {
  return withPrisma(store, (prisma) => prisma.oauthClient.create({ data: client, omit }));
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
