// API keys as the operator manages them: creating, listing, revoking and rotating the keys of any team.

import { SCOPES } from '../../auth/scopes.ts';
import type { App } from '../../context.ts';
import { AppError, invalid } from '../../errors.ts';
import { findApiKeys, type StoredApiKey, setRevokedAt } from '../../store/accounts/api-keys.ts';
import { withTransaction } from '../../store/changing/transactions.ts';
import { inTransaction } from '../../store/connections/executor.ts';
import { endKey, type IssuedKey, issueKey, lockKey, statusOf } from '../accounts/api-keys.ts';
import { parseKnown, parseName } from '../accounts/names.ts';
import type { Ref } from '../reading/refs.ts';
import { withConflicts } from './conflicts.ts';
import { requireId, teamIdOf } from './refs.ts';

export type { StoredApiKey };

export interface ApiKeyInput {
  readonly team: Ref;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
  /** Absent: the key lasts until it is revoked. */
  readonly expiresAt?: Date | undefined;
  /** Makes this the team's default key; a team has at most one. */
  readonly isDefault?: boolean | undefined;
}

const DEFAULT_NAME = 'API key';
const LATEST_EXPIRY = new Date('9999-12-31T00:00:00Z');
const MAX_OVERLAP_DAYS = 365;

/**
 * Creates a key for a team.
 * @throws AppError `not_found` for the team, `invalid` for scopes, name or expiry, `conflict` for a second default key
 */
export async function create(app: App, input: ApiKeyInput): Promise<IssuedKey> {
  const now = app.clock();
  const scopes = parseKnown(input.scopes, SCOPES, 'scope', 'A key');
  const name = parseName(input.name ?? DEFAULT_NAME);
  const expiresAt = input.expiresAt ?? null;
  if (expiresAt !== null && !(expiresAt > now && expiresAt < LATEST_EXPIRY))
    throw invalid('expires_at', {
      code: 'out_of_range',
      message: 'The expiry must be in the future and before the year 10000.',
    });
  const teamId = await requireId(app, 'teams', input.team);
  const isDefault = input.isDefault ?? false;
  return withConflicts(() =>
    inTransaction(app.store.pool, (tx) =>
      issueKey(tx, { teamId, name, scopes, expiresAt, isDefault, createdAt: now }),
    ),
  );
}

/** The keys of one team or of all teams, including those that have ended. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<StoredApiKey[]> {
  return findApiKeys(app.store, await teamIdOf(app, filter));
}

/** Ends a key at once. A key that has already ended stays unchanged. @throws AppError `not_found` */
export async function revoke(app: App, ref: Ref): Promise<StoredApiKey> {
  const revoked = await withTransaction(app, (tx) => endKey(tx, ref, app.clock()));
  await app.lookups.forget();
  return revoked;
}

/**
 * Replaces a key by a new one with the same team, name, scopes and lifetime. The old key stops working after `overlapMs`.
 * @throws AppError `not_found`, `conflict` for a key that has ended or was replaced before, `invalid` for the overlap
 */
export async function rotate(
  app: App,
  ref: Ref,
  { overlapMs = 0 }: { overlapMs?: number | undefined } = {},
): Promise<IssuedKey & { replaced: StoredApiKey }> {
  const now = app.clock();
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_DAYS * 86_400_000))
    throw invalid('overlap', {
      code: 'out_of_range',
      message: `The overlap must be between 0 and ${MAX_OVERLAP_DAYS} days.`,
    });
  const rotated = await withTransaction(app, async (tx) => {
    const old = await lockKey(tx, ref);
    const status = statusOf(old, now);
    if (status !== 'active') throw new AppError('conflict', `API key ${old.id} ${ROTATION_FAULTS[status]}`);
    const lifeMs = old.expiresAt === null ? null : old.expiresAt.getTime() - old.createdAt.getTime();
    // The old key ends first: a team has at most one live default key, and a key with an end does not count.
    const replaced = await setRevokedAt(tx, old, new Date(now.getTime() + overlapMs));
    const { teamId, name, scopes, isDefault } = old;
    const expiresAt = lifeMs === null ? null : new Date(now.getTime() + lifeMs);
    return {
      ...(await issueKey(tx, { teamId, name, scopes, isDefault, expiresAt, createdAt: now })),
      replaced,
    };
  });
  await app.lookups.forget();
  return rotated;
}

const ROTATION_FAULTS = {
  revoked: 'is revoked. Create a new one.',
  expired: 'has expired. Create a new one.',
  ending: 'was already replaced and is about to end.',
} as const;
