// The first answers to requests with idempotency keys: found for a retry, deleted when they are old.
import { type ChangeOutcome, KEY_LIFETIME } from './changes/records.ts';
import { statement } from './statements.ts';
import { query, type Store, type StoreContext } from './store.ts';

/** What the first request with a key asked for, and was answered. */
export interface FirstAnswer {
  readonly requestHash: string;
  readonly outcome: ChangeOutcome;
  /** The JSON of the row as it was then; null where it was erased. */
  readonly snapshot: string | null;
}

/** The first answer by the SHA-256 of credential, method, path and key, in hexadecimal; null where there is none. */
export async function findFirstAnswer({ store }: StoreContext, keyHash: string): Promise<FirstAnswer | null> {
  const byKey = statement(
    'idempotency_records.key',
    () => `select encode(r.request_hash, 'hex') as "requestHash", r.outcome, coalesce(a.after, a.before)::text as snapshot
      from idempotency_records r
      left join audit_entries a on a.workspace_id = r.workspace_id and a.id = r.audit_entry_id
      where r.key_hash = decode($1, 'hex') and r.created_at > current_timestamp - ${KEY_LIFETIME}`,
  );
  const [first] = await query<FirstAnswer>(store, byKey, [keyHash]);
  return first ?? null;
}

/** Deletes some of the records that no retry can ask for any more. @returns how many */
export async function deleteOldRecords(store: Store, max: number): Promise<number> {
  const deletion = statement(
    'idempotency_records.clean',
    () => `with gone as (
        delete from idempotency_records r using (
          select workspace_id, key_hash from idempotency_records
          where created_at <= current_timestamp - ${KEY_LIFETIME} limit $1::int for update skip locked
        ) old where r.workspace_id = old.workspace_id and r.key_hash = old.key_hash returning 1
      ) select count(*)::int as count from gone`,
  );
  const [gone] = await query<{ count: number }>(store, deletion, [max]);
  return gone?.count ?? 0;
}
