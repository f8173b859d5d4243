// How the rules of a noun change rows of other nouns in the same transaction (`OtherChanges`).

import { pluralOf } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { Executor } from '../connections/executor.ts';
import type { Table } from '../tables/table.ts';
import { type ChangeRecord, isNotified, timeOf, versionColumns } from './records.ts';
import { type ChangingRow, Refused } from './rules.ts';
import { findContactsOf, findSnapshots, findSnapshotsById } from './snapshots.ts';

type Noun = Table<{ id: bigint }>;

/**
 * Changes rows of a workspace.
 * @param set the assignments of an UPDATE of the row `c`; version and time are set too
 * @param events those that happen in addition to `updated`, if the noun has them
 * @param shown their JSON before, by id, if rows that they show have changed since; absent: it is read
 * @param values those of the parameters of `set`, from $4 on
 */
export async function changeRows(
  tx: Executor,
  table: Noun,
  workspaceId: bigint,
  ids: readonly bigint[],
  set: string,
  events: readonly string[] = [],
  shown?: ReadonlyMap<bigint, string>,
  values: readonly unknown[] = [],
): Promise<ChangeRecord[]> {
  if (ids.length === 0) return [];
  const { name, resource } = table;
  const before = shown ?? (await findSnapshotsById(tx, table, workspaceId, ids));
  const now = await timeOf(tx, table);
  await tx.$executeRawUnsafe(
    `update ${name} c set ${[set, versionColumns('$3')].filter(Boolean).join(', ')} where c.workspace_id = $1::bigint and c.id = any($2::bigint[])`,
    ...[workspaceId, ids, now, ...values],
  );
  const [after, contacts] = await Promise.all([
    findSnapshots(tx, table, workspaceId, ids),
    findContactsOf(tx, table, workspaceId, ids),
  ]);
  return ids.map((subjectId, index) => ({
    ...{ workspaceId, resource, action: 'updated', outcome: 'updated', subjectId },
    contactId: contacts.get(subjectId) ?? null,
    before: before.get(subjectId) ?? null,
    after: after[index] ?? null,
    events: ['updated', ...events]
      .filter((event) => isNotified(resource, event))
      .map((event) => ({
        ...{ resource, name: event, subjectId },
        data: after[index] ?? '{}',
      })),
  }));
}

/** The records of inserted rows. */
export async function creationRecords(
  tx: Executor,
  table: Noun,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<ChangeRecord[]> {
  if (ids.length === 0) return [];
  const { resource } = table;
  const [snapshots, contacts] = await Promise.all([
    findSnapshotsById(tx, table, workspaceId, ids),
    findContactsOf(tx, table, workspaceId, ids),
  ]);
  return ids.map((subjectId) => {
    const after = snapshots.get(subjectId) ?? '';
    return {
      ...{ workspaceId, resource, action: 'created', outcome: 'created', subjectId },
      ...{ contactId: contacts.get(subjectId) ?? null, before: null, after },
      events: isNotified(resource, 'created') ? [{ resource, name: 'created', subjectId, data: after }] : [],
    };
  });
}

/** The maximum number of ids in a refusal. */
const MAX_NAMED = 5;

/** Refuses to remove a row while rows of another noun refer to it. @param column their column with its id @throws Refused */
export async function requireUnreferenced(
  tx: Executor,
  { title }: Pick<Resource, 'title'>,
  { name, title: other }: Noun,
  column: string,
  { workspaceId, id, given }: ChangingRow,
): Promise<void> {
  if (given !== null) return;
  const rows = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `select t.id from ${name} t where t.workspace_id = $1::bigint and t.${column} = $2::bigint order by t.id limit ${MAX_NAMED + 1}`,
    ...[workspaceId, id],
  );
  if (rows.length === 0) return;
  const ids = rows.slice(0, MAX_NAMED).map((row) => row.id);
  const named = `${ids.length === 1 ? other : pluralOf(other)} ${ids.join(', ')}`.toLowerCase();
  throw new Refused(
    null,
    `The ${title.toLowerCase()} is used by the ${named}${rows.length > MAX_NAMED ? ' and others' : ''} and was not deleted.`,
  );
}

/** Takes a named lock of a workspace until the transaction ends. */
export async function lockNamed(tx: Executor, what: string, workspaceId: bigint): Promise<void> {
  await tx.$queryRawUnsafe(
    `select true as ours from pg_advisory_xact_lock(hashtextextended($1::text, 0))`,
    `${what}:${workspaceId}`,
  );
}
