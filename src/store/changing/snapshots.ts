// Reads what REST shows of rows, within a change of several steps.
import { wayToContact } from '../../resources/contact-ways.ts';
import type { Executor } from '../connections/executor.ts';
import { isBelowWorkspace } from '../reading/parents.ts';
import { contactIdOf } from '../sql/contact-ways.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import { snapshot } from '../sql/row-json.ts';
import { inWorkspace, statement } from '../sql/statements.ts';
import type { Table } from '../tables/table.ts';

/** The JSON of a workspace's rows, including hidden ones, by their ids and in the ids' order. Missing rows are left out. */
export async function findSnapshotsById(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, resource, columns }: Table<{ id: bigint }>,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, string>> {
  // Not by a join with the ids: where the planner knows nothing of the table, it would read all rows of the workspace for it. And a
  // single row by a parameter of its own: for a list of unknown length PostgreSQL would plan each time.
  const [only] = ids.length === 1 ? ids : [];
  // The subquery keeps from PostgreSQL how many ids there are. It would plan each execution anew, which takes longer than reading the rows.
  const { text } = statement(
    `${name}.${resource.type}.snapshot${only === undefined ? 's' : ''}`,
    () => `select t.id, ${inWorkspace(snapshot(resource, columns), '$1::bigint')}::text as snapshot
      from ${name} t where ${ofWorkspace(name, '$1::bigint')} and t.id = ${only === undefined ? 'any(array(select unnest($2::bigint[])))' : '$2::bigint'}`,
  );
  const found = await tx.$queryRawUnsafe<{ id: bigint; snapshot: string }[]>(text, workspaceId, only ?? ids);
  const shown = new Map(found.map((row) => [row.id, row.snapshot]));
  return new Map(ids.flatMap((id) => [[id, shown.get(id)] as const]).filter(isShown));
}

function isShown(entry: readonly [bigint, string | undefined]): entry is [bigint, string] {
  return entry[1] !== undefined;
}

/** The condition that a row is of a workspace. A team or a workspace is found by its id alone. */
function ofWorkspace(table: PublicIdTable, workspace: string): string {
  return isBelowWorkspace(table) ? `t.workspace_id = ${workspace}` : `${workspace} is not null`;
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
