// PostgreSQL builds the JSON of rows as REST shows them: for audit entries, events and answers of changes, and for children in their
// parent. src/rows/snapshot-rows.ts reads it again.
import { isOrdered } from '../../resources/description/common-fields.ts';
import { typeOf } from '../../resources/description/field-types.ts';
import { restNameOf, toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { type Columns, sqlOf } from '../../rows/columns.ts';

/**
 * The JSON of the row `t`, with the members that REST shows, except those that only reads show.
 * @param instead SQL that replaces a field's own, for a statement that changes rows and so sees other tables in their earlier state
 */
export function snapshot(
  { fields }: Resource,
  columns: Columns,
  instead: Readonly<Record<string, string>> = {},
): string {
  const members = Object.entries(fields)
    .filter(([, { internal, expand }]) => internal !== true && expand !== 'reads')
    .map(([property, field]) => {
      const sql = instead[property] ?? sqlOf(columns, property) ?? `t.${toSnakeCase(property)}`;
      return `${jsonForm(sql, field)} as "${restNameOf(property, field)}"`;
    });
  return `(select to_json(v) from (select ${members.join(', ')}) v)`;
}

function jsonForm(sql: string, { type, restAsNumber, restAsText }: Resource['fields'][string]): string {
  if (restAsNumber === true) return type === 'decimal' ? `trim_scale(${sql})` : `(${sql})::int`;
  if (restAsText === true) return `(${sql})::text`;
  return typeOf(type).jsonSql?.(sql) ?? sql;
}

/** A table whose rows are shown in their parent. */
interface ChildTable {
  readonly name: string;
  readonly resource: Resource;
  readonly columns: Columns;
  readonly parent: { readonly column: string };
  readonly visible: string;
}

/** The children of the row `t` as JSON: in their order, or the oldest first. `[]` if there are none. */
export function childrenAsJson({ name, resource, columns, parent, visible }: ChildTable): string {
  const own = (sql: string) => overTable(sql, name);
  const order = isOrdered(resource) ? `${name}.position, ${name}.id` : `${name}.id`;
  return `(select coalesce('[' || string_agg(${own(snapshot(resource, columns))}::text, ',' order by ${order}) || ']', '[]')::json
    from ${name} where ${name}.workspace_id = $row_workspace and ${name}.${parent.column} = t.id and (${own(visible)}))`;
}

/** Rows of another table as JSON, the oldest first; `[]` if there are none. @param condition as in `otherAsJson` */
export function othersAsJson(
  { name, resource, columns }: Pick<ChildTable, 'name' | 'resource' | 'columns'>,
  condition: string,
): string {
  return `(select coalesce('[' || string_agg(${overTable(snapshot(resource, columns), name)}::text, ',' order by ${name}.id) || ']', '[]')::json
    from ${name} where ${condition})`;
}

/** The children of the row `t` in the same order, as records (src/rows/records.ts) of these columns. */
export function childrenAsRecords({ resource, ...child }: ChildTable): string {
  return recordsBelow(child, isOrdered(resource) ? 't.position, t.id' : 't.id');
}

/** The same in another order. @param order SQL over the children `t` */
export function recordsBelow(
  { name, columns, parent, visible }: Omit<ChildTable, 'resource'>,
  order: string,
): string {
  const own = (sql: string) => overTable(sql, name);
  return `(select coalesce(string_agg(${own(record(columns))}, '' order by ${own(order)}), '')
    from ${name} where ${name}.workspace_id = $row_workspace and ${name}.${parent.column} = t.id and (${own(visible)}))`;
}

/** The row of another table whose id is in a column of the row `t`, as a record of these columns; null if there is none. */
export function otherAsRecord(
  { name, columns, visible }: Pick<ChildTable, 'name' | 'columns' | 'visible'>,
  column: string,
): string {
  return `(select ${overTable(record(columns), name)}
    from ${name} where ${name}.workspace_id = $row_workspace and ${name}.id = t.${column} and (${overTable(visible, name)}) is true)`;
}

function record(columns: Columns): string {
  const fields = Object.keys(columns).map(
    (property) => sqlOf(columns, property) ?? `t.${toSnakeCase(property)}`,
  );
  return `row(${fields.join(', ')})::text`;
}

/** A row of another table as JSON; null if there is none. @param condition over that table, by its name, and the row `t` */
export function otherAsJson(
  { name, resource, columns }: Pick<ChildTable, 'name' | 'resource' | 'columns'>,
  condition: string,
): string {
  const shown = overTable(snapshot(resource, columns), name);
  return `(select ${shown} from ${name} where ${condition})`;
}

/**
 * SQL over a row `t`, over a row of another table in it. Its workspace stays a place to fill in (`ROW_WORKSPACE`): it is the same for
 * both rows.
 */
function overTable(sql: string, name: string): string {
  return sql.replaceAll(/\bt\./g, `${name}.`);
}

/**
 * Rows as a list of JSON objects, without spaces; `[]` if there are none.
 * @param columns what each shows, by the names of REST
 * @param from the rest of a query, over the row `t`
 */
export function rowsAsJson(columns: string, from: string, order: string): string {
  return `(select coalesce('[' || string_agg((select to_json(v) from (select ${columns}) v)::text, ',' order by ${order}) || ']', '[]')::json
    from ${from})`;
}
