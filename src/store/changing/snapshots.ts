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
  // A join with the ids would read all rows of the workspace where the planner has no statistics of the table. A single id is a parameter
  // of its own, because PostgreSQL would plan each execution for a list of unknown length.
  const [only] = ids.length === 1 ? ids : [];
  // The subquery hides the number of ids from PostgreSQL. Otherwise it would plan each execution anew, which takes longer than reading the
  // rows.
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

/** The condition that a row is in a workspace. For a team or a workspace the id alone suffices. */
function ofWorkspace(table: PublicIdTable, workspace: string): string {
  return isBelowWorkspace(table) ? `t.workspace_id = ${workspace}` : `${workspace} is not null`;
}

/** Like `findSnapshotsById`, as a list. */
export async function findSnapshots(...of: Parameters<typeof findSnapshotsById>): Promise<string[]> {
  return [...(await findSnapshotsById(...of)).values()];
}

/** The contact whose data a row of a workspace holds; null if it has none. */
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

/** The contacts whose data rows of a workspace hold, by the ids of the rows. Rows without a contact are left out. */
export async function findContactsOf(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, resource }: Table<{ id: bigint }>,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, bigint>> {
  if (wayToContact(resource) === null) return new Map();
  const { text } = statement(
    `${name}.contacts`,
    () => `select t.id, ${contactIdOf(resource)} as "contactId" from ${name} t
      where t.workspace_id = $1::bigint and t.id = any(array(select unnest($2::bigint[])))`,
  );
  const found = await tx.$queryRawUnsafe<{ id: bigint; contactId: bigint | null }[]>(text, workspaceId, ids);
  return new Map(found.flatMap(({ id, contactId }) => (contactId === null ? [] : [[id, contactId]])));
}
