// Finds the first answers to requests with idempotency keys, for retries.
import { subjectTypeOf } from '../../resources/description/names.ts';
import { executorOf } from '../connections/executor.ts';
import { toStoreError } from '../connections/failures.ts';
import { isErasedEntry, unlessErased } from '../sql/erased.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { ownedWorkspace, type Table } from '../tables/table.ts';
import { queryAs } from './pipeline.ts';
import { type ChangeOutcome, KEY_LIFETIME } from './records.ts';
import { findSnapshots } from './snapshots.ts';

/** The first request with a key, and its answer. */
export interface FirstAnswer {
  /** SHA-256 in hexadecimal; null where the caller does not own the workspace (any more). */
  readonly requestHash: string | null;
  readonly outcome: ChangeOutcome;
  /** The JSON of the row at that time; null if it was erased, or nothing was changed. */
  readonly snapshot: string | null;
  readonly workspaceId: bigint;
  /** The id of the audit entry; if nothing was changed, the id that it would have had. */
  readonly auditEntryId: bigint;
  readonly isUnchanged: boolean;
  /** The row that was left unchanged, if that was recorded. */
  readonly subjectId: bigint | null;
}

/** The first answer for a key hash, the SHA-256 of credential, method, path and key in hexadecimal; null if there is none. */
export async function findFirstAnswer(
  { store }: StoreContext,
  tenancy: Tenancy,
  keyHash: string,
): Promise<FirstAnswer | null> {
  const byKey = statement(
    'idempotency_records.key',
    () => `select case when ${ownedWorkspace('r.workspace_id', '$1', '$2')} then encode(r.request_hash, 'hex') end as "requestHash",
        r.outcome, r.workspace_id as "workspaceId", r.audit_entry_id as "auditEntryId", r.subject_id as "subjectId",
        (${unlessErased('coalesce(a.after, a.before)', isErasedEntry('a', 'r.workspace_id'))})::text as snapshot,
        a.id is null as "isUnchanged"
      from idempotency_records r
      left join audit_entries a on a.workspace_id = r.workspace_id and a.id = r.audit_entry_id
      where r.key_hash = decode($3, 'hex') and ($4::bigint[] is null or r.workspace_id = any($4)) and r.created_at > current_timestamp - ${KEY_LIFETIME}`,
  );
  const { workspaceIds } = await store.placement.nameWorkspaces({ ...tenancy, workspaceIds: null });
  const [first] = await queryAs<FirstAnswer>(store, tenancy, byKey, [
    tenancy.teamId,
    tenancy.workspaceIds,
    keyHash,
    workspaceIds,
  ]);
  return first ?? null;
}

/**
 * The state of a row when a request left it unchanged. No copy of it exists: it is the current row, or the row before its next change.
 * @returns its JSON; null if it has been erased since
 */
export async function findUnchanged(
  { store }: StoreContext,
  table: Table<{ id: bigint }>,
  id: bigint,
  { workspaceId, auditEntryId }: FirstAnswer,
): Promise<string | null> {
  const db = executorOf(store.pool);
  try {
    const [now = null] = await findSnapshots(db, table, workspaceId, [id]);
    // For contacts, only erasure leaves an audit entry without `before`. For other rows, such entries are not changes of the row.
    const [next] = await db.$queryRawUnsafe<{ before: string | null }[]>(
      `select (${unlessErased('a.before', isErasedEntry('a', '$1::bigint'))})::text as before from audit_entries a
        where a.workspace_id = $1::bigint and a.id > $2::bigint and a.subject_type = $3::text and a.subject_id = $4::bigint
          ${table.name === 'contacts' ? 'and a.contact_id = $4::bigint' : 'and a.before is not null'}
        order by a.id limit 1`,
      ...[workspaceId, auditEntryId, subjectTypeOf(table.resource), id],
    );
    return next === undefined ? now : next.before;
  } catch (error) {
    throw toStoreError(error);
  }
}
