// Reads what REST shows of rows, within a change of several steps.
import { wayToContact } from '../../resources/contact-ways.ts';
import type { Executor } from '../connections/executor.ts';
import { contactIdOf } from '../sql/contact-ways.ts';
import { snapshot } from '../sql/row-json.ts';
import { statement } from '../sql/statements.ts';
import { type Table, withWorkspace } from '../tables/table.ts';

/** The JSON of a workspace's rows, including hidden ones, by their ids and in the ids' order. Missing rows are left out. */
export async function findSnapshotsById(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, resource, columns }: Table<{ id: bigint }>,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, string>> {
  // The subquery keeps from PostgreSQL how many ids there are. It would plan each execution anew, which takes longer than reading the rows.
  const { text } = statement(
    `${name}.${resource.type}.snapshots`,
    () => `select t.id, ${withWorkspace(snapshot(resource, columns), '$1::bigint')}::text as snapshot
      from unnest(array(select unnest($2::bigint[]))) with ordinality i (id, place)
        join ${name} t on t.workspace_id = $1::bigint and t.id = i.id
      order by i.place`,
  );
  const found = await tx.$queryRawUnsafe<{ id: bigint; snapshot: string }[]>(text, workspaceId, ids);
  return new Map(found.map((row) => [row.id, row.snapshot]));
}

/** The same without the ids. */
export async function findSnapshots(...of: Parameters<typeof findSnapshotsById>): Promise<string[]> {
  return [...(await findSnapshotsById(...of)).values()];
}

/** The contact that a row of a workspace leads to; null where it is about nobody. */
export async function findContactOf(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, resource }: Table<{ id: bigint }>,
  workspaceId: bigint,
  id: bigint,
): Promise<bigint | null> {
  if (wayToContact(resource) === null) return null;
  const { text } = statement(
    `${name}.contact`,
    () =>
      `select ${contactIdOf(resource)} as "contactId" from ${name} t where t.workspace_id = $1::bigint and t.id = $2::bigint`,
  );
  const [found] = await tx.$queryRawUnsafe<{ contactId: bigint | null }[]>(text, workspaceId, id);
  return found?.contactId ?? null;
}
