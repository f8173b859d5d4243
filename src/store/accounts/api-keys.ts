// API keys as rows. The store only sees the hash of a key, never its secret.
import type { ApiKey } from '#prisma';
import { type ApiKeyRow, apiKey } from '../../resources/api-keys.ts';
import type { Executor } from '../connections/executor.ts';
import { type Found, lookup } from '../reading/lookup.ts';
import type { Store } from '../store.ts';
import { findListed, readableColumns } from './listed.ts';

const { id, publicId, teamId, name, scopes, expiresAt, revokedAt, lastUsedAt } = apiKey.fields;
const byHash = lookup(
  'api_keys.by_hash',
  { id, publicId, teamId, name, scopes, expiresAt, revokedAt, lastUsedAt },
  (select) => `select ${select} from api_keys t where t.token_hash = $1`,
);

/** Skips a locked row instead of waiting, because the other transaction records a use too, or revokes the key. */
const touch = lookup(
  'api_keys.touch',
  { id: 'int8' },
  (select) => `with due as (select id from api_keys
      where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - $3::float8 * interval '1 millisecond')
      for no key update skip locked),
    t as (update api_keys k set last_used_at = $2 from due where k.id = due.id returning k.id)
    select ${select} from t`,
);

/** The columns of a key that authentication needs. */
export type ApiKeyLogin = Found<typeof byHash>;

/** Finds the key with this hash, including revoked and expired keys, or null. */
export function findApiKey(store: Store, tokenHash: Uint8Array): Promise<ApiKeyLogin | null> {
  return byHash(store, [tokenHash]);
}

/** Records a use, unless one was recorded within `intervalMs`, so that all processes together write once per interval. */
export async function touchApiKey(store: Store, id: bigint, at: Date, intervalMs: number): Promise<void> {
  await touch(store, [id, at, intervalMs]);
}

/** A key without its hash: the part that users may see. */
export interface StoredApiKey extends ApiKeyRow {}

/** The columns of a new key. */
export type NewApiKey = Pick<
  ApiKey,
  'teamId' | 'name' | 'isDefault' | 'tokenHash' | 'hint' | 'scopes' | 'createdAt' | 'expiresAt'
>;

const COLUMNS = readableColumns(apiKey);

const INSERT = `insert into api_keys as t (team_id, name, is_default, token_hash, hint, scopes, created_at, expires_at)
    values ($1::int8, $2, $3::boolean, $4::bytea, $5, $6::text[], $7::timestamptz, $8::timestamptz) returning ${COLUMNS}`;

/**
 * Inserts a key. Does not use Prisma, which a command needs a tenth of a second to load.
 * @throws the store's error for a second live default key of a team (`api_keys_one_default`)
 */
export async function insertApiKey(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  key: NewApiKey,
): Promise<StoredApiKey> {
  const { teamId, name, isDefault, tokenHash, hint, scopes, createdAt, expiresAt } = key;
  const values = [teamId, name, isDefault, tokenHash, hint, scopes, createdAt, expiresAt];
  const [row] = await tx.$queryRawUnsafe<StoredApiKey[]>(INSERT, ...values);
  if (row === undefined) throw new Error('Inserting an API key gave no row.');
  return row;
}

/** A key by id, locked until the transaction ends, or null. */
export async function lockApiKey(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  id: bigint,
): Promise<StoredApiKey | null> {
  const [row = null] = await tx.$queryRawUnsafe<StoredApiKey[]>(
    `select ${COLUMNS} from api_keys t where t.id = $1::int8 for update`,
    id,
  );
  return row;
}

/** Sets the time from which a locked key is revoked. */
export async function setRevokedAt(
  tx: Pick<Executor, '$executeRawUnsafe'>,
  key: StoredApiKey,
  revokedAt: Date,
): Promise<StoredApiKey> {
  await tx.$executeRawUnsafe(
    'update api_keys set revoked_at = $2::timestamptz where id = $1::int8',
    key.id,
    revokedAt,
  );
  return { ...key, revokedAt };
}

/** Renames a locked key. */
export async function setName(
  tx: Pick<Executor, '$executeRawUnsafe'>,
  key: StoredApiKey,
  name: string,
): Promise<StoredApiKey> {
  await tx.$executeRawUnsafe('update api_keys set name = $2 where id = $1::int8', key.id, name);
  return { ...key, name };
}

/** The keys of one team or of all, by id. */
export function findApiKeys(store: Store, teamId: bigint | null): Promise<StoredApiKey[]> {
  return findListed(store, apiKey, { teamId });
}
