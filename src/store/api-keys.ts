// API keys as rows. The secret never reaches this layer: only its hash does.
import type { ApiKey } from './generated/client.ts';
import { lookup } from './lookup.ts';
import { type Store, type Transaction, withPrisma } from './store.ts';

export type ApiKeyLogin = Pick<
  ApiKey,
  'id' | 'publicId' | 'teamId' | 'name' | 'scopes' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'
>;

const byHash = lookup<ApiKeyLogin>(
  'api_keys.by_hash',
  {
    id: 'int8',
    publicId: 'text',
    teamId: 'int8',
    name: 'text',
    scopes: 'text[]',
    expiresAt: 'timestamp',
    revokedAt: 'timestamp',
    lastUsedAt: 'timestamp',
  },
  (select) => `select ${select} from api_keys t where t.token_hash = $1`,
);

/** Waits for nobody who holds the row: whoever does notes a use too, or ends the key. */
const touch = lookup<{ id: bigint }>(
  'api_keys.touch',
  { id: 'int8' },
  (select) => `with due as (select id from api_keys
      where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - $3::float8 * interval '1 millisecond')
      for no key update skip locked),
    t as (update api_keys k set last_used_at = $2 from due where k.id = due.id returning k.id)
    select ${select} from t`,
);

/** The key with this hash, revoked and expired ones included, or null. */
export function findApiKey(store: Store, tokenHash: Uint8Array): Promise<ApiKeyLogin | null> {
  return byHash(store, [tokenHash]);
}

/** Notes a use, unless another one was noted within `intervalMs`: many processes write once between them. */
export async function touchApiKey(store: Store, id: bigint, at: Date, intervalMs: number): Promise<void> {
  await touch(store, [id, at, intervalMs]);
}

/** A key without its hash: what people may see of it. */
export type ApiKeyRow = Omit<ApiKey, 'tokenHash'>;

/** A key that is to be. */
export type NewApiKey = Pick<
  ApiKey,
  'teamId' | 'name' | 'isDefault' | 'tokenHash' | 'hint' | 'scopes' | 'createdAt' | 'expiresAt'
>;

const omit = { tokenHash: true } as const;

/** Inserts a key. @throws the store's error for a second live default key of a team (`api_keys_one_default`) */
export async function insertApiKey(tx: Transaction, key: NewApiKey): Promise<ApiKeyRow> {
  return tx.apiKey.create({ data: key, omit });
}

/** A key by id, locked until the transaction ends, or null. */
export async function lockApiKey(tx: Transaction, id: bigint): Promise<ApiKeyRow | null> {
  await tx.$queryRaw`select id from api_keys where id = ${id} for update`;
  return tx.apiKey.findUnique({ where: { id }, omit });
}

/** Sets when a key stops. */
export async function setRevokedAt(tx: Transaction, id: bigint, revokedAt: Date): Promise<ApiKeyRow> {
  return tx.apiKey.update({ where: { id }, data: { revokedAt }, omit });
}

/** The keys of one team or of all, by id. */
export async function findApiKeys(store: Store, teamId: bigint | null): Promise<ApiKeyRow[]> {
  const where = teamId === null ? {} : { teamId };
  return withPrisma(store, (prisma) => prisma.apiKey.findMany({ where, orderBy: { id: 'asc' }, omit }));
}
