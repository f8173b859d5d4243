// The first answers to requests with idempotency keys, found for a retry.
import { type ChangeOutcome, KEY_LIFETIME } from './changes/records.ts';
import { isErasedEntry, unlessErased } from './erased.ts';
import { statement } from './statements.ts';
import type { StoreContext } from './store.ts';
import { ownedWorkspace } from './tables.ts';
import type { Tenancy } from './tenancy.ts';
import { queryAs } from './tenant-query.ts';

/** What the first request with a key asked for, and was answered. */
export interface FirstAnswer {
  /** SHA-256 in hexadecimal; null where it was about a workspace that is not the caller's (any more). */
  readonly requestHash: string | null;
  readonly outcome: ChangeOutcome;
  /** The JSON of the row as it was then; null where it was erased. */
  readonly snapshot: string | null;
}

/** The first answer by the SHA-256 of credential, method, path and key, in hexadecimal; null where there is none. */
export async function findFirstAnswer(
  { store }: StoreContext,
  tenancy: Tenancy,
  keyHash: string,
): Promise<FirstAnswer | null> {
  const byKey = statement(
    'idempotency_records.key',
    () => `select case when ${ownedWorkspace('r.workspace_id', '$1', '$2')} then encode(r.request_hash, 'hex') end as "requestHash",
        r.outcome,
        (${unlessErased('coalesce(a.after, a.before)', isErasedEntry('a', 'r.workspace_id'))})::text as snapshot
      from idempotency_records r
      left join audit_entries a on a.workspace_id = r.workspace_id and a.id = r.audit_entry_id
      where r.key_hash = decode($3, 'hex') and ($4::bigint[] is null or r.workspace_id = any($4)) and r.created_at > current_timestamp - ${KEY_LIFETIME}`,
  );
  const { workspaceIds } = await store.distribution.reach({ ...tenancy, workspaceIds: null });
  const [first] = await queryAs<FirstAnswer>(store, tenancy, byKey, [
    tenancy.teamId,
    tenancy.workspaceIds,
    keyHash,
    workspaceIds,
  ]);
  return first ?? null;
}
