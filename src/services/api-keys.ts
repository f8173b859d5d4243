// API keys: making, listing, ending and replacing them (DESIGN §7). These functions are for the operator of the service,
// who is no actor: they take an App and check no scope. What is offered to callers has to check theirs first.
import { parseScopes } from '../auth/scopes.ts';
import { createToken } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { type ApiKeyRow, findApiKeys, insertApiKey, lockApiKey, setRevokedAt } from '../store/api-keys.ts';
import { type Transaction, withTransaction } from '../store/store.ts';
import { parseName } from './names.ts';
import { parseRef, type Ref } from './refs.ts';
import { requireTeamId } from './teams.ts';

export type { ApiKeyRow };

/** A key that was just made. */
export interface IssuedKey {
  readonly apiKey: ApiKeyRow;
  /** The key itself: nobody can ask for it again. */
  readonly token: string;
}

export interface ApiKeyInput {
  readonly team: Ref;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
  /** Absent: the key lasts until it is revoked. */
  readonly expiresAt?: Date | undefined;
  /** The team's default key; a team has one at most. */
  readonly isDefault?: boolean | undefined;
}

const DEFAULT_NAME = 'API key';
const MAX_NAME_LENGTH = 100;
const LATEST_EXPIRY = new Date('9999-12-31T00:00:00Z');
const MAX_OVERLAP_DAYS = 365;

/** What a key is good for at the moment. */
export type ApiKeyStatus = 'active' | 'ending' | 'expired' | 'revoked';

/** `ending`: replaced, and good until its overlap is over. */
export function statusOf(key: ApiKeyRow, now: Date): ApiKeyStatus {
  if (key.revokedAt !== null && key.revokedAt <= now) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return key.revokedAt === null ? 'active' : 'ending';
}

/**
 * Makes a key for a team.
 * @throws AppError `not_found` for the team, `invalid` for scopes, name or expiry, `conflict` for a second default key
 */
export async function create(app: App, input: ApiKeyInput): Promise<IssuedKey> {
  const now = app.clock();
  const scopes = parseScopes(input.scopes, 'A key');
  const name = parseName(input.name ?? DEFAULT_NAME, MAX_NAME_LENGTH);
  const expiresAt = input.expiresAt ?? null;
  if (expiresAt !== null && !(expiresAt > now && expiresAt < LATEST_EXPIRY))
    throw invalid('expires_at', 'The expiry must be in the future, and before the year 10000.');
  const teamId = await requireTeamId(app, input.team);
  const isDefault = input.isDefault ?? false;
  return withTransaction(app.store, (tx) =>
    issue(tx, { teamId, name, scopes, expiresAt, isDefault, createdAt: now }),
  );
}

/** The keys of one team, or of all, ended ones included. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<ApiKeyRow[]> {
  const teamId = filter.team === undefined ? null : await requireTeamId(app, filter.team);
  return findApiKeys(app.store, teamId);
}

/** Ends a key at once. One that has ended already stays as it is. @throws AppError `not_found` */
export async function revoke(app: App, ref: Ref): Promise<ApiKeyRow> {
  const now = app.clock();
  const revoked = await withTransaction(app.store, async (tx) => {
    const key = await requireKey(tx, ref);
    return statusOf(key, now) === 'revoked' ? key : setRevokedAt(tx, key.id, now);
  });
  app.lookups.forget();
  return revoked;
}

/**
 * Replaces a key by one with the same team, name, scopes and length of life. The old one stops after `overlapMs`.
 * @throws AppError `not_found`, `conflict` for a key that has ended or was replaced before, `invalid` for the overlap
 */
export async function rotate(
  app: App,
  ref: Ref,
  { overlapMs = 0 }: { overlapMs?: number | undefined } = {},
): Promise<IssuedKey & { replaced: ApiKeyRow }> {
  const now = app.clock();
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_DAYS * 86_400_000))
    throw invalid('overlap', `The overlap must be between 0 and ${MAX_OVERLAP_DAYS} days.`);
  const rotated = await withTransaction(app.store, async (tx) => {
    const old = await requireKey(tx, ref);
    const status = statusOf(old, now);
    if (status !== 'active') throw new AppError('conflict', `API key ${old.id} ${WHY_NOT[status]}`);
    const lifeMs = old.expiresAt === null ? null : old.expiresAt.getTime() - old.createdAt.getTime();
    // First, for a team has one live default key at most, and a key that is on its way out does not count as one.
    const replaced = await setRevokedAt(tx, old.id, new Date(now.getTime() + overlapMs));
    const { teamId, name, scopes, isDefault } = old;
    const expiresAt = lifeMs === null ? null : new Date(now.getTime() + lifeMs);
    return { ...(await issue(tx, { teamId, name, scopes, isDefault, expiresAt, createdAt: now })), replaced };
  });
  app.lookups.forget();
  return rotated;
}

const WHY_NOT = {
  revoked: 'is revoked: create a new one.',
  expired: 'has expired: create a new one.',
  ending: 'was replaced already and is about to end.',
} as const;

async function issue(
  tx: Transaction,
  key: Pick<ApiKeyRow, 'teamId' | 'name' | 'scopes' | 'expiresAt' | 'isDefault' | 'createdAt'>,
): Promise<IssuedKey> {
  const { token, hash, hint } = createToken();
  const apiKey = await insertApiKey(tx, { ...key, tokenHash: hash, hint });
  if (apiKey === null) {
    throw new AppError(
      'conflict',
      'The team has a default API key already: rotate that one, or revoke it first.',
    );
  }
  return { apiKey, token };
}

async function requireKey(tx: Transaction, ref: Ref): Promise<ApiKeyRow> {
  const key = await lockApiKey(tx, parseRef('API key', 'api_keys', ref));
  if (key === null) throw notFound('API key');
  return key;
}
