// What REST shows of a row, put together by PostgreSQL in the statement that changes it: for audit entries, events and the answer.
// src/rows/snapshot-rows.ts reads it again.
import { wayToContact } from '../../resources/contact-ways.ts';
import { typeOf } from '../../resources/field-types.ts';
import { type Resource, restNameOf, toSnakeCase } from '../../resources/resource.ts';
import { type Columns, sqlOf } from '../../rows/columns.ts';
import type { Executor } from '../connections/executor.ts';
import { contactIdOf } from '../sql/contact-ways.ts';
import { statement } from '../sql/statements.ts';
import { type Table, withWorkspace } from '../tables/table.ts';

/**
 * The JSON of the row `t`, with the members that REST shows.
 * @param instead SQL that replaces a field's own. It is needed in a statement that changes rows, which sees other tables as they were
 * before
 */
export function snapshot(
  { fields }: Resource,
  columns: Columns,
  instead: Readonly<Record<string, string>> = {},
): string {
  const members = Object.entries(fields)
    .filter(([, { internal }]) => internal !== true)
    .map(([property, field]) => {
      const sql = instead[property] ?? sqlOf(columns, property) ?? `t.${toSnakeCase(property)}`;
      return `${jsonForm(sql, field)} as "${restNameOf(property, field)}"`;
    });
  return `(select to_json(v) from (select ${members.join(', ')}) v)`;
}

function jsonForm(sql: string, { type, restAsNumber }: Resource['fields'][string]): string {
  if (restAsNumber === true) return `(${sql})::int`;
  return typeOf(type).jsonSql?.(sql) ?? sql;
}

/** The JSON of a workspace's rows, including hidden ones, in the ids' order. Missing rows are left out. */
export async function findSnapshots(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, resource, columns }: Table<{ id: bigint }>,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<string[]> {
  const { text } = statement(
    `${name}.${resource.type}.snapshots`,
    () => `select ${withWorkspace(snapshot(resource, columns), '$1::bigint')}::text as snapshot
      from unnest($2::bigint[]) with ordinality i (id, place)
        join ${name} t on t.workspace_id = $1::bigint and t.id = i.id
      order by i.place`,
  );
  const found = await tx.$queryRawUnsafe<{ snapshot: string }[]>(text, workspaceId, ids);
  return found.map((row) => row.snapshot);
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
